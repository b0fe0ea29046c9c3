"""Replaces the values of sealed fields with tokens in answers for programs, and runs operations on values and tokens.

Sealed are all values of the fields that the user or the project named and, for tools that are sealed as a whole, all
detected values. Later answers are searched for sealed values in all spellings, and for values that a call sent, so that
a server that echoes a value returns a token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from workbench.errors import WorkbenchError
from workbench.privacy.detectors.json_fields import as_text, texts
from workbench.privacy.detectors.kinds import BY_NAME, SEALED, plural
from workbench.privacy.pii_tokens import LOOKALIKE, normalize_token
from workbench.privacy.value_index import ValueIndex
from workbench.privacy.vault import Vault
from workbench.records import JsonValue

WHOLE: Final = ("",)  # all personal data of an answer


class SealedValues:
    """The sealed values of one session."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._veil = TokenSubstitution(vault)
        self._tokens: set[str] = set()

    def __bool__(self) -> bool:
        """Whether a value was sealed in this session."""
        return bool(self._tokens)

    def holds(self, token: str) -> bool:
        """Whether the token replaces a sealed value."""
        return normalize_token(token) in self._tokens

    def seal(self, value: JsonValue, fields: Sequence[str], source: str) -> JsonValue:
        """The value as programs receive it. `fields` has the paths of sealed fields, or is WHOLE."""
        whole = tuple(fields) == WHOLE
        clean = self._vault.sanitize_json(value) if whole else self._fields(value, tuple(fields), source, ())
        self.remember(token for text in texts(clean) for token in _tokens(text))
        return self.veil(clean)

    def seal_text(self, text: str) -> str:
        """The text with all detected values sealed; a text has no fields."""
        clean = self._vault.sanitize(text)
        self.remember(_tokens(clean))
        return clean

    def remember(self, tokens: Iterable[str]) -> None:
        """Search for the values of these tokens in later answers."""
        for token in tokens:
            if (name := normalize_token(token)) not in self._tokens:
                self._tokens.add(name)
                self._veil.add(token)

    def veil(self, value: JsonValue, also: TokenSubstitution | None = None) -> JsonValue:
        """The value with tokens for sealed values and for those that `also` knows."""
        value = self._veil.json(value) if self._tokens else value
        return also.json(value) if also is not None else value

    def _fields(self, value: JsonValue, fields: tuple[str, ...], source: str, place: tuple[str, ...]) -> JsonValue:
        if place and any(fits(path, place) for path in fields):
            return self._all(value, source, place[-1])
        if isinstance(value, dict):
            return {key: self._fields(one, fields, source, (*place, str(key))) for key, one in value.items()}
        if isinstance(value, list):
            return [self._fields(one, fields, source, (*place, "[]")) for one in value]
        return value

    def _all(self, value: JsonValue, source: str, key: str) -> JsonValue:
        """The value with a token for every leaf below a sealed field."""
        if isinstance(value, dict):
            return {self._vault.sanitize(str(name)): self._all(one, source, str(name)) for name, one in value.items()}
        if isinstance(value, list):
            return [self._all(one, source, key) for one in value]
        if value is None or value == "":
            return value
        return self._token(value, source, key)

    def _token(self, value: JsonValue, source: str, key: str) -> str:
        """A token of the kind that the key or the form shows for the whole value, else of the kind SEALED."""
        known = self._vault.sanitize_json({key: value})[key]
        if isinstance(known, str) and LOOKALIKE.fullmatch(known.strip()):
            return known.strip()
        return self._vault.seal(value, source)


