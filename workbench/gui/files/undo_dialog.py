"""Shows what taking changes back would do, file by file, before it is done. What would cost work is not ticked."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.context import Context
from workbench.gui.dialogs.plan_ticks import TickDelegate
from workbench.gui.models.changes import title_of
from workbench.gui.text import ForeignLabel, one_line, plain_tip
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.records import UndoLine, UndoPlan

_TICKED = frozenset({"ready"})
_FREE = frozenset({"ready", "shared", "conflict"})
_TONES = {"conflict": "danger", "shared": "warning", "lost": "muted", "done": "muted"}
_MOST = 2_000  # lines that are shown; the others are done or left with those


class UndoDialog(QDialog):
    """`chosen` are the paths that stay ticked."""

    def __init__(self, context: Context, plan: UndoPlan, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Undo changes"))
        self._context, self._plan = context, plan
        unit = context.theme.unit
        self.resize(unit * 220, unit * 120)
        self.setMinimumSize(unit * 100, unit * 70)
        self.list = QTreeWidget()
        self._go = QPushButton()
        self.words = ForeignLabel()
        mark(self.words, role="muted")
        self._fill()
        self._lay_out(unit)
        self.list.itemChanged.connect(self._count)
        self.list.currentItemChanged.connect(self._say)
        self._say()
        self._count()

    def chosen(self) -> tuple[str, ...]:
        items = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        ticked = [item for item in items if item is not None and item.checkState(0) is Qt.CheckState.Checked]
        return tuple(str(item.data(0, Qt.ItemDataRole.UserRole)) for item in ticked)

    def _fill(self) -> None:
        self.list.setColumnCount(3)
        self.list.setHeaderLabels([self.tr("File"), self.tr("What happens"), self.tr("Why")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAccessibleName(self.tr("What undoing would do"))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setItemDelegateForColumn(0, TickDelegate(self._context.theme, self.list))
        self.list.addTopLevelItems([self._item(line) for line in self._plan.lines[:_MOST]])
        head = self.list.header()
        head.setStretchLastSection(True)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        letter = self.fontMetrics().averageCharWidth()
        head.resizeSection(0, letter * 36)
        head.resizeSection(1, letter * 24)
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)

    def _item(self, line: UndoLine) -> QTreeWidgetItem:
        deeds = {
            "restore": self.tr("comes back as it was"),
            "remove": self.tr("is deleted"),
            "bring back": self.tr("comes back"),
            "nothing": self.tr("stays as it is"),
        }
        words = f"{line.words} ⚠ {line.warning}" if line.warning else line.words
        height = self.fontMetrics().height() + self._context.theme.unit * 2
        item = QTreeWidgetItem([one_line(line.path, 200), deeds[line.deed], one_line(words, 300)])
        item.setData(0, Qt.ItemDataRole.UserRole, line.path)
        item.setSizeHint(0, QSize(0, height))
        for column in range(3):
            item.setToolTip(column, plain_tip(f"{line.path}\n{words}"))
        if line.state in _FREE:
            item.setCheckState(0, Qt.CheckState.Checked if line.state in _TICKED else Qt.CheckState.Unchecked)
        if tone := _TONES.get(line.state):
            item.setForeground(2, self._context.theme.colour(tone))
        return item

    def _lay_out(self, unit: int) -> None:
        title = ForeignLabel(title_of(self._plan.changes), elide=True)
        mark(title, role="heading")
        words = label(
            self.tr("Ticked files become what they were before. This is a change like any other: it can be undone."),
            "muted",
        )
        words.setWordWrap(True)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self._go.clicked.connect(self.accept)
        mark(self._go, kind="primary")
        foot = QHBoxLayout()
        foot.addStretch()
        foot.addWidget(cancel)
        foot.addWidget(self._go)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(title)
        column.addWidget(words)
        column.addWidget(self.list, 1)
        column.addWidget(self.words)
        column.addLayout(foot)
        cancel.setDefault(True)
        self.list.setFocus()

    def _say(self, *_items: object) -> None:
        """The whole of what stands in the chosen row."""
        item = self.list.currentItem()
        self.words.setText(f"{item.text(0)}: {item.text(2)}" if item is not None else "")

    def _count(self) -> None:
        count = len(self.chosen())
        self._go.setEnabled(count > 0)
        self._go.setText(self.tr("Undo 1 file") if count == 1 else self.tr("Undo {0} files").format(count))


async def ask_undo(context: Context, name: str, owner: QWidget) -> str:
    """Show the plan, do what is ticked, and answer what a person reads then."""
    dialog = UndoDialog(context, await context.questions.undo_plan(name), owner)
    answer: asyncio.Future[tuple[str, ...]] = asyncio.get_running_loop().create_future()

    def finished(code: int) -> None:
        if not answer.done():
            answer.set_result(dialog.chosen() if code == QDialog.DialogCode.Accepted else ())

    dialog.finished.connect(finished)
    dialog.open()
    try:
        paths = await answer
    except asyncio.CancelledError:
        dialog.reject()
        raise
    if not paths:
        return ""
    done = await context.questions.undo_files(name, paths)
    if done.note:
        return one_line(done.note, 200)
    many = dialog_words("{0} files are as they were. “Changes” can undo that, too.").format(f"{done.count:,}")
    return dialog_words("One file is as it was. “Changes” can undo that, too.") if done.count == 1 else many


def dialog_words(text: str) -> str:
    return QCoreApplication.translate("undo", text)
