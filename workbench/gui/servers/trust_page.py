"""The page of a server that shows what the user decided about its annotations, with rules for all of its tools."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtWidgets import QPushButton

from workbench.errors import WorkbenchError
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import DecideTrust
from workbench.gui.shell.rules_box import RulesBox
from workbench.records import Fault, Permissions, ServerState, ToolGroup
from workbench.records.common_types import count_of


class TrustPage(ServerPage):
    """Changes apply at once and are recorded in the audit."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self.decision = paragraph("")
        self.decide = QPushButton("Decide…")
        self.withdraw = QPushButton("Withdraw")
        self.withdraw.setToolTip("Forget this decision: every program that uses the server asks again.")
        self.reset_rules = QPushButton("Reset rules")
        self.rules = RulesBox(context, self.server)
        self._lay_out(context.theme.unit)
        self.decide.clicked.connect(lambda: context.go(DecideTrust(self.server)))
        self.withdraw.clicked.connect(self._withdraw)
        self.reset_rules.clicked.connect(self._reset_rules)
        self.setFocusProxy(self.decide)
        self.reset_rules.hide()
        context.store.permissions_changed.connect(self.load)
        self.show_state(state)

    def load(self) -> None:
        if self.context.store.permissions is not None:
            self._show(self.context.store.permissions)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self.decide.setEnabled(not state.config.builtin)

    def _show(self, permissions: Permissions) -> None:
        decided = self.server in permissions.trust.decisions
        self.decision.setText(describe_decision(self.server, permissions, builtin=self.state.config.builtin))
        self.decide.setText("Change…" if decided else "Decide…")
        self.withdraw.setVisible(decided)
        self.reset_rules.setVisible(permissions.trust.lost)
        self.rules.show_permissions(permissions)
        self.rules.fault.show_fault(permissions.notices[0] if permissions.notices else None)

    def _withdraw(self) -> None:
        self.context.tasks.run("withdraw trust", self._change(self.context.api.withdraw_trust(self.server)))

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
            "Servers say what their tools do, such as “only reads”. What they say counts only as far as you decide "
            "here. A decision applies to the server's current entry in .mcp.json and to the definitions that you saw.",
            "muted",
        )
        heading = label("Rules for programs that call its tools", "heading")
        buttons = row(None, self.decide, self.withdraw, None, spacing=unit * 2)
        parts = (
            label("What programs may do without asking", "heading"),
            self.decision, buttons, explanation, heading, self.rules, self.reset_rules,
        )  # fmt: skip
        column(self, *parts, margins=(unit * 3,) * 4, spacing=unit * 2, grows=self.rules)


def describe_decision(server: str, permissions: Permissions, *, builtin: bool) -> str:
    """Return what the user decided about a server, as sentences."""
    if builtin:
        return "This server is built in and always trusted."
    decision, undecided = permissions.trust.decisions.get(server), permissions.undecided.get(server, ())
    if decision is None:
        return "You have not decided. Until you do, programs that use it ask, except for reviewed tools that only read."
    if decision.earlier:
        words = "Tools that only read, or only add something new, run without asking."
    elif decision.groups:
        which = " or ".join(group.description for group in ToolGroup if group in decision.groups)
        words = f"Run without asking: tools that {which}. Programs that use other tools ask you."
    else:
        words = "Every program that uses this server asks you."
    if undecided:
        words += f" {count_of(len(undecided), 'tool')} new or changed since then: {', '.join(undecided[:10])}."
    return words
