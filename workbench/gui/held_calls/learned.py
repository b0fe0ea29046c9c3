"""What an answer may become: nothing, or a rule as narrow as the call. The core says which rules there could be."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.text import one_line
from workbench.gui.views import label
from workbench.records import HeldCall, Permission, Risk

_LONGEST = 110  # letters of a rule in the list


class LearnedChoice(QWidget):
    """Hidden where no rule would be narrow enough."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rules: tuple[Permission, ...] = ()
        self._shown = ""
        self.choice = CalmCombo()
        self.choice.setAccessibleName("The rule that your approval creates")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label("If you allow it", "muted"))
        row.addWidget(self.choice, 1)
        self.hide()

    @property
    def rule(self) -> Permission | None:
        """The rule that is chosen; None: only this time."""
        number = self.choice.currentIndex() - 1
        return self._rules[number] if not self.isHidden() and 0 <= number < len(self._rules) else None

    def show_held_call(self, held_call: HeldCall) -> None:
        """Ask for rules once for each question. Nothing is learned of a batch, of high risk, or of values that came
        from strangers or are private."""
        if self._shown == (about := f"{held_call.id} {held_call.more}"):
            return
        self._shown = about
        self._offer(())
        risky = held_call.risk in (Risk.HIGH, Risk.CRITICAL)
        doubtful = risky or held_call.more or held_call.trifecta or held_call.origins
        if not doubtful:
            self._context.tasks.run("read rules for a call", self._read(held_call))

    async def _read(self, held_call: HeldCall) -> None:
        try:
            arguments = json.loads(held_call.arguments)
            found = await self._context.api.suggest_permissions(held_call.server, held_call.tool, arguments)
        except (ValueError, WorkbenchError):
            return  # what was shortened teaches nothing
        self._offer(found)

    def _offer(self, rules: tuple[Permission, ...]) -> None:
        self._rules = rules
        self.choice.clear()
        self.choice.addItem("Only this time")
        for rule in rules:
            self.choice.addItem(f"From now on: {one_line(rule.label, _LONGEST)}")
        self.setVisible(bool(rules))
