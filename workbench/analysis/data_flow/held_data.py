"""What a value holds: the tool answers that each part of it was taken from.

`HeldData` mirrors the shape of a value. A text, a number or a whole answer has sources of its own; a container has
entries. Containers are mutable objects like those of the program, so two names of one list share what is added.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

MOST_DEPTH: Final = 8  # containers inside containers that are kept apart
MOST_ENTRIES: Final = 48  # entries under constant keys that are kept apart


class CallSource(NamedTuple):
    """A tool call whose answer a value holds."""

    name: str  # server.tool
    server: str
    line: int
    field: str = ""  # the only field of the answer that it holds, if that is certain

    @property
    def call(self) -> CallSource:
        """The same without its field."""
        return self._replace(field="") if self.field else self


CallSources: TypeAlias = frozenset[CallSource]
NO_SOURCES: Final[CallSources] = frozenset()
Key: TypeAlias = str | int


class LocalNames:
    """Names of a function, a comprehension, a class or the module."""

    __slots__ = ("foreign", "names", "outer")

    def __init__(self, outer: LocalNames | None, names: dict[str, HeldData] | None = None) -> None:
        self.outer, self.names, self.foreign = outer, names or {}, dict[str, LocalNames]()

    def find(self, name: str) -> HeldData | None:
        scope: LocalNames | None = self
        while scope is not None:
            if (found := scope.names.get(name)) is not None:
                return found
            scope = scope.outer
        return None


class OwnFunction(NamedTuple):
    """A function of the program, with the scope that it was defined in."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: LocalNames
    receiver: HeldData | None = None  # of a bound method


class OwnClass(NamedTuple):
    """A class of the program. `fields`: names of the arguments that become attributes."""

    methods: HeldData
    fields: tuple[str, ...]


class PartialCall(NamedTuple):
    """A function with some of its arguments: `functools.partial`."""

    callee: HeldData
    positional: tuple[HeldData, ...]
    named: tuple[tuple[str, HeldData], ...]


class ToolName(NamedTuple):
    """A tool as a value: imported, passed on, or stored."""

    server: str
    name: str


class LibraryName(NamedTuple):
    """A module, or a function of a module: `json.dumps`."""

    name: str


Callee: TypeAlias = OwnFunction | OwnClass | PartialCall | LibraryName | ToolName


