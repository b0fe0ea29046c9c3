"""The arguments of one call, by position and by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.policy.value import NO_TAINT, NOTHING, Source, Value


@dataclass(frozen=True, slots=True)
class Arguments:
    """Values as given; `keys` holds the entries of a single dict display, the other call style of wrappers."""

    positional: tuple[Value, ...] = ()
    named: dict[str, Value] = field(default_factory=dict)
    keys: dict[str, Value] = field(default_factory=dict)

    def get(self, position: int, *names: str) -> Value:
        """The argument at this position or under one of these names."""
        if 0 <= position < len(self.positional):
            return self.positional[position]
        return next((self.named[name] for name in names if name in self.named), NOTHING)

    def by_name(self) -> Iterator[tuple[str, Value]]:
        """Arguments whose name is known."""
        yield from self.named.items()
        yield from self.keys.items()

    @property
    def every(self) -> tuple[Value, ...]:
        return (*self.positional, *self.named.values())

    @property
    def taint(self) -> frozenset[Source]:
        return NO_TAINT.union(*(value.taint for value in self.every))
