"""Keeps long texts in the core while clients read them slice by slice; the oldest are dropped when it is full."""

from __future__ import annotations

import hashlib
import sys
from collections import OrderedDict

from workbench.errors import WorkbenchError

BUDGET = 256 * 1024 * 1024  # bytes of text that are kept at most


class LongTextStore:
    """Texts by the hash of their content, so that the same text is kept once."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0

    def keep(self, text: str) -> str:
        """Keep a text; returns its handle."""
        handle = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if handle not in self._texts:
            self._texts[handle] = text
            self._bytes += sys.getsizeof(text)
        self._texts.move_to_end(handle)
        self._make_room()
        return handle

    def slice(self, handle: str, offset: int, length: int) -> str:
        """A part of a text; an error for a handle whose text was dropped."""
        if handle not in self._texts:
            raise WorkbenchError("This long text is no longer kept.", "Open it again to have it fetched anew.")
        self._texts.move_to_end(handle)
        return self._texts[handle][max(0, offset) : max(0, offset) + max(0, length)]

    def whole(self, handle: str, size: int, preview: str) -> str:
        """The full text behind a handle that a client sent back, so that nothing is cut on the way in."""
        return self.slice(handle, 0, sys.maxsize)

    def _make_room(self) -> None:
        while self._bytes > self._budget and len(self._texts) > 1:
            _, text = self._texts.popitem(last=False)
            self._bytes -= sys.getsizeof(text)
