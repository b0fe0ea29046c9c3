"""The kinds of personal data as a table: how each is found in text, which keys announce it, what counts as one.

A further kind is one more entry; detector and vault know no kind by name but LITERAL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from workbench.privacy import (
    address,
    bank,
    birth,
    card,
    company,
    credential,
    custom,
    email,
    iban,
    ip,
    mac,
    national,
    person,
    phone,
    secret,
    ssn,
    username,
)
from workbench.quick_records import dataclass

LITERAL = "LITERAL"  # text that looks like a token but is none
CUSTOM = "CUSTOM"  # what the user marked themselves
SEALED = "SEALED"  # a value of a sealed field that shows no kind of its own


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of personal data."""

    name: str  # as it stands in tokens
    plural: str  # as it stands in sentences
    find: Callable[[str], Iterator[tuple[int, int]]]  # spans in free text
    accepts: Callable[[str], bool]  # whether a whole value under one of the keys is of this kind
    keys: frozenset[str]
    assigned: Callable[[str], bool] | None = None  # stricter than accepts: what follows `key:` in free text
    spreads: bool = False  # its key speaks for everything below it: {"phone": {"home": …}}
    numeric: bool = False  # its digits alone, however they are separated, are the value too
    worded: bool = False  # each word of it is the value too: a person's names
    why: str = "form"  # by what `find` knows it, in short words for a person
    prose: bool = False  # looked for in prose too, by likelihood
    also: tuple[Kind, ...] = ()  # what else its key may announce: under `user`, a name or a user name
    personal: bool = False  # a record with one of these is about a person, so its `name` is a person's


KINDS = (
    Kind("EMAIL", "e-mails", email.find, email.accepts, email.KEYS, spreads=True, personal=True),
    Kind("PHONE", "phone numbers", phone.find, phone.accepts, phone.KEYS, spreads=True, numeric=True, personal=True),
    Kind("CARD", "card numbers", card.find, card.accepts, card.KEYS, why="check digit", numeric=True, personal=True),
    Kind("IBAN", "IBANs", iban.find, iban.accepts, iban.KEYS, why="checksum"),
    Kind("SSN", "social security numbers", ssn.find, ssn.accepts, ssn.KEYS, numeric=True, personal=True),
    Kind(
        "NATIONAL_ID",
        "national ids",
        national.find,
        national.accepts,
        national.KEYS,
        why="word before it",
        numeric=True,
        personal=True,
    ),
    Kind("IP", "internet addresses", ip.find, ip.accepts, ip.KEYS),
    Kind("MAC", "hardware addresses", mac.find, mac.accepts, mac.KEYS),
    Kind("URL_CREDENTIAL", "logins", credential.find, credential.accepts, credential.KEYS),
    Kind("SECRET", "secrets", secret.find, secret.accepts, secret.KEYS, secret.assigned, why="known prefix"),
    Kind("DOB", "birth dates", birth.find, birth.accepts, birth.KEYS, why="word before it", personal=True),
    Kind(
        *("NAME", "names", person.find, person.accepts, person.KEYS, person.assigned),
        worded=True,
        prose=True,
        personal=True,
    ),
    Kind(
        *("ADDRESS", "postal addresses", address.find, address.accepts, address.KEYS, address.assigned),
        prose=True,
        personal=True,
    ),
    Kind("COMPANY", "companies", company.find, company.accepts, company.KEYS, company.assigned),
    Kind("USERNAME", "user names", username.find, username.accepts, username.KEYS),
    Kind("BANK", "bank details", bank.find, bank.accepts, bank.KEYS, why="word before it", numeric=True),
    Kind(CUSTOM, "values of your own", custom.find, custom.accepts, custom.KEYS),
    Kind(SEALED, "sealed values", custom.find, custom.accepts, custom.KEYS),
)


def settled(kind: Kind, value: str) -> Kind:
    """Of what a key announces, what this value is; the first where it is none of it."""
    if not kind.also or kind.accepts(value):
        return kind
    return next((other for other in kind.also if other.accepts(value)), kind)


BY_NAME = {kind.name: kind for kind in KINDS}
_ENDS = {"companies": "company", "addresses": "address"}  # plurals that are more than an "s"


def plural(name: str, count: int) -> str:
    """`2 e-mails`, `1 phone number`."""
    words = {LITERAL: "literal texts"} | {kind.name: kind.plural for kind in KINDS}
    many = words.get(name, name.lower() + "s")
    if count == 1:
        *before, last = many.split(" ")
        many = " ".join([*before, _ENDS.get(last, last.removesuffix("s"))])
    return f"{count} {many}"
