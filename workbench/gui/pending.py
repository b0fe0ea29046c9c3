"""What waits for a person, one after the other, without those the person wants to see later."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Pending(Generic[Item]):
    """Items by their id, in the order in which they came unless `urgency` says otherwise."""

    def __init__(self, urgency: Callable[[Item], float] = lambda item: 0.0) -> None:
        self._urgency = urgency
        self._items: dict[str, Item] = {}
        self._put_aside: set[str] = set()

    def __len__(self) -> int:
        return len(self._items)

    def take(self, key: str, item: Item) -> None:
        self._items[key] = item

    def drop(self, key: str) -> None:
        self._items.pop(key, None)
        self._put_aside.discard(key)

    def replace(self, items: Iterable[tuple[str, Item]]) -> None:
        """These and no others; what was put aside stays so."""
        self._items = dict(items)

    def put_aside(self) -> None:
        """All that wait now, until something new comes."""
        self._put_aside.update(self._items)

    def find(self, key: str) -> Item | None:
        return self._items.get(key)

    def every(self) -> tuple[Item, ...]:
        """Those put aside included."""
        return tuple(self._items.values())

    def first(self) -> Item | None:
        """The most urgent of those that a person has not put aside."""
        left = (item for key, item in self._items.items() if key not in self._put_aside)
        return min(left, key=self._urgency, default=None)
