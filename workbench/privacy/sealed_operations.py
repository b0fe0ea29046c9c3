"""Operations on sealed values for programs that only hold tokens: equality and harmless parts.

Each part is bound to kinds: the last four characters of a card say little, those of a short number say everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from workbench.errors import WorkbenchError
from workbench.privacy.detectors.kinds import BY_NAME, SEALED, plural
from workbench.records import JsonValue

_FEWEST: Final = 8  # letters and digits of what may show its last four
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_NOT_WORD = re.compile(r"[\W_]+")
Value = tuple[str, str]  # kind, empty for what is no token; and the text


def domain_of(text: str) -> str:
    """The part of an e-mail address that says where it is."""
    return text.rpartition("@")[2].strip().lower()


def year_of(text: str) -> int:
    """The year of a date."""
    found = set(_YEAR.findall(text))
    if len(found) != 1:
        raise WorkbenchError("This is no date with one year in it.")
    return int(found.pop())


def last4(text: str) -> str:
    """The last four letters or digits of a long number."""
    bare = _NOT_WORD.sub("", text)
    if len(bare) < _FEWEST:
        raise WorkbenchError("This number is so short that its last four signs would say nearly all of it.")
    return bare[-4:]


def initials(text: str) -> str:
    """The first letters of a name's words."""
    return "".join(f"{word[0].upper()}." for word in _NOT_WORD.split(text) if word)


_PARTS: Final[Mapping[str, tuple[Callable[[str], JsonValue], frozenset[str]]]] = {
    "domain_of": (domain_of, frozenset({"EMAIL"})),
    "year_of": (year_of, frozenset({"DOB", SEALED})),
    "last4": (last4, frozenset({"CARD", "PHONE", "IBAN", "BANK"})),
    "initials": (initials, frozenset({"NAME"})),
}
_MASKS: Final[Mapping[str, Callable[[str], str]]] = {
    "EMAIL": lambda text: f"{text.strip()[:1]}…@{domain_of(text)}",
    "NAME": initials,
    **dict.fromkeys(("CARD", "PHONE", "IBAN", "BANK"), lambda text: f"…{last4(text)}"),
}
OPERATIONS: Final = frozenset({"equal", "masked", *_PARTS})


def operate(operation: str, values: Sequence[Value]) -> JsonValue:
    """The answer to a program; refuses what this kind of value does not show."""
    if operation == "equal" and len(values) == 2:
        (one, first), (other, second) = values
        return _plain(one or other, first) == _plain(other or one, second)
    if operation not in OPERATIONS or operation == "equal" or len(values) != 1:
        raise WorkbenchError(f"There is no such operation: {operation!r:.60} of {len(values)} values.")
    ((kind, text),) = values
    if operation == "masked":
        if kind in _MASKS:
            return _MASKS[kind](text)
        raise _refused(operation, kind, _MASKS)
    part, kinds = _PARTS[operation]
    if kind and kind not in kinds:
        raise _refused(operation, kind, kinds)
    return part(text)


def _refused(operation: str, kind: str, kinds: Sequence[str] | frozenset[str] | Mapping[str, object]) -> WorkbenchError:
    what = plural(kind, 2).partition(" ")[2] if kind else "what is no token"
    good = ", ".join(sorted(plural(one, 2).partition(" ")[2] for one in kinds))
    return WorkbenchError(f"{operation} says nothing about {what}.", f"It works on {good}.")


def _plain(kind: str, text: str) -> str:
    """A value without what differs between two ways to write it."""
    known = BY_NAME.get(kind)
    if (known is not None and known.numeric) or kind == "IBAN":
        bare = _NOT_WORD.sub("", text).upper()
        return bare.removeprefix("00") if kind == "PHONE" else bare
    return " ".join(text.casefold().split())
