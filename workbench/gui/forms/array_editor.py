"""A list or a tuple: rows to add, remove and move."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QToolButton, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.check import FieldPath, PathFault
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.field import Field, Make
from workbench.gui.forms.nest import nest
from workbench.gui.icons import icon
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.records import JsonValue

_MOST_ROWS = 200  # a longer list is edited as JSON: nobody scrolls through so many rows


class ArrayEditor(Editor):
    """Each row is a field with its own buttons; Alt+Up and Alt+Down move the row that has the keyboard."""

    def __init__(self, brief: Brief, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._make = make
        self._rows: list[Field] = []
        self._layout = nest(self, brief)
        self._layout.setSpacing(brief.theme.unit * 2)
        self._add = QPushButton(icon("plus", "muted"), f"Add to {one_line(brief.name, 40)}")
        mark(self._add, kind="quiet")
        self._add.clicked.connect(self._add_by_person)
        line = QHBoxLayout()
        line.addWidget(self._add)
        line.addStretch(1)
        self._layout.addLayout(line)
        self.setFocusProxy(self._add)
        for _ in brief.shape.heads:  # a tuple has its places from the start
            if brief.openings.spend(brief.depth):
                self._append()

    def read(self) -> JsonValue:
        return [row.read() for row in self._rows]

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, list) or len(value) > _MOST_ROWS:
            return False
        while len(self._rows) > len(value):
            self._drop(self._rows[-1])
        while len(self._rows) < len(value):
            self._append()
        for row, item in zip(self._rows, value, strict=True):
            row.write(item)
        return True

    def clear(self) -> None:
        self.write([])

    def own_faults(self) -> tuple[PathFault, ...]:
        return tuple(
            ((number, *path), words) for number, row in enumerate(self._rows) for path, words in row.own_faults()
        )

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        for number, row in enumerate(self._rows):
            row.show_faults([(path[1:], words) for path, words in faults if path and path[0] == number], strict)

    def reach(self, path: FieldPath) -> None:
        if path and isinstance(path[0], int) and path[0] < len(self._rows):
            self._rows[path[0]].reach(path[1:])
        else:
            super().reach(path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        focus = QApplication.focusWidget()
        number = next((at for at, row in enumerate(self._rows) if focus and row.isAncestorOf(focus)), None)
        alone = event.modifiers() == Qt.KeyboardModifier.AltModifier
        if alone and number is not None and event.key() in steps:
            step = steps[Qt.Key(event.key())]
            self._swap(number, step)
            self._rows[min(max(number + step, 0), len(self._rows) - 1)].reach()
            return
        super().keyPressEvent(event)

    def _append(self) -> Field:
        number = len(self._rows) + 1
        heads = self.brief.shape.heads
        schema = heads[number - 1] if number <= len(heads) else self.brief.shape.items
        row = Field(self.brief.inner(f"{number}", schema, required=True), self._make, self, item=True)
        row.changed.connect(self.changed)
        name = one_line(self.brief.name, 40)
        for sign, words, act in (
            ("chevron-up", "Move entry {0} of {1} up", self._move_up),
            ("chevron-down", "Move entry {0} of {1} down", self._move_down),
            ("x", "Remove entry {0} of {1}", self._remove),
        ):
            button = QToolButton(row)
            button.setIcon(icon(sign, "muted"))
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setToolTip(words.format(number, name))
            button.setAccessibleName(words.format(number, name))
            button.clicked.connect(act)
            row.add_tool(button)
        self._layout.insertWidget(len(self._rows), row)
        self._rows.append(row)
        self._offer()
        return row

    def _offer(self) -> None:
        """A tuple that allows nothing behind its places cannot grow."""
        closed = self.brief.shape.items is False and len(self._rows) >= len(self.brief.shape.heads)
        self._add.setVisible(not closed)

    def _add_by_person(self) -> None:
        if len(self._rows) < _MOST_ROWS:
            self._append().reach()
            self.changed.emit()

    def _row_of_sender(self) -> int:
        button = self.sender()
        return next(number for number, row in enumerate(self._rows) if row.isAncestorOf(_widget(button)))

    def _remove(self) -> None:
        """Values move up, the last row goes: the numbers stay in order and no widget is made anew."""
        number = self._row_of_sender()
        values = [row.read() for row in self._rows]
        del values[number]
        self.write(values)
        self.changed.emit()
        (self._rows[min(number, len(self._rows) - 1)].reach() if self._rows else self._add.setFocus())

    def _move_up(self) -> None:
        self._swap(self._row_of_sender(), -1)

    def _move_down(self) -> None:
        self._swap(self._row_of_sender(), 1)

    def _swap(self, number: int, step: int) -> None:
        other = number + step
        if not 0 <= other < len(self._rows):
            return
        first, second = self._rows[number].read(), self._rows[other].read()
        self._rows[number].write(second)
        self._rows[other].write(first)
        self.changed.emit()

    def _drop(self, row: Field) -> None:
        self._rows.remove(row)
        self._layout.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._offer()


def _widget(sender: object) -> QWidget:
    assert isinstance(sender, QWidget)
    return sender
