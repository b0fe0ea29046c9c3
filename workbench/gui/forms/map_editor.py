"""Named values whose names the schema does not know: rows of a name and a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from workbench.gui.editor.exact import survives
from workbench.gui.forms.brief import Brief
from workbench.gui.forms.check import FieldPath, PathFault
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.field import Field, Make
from workbench.gui.forms.nest import nest
from workbench.gui.forms.text_editor import LONGEST_LINE
from workbench.gui.icons import icon
from workbench.gui.text import has_hidden, one_line
from workbench.gui.theme import mark
from workbench.records import JsonValue

_MOST_ROWS = 200


class MapEditor(Editor):
    """Rows in the order they were added; a name given twice is a fault."""

    def __init__(self, brief: Brief, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._make = make
        self._rows: list[_Row] = []
        self._layout = nest(self, brief)
        self._layout.setSpacing(brief.theme.unit * 2)
        self._add = QPushButton(icon("plus", "muted"), f"Add a value to {one_line(brief.name, 40)}")
        mark(self._add, kind="quiet")
        self._add.clicked.connect(self._add_by_person)
        line = QHBoxLayout()
        line.addWidget(self._add)
        line.addStretch(1)
        self._layout.addLayout(line)
        self.setFocusProxy(self._add)

    def read(self) -> JsonValue:
        return {row.name.text(): row.field.read() for row in self._rows}

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, Mapping) or len(value) > _MOST_ROWS:
            return False
        if any(_unfit(name) for name in value):
            return False
        for row in tuple(self._rows):
            self._drop(row)
        for name, part in value.items():
            row = self._append()
            row.name.setText(name)
            row.field.write(part)
        return True

    def clear(self) -> None:
        self.write({})

    def own_faults(self) -> tuple[PathFault, ...]:
        names = [row.name.text() for row in self._rows]
        doubled = [name for number, name in enumerate(names) if name in names[:number]]
        found: list[PathFault] = [((name,), "This name is given twice; only one could be sent.") for name in doubled]
        for row in self._rows:
            found += [((row.name.text(), *path), words) for path, words in row.field.own_faults()]
        return tuple(found)

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        for row in self._rows:
            own = [(path[1:], words) for path, words in faults if path and path[0] == row.name.text()]
            row.field.show_faults(own, strict)

    def reach(self, path: FieldPath) -> None:
        row = next((row for row in self._rows if path and row.name.text() == path[0]), None)
        if row is None:
            super().reach(path)
        elif len(path) > 1:
            row.field.reach(path[1:])
        else:
            row.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _append(self) -> _Row:
        row = _Row(self.brief, self._make, len(self._rows) + 1, self)
        row.changed.connect(self.changed)
        row.gone.connect(self._remove)
        self._layout.insertWidget(len(self._rows), row)
        self._rows.append(row)
        return row

    def _add_by_person(self) -> None:
        if len(self._rows) < _MOST_ROWS:
            self._append().name.setFocus()
            self.changed.emit()

    def _remove(self, row: _Row) -> None:
        self._drop(row)
        self.changed.emit()
        self._add.setFocus()

    def _drop(self, row: _Row) -> None:
        self._rows.remove(row)
        self._layout.removeWidget(row)
        row.hide()
        row.deleteLater()


def _unfit(name: str) -> bool:
    """Whether a line could not give this name back."""
    return has_hidden(name) or not survives(name) or "\n" in name or len(name) > LONGEST_LINE


class _Row(QWidget):
    """A name and its value."""

    changed = Signal()
    gone = Signal(object)

    def __init__(self, brief: Brief, make: Make, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        where = one_line(brief.name, 40)
        self.name = QLineEdit(self)
        self.name.setMaxLength(LONGEST_LINE)
        self.name.setPlaceholderText("name")
        self.name.setAccessibleName(f"Name {number} in {where}")
        inner = brief.inner(f"value {number}", brief.shape.extra, required=True)
        self.field = Field(inner, make, self, item=True)
        remove = QToolButton(self)
        remove.setIcon(icon("x", "muted"))
        remove.setAutoRaise(True)
        remove.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        remove.setAccessibleName(f"Remove value {number} of {where}")
        remove.setToolTip("Remove this value")
        remove.clicked.connect(self._remove)
        self.field.add_tool(remove)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(brief.theme.unit)
        layout.addWidget(self.name)
        layout.addWidget(self.field)
        self.name.textChanged.connect(self.changed)
        self.field.changed.connect(self.changed)

    def _remove(self) -> None:
        self.gone.emit(self)
