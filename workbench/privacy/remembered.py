"""A bounded set of short texts that were looked at: names of fields, states and labels come again and again."""

from __future__ import annotations

from threading import Lock

SHORT = 120  # characters of a text that is worth remembering
_MOST = 4_096


class Remembered:
    """Texts; all are dropped when there are too many."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._adding = Lock()

    def __contains__(self, text: str) -> bool:
        return text in self._texts

    def add(self, text: str) -> None:
        with self._adding:
            if len(self._texts) >= _MOST:
                self._texts.clear()
            self._texts.add(text)
