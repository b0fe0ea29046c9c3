"""The road of one run as a timeline: when each step began, how long it lasted, and the calls made meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.audit.steps import Step, code_of, span
from workbench.gui.icons import icon
from workbench.gui.text import one_line, plain_tip
from workbench.gui.theme import Theme
from workbench.gui.views import label
from workbench.gui.words import duration, run_word
from workbench.records import Entry, RunState

WHAT, AFTER, TOOK, BAR = range(4)
_SPAN = Qt.ItemDataRole.UserRole  # share of the whole at which it began, share it took, tone
_ENTRY = Qt.ItemDataRole.UserRole + 1
SHOWN = 500
"""Nested calls that are drawn; the table beside has them all."""


class RoadView(QWidget):
    """Everything of one run that the audit knows."""

    code_wanted = Signal(str, str)
    """The program and its purpose."""
    result_wanted = Signal(str)
    """The id of the run."""
    entry_wanted = Signal(object)
    """The entry of the step that is looked at."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._road: Sequence[Step] = ()
        self._head = label("", "muted")
        self._head.setWordWrap(True)
        self.tree = QTreeWidget()
        self.tree.setColumnCount(4)
        self.tree.setHeaderLabels(["Step", "After", "Took", "When"])
        self.tree.setAccessibleName("Steps of the run")
        self.tree.setUniformRowHeights(True)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.tree.setItemDelegateForColumn(BAR, _Bar(theme, self))
        self.tree.setIndentation(theme.unit * 4)
        self.tree.currentItemChanged.connect(self._looked_at)
        self.code = QPushButton(icon("code"), "Open the code")
        self.result = QPushButton(icon("terminal"), "Show the result")
        self.code.clicked.connect(self._want_code)
        self.result.clicked.connect(self._want_result)
        self._lay_out(theme.unit)

    def show_road(self, road: Sequence[Step]) -> None:
        self._road = road
        began, whole = span(road)
        self.tree.clear()
        for step in road:
            item = self._item(step, began, whole)
            self.tree.addTopLevelItem(item)
            for inside in step.inside[:SHOWN]:
                item.addChild(self._item(inside, began, whole))
            if len(step.inside) > SHOWN:
                item.addChild(QTreeWidgetItem([f"and {len(step.inside) - SHOWN} more"]))
        self.tree.expandAll()
        calls = sum(len(step.inside) for step in road)
        words = "{0} from the first step to the last, with {1} calls and requests."
        self._head.setText(words.format(duration(whole), calls) if road else "The audit has no step of it.")
        self.code.setEnabled(bool(code_of(road)[0]))
        self.result.setEnabled(bool(road))

    def _lay_out(self, unit: int) -> None:
        head = self.tree.header()
        head.setStretchLastSection(True)
        head.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Interactive)
        head.setMinimumSectionSize(unit * 8)
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in ((WHAT, 34), (AFTER, 11), (TOOK, 11)):
            self.tree.setColumnWidth(column, letter * letters)
        row = QHBoxLayout()
        row.setSpacing(unit)
        row.addWidget(self.code)
        row.addWidget(self.result)
        row.addStretch(1)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(unit * 2)
        stack.addWidget(self._head)
        stack.addWidget(self.tree, 1)
        stack.addLayout(row)

    def _item(self, step: Step, began: float, whole: float) -> QTreeWidgetItem:
        after = max(0.0, (step.at - began) * 1000)
        words, symbol, tone = self._told(step)
        item = QTreeWidgetItem(
            [words, f"+{duration(after)}" if after >= 1 else "0", duration(step.ms) if step.ms else "", ""]
        )
        item.setIcon(WHAT, icon(symbol, tone))
        item.setToolTip(WHAT, plain_tip(one_line(step.entry.note.summary, 400)))
        item.setData(BAR, _SPAN, (after / whole if whole else 0.0, step.ms / whole if whole else 0.0, tone))
        item.setData(WHAT, _ENTRY, step.entry)
        for column in (AFTER, TOOK):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _told(self, step: Step) -> tuple[str, str, str]:
        """Words, icon and tone of a step."""
        note = step.entry.note
        state = note.kind.removeprefix("run.")
        if state in set(RunState):
            word = run_word(RunState(state))
            waited = "Waited for you" if step.phase and state == RunState.WAITING else word.text
            return waited, word.icon, word.tone
        tone = "danger" if not note.ok else "info" if note.kind.startswith("call.") else "muted"
        symbol = "alert" if not note.ok else "tool" if note.kind.startswith("call.") else "user"
        name = f"{note.server}.{note.tool}" if note.tool else note.summary
        return one_line(name, 120), symbol, tone

    def _looked_at(self, item: QTreeWidgetItem | None) -> None:
        entry = item.data(WHAT, _ENTRY) if item is not None else None
        if isinstance(entry, Entry):
            self.entry_wanted.emit(entry)

    def _want_code(self) -> None:
        self.code_wanted.emit(*code_of(self._road))

    def _want_result(self) -> None:
        if self._road:
            self.result_wanted.emit(self._road[0].entry.note.run_id)


class _Bar(QStyledItemDelegate):
    """When a step was, within the whole."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if (found := index.data(_SPAN)) is None:
            return
        start, share, tone = found
        place = QRectF(option.rect).adjusted(self._theme.unit, 0, -self._theme.unit, 0)
        high = max(4.0, place.height() * 0.34)
        wide = max(3.0, place.width() * share)
        left = min(place.left() + place.width() * start, place.right() - wide)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("border"))
        painter.drawRoundedRect(QRectF(place.left(), place.center().y() - 0.5, place.width(), 1.0), 0, 0)
        painter.setBrush(self._theme.colour(tone if tone != "muted" else "faint"))
        painter.drawRoundedRect(QRectF(left, place.center().y() - high / 2, wide, high), high / 2.5, high / 2.5)
        painter.restore()
