"""What an editor is told when it is made: where it stands in the form and what it edits."""

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
    """Not sent at all, which is something else than null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


_BY_ITSELF = 50  # nested editors that a form opens without being asked
_SO_DEEP = 6  # and down to this level


class Openings:
    """How many nested editors a form may still open by itself: a schema that contains itself twice would go on for
    ever."""

    def __init__(self) -> None:
        self._left = _BY_ITSELF

    def spend(self, depth: int) -> bool:
        """Whether one more may open at that depth."""
        if depth > _SO_DEEP or self._left <= 0:
            return False
        self._left -= 1
        return True


class Brief(Struct, frozen=True):
    """One place of the form."""

    name: str  # what the field is called, for labels and screen readers
    schema: JsonValue
    root: JsonObject
    shape: Shape
    theme: Theme
    required: bool = True
    depth: int = 0
    openings: Openings = field(default_factory=Openings)  # shared by all places of one form

    def inner(self, name: str, schema: JsonValue, *, required: bool) -> Brief:
        """The brief of a place inside this one."""
        shape = shape_of(schema, self.root)
        return Brief(name, schema, self.root, shape, self.theme, required, self.depth + 1, self.openings)

    def branch(self, schema: JsonObject) -> Brief:
        """The same place seen as one of its branches."""
        return replace(self, schema=schema, shape=shape_of(schema, self.root), depth=self.depth + 1)


class Editor(QWidget):
    """Edits one value. `write` answers False for a value it could not give back unchanged; then raw JSON takes over."""

    changed = Signal()

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.brief = brief

    def read(self) -> JsonValue:
        """The value as it stands; what is not finished is given as its text, and the check says so."""
        raise NotImplementedError

    def write(self, value: JsonValue) -> bool:
        raise NotImplementedError

    def clear(self) -> None:
        """Back to how it was when nothing had been entered."""
        raise NotImplementedError

    def own_faults(self) -> tuple[PathFault, ...]:
        """What keeps the entry from being a value at all, such as text that is not JSON."""
        return ()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        """Let fields inside show what is wrong with them; paths are relative to this editor."""

    def reach(self, path: FieldPath) -> None:
        """Put the keyboard into the field at that place; an editor without fields of its own takes it itself."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)


def nest(owner: QWidget, brief: Brief) -> QVBoxLayout:
    """The layout into which the fields of `owner` go."""
    unit = brief.theme.unit
    inner = QVBoxLayout()
    inner.setContentsMargins(0, 0, 0, 0)
    inner.setSpacing(unit * 3)
    if brief.depth == 0:
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
