"""The base of every field editor: a value in, a value out, and one signal when a person changed it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.check import FieldPath, PathFault
from workbench.records import JsonValue


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