class HeldData:
    """What a value holds. `own`: sources of the value as a whole; `entries`: under constant keys or positions;
    `rest`: of all other entries; `keys`: of a mapping's keys, None if the value is no mapping. `grows`: reading a key
    of the mapping adds it."""

    __slots__ = ("aliases", "callees", "constant", "entries", "grows", "keys", "own", "rest")

    def __init__(
        self,
        own: CallSources = NO_SOURCES,
        rest: HeldData | None = None,
        keys: HeldData | None = None,
        entries: dict[Key, HeldData] | None = None,
        callees: tuple[Callee, ...] = (),
        constant: Key | None = None,
    ) -> None:
        self.own, self.rest, self.keys, self.callees, self.constant = own, rest, keys, callees, constant
        self.entries: dict[Key, HeldData] = entries if entries is not None else {}
        self.grows = False
        self.aliases: tuple[HeldData, ...] = ()  # objects that this may be as well

    def __bool__(self) -> bool:
        return bool(self.own or self.rest is not None or self.entries or self.keys is not None or self.callees)

    @property
    def is_container(self) -> bool:
        return self.rest is not None or bool(self.entries) or self.keys is not None

    def all_sources(self) -> CallSources:
        """Return the sources of the value and of everything in it."""
        found: set[CallSource] = set(self.own)
        seen: set[int] = {id(self)}
        left = list(self._parts())
        while left:
            part = left.pop()
            if id(part) not in seen:
                seen.add(id(part))
                found |= part.own
                left.extend(part._parts())
        return frozenset(found)

    def _parts(self) -> Iterator[HeldData]:
        yield from self.entries.values()
        for part in (self.rest, self.keys):
            if part is not None:
                yield part

    # ── Reading entries ─────────────────────────────────────────────────────────────────────────────────
    def at(self, key: Key | None) -> HeldData:
        """Return the entry under a constant key, or any entry. It is the same object each time."""
        if key is not None and key in self.entries:
            return self.entries[key]
        if isinstance(key, str) and (self.keys is not None or self.own):
            if self.own:
                self.entries[key] = HeldData(self.own)
                return join(self.entries[key], self.rest) if self.rest is not None else self.entries[key]
            return self._any_rest()
        if isinstance(key, int) and key < 0 and self.rest is None and len(self.entries) + key in self.entries:
            return self.entries[len(self.entries) + key]
        return self.element()

    def element(self) -> HeldData:
        """Return any entry."""
        if not self.entries:
            return self._any_rest()
        found = join_all(self.entries.values())
        return join(found, self._any_rest()) if self.rest is not None or self.own else found

    def _any_rest(self) -> HeldData:
        if self.rest is None:
            self.rest = HeldData(self.own)
        elif self.own and not self.own <= self.rest.own:
            self.rest = join(self.rest, HeldData(self.own))
        return self.rest

    def iterated(self) -> HeldData:
        """Return what iterating over the value gives: its keys if it is a mapping."""
        if self.keys is not None:
            return join(self.keys, HeldData(self.own))
        return self.element()

    def values(self) -> HeldData:
        """Return any value of a mapping."""
        return self.element()

    # ── Changing entries ────────────────────────────────────────────────────────────────────────────────
    def add_entry(self, data: HeldData, key: HeldData | None = None, *, surely: bool = True) -> None:
        """Store an entry under a key, or anywhere. Not `surely`: the earlier entry may remain."""
        for holder in self.with_aliases():
            constant = key.constant if key is not None else None
            if constant is not None and (constant in holder.entries or len(holder.entries) < MOST_ENTRIES):
                sure = surely and holder is self and not self.aliases
                holder.entries[constant] = data if sure else join(holder.at(constant), data)
                continue
            holder.rest = data if holder.rest is None else join(holder.rest, data)
            if key is not None:
                holder.keys = key if holder.keys is None else join(holder.keys, key)

    def absorb(self, other: HeldData) -> None:
        """Add all entries of another container, or the elements of another value."""
        for holder in self.with_aliases():
            if holder is other:
                continue
            for key, data in other.entries.items():
                old = holder.entries.get(key)
                holder.entries[key] = data if old is None else join(old, data)
            if other.rest is not None or other.own:
                rest = other._any_rest()
                holder.rest = rest if holder.rest is None else join(holder.rest, rest)
            if other.keys is not None:
                holder.keys = other.keys if holder.keys is None else join(holder.keys, other.keys)

    def loosen(self) -> None:
        """Forget the positions of entries: the order has changed."""
        for holder in self.with_aliases():
            if holder.entries and holder.keys is None:
                holder.rest, holder.entries = holder.element(), {}

    def with_aliases(self) -> Iterable[HeldData]:
        if not self.aliases:
            return (self,)
        found, left = {id(self): self}, [self]
        while left:
            for one in left.pop().aliases:
                if id(one) not in found:
                    found[id(one)] = one
                    left.append(one)
        return tuple(found.values())


def leaf(sources: CallSources) -> HeldData:
    """Return a text or number made of these answers."""
    return HeldData(sources)


def join(first: HeldData, second: HeldData | None, depth: int = 0) -> HeldData:
    """Return a value that may be either of the two."""
    if second is None or first is second:
        return first
    if not second:
        return first if first or first.constant == second.constant else HeldData()
    if not first:
        return second
    if first in second.aliases:
        return second
    if second in first.aliases:
        return first
    if not first.is_container and not second.is_container and not first.callees and not second.callees:
        own = first.own | second.own
        return first if own == first.own else second if own == second.own else HeldData(own)
    if depth > MOST_DEPTH:
        return HeldData(first.all_sources() | second.all_sources())
    made = HeldData(first.own | second.own, callees=tuple(dict.fromkeys((*first.callees, *second.callees)))[:6])
    for key in dict.fromkeys((*first.entries, *second.entries)):
        one, other = first.entries.get(key), second.entries.get(key)
        made.entries[key] = join(one, other, depth + 1) if one is not None else other or HeldData()
    made.rest = _join_parts(first.rest, second.rest, depth)
    made.keys = _join_parts(first.keys, second.keys, depth)
    made.grows = first.grows or second.grows
    made.aliases = tuple(one for one in (first, second) if one.is_container)
    return made


def _join_parts(first: HeldData | None, second: HeldData | None, depth: int) -> HeldData | None:
    if first is None:
        return second
    return join(first, second, depth + 1)


def join_all(every: Iterable[HeldData]) -> HeldData:
    found: HeldData | None = None
    for one in every:
        found = one if found is None else join(found, one)
    return found if found is not None else HeldData()


def all_sources(*every: HeldData) -> CallSources:
    """Return the sources of all these values and of everything in them."""
    return NO_SOURCES.union(*(data.all_sources() for data in every))
