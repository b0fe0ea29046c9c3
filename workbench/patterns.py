"""Regular expressions that are compiled when they are first asked for.

The rooms of a core have three hundred of them. Compiling all was a fifth of what a core does before it is ready, and an
agent's first program meets fifty.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

_ASKED: Final = (
    "search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split", "pattern", "flags", "groups",
    "groupindex",
)  # fmt: skip


class Later:
    """Stands where the expression will; once it was asked for, it costs no more than the expression itself."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # Any: whatever an expression has
        if name not in _ASKED:
            raise AttributeError(f"A pattern that is compiled later has no {name}.")
        made = re.compile(self._text, self._flags)
        self.__dict__.update({asked: getattr(made, asked) for asked in _ASKED})
        return self.__dict__[name]


def later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, for what a module keeps; functions of `re` do not take it."""
    return cast("re.Pattern[str]", Later(pattern, flags))
