"""Base class of the editors of a form, and the description of what an editor edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.forms.schema_shapes import Shape, shape_of
from workbench.gui.forms.validation import FieldPath, PathFault
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import push_button
from workbench.gui.kit.theme import Theme, mark
from workbench.records import JsonObject, JsonValue

DEEPEST: Final = 12  # levels of fields inside fields; what lies deeper is edited as JSON


class Absent(Enum):
    """The value of a field that is not sent; null is a different value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


_MOST_EXPANDED = 50  # nested editors that a form expands on its own
_DEEPEST_EXPANDED = 6  # levels down to which it does


class FormState:
    """What all fields of a form share."""

    def __init__(self) -> None:
        self.compact = False  # there is little height: names are beside their editors, and descriptions are hidden
        self._left = _MOST_EXPANDED

    def spend(self, depth: int) -> bool:
        """Whether one more nested editor may be expanded: a schema that contains itself twice would never end."""
        if depth > _DEEPEST_EXPANDED or self._left <= 0:
            return False
        self._left -= 1
        return True


class FieldSpec(Struct, frozen=True):
    """What one editor edits: its name, schema and depth in the form."""

    name: str  # what the field is called, for labels and screen readers
    schema: JsonValue
    root: JsonObject
    shape: Shape
    theme: Theme
    required: bool = True
    depth: int = 0
    form: FormState = field(default_factory=FormState)

    def child(self, name: str, schema: JsonValue, *, required: bool) -> FieldSpec:
        """The spec of a value inside this one."""
        shape = shape_of(schema, self.root)
        return FieldSpec(name, schema, self.root, shape, self.theme, required, self.depth + 1, self.form)

    def branch(self, schema: JsonObject) -> FieldSpec:
        """The same value with the schema of one of its branches."""
        return replace(self, schema=schema, shape=shape_of(schema, self.root), depth=self.depth + 1)


class Editor(QWidget):
    """Edits one value. `write` returns False for a value that `read` would change; it is then edited as raw JSON."""

    changed = Signal()
    empty: JsonValue = ""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec

    def set_content(self, widget: QWidget) -> None:
        """Fill the editor with a widget that gets its keyboard focus."""
        column(self, widget)
        self.setFocusProxy(widget)

    def read(self) -> JsonValue:
        """The current value; an entry that is not finished is returned as text, and validation reports it."""
        raise NotImplementedError

    def write(self, value: JsonValue) -> bool:
        raise NotImplementedError

    def clear(self) -> None:
        self.write(self.empty)

    def own_faults(self) -> tuple[PathFault, ...]:
        """Why the entry is no value at all, for example text that is not JSON."""
        return ()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        """Show faults at the inner fields; paths are relative to this editor."""

    def path_of(self, widget: QWidget) -> FieldPath:
        """The path of the field that this widget is in; () if the editor has no fields or the widget is in none."""
        return ()

    def focus_path(self, path: FieldPath) -> None:
        """Put the keyboard into the field at this path, or into the editor itself if it has no fields."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)


def indented_layout(owner: QWidget, spec: FieldSpec, spacing: int) -> QVBoxLayout:
    """The layout for the fields of `owner`, indented below the top level; `spacing` in units."""
    unit = spec.theme.unit
    inner = column(owner if spec.depth == 0 else None, spacing=unit * spacing)
    if spec.depth > 0:
        line = QFrame(owner)
        line.setFixedWidth(max(1, unit // 2))
        mark(line, kind="line")
        line.setStyleSheet("max-height: 16777215px;")
        row(owner, line, inner, margins=(unit // 2, unit, 0, unit), spacing=unit * 3, grows=inner)
    return inner


def quiet_button(symbol: str, text: str, act: Callable[[], object]) -> tuple[QPushButton, QHBoxLayout]:
    """A button without a frame, and the row in which it is as wide as its text."""
    button = push_button(text, act, kind="quiet", symbol=symbol)
    return button, row(None, button, None)
