"""The page of a server where the user trusts its annotations and sets rules for all of its tools."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtWidgets import QPushButton

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.gui.shell.rules_box import RulesBox
from workbench.records import Fault, Permissions, ServerState


class TrustPage(ServerPage):
    """Changes apply at once and are recorded in the audit."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self.trust = TickBox(context.theme, "Trust this server's annotations")
        self.reset_rules = QPushButton("Reset rules")
        self.rules = RulesBox(context, self.server)
        self._lay_out(context.theme.unit)
        self.trust.clicked.connect(self._set_trust)
        self.reset_rules.clicked.connect(self._reset_rules)
        self.setFocusProxy(self.trust)
        self.reset_rules.hide()
        context.store.permissions_changed.connect(self.load)
        self.show_state(state)

    def load(self) -> None:
        if self.context.store.permissions is not None:
            self._show(self.context.store.permissions)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self.trust.setEnabled(not state.config.builtin)

    def _show(self, permissions: Permissions) -> None:
        self.trust.setChecked(self.state.config.builtin or self.server in permissions.trust.believed)
        self.reset_rules.setVisible(permissions.trust.lost)
        self.rules.show_permissions(permissions)
        self.rules.fault.show_fault(permissions.notices[0] if permissions.notices else None)

    def _set_trust(self, yes: bool) -> None:
        self.context.tasks.run("trust a server", self._change(self.context.api.trust_server(self.server, yes)))

    def _reset_rules(self) -> None:
        self.context.tasks.run("reset rules", self._change(self.context.api.renew_permissions()))

    async def _change(self, change: Coroutine[Any, Any, Permissions]) -> None:  # Any: asyncio's own
        try:
            self._show(await change)
        except WorkbenchError as fault:
            self.load()
            self.rules.fault.show_fault(Fault(fault.message, fault.hint))

    def _lay_out(self, unit: int) -> None:
        explanation = paragraph(
            "Annotations are what a server says about its tools, such as “only reads”. Without trust they are ignored, "
            "and a tool is judged by its name. Trust applies to the server's current entry in .mcp.json; it ends when "
            "the entry changes. The built-in server is always trusted.",
            "muted",
        )
        heading = label("Rules for programs that call its tools", "heading")
        parts = (self.trust, explanation, heading, self.rules, self.reset_rules)
        column(self, *parts, margins=(unit * 3,) * 4, spacing=unit * 2, grows=self.rules)
