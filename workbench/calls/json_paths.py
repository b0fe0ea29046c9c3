"""Paths into a JSON value: `orders[0].id`, `orders[*].id`, `["odd key"].x`. The empty path and `$` mean the complete
value."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from workbench.errors import WorkbenchError
from workbench.records import JsonValue

STEP = re.compile(r"""\.?([^.\[\]"'*][^.\[\]]*)|\.?(\*)|\[(-?\d{1,9})\]|\[(\*)\]|\[("(?:[^"\\]|\\.)*")\]""")
LONGEST = 500
Step = str | int | None  # a key, an index, or None for `*`


def steps(path: str) -> tuple[Step, ...]:
    """Parse a path. The WorkbenchError for a syntax error shows where it is."""
    rest = path.removeprefix("$")
    if len(path) > LONGEST:
        raise WorkbenchError("The path is too long.", f"Use at most {LONGEST} characters.")
    found: list[Step] = []
    at = 0
    while at < len(rest):
        match = STEP.match(rest, at)
        if match is None:
            raise WorkbenchError(
                f"The path {path!r} has a syntax error at {rest[at:]!r}.",
                'Write keys with dots and indices in brackets: orders[0].id, orders[*].id, ["odd key"].',
            )
        key, index, quoted = match[1], match[3], match[5]
        found.append(key or (int(index) if index else json.loads(quoted) if quoted else None))
        at = match.end()
    return tuple(found)


def find(value: JsonValue, path: Sequence[Step]) -> list[JsonValue]:
    """Return every value at a path; an empty list when the path does not exist."""
    found = [value]
    for step in path:
        found = [inner for one in found for inner in _inside(one, step)]
    return found


def covers(pattern: Sequence[Step], path: Sequence[Step]) -> bool:
    """Whether `path` equals `pattern` or lies below it; `*` in the pattern matches any step."""
    return len(path) >= len(pattern) and all(
        wanted is None or wanted == step for wanted, step in zip(pattern, path, strict=False)
    )


def format_path(path: Sequence[Step]) -> str:
    """Format a path in the notation that `steps` parses."""
    text = ""
    for step in path:
        if isinstance(step, str):
            plain = re.fullmatch(r"""[^.\[\]"'*][^.\[\]]*""", step) is not None
            text += (f".{step}" if text else step) if plain else f"[{json.dumps(step, ensure_ascii=False)}]"
        else:
            text += "[*]" if step is None else f"[{step}]"
    return text


def _inside(value: JsonValue, step: Step) -> list[JsonValue]:
    if isinstance(value, dict):
        if step is None:
            return list(value.values())
        return [value[step]] if isinstance(step, str) and step in value else []
    if isinstance(value, list):
        if step is None:
            return list(value)
        return [value[step]] if isinstance(step, int) and -len(value) <= step < len(value) else []
    return []
