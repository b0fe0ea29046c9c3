"""Shows what taking changes back would do, file by file, before it is done. What would cost work is not ticked."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QSize, Qt
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

from workbench.gui.files.change_rows import title_of
from workbench.gui.kit.faults import Question
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip
from workbench.gui.kit.theme import mark
from workbench.gui.kit.tick_delegate import TickDelegate
from workbench.gui.shell.context import Context
from workbench.records import UndoLine, UndoPlan

_TICKED = frozenset({"ready"})
_FREE = frozenset({"ready", "shared", "conflict"})
_TONES = {"conflict": "danger", "shared": "warning", "lost": "muted", "done": "muted"}
_MOST = 2_000  # lines that are shown; the others are done or left with those


class UndoDialog(QDialog):
    """`chosen` are the paths that stay ticked. `held`: they are changes that a program wants to make, not undone."""

    def __init__(self, context: Context, plan: UndoPlan, parent: QWidget | None = None, *, held: bool = False) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Allow changes" if held else "Undo changes")
        self._context, self._plan, self._held = context, plan, held
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
        self.list.setHeaderLabels(["File", "What happens", "Why"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        spoken = "What would be written" if self._held else "What undoing would do"
        self.list.setAccessibleName(spoken)
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
            "restore": "comes back as it was",
            "remove": "is deleted",
            "bring back": "comes back",
            "nothing": "stays as it is",
            "change": "is changed",
            "delete": "is deleted",
            "make": "is made",
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
        undo = "Ticked files become what they were before. This is a change like any other: it can be undone."
        allow = "Ticked files become what the program made of them. “Changes” can undo that. The others go on waiting."
        words = label(allow if self._held else undo, "muted")
        words.setWordWrap(True)
        cancel = QPushButton("Cancel")
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
        one, many = "Undo 1 file", "Undo {0} files"
        if self._held:
            one, many = "Allow 1 file", "Allow {0} files"
        self._go.setText(one if count == 1 else many.format(count))


async def ask_undo(context: Context, name: str, owner: QWidget) -> str:
    """Show the plan, do what is ticked, and answer what a person reads then."""
    paths = await _ticked(UndoDialog(context, await context.api.undo_plan(name), owner))
    if not paths:
        return ""
    done = await context.api.undo_files(name, paths)
    if done.note:
        return one_line(done.note, 200)
    many = f"{done.count:,} files are as they were. “Changes” can undo that, too."
    return "One file is as it was. “Changes” can undo that, too." if done.count == 1 else many


async def ask_allow(context: Context, run_id: str, owner: QWidget) -> str:
    """The same for what a program wants to change."""
    paths = await _ticked(UndoDialog(context, await context.api.held_plan(run_id), owner, held=True))
    if not paths:
        return ""
    done = await context.api.decide_files(run_id, paths, ())
    if done.note:
        return one_line(done.note, 200)
    many = f"{done.count:,} files were written. “Changes” can undo that."
    return "One file was written. “Changes” can undo that." if done.count == 1 else many


async def ask_deny(context: Context, run_id: str, owner: QWidget) -> str:
    """Drop what a program wants to change, after a question: it is kept nowhere else."""
    held = (await context.api.held_plan(run_id)).changes
    paths = tuple(one.path for one in held.files)
    title = "Keep the files as they are?"
    words = "What the program wrote for them is dropped."
    question = Question(context.theme, title, words, owner)
    question.show_text("\n".join(paths[:500]), "Files that stay as they are")
    if not await question.ask("Keep the old files", danger=True):
        return ""
    await context.api.decide_files(run_id, (), paths)
    return "The files stay as they are."


async def _ticked(dialog: UndoDialog) -> tuple[str, ...]:
    answer: asyncio.Future[tuple[str, ...]] = asyncio.get_running_loop().create_future()

    def finished(code: int) -> None:
        if not answer.done():
            answer.set_result(dialog.chosen() if code == QDialog.DialogCode.Accepted else ())

    dialog.finished.connect(finished)
    dialog.open()
    try:
        return await answer
    except asyncio.CancelledError:
        dialog.reject()
        raise
