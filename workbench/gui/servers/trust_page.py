"""Whether the server's word about its tools counts, and the rules about all of them."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, PermissionsChanged
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.lists import label
from workbench.gui.kit.theme import mark
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.rules_box import RulesBox
from workbench.records import Fault, Permissions, ServerState


class TrustPage(ServerPage):
    """Each change counts at once and stands in the audit."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self.believe = TickBox(context.theme, "Trust this server's annotations")
        self.renew = QPushButton("Begin a new list of rules")
        self.rules = RulesBox(context, self.server)
        self._lay_out(context.theme.unit)
        self.believe.clicked.connect(self._believe)
        self.renew.clicked.connect(self._renew)
        self.setFocusProxy(self.believe)
        self.renew.hide()
        self.show_state(state)

    def refresh(self) -> None:
        self.context.tasks.run("read the trust in a server", self._read())

    def hear(self, event: Event) -> None:
        if isinstance(event, PermissionsChanged):
            self._show(event.permissions)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self.believe.setEnabled(not state.config.builtin)

    async def _read(self) -> None:
        self._show(await self.context.api.permissions())

    def _show(self, known: Permissions) -> None:
        self.believe.setChecked(self.state.config.builtin or self.server in known.trust.believed)
        self.renew.setVisible(known.trust.lost)
        self.rules.show_permissions(known)
        self.rules.fault.show_fault(known.notices[0] if known.notices else None)

    def _believe(self, yes: bool) -> None:
        self.context.tasks.run("trust a server", self._change(yes))

    def _renew(self) -> None:
        self.context.tasks.run("begin a new list of rules", self._begin())

    async def _change(self, yes: bool) -> None:
        try:
            self._show(await self.context.api.trust_server(self.server, yes))
        except WorkbenchError as fault:
            self._show(await self.context.api.permissions())
            self.rules.fault.show_fault(Fault(fault.message, fault.hint))

    async def _begin(self) -> None:
        try:
            self._show(await self.context.api.renew_permissions())
        except WorkbenchError as fault:
            self.rules.fault.show_fault(Fault(fault.message, fault.hint))

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        column.addWidget(self.believe)
        words = (
            "Without it, a hint such as “only reads” counts for nothing: a tool is judged by its name. Your trust is "
            "about the entry of the server as it stands, and ends when that is another one. The built-in "
            "server is trusted."
        )
        why = label(words, "muted")
        why.setWordWrap(True)
        column.addWidget(why)
        head = label("Rules for programs that call its tools")
        mark(head, role="heading")
        column.addWidget(head)
        column.addWidget(self.rules, 1)
        column.addWidget(self.renew)
