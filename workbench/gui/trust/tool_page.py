"""What a person trusts in one tool: its bits, and the rules about it."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.theme import mark
from workbench.gui.trust.bits_form import BitsForm
from workbench.gui.trust.rules_box import RulesBox
from workbench.gui.views import label
from workbench.records import Fault, Permissions, Tool, UserAnnotations


class ToolTrust(QScrollArea):
    """Each choice counts at once."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self.bits = BitsForm(context, tool)
        self.rules = RulesBox(context, tool.server, tool)
        self._lay_out(context.theme.unit)
        self.bits.said.connect(self._say)
        self.setFocusProxy(self.rules.word)
        self.setAccessibleName("Trust")

    def refresh(self) -> None:
        """Read the rules."""
        self._context.tasks.run("read the rules of a tool", self._read())

    def show_tool(self, tool: Tool) -> None:
        self._tool = tool
        self.bits.show_tool(tool)

    def show_permissions(self, known: Permissions) -> None:
        self.rules.show_permissions(known)

    async def _read(self) -> None:
        self.rules.show_permissions(await self._context.api.permissions())

    def _say(self, said: UserAnnotations) -> None:
        self._context.tasks.run("say something of a tool", self._send(said))

    async def _send(self, said: UserAnnotations) -> None:
        try:
            self.show_tool(await self._context.api.set_annotations(self._tool.server, self._tool.name, said))
        except WorkbenchError as fault:
            self.rules.fault.show_fault(Fault(fault.message, fault.hint))

    def _lay_out(self, unit: int) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        for title, words, part in (
            (
                "Rules for programs",
                "A rule for certain arguments counts before one for every call; a denial before all.",
                self.rules,
            ),
            (
                "What it does",
                "Your choice replaces the server's annotations and what its name and description suggest.",
                self.bits,
            ),
        ):
            head = label(title)
            mark(head, role="heading")
            why = label(words, "muted")
            why.setWordWrap(True)
            column.addWidget(head)
            column.addWidget(why)
            column.addWidget(part)
        column.addStretch(1)
        self.setWidget(inside)
        self.setWidgetResizable(True)
