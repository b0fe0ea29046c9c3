"""Says that programs of one form ran again and again, and offers to make a skill of the newest."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.icons import icon
from workbench.gui.text import ForeignLabel, one_line, plain_tip
from workbench.gui.theme import mark
from workbench.gui.views import tool_button
from workbench.gui.wishes import KeepRun
from workbench.records import SkillHint


class HintStrip(QFrame):
    """One at a time, the one that ran most often."""

    wished = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="strip")
        self._context = context
        self._hints: Sequence[SkillHint] = ()
        self.words = ForeignLabel(breaks=True)
        self.make = QPushButton(icon("bookmark", "muted"), "Make a skill…")
        self.make.clicked.connect(self._make)
        self.no = tool_button("close", "Do not suggest this again", context.theme)
        self.no.clicked.connect(self._dismiss)
        unit = context.theme.unit
        row = QHBoxLayout()
        row.addWidget(self.make)
        row.addStretch(1)
        row.addWidget(self.no)
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 2, unit * 2, unit * 2)
        column.setSpacing(unit)
        column.addWidget(self.words)
        column.addLayout(row)
        self.hide()

    def show_hints(self, hints: Sequence[SkillHint]) -> None:
        self._hints = hints
        self.setVisible(bool(hints))
        if hints:
            one = hints[0]
            what = one.purpose or ", ".join(one.tools)
            self.words.setText(one_line(f"Runs like this happened {one.times} times: {what}", 200))
            self.words.setToolTip(plain_tip(one_line(", ".join(one.tools), 200)))

    def _make(self) -> None:
        self.wished.emit(KeepRun(self._hints[0].run_id))

    def _dismiss(self) -> None:
        self._context.tasks.run("dismiss a hint", self._forget(self._hints[0].key))

    async def _forget(self, key: str) -> None:
        await self._context.api.dismiss_hint(key)
        self.show_hints(await self._context.api.skill_hints())
