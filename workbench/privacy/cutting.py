"""Where a sanitized text may be cut: never through a token, or its half would be taken for one and refused."""

from __future__ import annotations

from typing import Final

from workbench.privacy.marks import LOOKALIKE

_NEAR: Final = 80  # characters on either side of a cut in which a token through it would begin and end


def before(text: str, at: int) -> int:
    """The last place up to here where no token is cut."""
    return _edge(text, at)[0]


def after(text: str, at: int) -> int:
    """The first place from here on where no token is cut."""
    return _edge(text, at)[1]


def _edge(text: str, at: int) -> tuple[int, int]:
    start = max(0, at - _NEAR)
    for match in LOOKALIKE.finditer(text[start : at + _NEAR]):
        if match.start() + start < at < match.end() + start:
            return match.start() + start, match.end() + start
    return at, at
