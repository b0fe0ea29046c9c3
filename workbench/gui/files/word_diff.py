"""Two states of a file as one text: whole lines by plus and minus, and within a changed line the words that differ."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from workbench.gui.dialogs.diff_view import DiffView
from workbench.gui.text import visible
from workbench.gui.theme import Theme

MOST_LINES: Final = 2_000  # of each side that are compared, and rows that are shown
_LONGEST: Final = 1_000  # characters of a line that are shown
_MOST_MARKED: Final = 400  # lines in which words are marked
_AROUND: Final = 3  # lines that stayed, above and below
_HEAD: Final = re.compile(r"([-+])(\d+)")
_WORDS: Final = re.compile(r"\w+|\s+|.")
Stretch = tuple[int, int, int]  # row, first letter, how many


class WordDiff(DiffView):
    """`show_change` two texts; colour only helps, the signs say it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("What changed in the file")

    def show_change(self, before: str, after: str) -> None:
        old, new = _lines(before), _lines(after)
        found, whole = compared(old, new)
        if not found:
            found = ["  Its text is the same: its rights or its kind are others."]
        if not whole:
            found.append(f"  The rest is not compared: only {MOST_LINES:,} lines are.")
        self._rows = found
        self.set_text("\n".join(found))
        self._mark_lines()
        self.setExtraSelections([*self.extraSelections(), *map(self._word, stretches(found))])

    def _word(self, stretch: Stretch) -> QTextEdit.ExtraSelection:
        row, start, length = stretch
        made = QTextEdit.ExtraSelection()
        colour = self.theme.colour("success" if self._rows[row].startswith("+") else "danger")
        colour.setAlphaF(0.35)
        made.format.setBackground(colour)
        made.cursor = QTextCursor(self.document())
        made.cursor.setPosition(self.line_place(row, start))
        made.cursor.setPosition(self.line_place(row, start + length), QTextCursor.MoveMode.KeepAnchor)
        return made


def compared(old: list[str], new: list[str]) -> tuple[list[str], bool]:
    """The rows of a unified diff, and whether these are all: what both begin and end with is not looked through."""
    least = min(len(old), len(new))
    start = next((at for at in range(least) if old[at] != new[at]), least)
    end = next((at for at in range(least - start) if old[-1 - at] != new[-1 - at]), least - start)
    first, last = max(0, start - _AROUND), max(0, end - _AROUND)
    gone, come = old[first : len(old) - last], new[first : len(new) - last]
    found = list(difflib.unified_diff(gone[:MOST_LINES], come[:MOST_LINES], lineterm="", n=_AROUND))[2:]
    rows = [_HEAD.sub(lambda match: f"{match[1]}{int(match[2]) + first}", row) if row[:2] == "@@" else row
            for row in found[:MOST_LINES]]  # fmt: skip
    return rows, max(len(gone), len(come), len(found)) <= MOST_LINES


def stretches(rows: list[str]) -> Iterator[Stretch]:
    """The words that differ in lines that were changed, not added or taken away: as many left as came."""
    marked = 0
    for start, gone, come in _blocks(rows):
        if gone != come or marked > _MOST_MARKED:
            continue
        marked += gone
        for number in range(gone):
            yield from _differing(
                start + number, rows[start + number], start + gone + number, rows[start + gone + number]
            )


def _blocks(rows: list[str]) -> Iterator[tuple[int, int, int]]:
    """Where lines left and others came right behind them: the place, how many left, how many came."""
    place = 0
    while place < len(rows):
        gone = come = 0
        while place + gone < len(rows) and rows[place + gone].startswith("-"):
            gone += 1
        while place + gone + come < len(rows) and rows[place + gone + come].startswith("+"):
            come += 1
        if gone and come:
            yield place, gone, come
        place += max(1, gone + come)


def _differing(one: int, old: str, other: int, new: str) -> Iterator[Stretch]:
    a, b = _WORDS.findall(old[1:]), _WORDS.findall(new[1:])
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    if matcher.quick_ratio() < 0.3:
        return  # another line altogether: marking all of it says nothing
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind != "equal":
            for row, words, low, high in ((one, a, first, last), (other, b, begin, end)):
                length = _units("".join(words[low:high]))
                if length:
                    yield row, 1 + _units("".join(words[:low])), length


def _units(text: str) -> int:
    """As Qt counts letters."""
    return len(text) + sum(ord(mark) > 0xFFFF for mark in text)


def _lines(text: str) -> list[str]:
    found = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in visible(text).split("\n")]
    return found[:-1] if found and not found[-1] else found
