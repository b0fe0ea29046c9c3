"""Editors for lists, maps and alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from workbench.gui.forms.field import Field, FieldsEditor, Make
from workbench.gui.forms.field_editor import Editor, FieldSpec, indented_layout, quiet_button
from workbench.gui.forms.schema_shapes import Kind, shape_of
from workbench.gui.forms.text_editor import LONGEST_LINE
from workbench.gui.forms.validation import FieldPath, PathFault, find_faults
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.json_text import identical
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import tool_button
from workbench.gui.kit.plain_edit import is_unchanged_by_edit
from workbench.gui.kit.text import has_hidden, one_line
from workbench.records import JsonObject, JsonValue

_MOST_ROWS = 200  # a longer list is edited as JSON: too many rows to scroll through


class RowsEditor(FieldsEditor):
    """One row per entry of a list or map, and a button that adds one."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._make = make
        self._name = one_line(spec.name, 40)
        self._rows: list[Field] = []
        self._layout = indented_layout(self, spec, 2)
        self._add, line = quiet_button("plus", self._add_text(), self._add_row)
        self._layout.addLayout(line)
        self.setFocusProxy(self._add)

    def clear(self) -> None:
        self._set_count(0)

    def focus_path(self, path: FieldPath) -> None:
        row = next((row for key, row in self._entries() if path and key == path[0]), None)
        if row is None:
            super().focus_path(path)
        else:
            self._focus_row(row, path[1:])

    def _add_text(self) -> str:
        raise NotImplementedError

    def _make_row(self, number: int) -> Field:
        """The row with this number, from 1."""
        raise NotImplementedError

    def _focus_row(self, row: Field, path: FieldPath = ()) -> None:
        row.focus_path(path)

    def _make_field(self, name: str, schema: JsonValue, *tools: tuple[str, str, Callable[..., None]]) -> Field:
        """A field for an entry; `tools` are its buttons: icon, name and what they do."""
        field = Field(self.spec.child(name, schema, required=True), self._make, self, item=True)
        field.changed.connect(self.changed)
        for symbol, text, act in tools:
            field.add_tool(tool_button(symbol, text, self.spec.theme, partial(act, field)))
        return field

    def _set_count(self, count: int) -> None:
        while len(self._rows) > count:
            row = self._rows.pop()
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self._rows) < count:
            row = self._make_row(len(self._rows) + 1)
            self._layout.insertWidget(len(self._rows), row)
            self._rows.append(row)

    def _add_row(self) -> None:
        if len(self._rows) < _MOST_ROWS:
            self._set_count(len(self._rows) + 1)
            self._focus_row(self._rows[-1])
            self.changed.emit()


class ArrayEditor(RowsEditor):
    """A list. Alt+Up and Alt+Down move the row that has the keyboard."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, make, parent)
        self._set_count(sum(spec.form.spend(spec.depth) for _ in spec.shape.heads))  # a tuple starts with its entries

    def read(self) -> JsonValue:
        return [row.read() for row in self._rows]

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, list) or len(value) > _MOST_ROWS:
            return False
        self._set_count(len(value))
        for row, item in zip(self._rows, value, strict=True):
            row.write(item)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        focus = QApplication.focusWidget()
        row = next((row for row in self._rows if focus is not None and row.isAncestorOf(focus)), None)
        if row is not None and step and event.modifiers() == Qt.KeyboardModifier.AltModifier:
            self._move(step, row)
            self._rows[min(max(self._rows.index(row) + step, 0), len(self._rows) - 1)].focus_path()
        else:
            super().keyPressEvent(event)

    def _add_text(self) -> str:
        return f"Add to {self._name}"

    def _entries(self) -> Iterable[tuple[str | int, Field]]:
        return enumerate(self._rows)

    def _make_row(self, number: int) -> Field:
        heads, name = self.spec.shape.heads, f"entry {number} of {self._name}"
        return self._make_field(
            f"{number}",
            heads[number - 1] if number <= len(heads) else self.spec.shape.items,
            ("chevron-up", f"Move {name} up", partial(self._move, -1)),
            ("chevron-down", f"Move {name} down", partial(self._move, 1)),
            ("x", f"Remove {name}", self._remove),
        )

    def _set_count(self, count: int) -> None:
        super()._set_count(count)
        closed = self.spec.shape.items is False and len(self._rows) >= len(self.spec.shape.heads)
        self._add.setVisible(not closed)

    def _remove(self, row: Field, _checked: bool = False) -> None:
        """Move the values up and drop the last row: the numbers stay in order, and no widget is created."""
        number = self._rows.index(row)
        values = [row.read() for row in self._rows]
        self.write([*values[:number], *values[number + 1 :]])
        self.changed.emit()
        (self._rows[min(number, len(self._rows) - 1)].focus_path() if self._rows else self._add.setFocus())

    def _move(self, step: int, row: Field, _checked: bool = False) -> None:
        number = self._rows.index(row)
        if 0 <= number + step < len(self._rows):
            other = self._rows[number + step]
            value = row.read()
            row.write(other.read())
            other.write(value)
            self.changed.emit()


class MapEditor(RowsEditor):
    """An object with any names. A name that occurs twice is a fault."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        self._names: dict[Field, QLineEdit] = {}
        super().__init__(spec, make, parent)

    def read(self) -> JsonValue:
        return {str(name): row.read() for name, row in self._entries()}

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, Mapping) or len(value) > _MOST_ROWS or any(map(_is_changed_by_a_line, value)):
            return False
        self._set_count(0)
        self._set_count(len(value))
        for row, (name, part) in zip(self._rows, value.items(), strict=True):
            self._names[row].setText(name)
            row.write(part)
        return True

    def own_faults(self) -> tuple[PathFault, ...]:
        names = [name for name, _ in self._entries()]
        twice = [name for number, name in enumerate(names) if name in names[:number]]
        return (
            *(((name,), "This name occurs twice; only one value could be sent.") for name in twice),
            *super().own_faults(),
        )

    def _add_text(self) -> str:
        return f"Add a value to {self._name}"

    def _entries(self) -> Iterable[tuple[str | int, Field]]:
        return ((self._names[row].text(), row) for row in self._rows)

    def _focus_row(self, row: Field, path: FieldPath = ()) -> None:
        if path:
            row.focus_path(path)
        else:
            self._names[row].setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_row(self, number: int) -> Field:
        row = self._make_field(
            f"value {number}", self.spec.shape.extra, ("x", f"Remove value {number} of {self._name}", self._remove)
        )
        name = QLineEdit()
        name.setMaxLength(LONGEST_LINE)
        name.setPlaceholderText("name")
        name.setAccessibleName(f"Name {number} in {self._name}")
        name.textChanged.connect(self.changed)
        row.put_above(name)
        self._names[row] = name
        return row

    def _set_count(self, count: int) -> None:
        super()._set_count(count)
        self._names = {row: self._names[row] for row in self._rows}

    def _remove(self, row: Field, _checked: bool = False) -> None:
        self._rows.remove(row)
        self._rows.append(row)
        self._set_count(len(self._rows) - 1)
        self.changed.emit()
        self._add.setFocus()


