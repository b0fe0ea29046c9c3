"""Base class of the editors of a form, and the description of what an editor edits."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.gui.forms.schema_shapes import Shape, shape_of
from workbench.gui.forms.validation import FieldPath, PathFault
from workbench.gui.kit.theme import Theme, mark
from workbench.records import JsonObject, JsonValue

DEEPEST: Final = 12  # levels of fields inside fields; what lies deeper is edited as JSON


class Absent(Enum):
    """The value of a field that is not sent; null is a different value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


_BY_ITSELF = 50  # nested editors that a form expands on its own
_SO_DEEP = 6  # levels down to which it does


class ExpandBudget:
    """How many nested editors a form may still expand on its own: a schema that contains itself twice would never
    end."""

    def __init__(self) -> None:
        self._left = _BY_ITSELF

    def spend(self, depth: int) -> bool:
        """Take one expansion at this depth; False if there is none left."""
        if depth > _SO_DEEP or self._left <= 0:
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
    budget: ExpandBudget = field(default_factory=ExpandBudget)  # shared by the whole form

    def child(self, name: str, schema: JsonValue, *, required: bool) -> FieldSpec:
        """The spec of a value inside this one."""
        shape = shape_of(schema, self.root)
        return FieldSpec(name, schema, self.root, shape, self.theme, required, self.depth + 1, self.budget)

    def branch(self, schema: JsonObject) -> FieldSpec:
        """The same value with the schema of one of its branches."""
        return replace(self, schema=schema, shape=shape_of(schema, self.root), depth=self.depth + 1)


class Editor(QWidget):
    """Edits one value. `write` returns False for a value that `read` would change; it is then edited as raw JSON."""

    changed = Signal()

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec

    def read(self) -> JsonValue:
        """The current value; an entry that is not finished is returned as text, and validation reports it."""
        raise NotImplementedError

    def write(self, value: JsonValue) -> bool:
        raise NotImplementedError

    def clear(self) -> None:
        """Remove what was entered."""
        raise NotImplementedError

    def own_faults(self) -> tuple[PathFault, ...]:
        """Why the entry is no value at all, for example text that is not JSON."""
        return ()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        """Show faults at the inner fields; paths are relative to this editor."""

    def focus_path(self, path: FieldPath) -> None:
        """Put the keyboard into the field at this path, or into the editor itself if it has no fields."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)


def indented_layout(owner: QWidget, spec: FieldSpec) -> QVBoxLayout:
    """The layout for the fields of `owner`, indented below the top level."""
    unit = spec.theme.unit
    inner = QVBoxLayout()
    inner.setContentsMargins(0, 0, 0, 0)
    inner.setSpacing(unit * 3)
    if spec.depth == 0:
        owner.setLayout(inner)
        return inner
    outer = QHBoxLayout(owner)
    outer.setContentsMargins(unit // 2, unit, 0, unit)
    outer.setSpacing(unit * 3)
    line = QFrame(owner)
    line.setFixedWidth(max(1, unit // 2))
    mark(line, kind="line")
    line.setStyleSheet("max-height: 16777215px;")
    outer.addWidget(line)
    outer.addLayout(inner, 1)
    return inner
