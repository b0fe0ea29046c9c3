"""One line of a plan in full: what would be sent, where its values came from, and what only the real run will know."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.held_calls.evidence import Evidence
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import ForeignLabel, one_line, visible
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label
from workbench.records import PlanStep

_SHOWN = 20  # values that wait for an answer; more are counted


class PlanLine(QScrollArea):
    """Empty until a line is chosen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        unit = theme.unit
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 3)
        column.setSpacing(unit * 2)
        self._title = ForeignLabel()
        mark(self._title, role="section")
        self._facts = ForeignLabel()
        mark(self._facts, role="muted")
        self._later = ForeignLabel()
        self._evidence = Evidence(theme)
        self._arguments = PlainEdit()
        self._arguments.setReadOnly(True)
        self._arguments.setTabChangesFocus(True)
        self._arguments.setMinimumHeight(self.fontMetrics().lineSpacing() * 6)
        mark(self._arguments, kind="code")
        self._from = label("Where its values came from", "section")
        for part in (self._title, self._facts, self._later):
            column.addWidget(part)
        column.addWidget(self._from)
        column.addWidget(self._evidence)
        column.addWidget(self._arguments, 1)
        self.setWidget(inner)

    def show_line(self, number: int, held: PlanStep, run_id: str) -> None:
        files = not held.server
        name = "Files of the workspace" if files else f"{held.server}.{held.tool}"
        self._title.setText(f"{number}  {one_line(name, 120)}")
        self._facts.setText(" · ".join(self._words(held)))
        later = [*held.waits_for[:_SHOWN]]
        if len(held.waits_for) > _SHOWN:
            later.append(f"and {len(held.waits_for) - _SHOWN} more")
        known = "Only the real run will tell; an invented value stands here:"
        self._later.setText("\n".join([known, *(f"• {one}" for one in later)]))
        self._later.setVisible(bool(later))
        self._arguments.setPlainText(visible(held.arguments))
        words = "What would happen to files" if files else f"What would be sent, line {number}"
        self._arguments.setAccessibleName(words)
        self._evidence.show_origins(held.origins, run_id)
        self._from.setVisible(bool(held.origins))
        self._evidence.setVisible(bool(held.origins))

    def _words(self, held: PlanStep) -> list[str]:
        undo = {True: "can be undone", False: "cannot be undone", None: ""}[held.reversible]
        told = {
            "invented": "the program was told an invented answer",
            "recorded": "the program was told an earlier answer of this tool",
            "nothing": "the program was told nothing",
        }.get(held.answered, "")
        line = f"line {held.line} of the program" if held.line else ""
        whole = "ticked as a whole; unticked, the workspace can only be read" if not held.server else ""
        return [word for word in (line, undo, told, whole) if word]