class TokenSubstitution:
    """Replaces some values of a vault with their tokens in answers for programs."""

    def __init__(self, vault: Vault, tokens: Iterable[str] = ()) -> None:
        self._vault = vault
        self._known = ValueIndex()
        for token in tokens:
            self.add(token)

    def add(self, token: str) -> None:
        kind = BY_NAME.get(normalize_token(token).rpartition("_")[0])
        if kind is not None:
            text = self._vault.reveal(f"[{normalize_token(token)}]")
            self._known.add(text, numeric=kind.numeric, worded=kind.worded)

    def json(self, value: JsonValue) -> JsonValue:
        """The same structure with tokens, also in keys and for numbers."""
        if isinstance(value, dict):
            return {self._text(str(key)): self.json(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.json(one) for one in value]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        return value

    def _number(self, value: int | float) -> JsonValue:
        known = self._known.number(as_text(value).lstrip("-"))
        return self._vault.sanitize_json(value) if known is not None else value

    def _text(self, text: str) -> str:
        parts, at = [], 0
        for start, end in _joined((seen.start, seen.end) for seen in self._known.find(text)):
            parts += [text[at:start], self._vault.sanitize(text[start:end])]
            at = end
        return "".join([*parts, text[at:]])


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans without overlaps, sorted."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _tokens(text: str) -> list[str]:
    return [match.group() for match in LOOKALIKE.finditer(text)] if "_" in text else []


def fits(path: str, place: Sequence[str]) -> bool:
    """Whether a path names this position in a value. `place` has the keys that lead to it, with `[]` for each list."""
    parts = _parts(path)
    return place[-1:] == parts if len(parts) == 1 else _same(parts, place)


def _same(parts: Sequence[str], place: Sequence[str]) -> bool:
    return len(parts) == len(place) and all(part in ("*", name) for part, name in zip(parts, place, strict=True))


@lru_cache(maxsize=512)
def _parts(path: str) -> tuple[str, ...]:
    """`customers[].email` as `customers`, `[]`, `email`."""
    return tuple(part for name in path.split(".") for part in ([name[:-2], "[]"] if name.endswith("[]") else [name]))


_FEWEST: Final = 8  # letters and digits of a value whose last four may be shown
_MOST_WORDS: Final = 6  # words of a name
_EMAIL = re.compile(r"[^\s@]{1,80}@[^\s@]{1,250}")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{4}")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_NOT_WORD = re.compile(r"[\W_]+")
Value = tuple[str, str]  # kind (empty for a text that is no token) and text


def domain_of(text: str) -> str:
    """The domain of an e-mail address."""
    return text.rpartition("@")[2].strip().lower()


def year_of(text: str) -> int:
    """The year of a date."""
    found = set(_YEAR.findall(text))
    if len(found) != 1:
        raise WorkbenchError("The value is not a date with exactly one year.")
    return int(found.pop())


def last4(text: str) -> str:
    """The last four letters or digits of a long number."""
    bare = _NOT_WORD.sub("", text)
    if len(bare) < _FEWEST:
        raise WorkbenchError("The number is too short: its last four characters would reveal nearly all of it.")
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
    """The result of a program's operation on values. Rejects operations that this kind of value does not allow."""
    if operation == "equal" and len(values) == 2:
        (one, first), (other, second) = values
        return _plain(one or other, first) == _plain(other or one, second)
    if operation not in OPERATIONS or operation == "equal" or len(values) != 1:
        raise WorkbenchError(f"There is no such operation: {operation!r:.60} (number of values: {len(values)}).")
    ((kind, text),) = values
    if operation == "masked":
        if (form := kind or _form(text)) in _MASKS:
            return _MASKS[form](text)
        raise _refused(operation, kind, _MASKS)
    part, kinds = _PARTS[operation]
    if kind and kind not in kinds:
        raise _refused(operation, kind, kinds)
    return part(text)


def _form(text: str) -> str:
    """The kind that a text without a token has by its form: an e-mail address, a long number or a name."""
    if _EMAIL.fullmatch(text.strip()):
        return "EMAIL"
    if _DATE.match(text.strip()):
        return ""
    if sum(map(str.isdigit, text)) >= _FEWEST:
        return "BANK"
    words = [word for word in _NOT_WORD.split(text) if word]
    named = 0 < len(words) <= _MOST_WORDS and all(word.isalpha() and not word.islower() for word in words)
    return "NAME" if named else ""


def _refused(operation: str, kind: str, kinds: Sequence[str] | frozenset[str] | Mapping[str, object]) -> WorkbenchError:
    what = plural(kind, 2).partition(" ")[2] if kind else "such texts, which are not tokens"
    good = ", ".join(sorted(plural(one, 2).partition(" ")[2] for one in kinds))
    return WorkbenchError(f"{operation} does not work for {what}.", f"It works for {good}.")


def _plain(kind: str, text: str) -> str:
    """The value in a normalized spelling, for comparisons."""
    known = BY_NAME.get(kind)
    if (known is not None and known.numeric) or kind == "IBAN":
        bare = _NOT_WORD.sub("", text).upper()
        return bare.removeprefix("00") if kind == "PHONE" else bare
    return " ".join(text.casefold().split())
