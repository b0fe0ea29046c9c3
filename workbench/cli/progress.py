"""One line on a terminal that says how far something is; on anything else, nothing at all."""

from __future__ import annotations

import sys
import time

from workbench.cli.printing import visible

BAR = 24  # columns
SECONDS = 0.1  # between two drawings


class Progress:
    """Draws itself over its own last drawing, and is gone at the end: what stays is data and narration."""

    def __init__(self) -> None:
        self._there = sys.stderr.isatty()
        self._begun = time.monotonic()
        self._drawn = 0.0

    def show(self, words: str, done: int = 0, whole: int = 0) -> None:
        """`done` of `whole` as a bar; without a whole, the words and the seconds."""
        now = time.monotonic()
        if not self._there or (now - self._drawn < SECONDS and done < whole):
            return
        self._drawn = now
        filled = BAR * done // whole if whole else 0
        bar = f"[{'#' * filled}{'.' * (BAR - filled)}] {done}/{whole} " if whole else ""
        print(f"\r\x1b[K{bar}{visible(words)} {now - self._begun:.1f} s", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave the line empty for whatever is printed next."""
        if self._there and self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._drawn = 0.0
