"""Every action with its keys, from the one table, so that the help cannot be out of date."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from workbench.gui.kit.lists import RowsView, Strip, search_box
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.actions import action_named
from workbench.gui.shell.commands import keys_text
from workbench.gui.shell.menus import MENUS, actions_in


def help_rows(text: str) -> list[Row]:
    """All actions by menu, filtered by all words of the text."""
    wanted = text.casefold().split()
    rows: list[Row] = []
    for menu, _ in MENUS:
        part = [action_named(name) for name in actions_in(menu)]
        shown = [
            Row(
                entry.id,
                entry.text.removesuffix("…"),
                entry.help,
                keys_text(entry.keys),
                entry.icon,
            )
            for entry in part
            if all(word in f"{entry.text} {entry.help} {entry.keys}".casefold() for word in wanted)
        ]
        if shown:
            rows.append(Row(f"section:{menu}", menu, section=True))
            rows.extend(shown)
    return rows


class Help(QDialog):
    """Window beside the main window, which stays usable."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("All actions and keys")
        self.model = RowsModel(self)
        self.list = RowsView(theme, self.windowTitle(), self)
        self.list.setModel(self.model)
        self.finder = search_box("Find an action or a key", "Filter actions")
        self.finder.textChanged.connect(self._draw)
        strip = Strip(theme)
        strip.row.addWidget(self.finder)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        close.setContentsMargins(*(theme.unit * 2,) * 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self.list, 1)
        column.addWidget(close)
        self.resize(theme.unit * 150, theme.unit * 160)
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self._draw()

    def _draw(self) -> None:
        self.model.show_rows(help_rows(self.finder.text()))
