"""True or false as two buttons, because a check box cannot show that nothing was chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.editor import Editor
from workbench.gui.theme import mark
from workbench.records import JsonValue


class BooleanEditor(Editor):
    """Two buttons of which one, or none, is down."""

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(brief.theme.unit)
        for value in (True, False):
            layout.addWidget(self._button(value))
        layout.addStretch(1)
        self.setFocusProxy(self._group.button(1))
        self._group.idClicked.connect(self._clicked)

    def read(self) -> JsonValue:
        chosen = self._group.checkedId()
        return None if chosen < 0 else bool(chosen)

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, bool):
            return False
        self._group.button(int(value)).setChecked(True)
        return True

    def clear(self) -> None:
        self._group.setExclusive(False)
        for button in self._group.buttons():
            button.setChecked(False)
        self._group.setExclusive(True)

    def _button(self, value: bool) -> QPushButton:
        word = "true" if value else "false"
        button = QPushButton(word, self)
        button.setCheckable(True)
        button.setAccessibleName(f"{self.brief.name}: {word}")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if self.brief.shape.schema.get("default") is value:
            button.setText(f"{word} · default")
        mark(button, kind="chip")
        self._group.addButton(button, int(value))
        return button

    def _clicked(self, _id: int) -> None:
        self.changed.emit()
