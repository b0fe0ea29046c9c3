"""A line-by-line diff of two texts, and a dialog that shows one. Signs say what changed; colours only help."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Final

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.gui.code.code_view import CodeView
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import highlight, units
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.context import Context

_ROLES = {"+": "success", "-": "danger", "@": "info"}
_LONGEST_LINE: Final = 1_000  # characters; longer lines are cut in a bounded diff
_LONGEST_MARKED: Final = 400  # characters of a line in which words are marked
_MOST_MARKED: Final = 200  # such lines; marking 200 lines of code takes 20 ms
_CONTEXT: Final = 3  # equal lines above and below a change
_RANGE: Final = re.compile(r"([-+])(\d+)")
_WORDS: Final = re.compile(r"\w+|\s+|.")
Words = tuple[int, int, int]
"""A row, the place of words in it, and their length, as Qt counts."""


class DiffView(CodeView):
    """A unified diff of two texts. The line numbers are those of the files; in changed lines the words are marked."""

    _rows: tuple[str, ...] = ()
    _labels: tuple[str, ...] = ()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Changes to the agent's text")

    def show_change(self, before: str, after: str, *, same: str = "No changes.", most_lines: int = 0) -> None:
        """Show the diff of two texts, with chips for hidden characters. `most_lines`: compare no more lines of each
        text, and cut very long ones; 0 compares everything."""
        old, new = _lines(before, most_lines), _lines(after, most_lines)
        rows, complete = compare_lines(old, new, most_lines)
        rows = rows or [f"  {same}"]
        if not complete:
            rows.append(f"  Only {most_lines:,} lines are compared.")
        self._show_rows(rows)

    def show_diff(self, diff: str, instead: str = "") -> None:
        """Show a finished diff; `instead` is shown if it is empty."""
        self._show_rows(visible(diff).split("\n") if diff else [instead])

    def changed_lines(self) -> tuple[str, ...]:
        return tuple(row for row in self._rows if row[:1] in ("+", "-"))

    def line_label(self, line: int) -> str:
        return self._labels[line] if line < len(self._labels) else ""

    def label_length(self) -> int:
        return max(map(len, self._labels), default=0)

    def _show_rows(self, rows: list[str]) -> None:
        self._rows, self._labels = tuple(rows), tuple(line_labels(rows))
        self.set_text("\n".join(rows))
        self._mark_changes()

    def _apply_appearance(self) -> None:
        super()._apply_appearance()
        self._mark_changes()

    def _mark_changes(self) -> None:
        roles = [_ROLES.get(row[:1], "") for row in self._rows]
        self.show_layer(
            "changes",
            [
                highlight(QTextCursor(self.line_block(number)), self.theme.soft(role))
                for number, role in enumerate(roles)
                if role
            ],
        )
        words = []
        for number, start, length in changed_words(self._rows):
            colour = self.theme.colour(roles[number])
            colour.setAlphaF(0.35)
            place, end = self.line_place(number, start), self.line_place(number, start + length)
            words.append(highlight(self.cursor_over(place, end), colour))
        self.show_layer("changes in lines", words)


def compare_lines(old: list[str], new: list[str], most_lines: int = 0) -> tuple[list[str], bool]:
    """The rows of a unified diff, and whether they are all. Equal lines at the beginning and end are skipped first."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    first, last = max(0, start - _CONTEXT), max(0, end - _CONTEXT)
    removed, added = old[first : len(old) - last], new[first : len(new) - last]
    most = most_lines or max(len(removed), len(added))
    rows = list(difflib.unified_diff(removed[:most], added[:most], lineterm="", n=_CONTEXT))[2:]
    shown = rows[:most] if most_lines else rows
    shifted = [
        _RANGE.sub(lambda match: f"{match[1]}{int(match[2]) + first}", row) if row[:2] == "@@" else row for row in shown
    ]
    return shifted, not most_lines or max(len(removed), len(added), len(rows)) <= most_lines


def line_labels(rows: Sequence[str]) -> Iterator[str]:
    """The line number of each row of a unified diff: removed lines have that of the old text, others of the new."""
    old = new = 0
    for row in rows:
        if row.startswith("@@") and len(starts := _RANGE.findall(row)) >= 2:
            old, new = int(starts[0][1]), int(starts[1][1])
            yield ""
        elif not new or row.startswith("\\"):
            yield ""
        elif row.startswith("-"):
            yield str(old)
            old += 1
        else:
            yield str(new)
            new += 1
            old += not row.startswith("+")


def changed_words(rows: Sequence[str]) -> Iterator[Words]:
    """The words that differ, where some lines were replaced by as many others."""
    marked = 0
    for start, removed, added in _replaced_lines(rows):
        if removed != added or marked > _MOST_MARKED:
            continue
        marked += removed
        for number in range(removed):
            before, after = start + number, start + removed + number
            if max(len(rows[before]), len(rows[after])) <= _LONGEST_MARKED:
                yield from _different_words(before, rows[before], after, rows[after])


def _replaced_lines(rows: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Where added lines follow removed ones: the first row, the removed lines, the added lines."""
    place = 0
    while place < len(rows):
        removed = added = 0
        while place + removed < len(rows) and rows[place + removed].startswith("-"):
            removed += 1
        while place + removed + added < len(rows) and rows[place + removed + added].startswith("+"):
            added += 1
        if removed and added:
            yield place, removed, added
        place += max(1, removed + added)


def _different_words(old_row: int, old: str, new_row: int, new: str) -> Iterator[Words]:
    before, after = _WORDS.findall(old[1:]), _WORDS.findall(new[1:])
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.quick_ratio() < 0.3:
        return  # a different line: marking all of it says nothing
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind != "equal":
            for row, words, low, high in ((old_row, before, first, last), (new_row, after, begin, end)):
                before_them, them = "".join(words[:low]), "".join(words[low:high])
                if length := units(them, len(them)):
                    yield row, 1 + units(before_them, len(before_them)), length


def _lines(text: str, most_lines: int) -> list[str]:
    lines = visible(text).split("\n")
    if most_lines:
        lines = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in lines]
    return lines[:-1] if most_lines and lines and not lines[-1] else lines


class DifferenceDialog(Dialog):
    """Shows how a text differs from another: minus is the first one, plus the second."""

    def __init__(
        self,
        context: Context,
        words: str,
        expected: str,
        got: str,
        parent: QWidget | None = None,
        signs: str = "",
        *,
        title: str = "Expected and got",
    ) -> None:
        super().__init__(context.theme, title, one_line(words, 300), parent)
        unit = context.theme.unit
        self.setMinimumWidth(unit * 100)
        if expected or got:
            self.resize(unit * 170, unit * 110)
        self.diff = DiffView(context.theme)
        self.diff.setAccessibleName(f"{title}, line by line")
        self.diff.show_change(expected, got)
        self.body.addWidget(legend := label(one_line(signs, 100) or "− expected   + got", "muted"))
        self.body.addWidget(self.diff, 1)
        for part in (legend, self.diff):
            part.setVisible(bool(expected or got))
        self._close = self.add_close()

    def offer(self, text: str) -> SignalInstance:
        """Add a button that closes the dialog; returns the signal of its click."""
        button = self.add_button(text, self.accept, "primary", default=True)
        self._close.setDefault(False)
        return button.clicked
