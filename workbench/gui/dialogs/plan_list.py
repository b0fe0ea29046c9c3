"""The lines of a plan, each with a box to tick; Space ticks the one that is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from workbench.gui.dialogs.plan_ticks import TickDelegate
from workbench.gui.icons import icon
from workbench.gui.text import one_line, plain_tip
from workbench.gui.theme import Theme
from workbench.gui.words import risk_word
from workbench.records import PlanStep

_WHAT, _WITH, _UNDO = 0, 1, 2
_NARROW = 58  # letters of width below which the column about undoing goes


class PlanList(QTreeWidget):
    """Shows; the dialog decides."""

    looked = Signal(int)
    """The number of the line that is chosen now, from 1."""
    ticked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._plan: tuple[PlanStep, ...] = ()
        self._seen: set[int] = set()
        self.setAccessibleName("What the program would do")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setColumnCount(3)
        self.setItemDelegateForColumn(_WHAT, TickDelegate(theme, self))
        self.setHeaderLabels(["What", "With", "Undo"])
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_WITH, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().averageCharWidth()
        header.resizeSection(_WHAT, letter * 27)
        header.resizeSection(_UNDO, letter * 11)
        self.currentItemChanged.connect(self._look)
        self.itemChanged.connect(self._ticked)

    def show_plan(self, plan: Sequence[PlanStep]) -> None:
        """Nothing is ticked."""
        self._plan = tuple(plan)
        self.blockSignals(True)
        self.clear()
        for number, held in enumerate(self._plan, 1):
            self.addTopLevelItem(self._item(number, held))
        self.blockSignals(False)

    def begin(self) -> None:
        """Show the first line."""
        if (first := self.topLevelItem(0)) is not None:
            self.setCurrentItem(first)

    def chosen(self) -> tuple[str, ...]:
        """The ids of what is ticked."""
        items = ((self.topLevelItem(at), held) for at, held in enumerate(self._plan))
        return tuple(held.call_id for item, held in items if item and item.checkState(_WHAT) is Qt.CheckState.Checked)

    def unread(self) -> int:
        """The first ticked line with values out of strangers' text that was never looked at; 0: none."""
        chosen = frozenset(self.chosen())
        for number, held in enumerate(self._plan, 1):
            if held.call_id in chosen and is_warned(held) and number not in self._seen:
                return number
        return 0

    def tick_all(self) -> None:
        self._tick(Qt.CheckState.Checked)

    def tick_none(self) -> None:
        self._tick(Qt.CheckState.Unchecked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        letter = self.fontMetrics().averageCharWidth()
        self.setColumnHidden(_UNDO, self.width() < letter * _NARROW)

    def _item(self, number: int, held: PlanStep) -> QTreeWidgetItem:
        files = not held.server
        name = "Files of the workspace" if files else f"{held.server}.{held.tool}"
        short = held.summary
        if not files and short.startswith(f"{name}("):
            short = short[len(name) + 1 :].removesuffix(")")
        item = QTreeWidgetItem([f"{number}  {one_line(name, 80)}", one_line(short, 300), undo_word(held)])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(_WHAT, Qt.CheckState.Unchecked)
        tone = "danger" if is_warned(held) else risk_word(held.risk).tone
        item.setIcon(_WITH, icon("alert" if is_warned(held) else "file" if files else "tool", tone))
        item.setToolTip(_WITH, plain_tip(one_line(held.summary, 600)))
        words = ["values came out of text that outsiders can write"] if is_warned(held) else []
        words += [undo_word(held)] if undo_word(held) else []
        item.setData(_WHAT, Qt.ItemDataRole.AccessibleTextRole, ", ".join([f"{number} {name}", short, *words]))
        return item

    def _tick(self, state: Qt.CheckState) -> None:
        self.blockSignals(True)
        for at in range(self.topLevelItemCount()):
            if (item := self.topLevelItem(at)) is not None:
                item.setCheckState(_WHAT, state)
        self.blockSignals(False)
        self.viewport().update()
        self.ticked.emit()

    def _look(self, now: QTreeWidgetItem | None, _before: QTreeWidgetItem | None) -> None:
        if now is not None:
            number = self.indexOfTopLevelItem(now) + 1
            self._seen.add(number)
            self.looked.emit(number)

    def _ticked(self, _item: QTreeWidgetItem, column: int) -> None:
        if column == _WHAT:
            self.ticked.emit()


def is_warned(held: PlanStep) -> bool:
    """Whether a value of it stood in text that outsiders can write."""
    return any("untrusted" in origin.kinds for origin in held.origins)


def undo_word(held: PlanStep) -> str:
    return {True: "yes", False: "no", None: "unknown"}[held.reversible]
