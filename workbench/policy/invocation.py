"""The arguments of one call, by position and by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from workbench.policy.value import NO_TAINT, NOTHING, Value

_NONE: Final[Mapping[str, Value]] = MappingProxyType({})


class Arguments:
    """Values as given; `keys` holds the entries of a single dict display, the other call style of wrappers.

    Treat as frozen. What every call asks for is put together once.
    """

    __slots__ = ("every", "keys", "loose", "named", "positional", "taint")

    def __init__(
        self,
        positional: tuple[Value, ...] = (),
        named: Mapping[str, Value] = _NONE,
        keys: Mapping[str, Value] = _NONE,
        loose: Value | None = None,
    ) -> None:
        self.loose = loose  # what `*` or `**` may give beside, where nobody can tell which arguments that is
        self.positional, self.named, self.keys = positional, named, keys
        self.every = (*positional, *named.values()) if named else positional
        self.taint = NO_TAINT
        for value in self.every:
            if value.taint:
                self.taint |= value.taint

    def get(self, position: int, *names: str) -> Value:
        """The argument at this position or under one of these names."""
        if 0 <= position < len(self.positional):
            return self.positional[position]
        for name in names if self.named else ():
            if name in self.named:
                return self.named[name]
        return NOTHING if self.loose is None else self.loose

    def by_name(self) -> Iterator[tuple[str, Value]]:
        """Arguments whose name is known."""
        yield from self.named.items()
        yield from self.keys.items()
