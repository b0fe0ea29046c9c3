"""Every action with its keys, from the one table, so that the help cannot be out of date."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.rows import Row
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.actions import MENUS
from workbench.gui.shell.commands import keys_text


def help_rows(text: str) -> list[Row]:
    """All actions by menu, filtered by all words of the text."""
    wanted = text.casefold().split()
    rows: list[Row] = []
    for menu in MENUS:
        shown = [
            Row(entry.id, entry.text.removesuffix("…"), entry.help, keys_text(entry.keys), entry.icon)
            for entry in menu.actions()
            if all(word in f"{entry.text} {entry.help} {entry.keys}".casefold() for word in wanted)
        ]
        if shown:
            rows.append(Row(f"section:{menu.title}", menu.title, section=True))
            rows.extend(shown)
    return rows


class Help(QDialog):
    """Window beside the main window, which stays usable."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("All actions and keys")
        empty = EmptyState(theme, "search", "No action contains this", "Try fewer or different words.")
        self.list = ListPane(theme, self.windowTitle(), empty, "Find an action or a key")
        self.list.search_edited.connect(self._draw)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        close.setContentsMargins(*(theme.unit * 2,) * 4)
        column(self, self.list, close, grows=self.list)
        self.resize(theme.unit * 150, theme.unit * 160)
        if self.list.finder is not None:
            self.list.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self._draw()

    def _draw(self) -> None:
        self.list.show_rows(help_rows(self.list.search_text()))
