"""A person's word about one tool: each hint, and three things that no server tells, as a choice."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.lists import label
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.gui.shell.rules_box import RulesBox
from workbench.records import Fault, Permissions, Tool, UserAnnotations

_HINTS = ("read_only", "destructive", "idempotent", "open_world")
_OWN = ("private", "outsiders", "sends")


class BitsForm(QWidget):
    """The first choice of each says what counts while nothing is said."""

    said = Signal(object)
    """Carries UserAnnotations."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tool = tool
        self.choices = {name: CalmCombo() for name in (*_HINTS, *_OWN)}
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(context.theme.unit)
        for name, words in self._words().items():
            choice = self.choices[name]
            choice.setMinimumContentsLength(14)
            choice.setAccessibleName(words)
            title = QLabel(words)
            title.setTextFormat(Qt.TextFormat.PlainText)
            title.setBuddy(choice)
            form.addRow(title, choice)
            choice.activated.connect(self._tell)
        self.show_tool(tool)

    def show_tool(self, tool: Tool) -> None:
        """What counts of it now."""
        self._tool = tool
        for name, choice in self.choices.items():
            choice.clear()
            for words, value in ((self._unsaid(name), None), ("Yes", True), ("No", False)):
                choice.addItem(words, value)
            said = self._value(name) if name in tool.said else None
            choice.setCurrentIndex({None: 0, True: 1, False: 2}[said])

    def _value(self, name: str) -> bool | None:
        found: bool | None = getattr(self._tool.hints if name in _HINTS else self._tool, name)
        return found

    def _unsaid(self, name: str) -> str:
        """What stands there while the person says nothing."""
        if name in _OWN:
            return f"A guess: {self._word(self._value(name))}" if name in self._tool.guessed else "—"
        claims = self._tool.claimed or self._tool.hints
        claimed = getattr(claims, name)
        if claimed is None:
            return "The server does not say"
        if name not in self._tool.said and claimed != getattr(self._tool.hints, name):
            return f"The server says {self._word(claimed)}, not believed"
        return f"The server says {self._word(claimed)}"

    def _word(self, value: bool | None) -> str:
        return "yes" if value else "no"

    def _tell(self, _row: int) -> None:
        values: dict[str, Any] = {name: choice.currentData() for name, choice in self.choices.items()}  # Any: Qt's data
        self.said.emit(replace(UserAnnotations(), **values))

    def _words(self) -> dict[str, str]:
        return {
            "read_only": "Only reads",
            "destructive": "May delete or overwrite",
            "idempotent": "Repeating it has no further effect",
            "open_world": "Reaches other systems",
            "private": "Holds private data",
            "outsiders": "Returns text that outsiders can write",
            "sends": "Can send something out",
        }


class ToolTrust(QScrollArea):
    """Each choice counts at once."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self.bits = BitsForm(context, tool)
        self.bits.said.connect(self._say)
        self.rules = RulesBox(context, tool.server, tool)
        self._lay_out(context.theme.unit)
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
