"""JSON text that keeps numbers as they were written: `1e5` and `0.10` must not turn into `100000.0` and `0.1` while the
user edits them. Such a number computes like any other; only text made of it keeps the spelling."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, TypeGuard

from workbench.errors import WorkbenchError
from workbench.gui.kit.text import has_hidden
from workbench.records import JsonValue


class ExactNumber(float):
    """A float that remembers how it was written."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> ExactNumber:
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __reduce__(self) -> tuple[type[ExactNumber], tuple[str]]:
        return ExactNumber, (self.text,)


_LONGEST_NUMBER = 4_000  # digits; Python refuses to read whole numbers beyond
_LARGE = 1_000_000  # characters
_INDENTED = 60  # levels that are indented; deeper ones would be mostly spaces


def dump(value: JsonValue, *, indent: int | None = 2) -> str:
    """Indented JSON text; invisible characters are escaped."""
    text = "".join(_parts(value, indent, encode_basestring))
    return "".join(_parts(value, indent, encode_basestring_ascii)) if has_hidden(text) else text


def dump_to_edit(value: JsonValue) -> str:
    """Like `dump`, but a value of more than a megabyte becomes one line, which is written twenty times as fast."""
    try:
        line = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return dump(value)
    if len(line) < _LARGE or _has_exact_number(value):
        return dump(value)
    return json.dumps(value) if has_hidden(line) else line


def _has_exact_number(value: JsonValue) -> bool:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ExactNumber):
            return True
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False


def pretty(value: JsonValue) -> str:
    """Indented JSON for display, three times as fast as `dump`: for values without `ExactNumber`, in a view that draws
    hidden characters.
    """
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:
        return dump(value)


def parse(text: str) -> JsonValue:
    """Parse JSON text. A fault names line and column."""
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_integer
        )
    except json.JSONDecodeError as fault:
        where = f"line {fault.lineno}, column {fault.colno}"
        raise WorkbenchError(f"This is not JSON yet: {fault.msg[:1].lower()}{fault.msg[1:]} ({where}).") from None
    except RecursionError:
        raise WorkbenchError("This JSON is nested too deeply to be read.") from None


def is_number(value: JsonValue) -> TypeGuard[int | float]:
    """Whether the value is a JSON number; in Python, true and false are numbers too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def identical(first: JsonValue, second: JsonValue) -> bool:
    """Equal in value and type: 1 and 1.0 differ, because a form must not change what the user typed."""
    try:
        return _alike(first, second)
    except RecursionError:
        return False  # nested too deeply to be sure


def _alike(first: JsonValue, second: JsonValue) -> bool:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_alike(first[name], second[name]) for name in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_alike, first, second))
    if isinstance(first, bool | int | float) and isinstance(second, bool | int | float):
        return _scalar(first) == _scalar(second)
    return type(first) is type(second) and bool(first == second)


def _scalar(value: JsonValue) -> str:
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, ExactNumber):
        return value.text
    return json.dumps(value)


def _parts(value: JsonValue, indent: int | None, quote: Callable[[str], str]) -> Iterator[str]:
    """The parts of the text, without recursion; `stack` holds open containers and what is left of them."""
    stack: list[tuple[Iterator[tuple[str, JsonValue]], str]] = []
    prefix = ""
    while True:
        if isinstance(value, Mapping | list) and value:
            named = isinstance(value, Mapping)
            yield prefix + ("{" if named else "[")
            parts = _named(value, quote) if isinstance(value, Mapping) else (("", item) for item in value)
            stack.append((parts, "}" if named else "]"))
            prefix = _break(indent, len(stack))
        else:
            yield prefix + _leaf(value, quote)
            prefix = "," + (_break(indent, len(stack)) or " ")
        while stack:
            found = next(stack[-1][0], None)
            if found is not None:
                prefix, value = prefix + found[0], found[1]
                break
            _, end = stack.pop()
            yield _break(indent, len(stack)) + end
            prefix = "," + (_break(indent, len(stack)) or " ")
        else:
            return


def _named(value: Mapping[str, JsonValue], quote: Callable[[str], str]) -> Iterator[tuple[str, JsonValue]]:
    return ((quote(name) + ": ", part) for name, part in value.items())


def _leaf(value: JsonValue, quote: Callable[[str], str]) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, Mapping | list):
        return "[]" if isinstance(value, list) else "{}"
    return _scalar(value)


def _break(indent: int | None, level: int) -> str:
    return "" if indent is None else "\n" + " " * (indent * min(level, _INDENTED))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # Any: foreign JSON
    whole = dict(pairs)
    if len(whole) < len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise WorkbenchError(f"The name “{doubled}” occurs twice in one object.", "JSON would drop one of them.")
    return whole


def _constant(word: str) -> JsonValue:
    raise WorkbenchError(f"{word} is not a JSON number.")


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise WorkbenchError(f"The number {text[:40]} is too large.")
    return value if repr(value) == text else ExactNumber(text)


def _integer(text: str) -> int | float:
    if len(text) > _LONGEST_NUMBER:
        raise WorkbenchError(f"The number {text[:40]}… has too many digits.")
    return ExactNumber(text) if text == "-0" else int(text)
