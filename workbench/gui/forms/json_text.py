"""JSON as text and back, exact in both directions: no doubled names, no NaN, hidden characters always escaped."""

from __future__ import annotations

import json
from typing import Any

from workbench.errors import WorkbenchError
from workbench.gui.text import has_hidden
from workbench.records import JsonValue


def dump(value: JsonValue, *, indent: int | None = 2) -> str:
    """JSON text for people: readable letters, unless something in it could not be seen."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return json.dumps(value, ensure_ascii=True, indent=indent) if has_hidden(text) else text


def parse(text: str) -> JsonValue:
    """The value of a JSON text; a fault says line and column."""
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)
    except json.JSONDecodeError as fault:
        where = f"line {fault.lineno}, column {fault.colno}"
        raise WorkbenchError(f"This is not JSON yet: {fault.msg[:1].lower()}{fault.msg[1:]} ({where}).") from None
    except RecursionError:
        raise WorkbenchError("This JSON is nested too deeply to be read.") from None


def identical(first: JsonValue, second: JsonValue) -> bool:
    """Equal in value and in kind: 1 is not 1.0 here, because a form must not change what somebody wrote."""
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # Any: foreign JSON
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
    return value
