"""One of a few values, each kept with its real type."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.forms.brief import Brief
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.hint import hint_of
from workbench.gui.forms.json_text import dump, identical
from workbench.gui.text import one_line
from workbench.records import JsonValue


class EnumEditor(Editor):
    """A list to choose from; a value that is not in it is left to raw JSON."""

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._choices = brief.shape.choices
        self._box = CalmCombo(self)
        labels = brief.shape.labels or ("",) * len(self._choices)
        self._box.addItems([_label(choice, words) for choice, words in zip(self._choices, labels, strict=True)])
        self._box.setPlaceholderText(hint_of(brief.shape) or "choose…")
        self._box.setCurrentIndex(-1)
        self._box.setAccessibleName(brief.name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._box)
        self.setFocusProxy(self._box)
        self._box.currentIndexChanged.connect(self._moved)

    def read(self) -> JsonValue:
        row = self._box.currentIndex()
        return self._choices[row] if row >= 0 else None

    def write(self, value: JsonValue) -> bool:
        for row, choice in enumerate(self._choices):
            if identical(choice, value):
                self._box.setCurrentIndex(row)
                return True
        return False

    def clear(self) -> None:
        self._box.setCurrentIndex(-1)

    def _moved(self, _row: int) -> None:
        self.changed.emit()


def _label(choice: JsonValue, words: str) -> str:
    """What the schema calls the value, and the value itself where that is something else."""
    plain = (one_line(choice, 120) or "“”") if isinstance(choice, str) else one_line(dump(choice, indent=None), 120)
    return f"{one_line(words, 120)}  ·  {plain}" if words and words != plain else plain
