"""Whole numbers and numbers of any size, as text: a spin box would round them or stop at two thousand million."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.forms.brief import Brief
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.hint import hint_of
from workbench.gui.forms.json_text import dump, parse
from workbench.gui.forms.plain_check import number_of
from workbench.gui.forms.shape import Kind
from workbench.records import JsonValue

_LONGEST = 400  # digits; Python itself refuses to read numbers far beyond


class NumberEditor(Editor):
    """A line for a number; Up and Down step it inside the schema's bounds."""

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._line = QLineEdit(self)
        self._line.setAccessibleName(brief.name)
        self._line.setPlaceholderText(hint_of(brief.shape))
        self._line.setMaxLength(_LONGEST)
        self._line.setInputMethodHints(Qt.InputMethodHint.ImhPreferNumbers)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._line)
        self.setFocusProxy(self._line)
        self._line.textChanged.connect(self.changed)

    def read(self) -> JsonValue:
        text = self._line.text().strip()
        number = _number(text)
        return text if number is None else number

    def write(self, value: JsonValue) -> bool:
        if isinstance(value, str) and _number(value) is None and len(value) < _LONGEST and value == value.strip():
            self._line.setText(value)
            return True
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        text = dump(value)
        self._line.setText(text)
        return len(text) <= _LONGEST

    def clear(self) -> None:
        self._line.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alone = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if alone and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step(1 if event.key() == Qt.Key.Key_Up else -1)
            return
        super().keyPressEvent(event)

    def _step(self, direction: int) -> None:
        value = _number(self._line.text().strip())
        if value is None:
            start = self.brief.shape.schema.get("default", self.brief.shape.schema.get("minimum", 0))
            value = start if isinstance(start, int | float) and not isinstance(start, bool) else 0
        else:
            moved = value + direction * self._stride()
            value = round(moved, 10) if isinstance(moved, float) else moved  # 0.1 + 0.2 is 0.3 to a person
        for key, bound in (("minimum", max), ("maximum", min)):
            limit = self.brief.shape.schema.get(key)
            if isinstance(limit, int | float) and not isinstance(limit, bool):
                value = bound(value, limit)
        whole = self.brief.shape.kind is Kind.INTEGER and isinstance(value, float) and value.is_integer()
        self._line.setText(dump(int(value) if whole else value))

    def _stride(self) -> int | float:
        step = number_of(self.brief.shape.schema, "multipleOf")
        return step if step is not None and step > 0 else 1


def _number(text: str) -> int | float | None:
    """The number a text is, with its spelling; None while it is none."""
    try:
        value = parse(text)
    except WorkbenchError:
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
