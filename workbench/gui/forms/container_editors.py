"""Editors for lists, maps and alternatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from workbench.gui.forms.field import Field, Make
from workbench.gui.forms.field_editor import Editor, FieldSpec, indented_layout
from workbench.gui.forms.schema_shapes import Kind, shape_of
from workbench.gui.forms.text_editor import LONGEST_LINE
from workbench.gui.forms.validation import FieldPath, PathFault, find_faults
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import identical
from workbench.gui.kit.plain_edit import survives
from workbench.gui.kit.text import has_hidden, one_line
from workbench.gui.kit.theme import mark
from workbench.records import JsonObject, JsonValue

_MOST_ROWS = 200  # a longer list is edited as JSON: too many rows to scroll through


class ArrayEditor(Editor):
    """A list, one row per entry. Alt+Up and Alt+Down move the row that has the keyboard."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._make = make
        self._rows: list[Field] = []
        self._layout = indented_layout(self, spec)
        self._layout.setSpacing(spec.theme.unit * 2)
        self._add = QPushButton(icon("plus", "muted"), f"Add to {one_line(spec.name, 40)}")
        mark(self._add, kind="quiet")
        self._add.clicked.connect(self._add_row)
        line = QHBoxLayout()
        line.addWidget(self._add)
        line.addStretch(1)
        self._layout.addLayout(line)
        self.setFocusProxy(self._add)
        for _ in spec.shape.heads:  # a tuple starts with all its entries
            if spec.budget.spend(spec.depth):
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

    def focus_path(self, path: FieldPath) -> None:
        if path and isinstance(path[0], int) and path[0] < len(self._rows):
            self._rows[path[0]].focus_path(path[1:])
        else:
            super().focus_path(path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        focus = QApplication.focusWidget()
        number = next((at for at, row in enumerate(self._rows) if focus and row.isAncestorOf(focus)), None)
        alone = event.modifiers() == Qt.KeyboardModifier.AltModifier
        if alone and number is not None and event.key() in steps:
            step = steps[Qt.Key(event.key())]
            self._swap(number, step)
            self._rows[min(max(number + step, 0), len(self._rows) - 1)].focus_path()
            return
        super().keyPressEvent(event)

    def _append(self) -> Field:
        number = len(self._rows) + 1
        heads = self.spec.shape.heads
        schema = heads[number - 1] if number <= len(heads) else self.spec.shape.items
        row = Field(self.spec.child(f"{number}", schema, required=True), self._make, self, item=True)
        row.changed.connect(self.changed)
        name = one_line(self.spec.name, 40)
        for symbol, text, act in (
            ("chevron-up", f"Move entry {number} of {name} up", partial(self._move, row, -1)),
            ("chevron-down", f"Move entry {number} of {name} down", partial(self._move, row, 1)),
            ("x", f"Remove entry {number} of {name}", partial(self._remove, row)),
        ):
            row.add_tool(_row_button(row, symbol, text, act))
        self._layout.insertWidget(len(self._rows), row)
        self._rows.append(row)
        self._offer()
        return row

    def _offer(self) -> None:
        """Hide the button where the schema allows no further entry."""
        closed = self.spec.shape.items is False and len(self._rows) >= len(self.spec.shape.heads)
        self._add.setVisible(not closed)

    def _add_row(self) -> None:
        if len(self._rows) < _MOST_ROWS:
            self._append().focus_path()
            self.changed.emit()

    def _remove(self, row: Field, _checked: bool = False) -> None:
        """Move the values up and drop the last row: the numbers stay in order, and no widget is created."""
        number = self._rows.index(row)
        values = [row.read() for row in self._rows]
        del values[number]
        self.write(values)
        self.changed.emit()
        (self._rows[min(number, len(self._rows) - 1)].focus_path() if self._rows else self._add.setFocus())

    def _move(self, row: Field, step: int, _checked: bool = False) -> None:
        self._swap(self._rows.index(row), step)

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


def _row_button(parent: QWidget, symbol: str, name: str, act: Callable[..., None]) -> QToolButton:
    button = QToolButton(parent)
    button.setIcon(icon(symbol, "muted"))
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.clicked.connect(act)
    return button


_MOST_NAMES = 200


class MapEditor(Editor):
    """An object with any names, one row per entry. A name that occurs twice is a fault."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._make = make
        self._rows: list[_Row] = []
        self._layout = indented_layout(self, spec)
        self._layout.setSpacing(spec.theme.unit * 2)
        self._add = QPushButton(icon("plus", "muted"), f"Add a value to {one_line(spec.name, 40)}")
        mark(self._add, kind="quiet")
        self._add.clicked.connect(self._add_row)
        line = QHBoxLayout()
        line.addWidget(self._add)
        line.addStretch(1)
        self._layout.addLayout(line)
        self.setFocusProxy(self._add)

    def read(self) -> JsonValue:
        return {row.name.text(): row.field.read() for row in self._rows}

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, Mapping) or len(value) > _MOST_NAMES:
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
        found: list[PathFault] = [
            ((name,), "This name occurs twice; only one value could be sent.") for name in doubled
        ]
        for row in self._rows:
            found += [((row.name.text(), *path), words) for path, words in row.field.own_faults()]
        return tuple(found)

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        for row in self._rows:
            own = [(path[1:], words) for path, words in faults if path and path[0] == row.name.text()]
            row.field.show_faults(own, strict)

    def focus_path(self, path: FieldPath) -> None:
        row = next((row for row in self._rows if path and row.name.text() == path[0]), None)
        if row is None:
            super().focus_path(path)
        elif len(path) > 1:
            row.field.focus_path(path[1:])
        else:
            row.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _append(self) -> _Row:
        row = _Row(self.spec, self._make, len(self._rows) + 1, self)
        row.changed.connect(self.changed)
        row.gone.connect(self._remove)
        self._layout.insertWidget(len(self._rows), row)
        self._rows.append(row)
        return row

    def _add_row(self) -> None:
        if len(self._rows) < _MOST_NAMES:
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
    """Whether a line edit would change this name."""
    return has_hidden(name) or not survives(name) or "\n" in name or len(name) > LONGEST_LINE


class _Row(QWidget):
    """A name and its value."""

    changed = Signal()
    gone = Signal(object)

    def __init__(self, spec: FieldSpec, make: Make, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        where = one_line(spec.name, 40)
        self.name = QLineEdit(self)
        self.name.setMaxLength(LONGEST_LINE)
        self.name.setPlaceholderText("name")
        self.name.setAccessibleName(f"Name {number} in {where}")
        inner = spec.child(f"value {number}", spec.shape.extra, required=True)
        self.field = Field(inner, make, self, item=True)
        self.field.add_tool(_row_button(self, "x", f"Remove value {number} of {where}", self._remove))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(spec.theme.unit)
        layout.addWidget(self.name)
        layout.addWidget(self.field)
        self.name.textChanged.connect(self.changed)
        self.field.changed.connect(self.changed)

    def _remove(self) -> None:
        self.gone.emit(self)


_PLACES = 2_000  # schemas that are evaluated to rank one shape; a wrong rank does no harm, a slow one does


class ShapeChoiceEditor(Editor):
    """A value that may have one of several shapes. Each shape keeps what was entered while another is shown."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._make = make
        self._branches = spec.shape.branches
        self._made: dict[int, Editor] = {}
        self._switch = CalmCombo(self)
        self._switch.addItems([_label(branch, spec.root) for branch in self._branches])
        self._switch.setAccessibleName(f"Shape of {spec.name}")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(spec.theme.unit)
        self._layout.addWidget(self._switch)
        self.setFocusProxy(self._switch)
        self._show(0)
        self._switch.currentIndexChanged.connect(self._switched)

    def read(self) -> JsonValue:
        return self._current().read()

    def write(self, value: JsonValue) -> bool:
        """Choose the branch with the fewest faults that returns the value unchanged."""
        root = self.spec.root
        ranked = sorted(
            range(len(self._branches)), key=lambda row: len(find_faults(value, self._branches[row], root, _PLACES))
        )
        for row in ranked:
            editor = self._editor(row)
            if editor.write(value) and identical(editor.read(), value):
                self._switch.blockSignals(True)
                self._switch.setCurrentIndex(row)
                self._switch.blockSignals(False)
                self._show(row)
                return True
        return False

    def clear(self) -> None:
        for editor in self._made.values():
            editor.clear()

    def own_faults(self) -> tuple[PathFault, ...]:
        return self._current().own_faults()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        self._current().show_faults(faults, strict)

    def focus_path(self, path: FieldPath) -> None:
        if path:
            self._current().focus_path(path)
        else:
            super().focus_path(path)

    def _current(self) -> Editor:
        return self._editor(max(self._switch.currentIndex(), 0))

    def _editor(self, row: int) -> Editor:
        if row not in self._made:
            editor = self._make(self.spec.branch(self._branches[row]), self)
            editor.changed.connect(self.changed)
            self._layout.addWidget(editor)
            self._made[row] = editor
        return self._made[row]

    def _switched(self, row: int) -> None:
        self._show(row)
        self.changed.emit()

    def _show(self, row: int) -> None:
        chosen = self._editor(row)
        for editor in self._made.values():
            editor.setVisible(editor is chosen)


def _label(branch: JsonObject, root: JsonObject) -> str:
    """The name of a branch: its title, the constant that identifies it, or its type and fields."""
    if isinstance(branch.get("title"), str):
        return one_line(branch["title"], 60)
    shape = shape_of(branch, root)
    for name, part in shape.properties.items():
        if isinstance(part, Mapping) and isinstance(part.get("const"), str):
            return one_line(f"{name}: {part['const']}", 60)
    if shape.kind is Kind.OBJECT and shape.properties:
        names = ", ".join(sorted(shape.required) or list(shape.properties))
        return one_line(f"{shape.kind} with {names}", 60)
    if shape.kind is Kind.ARRAY:
        return one_line(f"list of {shape_of(shape.items, root).type_text}", 60)
    if shape.kind is Kind.ENUM:
        return one_line(" | ".join(map(str, shape.choices)), 60)
    return shape.type_text
