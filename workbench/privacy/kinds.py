"""The kinds of personal data as a table: how each is found in text, which keys announce it, what counts as one.

A further kind is one more entry; detector and vault know no kind by name but LITERAL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.privacy import email, phone

LITERAL = "LITERAL"  # text that looks like a token but is none


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of personal data."""

    name: str  # as it stands in tokens
    plural: str  # as it stands in sentences
    find: Callable[[str], Iterator[tuple[int, int]]]  # spans in free text
    accepts: Callable[[str], bool]  # whether a whole value under one of the keys is of this kind
    keys: frozenset[str]


KINDS = (
    Kind("EMAIL", "e-mails", email.find, email.accepts, email.KEYS),
    Kind("PHONE", "phone numbers", phone.find, phone.accepts, phone.KEYS),
)
PLURALS = {kind.name: kind.plural for kind in KINDS} | {LITERAL: "literal texts"}


def plural(name: str, count: int) -> str:
    """`2 e-mails`, `1 phone number`."""
    words = PLURALS.get(name, name.lower() + "s")
    return f"{count} {words if count != 1 else words[:-1]}"
