"""The road of one run in a window of its own: the timeline at the left, the step that is looked at at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QSplitter, QVBoxLayout, QWidget

from workbench.gui.audit.road import RoadView
from workbench.gui.audit.steps import steps
from workbench.gui.context import Context
from workbench.gui.docks.entry_card import EntryCard
from workbench.records import Entry, EntryQuery

MOST = 5_000
"""Entries of one run that its timeline is drawn from."""


class RoadDialog(QDialog):
    """Beside the window: nothing waits for it."""

    def __init__(self, context: Context, run_id: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Timeline of run {run_id}")
        self._context = context
        self._run_id = run_id
        self.road = RoadView(context.theme)
        self.card = EntryCard(context)
        self.road.entry_wanted.connect(self._look_at)
        for wanted in (self.road.code_wanted, self.road.result_wanted):
            wanted.connect(self.close)
        split = QSplitter()
        split.addWidget(self.road)
        split.addWidget(self.card)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        unit = context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 4,) * 4)
        column.addWidget(split)
        self.resize(unit * 260, unit * 150)

    def open_soon(self) -> None:
        """Show it, and fill it when the core has answered."""
        self.show()
        self.road.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        asked = self._context.api.entries(EntryQuery(run_id=self._run_id, limit=MOST))
        self._context.tasks.run("timeline of a run", asked, self._fill)

    def _fill(self, entries: tuple[Entry, ...]) -> None:
        self.road.show_road(steps(entries))
        if (first := self.road.tree.topLevelItem(0)) is not None:
            self.road.tree.setCurrentItem(first)

    def _look_at(self, entry: Entry) -> None:
        self.card.show_entry(entry)
        self.card.road.hide()
