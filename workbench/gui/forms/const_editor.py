"""A value the schema fixes: shown, sent, not editable."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.json_text import dump, identical
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.records import JsonValue


class ConstEditor(Editor):
    """A label; `null` alone counts as fixed too."""

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._value: JsonValue = brief.shape.choices[0] if brief.shape.choices else None
        label = ForeignLabel(dump(self._value, indent=None))
        mark(label, role="mono")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(label)

    def read(self) -> JsonValue:
        return self._value

    def write(self, value: JsonValue) -> bool:
        return identical(value, self._value)

    def clear(self) -> None:
        """There is nothing to clear."""
