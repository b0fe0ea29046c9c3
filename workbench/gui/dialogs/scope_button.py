"""How far a yes reaches: once, unless a person chooses more in the menu beside the button."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from workbench.records import Run

ONCE: Final = "once"


class ScopeButton(QPushButton):
    """Choosing decides nothing: it says what Allow would mean. It falls back to once with every other text."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scope = ONCE
        self.setAutoDefault(True)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self.setMenu(self._menu)
        self._group: QActionGroup | None = None

    def show_run(self, run: Run) -> None:
        self._menu.clear()
        self._group = QActionGroup(self._menu)
        for scope in (ONCE, *run.scopes):
            self._add(scope, run)
        if run.scopes_why:
            self._menu.addSeparator()
            self._menu.addAction(run.scopes_why).setEnabled(False)
        self._choose(ONCE)

    def actions_by_scope(self) -> dict[str, QAction]:
        return {str(action.data()): action for action in self._menu.actions() if action.data()}

    def _add(self, scope: str, run: Run) -> None:
        action = self._menu.addAction(scope_sentence(scope, run))
        action.setData(scope)
        action.setCheckable(True)
        if self._group is not None:
            self._group.addAction(action)
        action.triggered.connect(partial(self._choose, scope))

    def _choose(self, scope: str, _checked: bool = True) -> None:
        self.scope = scope
        self.actions_by_scope()[scope].setChecked(True)
        self.setText(short_word(scope))
        self.setAccessibleName(f"Scope of the approval: {short_word(scope)}")
        self.setToolTip(self.actions_by_scope()[scope].text())
        self.chosen.emit()


def short_word(scope: str) -> str:
    return {
        ONCE: "Once",
        "session": "This session",
        "text": "This text",
        "server": "This server",
    }[scope]


def scope_sentence(scope: str, run: Run) -> str:
    """What Allow would mean, as a whole sentence."""
    use = next(iter(run.verdict.tools), None) if run.verdict is not None else None
    server = use.server if use is not None else ""
    return {
        ONCE: "Once: this run and no other",
        "session": "This session: exactly this text, until {0} disconnects or the core ends",
        "text": "Exactly this text, from any agent, until it expires or a definition changes",
        "server": "Whatever {0} does that is not of high risk",
    }[scope].format({"session": run.proposal.author, "server": server}.get(scope, ""))
