"""Finds the partner of a bracket, skipping nothing: a hint for the eye, not a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_BACK = {close: opening for opening, close in _PAIRS.items()}
FAR = 6_000  # characters looked through: more than a screen shows on either side


def partner(text: str, place: int) -> tuple[int, int] | None:
    """Positions of the bracket beside `place` and of its partner; None without one."""
    for at in (place, place - 1):
        sign = text[at : at + 1] if at >= 0 else ""
        if sign in _PAIRS:
            other = _seek(text, at, 1, sign, _PAIRS[sign])
        elif sign in _BACK:
            other = _seek(text, at, -1, sign, _BACK[sign])
        else:
            continue
        return (at, other) if other >= 0 else None
    return None


def _seek(text: str, at: int, step: int, same: str, wanted: str) -> int:
    depth = 0
    pair = re.compile(f"[{re.escape(same + wanted)}]")
    found: Iterator[re.Match[str]]
    if step > 0:
        found = pair.finditer(text, at, min(len(text), at + FAR))
    else:
        found = reversed([*pair.finditer(text, max(0, at + 1 - FAR), at + 1)])
    for match in found:
        depth += 1 if match.group() == same else -1
        if depth == 0:
            return match.start()
    return -1
