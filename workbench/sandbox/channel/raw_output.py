"""Reads the pipe behind a program's descriptors 1 and 2: output that bypasses Python's streams."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

_CHUNK = 1 << 18


class RawOutput(asyncio.BaseTransport):
    """Hands over what comes; `take` does so now, without waiting for the event loop's next turn."""

    def __init__(self, descriptor: int, tell: Callable[[bytes], None], silent: asyncio.Future[None]) -> None:
        super().__init__()
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._tell = tell
        self._silent = silent
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, self.take)

    def take(self) -> None:
        if self._descriptor < 0:
            return
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._tell(data)
        else:
            self.close()

    def is_closing(self) -> bool:
        return self._descriptor < 0

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
        if not self._silent.done():
            self._silent.set_result(None)
