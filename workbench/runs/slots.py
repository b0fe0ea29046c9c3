"""How many programs run at once; the others wait here. The limit is asked each time, so that a changed one counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Slots:
    """`async with slots:` holds one; leaving it, however, lets the next one in."""

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._taken = 0
        self._changed = asyncio.Event()

    @property
    def full(self) -> bool:
        return self._taken >= self._most()

    async def __aenter__(self) -> None:
        while self.full:
            self._changed.clear()
            await self._changed.wait()
        self._taken += 1

    async def __aexit__(self, *_: object) -> None:
        self._taken -= 1
        self._changed.set()

    def look_again(self) -> None:
        """The limit may be another one now."""
        self._changed.set()
