"""What one should know before one calls a tool: that it is blocked or new, and what is odd about its definition."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.fault_card import FaultCard
from workbench.gui.theme import mark
from workbench.records import ChangeKind, DefinitionChange, Fault, Tool, ToolWarning


class ToolMarks(QWidget):
    """Hidden while there is nothing to say; asks the core by itself."""

    changes_wanted = Signal()

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self.card = FaultCard(context.theme)
        self._show_changes = QPushButton("See what changed")
        mark(self._show_changes, kind="link")
        self._show_changes.clicked.connect(self.changes_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.card)
        row = QHBoxLayout()
        row.setContentsMargins(context.theme.unit * 9, 0, context.theme.unit * 3, context.theme.unit)
        row.addWidget(self._show_changes)
        row.addStretch(1)
        column.addLayout(row)
        self.hide()
        self.refresh()

    def refresh(self) -> None:
        self._context.tasks.run("read a tool's marks", self._read())

    async def _read(self) -> None:
        warnings = await self._context.api.warnings(self._tool.server)
        changes = await self._context.api.definition_changes(self._tool.server)
        self._show(
            [one for one in warnings if one.tool == self._tool.name],
            next((one for one in changes if one.tool == self._tool.name), None),
        )

    def _show(self, warnings: list[ToolWarning], change: DefinitionChange | None) -> None:
        blocked = change is not None and change.blocked
        self._show_changes.setVisible(change is not None)
        self.setVisible(bool(warnings) or blocked)
        odd = [f"{one.message} {one.why}" for one in warnings]
        if blocked:
            words = "This tool is blocked: its definition changed after you approved it."
            hint = "What you see here is the approved one. Read the change, then approve it."
            self.card.show_fault(Fault(words, "\n".join((hint, *odd))))
        elif warnings:
            words = warnings[0].message if len(warnings) == 1 else f"{len(warnings)} things are odd here."
            self.card.show_fault(
                Fault(words, warnings[0].why if len(warnings) == 1 else "\n".join(odd)), tone="warning"
            )
        else:
            self.card.show_fault(None)
        if change is not None and change.kind is not ChangeKind.CHANGED:
            self._show_changes.hide()
