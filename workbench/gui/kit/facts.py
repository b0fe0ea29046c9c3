"""Facts as a grid of names and values. Values are plain text that can be selected; empty ones are left out."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme


class FactsGrid(QWidget):
    """Two columns; the rows stay the same widgets, so that a selection survives new values."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.unit * 4)
        self._grid.setVerticalSpacing(theme.unit)
        self._grid.setColumnStretch(1, 1)
        self._rows: dict[str, tuple[QLabel, ForeignLabel]] = {}

    def show_facts(self, facts: Mapping[str, str]) -> None:
        """Show these facts in their order; a fact without a value is hidden."""
        for name in facts:
            if name not in self._rows:
                self._add(name)
        for name, (head, value) in self._rows.items():
            text = facts.get(name, "")
            value.setText(text)
            head.setVisible(bool(text))
            value.setVisible(bool(text))

    def value(self, name: str) -> str:
        """The text that is shown for a name."""
        row = self._rows.get(name)
        return row[1].full_text() if row is not None else ""

    def _add(self, name: str) -> None:
        head, value = label(name, "muted"), ForeignLabel()
        head.setAlignment(Qt.AlignmentFlag.AlignTop)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setAccessibleName(name)
        place = len(self._rows)
        self._grid.addWidget(head, place, 0)
        self._grid.addWidget(value, place, 1)
        self._rows[name] = (head, value)
