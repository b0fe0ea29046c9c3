"""Offers servers of well-known makers in the form for a new server: one press fills it, and tells what they need."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.records import KnownServer


class KnownServers(QWidget):
    """A button with a menu, and below it the facts about what was chosen."""

    chosen = Signal(object)
    """Carries the KnownServer."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.menu = QMenu(self)
        self.button = QPushButton("Add a known server…")
        self.button.setToolTip("GitHub, Slack and others, from their own makers")
        self.button.clicked.connect(self._ask)
        mark(self.button, kind="quiet")
        self.facts = ForeignLabel()
        self.facts.setWordWrap(True)
        mark(self.facts, role="muted")
        self.facts.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(context.theme.unit)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.facts)
        self.setFocusProxy(self.button)

    def choose(self, known: KnownServer) -> None:
        """Tell what it needs, before anything is added."""
        self.facts.setText(facts(known))
        self.facts.show()
        self.chosen.emit(known)

    def _ask(self) -> None:
        self._context.tasks.run("known servers", self._context.api.known_servers(), self._offer)

    def _offer(self, known: tuple[KnownServer, ...]) -> None:
        self.menu.clear()
        for one in known:
            self.menu.addAction(one.title.replace("&", "&&"), partial(self.choose, one))
        self.menu.popup(self.button.mapToGlobal(QPoint(0, self.button.height())))


def facts(known: KnownServer) -> str:
    """Whose it is, what it takes, and how it signs in where the form has no field for that."""
    lines = [f"{known.maker} · {known.licence} · {known.page}", f"Needs: {known.needs}"]
    if known.config.oauth:
        lines.append("Signs in with " + ", ".join(f"{key}: {value}" for key, value in known.config.oauth.items()))
    return "\n".join(lines)
