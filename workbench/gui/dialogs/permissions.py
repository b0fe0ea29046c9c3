"""Every rule a person made, in one list: what it allows, where it came from, how often it decided, how to revoke it.

Only clients of the user show or change it; no agent and no program reaches these rules.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, NetworkChanged, PermissionsChanged
from workbench.gui.bridge import Bridge
from workbench.gui.context import Context
from workbench.gui.models.permissions import permission_rows
from workbench.gui.models.rows import RowsModel
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, RowsView, label, search_box
from workbench.records import NetworkRules, Permissions


def show_permissions(context: Context, parent: QWidget, bridge: Bridge) -> None:
    dialog = PermissionsDialog(context, parent)
    bridge.heard.connect(dialog.hear)
    dialog.open()


class PermissionsDialog(QDialog):
    """Stays open; revoking can be undone as long as it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._permissions, self._network = Permissions(), NetworkRules()
        self._revoked = ""  # the id of the rule that was revoked last
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("What you allowed")
        self.finder = search_box("Find a rule", "Filter the rules by text")
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Rules", self)
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(False)
        nothing = "Nothing is allowed beyond one run"
        self.empty = EmptyState(context.theme, "shield", nothing, self._teach(), self)
        self.words = label("", "muted")
        self.revoke = QPushButton("Revoke")
        self.undo = QPushButton("Undo")
        self._lay_out(context.theme.unit)
        self.finder.textChanged.connect(self._draw)
        self.revoke.clicked.connect(self._revoke)
        self.undo.clicked.connect(self._undo)
        self.list.selection_changed.connect(self._choose)
        context.tasks.run("read what is allowed", self._read())

    def hear(self, event: Event) -> None:
        if isinstance(event, PermissionsChanged):
            self._permissions = event.permissions
            self._draw()
        elif isinstance(event, NetworkChanged):
            self._network = event.rules
            self._draw()

    def _teach(self) -> str:
        return (
            "When a program waits for you, the menu beside Allow can make a rule: for the session, for exactly this"
            " program, or for a server. Rules for tools and arguments are made on a server's Trust page."
        )

    def _lay_out(self, unit: int) -> None:
        self.setMinimumSize(unit * 110, unit * 80)
        self.resize(unit * 180, unit * 130)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(self.finder)
        column.addLayout(self._stack, 1)
        self.words.setWordWrap(True)
        column.addWidget(self.words)
        row = QHBoxLayout()
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        for button in (self.revoke, self.undo, close):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.insertStretch(2)
        self.undo.hide()
        column.addLayout(row)

    async def _read(self) -> None:
        self._permissions = await self._context.api.permissions()
        self._network = await self._context.api.network()
        self._draw()

    def _draw(self) -> None:
        rows = permission_rows(self._permissions, self._network, self.finder.text())
        self.model.show_rows(rows)
        some = bool(rows) or bool(self.finder.text())
        self._stack.setCurrentWidget(self.list if some else self.empty)
        if notices := self._permissions.notices:
            self._say(f"{notices[0].message} {notices[0].hint}", "error")
        self._choose()

    def _choose(self) -> None:
        self.revoke.setEnabled(self.list.key().partition(":")[0] in ("rule", "trust", "host"))

    def _say(self, words: str, role: str = "muted") -> None:
        mark(self.words, role=role)
        self.words.setText(one_line(words, 400))

    def _revoke(self) -> None:
        kind, _, name = self.list.key().partition(":")
        api = self._context.api
        if kind == "rule":
            self._run(api.revoke_permission(name), "Revoked. You are asked again.", revoked=name)
        elif kind == "trust":
            self._run(api.trust_server(name, False), f"{name} is not believed any more.")
        elif kind == "host":
            source, _, sha = name.partition(":")
            deed = api.remove_host(sha) if source == "you" else api.withdraw_host(sha)
            self._run(deed, "Closed for programs; Network opens it again.")

    def _undo(self) -> None:
        self._run(self._context.api.restore_permission(self._revoked), "The rule is back as it was.")

    def _run(self, deed: Coroutine[Any, Any, object], words: str, revoked: str = "") -> None:  # Any: as in Tasks.run
        self._context.tasks.run("change what is allowed", self._do(deed, words, revoked))

    async def _do(self, deed: Coroutine[Any, Any, object], words: str, revoked: str) -> None:  # Any: as above
        try:
            await deed
        except WorkbenchError as fault:
            self._say(str(fault), "error")
            return
        self._say(words)
        self._revoked = revoked
        self.undo.setVisible(bool(revoked))
        await self._read()
        self.list.clearSelection()  # a second press must not revoke the rule that moved up
        self.list.setFocus()
