"""One quiet line below the list of servers: other apps have servers that this project has not."""

from __future__ import annotations

import hashlib

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.layout import Layout
from workbench.gui.theme import mark
from workbench.gui.views import label, tool_button
from workbench.records import Discovery, FoundServer, ImportConflict


class FoundStrip(QFrame):
    """Hidden while there is nothing new, and after a person closed it until something new is found."""

    counted = Signal()
    """`new` is known, whether the line is shown or not."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._layout = Layout(context.paths)
        self._mark = ""
        self.new: list[FoundServer] = []
        mark(self, kind="foot")
        self._words = label("", "muted")
        self._words.setWordWrap(True)
        self.look = QPushButton("Look at them")
        self.look.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.look.clicked.connect(commands["servers.import"].trigger)
        mark(self.look, kind="link")
        close = tool_button("close", "Do not show this again", context.theme)
        close.clicked.connect(self._close)
        unit = context.theme.unit
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 3, unit, unit * 2, unit)
        row.setSpacing(unit * 2)
        row.addWidget(self._words, 1)
        row.addWidget(self.look)
        row.addWidget(close)
        self.hide()

    def refresh(self) -> None:
        self._context.tasks.run("servers in other apps", self._context.api.found_servers(), self._show)

    def _show(self, discovery: Discovery) -> None:
        self.new = new = [found for found in discovery.servers if found.standing is not ImportConflict.HERE]
        self._mark = hashlib.sha256("\n".join(sorted(found.key for found in new)).encode()).hexdigest()[:16]
        self._words.setText(said(len(new)))
        self.setVisible(bool(new) and self._layout.found_seen != self._mark)
        self.counted.emit()

    def _close(self) -> None:
        self._layout.found_seen = self._mark
        self.hide()


def said(number: int) -> str:
    one = "1 server found in another app"
    return one if number == 1 else f"{number} servers found in other apps"


def apps_of(found: list[FoundServer]) -> str:
    """The apps' names as one would say them."""
    names = list(dict.fromkeys(one.client for one in found))
    first, last = ", ".join(names[:-1]), names[-1] if names else ""
    return f"{first} and {last}" if first else last