def _is_changed_by_a_line(name: str) -> bool:
    """Whether a line edit would change this name."""
    return has_hidden(name) or not is_unchanged_by_edit(name) or "\n" in name or len(name) > LONGEST_LINE


_MOST_EVALUATED = 2_000  # schemas that are evaluated to rank one shape; a wrong rank does no harm, a slow one does


class ShapeChoiceEditor(Editor):
    """A value that may have one of several shapes. Each shape keeps what was entered while another is shown."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._make = make
        self._branches = spec.shape.branches
        self._editors: dict[int, Editor] = {}
        self._switch = CalmCombo(self)
        self._switch.addItems([_branch_name(branch, spec.root) for branch in self._branches])
        self._switch.setAccessibleName(f"Shape of {spec.name}")
        self._layout = column(self, self._switch, spacing=spec.theme.unit)
        self.setFocusProxy(self._switch)
        self._show(0)
        self._switch.currentIndexChanged.connect(self._choose)

    def read(self) -> JsonValue:
        return self._current().read()

    def write(self, value: JsonValue) -> bool:
        """Choose the branch with the fewest faults that returns the value unchanged."""

        def count_faults(row: int) -> int:
            return len(find_faults(value, self._branches[row], self.spec.root, _MOST_EVALUATED))

        for row in sorted(range(len(self._branches)), key=count_faults):
            editor = self._editor(row)
            if editor.write(value) and identical(editor.read(), value):
                with QSignalBlocker(self._switch):
                    self._switch.setCurrentIndex(row)
                self._show(row)
                return True
        return False

    def clear(self) -> None:
        for editor in self._editors.values():
            editor.clear()

    def own_faults(self) -> tuple[PathFault, ...]:
        return self._current().own_faults()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        self._current().show_faults(faults, strict)

    def path_of(self, widget: QWidget) -> FieldPath:
        return self._current().path_of(widget)

    def focus_path(self, path: FieldPath) -> None:
        if path:
            self._current().focus_path(path)
        else:
            super().focus_path(path)

    def _current(self) -> Editor:
        return self._editor(max(self._switch.currentIndex(), 0))

    def _editor(self, row: int) -> Editor:
        if row not in self._editors:
            editor = self._make(self.spec.branch(self._branches[row]), self)
            editor.changed.connect(self.changed)
            self._layout.addWidget(editor)
            self._editors[row] = editor
        return self._editors[row]

    def _choose(self, row: int) -> None:
        self._show(row)
        self.changed.emit()

    def _show(self, row: int) -> None:
        chosen = self._editor(row)
        for editor in self._editors.values():
            editor.setVisible(editor is chosen)


def _branch_name(branch: JsonObject, root: JsonObject) -> str:
    """The name of a branch: its title, the constant that identifies it, or its type and fields."""
    shape = shape_of(branch, root)
    constants = (
        f"{name}: {part['const']}"
        for name, part in shape.properties.items()
        if isinstance(part, Mapping) and isinstance(part.get("const"), str)
    )
    text = shape.type_text
    if isinstance(branch.get("title"), str):
        text = branch["title"]
    elif constant := next(constants, ""):
        text = constant
    elif shape.kind is Kind.OBJECT and shape.properties:
        text = f"{shape.kind} with {', '.join(sorted(shape.required) or shape.properties)}"
    elif shape.kind is Kind.ARRAY:
        text = f"list of {shape_of(shape.items, root).type_text}"
    elif shape.kind is Kind.ENUM:
        text = " | ".join(map(str, shape.choices))
    return one_line(text, 60)
