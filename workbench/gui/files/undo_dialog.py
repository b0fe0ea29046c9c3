"""The dialog that shows what an undo would do, or what a held run would write, file by file, before it is done."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from workbench.gui.files.change_rows import title_of, undo_verb
from workbench.gui.kit.controls import AllowButton
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.lists import paragraph
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.tick_delegate import TickDelegate
from workbench.gui.shell.context import Context
from workbench.records import UndoLine, UndoPlan
from workbench.records.common_types import count_of

_TICKED = frozenset({"ready"})  # states that lose nothing
_TICKABLE = frozenset({"ready", "shared", "conflict"})
_TONES = {"conflict": "danger", "shared": "warning", "lost": "muted", "done": "muted"}
_MOST_LINES = 2_000
_ACTIONS = {
    "restore": "is restored",
    "remove": "is deleted",
    "bring back": "is restored",
    "nothing": "stays as it is",
    "change": "is changed",
    "delete": "is deleted",
    "make": "is created",
}


class UndoDialog(Question):
    """Files are ticked where nothing else would be lost. `held`: the changes were not made yet and are allowed here."""

    def __init__(self, context: Context, plan: UndoPlan, parent: QWidget | None = None, *, held: bool = False) -> None:
        verb = "Allow" if held else undo_verb(plan.changes)
        intro = "Ticked files are restored to their earlier state. You can redo this."
        if verb == "Redo":
            intro = "Ticked files are restored to their state before the undo. You can undo this again."
        if held:
            intro = (
                "Ticked files are replaced by what the program wrote. You can undo this under Changes. The others keep"
                " waiting."
            )
        super().__init__(context.theme, f"{verb} changes", intro, parent)
        self._verb = verb
        self._ticked: tuple[str, ...] = ()  # stays when the dialog is deleted
        unit = context.theme.unit
        self.resize(unit * 220, unit * 120)
        self.setMinimumSize(unit * 100, unit * 70)
        self.list = QTreeWidget()
        self.list.setAccessibleName("Files to write" if held else "Files to restore")
        self.reason = ForeignLabel()
        mark(self.reason, role="muted")
        self._fill(plan)
        self.body.addWidget(paragraph(visible(title_of(plan.changes)), "strong"))
        self.add(self.list)
        self.body.addWidget(self.reason)
        self.list.itemChanged.connect(self.update_buttons)
        self.list.currentItemChanged.connect(self._show_reason)
        self._show_reason()

    async def ask_paths(self) -> tuple[str, ...]:
        """Open, wait for the user, and return the ticked files; none if the user cancels."""
        return self._ticked if await self.ask(self._verb, settles=True) else ()

    def update_buttons(self) -> None:
        self._ticked = self.ticked_paths()
        if isinstance(self.submit, AllowButton):
            self.submit.set_obstacle("" if self._ticked else "Tick a file first.")
            self.submit.setText(f"{self._verb} {count_of(len(self._ticked), 'file')}")

    def ticked_paths(self) -> tuple[str, ...]:
        items = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        ticked = [item for item in items if item is not None and item.checkState(0) is Qt.CheckState.Checked]
        return tuple(str(item.data(0, Qt.ItemDataRole.UserRole)) for item in ticked)

    def _fill(self, plan: UndoPlan) -> None:
        self.list.setHeaderLabels(["File", "What happens", "Reason"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setItemDelegateForColumn(0, TickDelegate(self.theme, self.list))
        self.list.addTopLevelItems([self._item(line) for line in plan.lines[:_MOST_LINES]])
        for column, letters in ((0, 36), (1, 24)):  # the last one takes the rest
            self.list.setColumnWidth(column, self.fontMetrics().averageCharWidth() * letters)
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)

    def _item(self, line: UndoLine) -> QTreeWidgetItem:
        reason = f"{line.words} ⚠ {line.warning}" if line.warning else line.words
        item = QTreeWidgetItem([one_line(line.path, 200), _ACTIONS[line.deed], one_line(reason, 300)])
        item.setData(0, Qt.ItemDataRole.UserRole, line.path)
        item.setSizeHint(0, QSize(0, self.fontMetrics().height() + self.theme.unit * 2))
        for column in range(3):
            item.setToolTip(column, plain_tip(f"{line.path}\n{reason}"))
        if line.state in _TICKABLE:
            item.setCheckState(0, Qt.CheckState.Checked if line.state in _TICKED else Qt.CheckState.Unchecked)
        if tone := _TONES.get(line.state):
            item.setForeground(2, self.theme.colour(tone))
        return item

    def _show_reason(self, *_items: object) -> None:
        """Show the selected row's reason in full: its column may cut it."""
        item = self.list.currentItem()
        self.reason.setText(f"{item.text(0)}: {item.text(2)}" if item is not None else "")


async def ask_undo(context: Context, name: str, owner: QWidget) -> str:
    """Show the plan of an undo or redo, do what the user ticks, and return a message about it."""
    plan = await context.api.undo_plan(name)
    paths = await UndoDialog(context, plan, owner).ask_paths()
    if not paths:
        return ""
    done = await context.api.undo_files(name, paths)
    past, reverse = ("Redid", "undo") if undo_verb(plan.changes) == "Redo" else ("Undid", "redo")
    message = f"{past} the changes of {count_of(done.count, 'file')}. You can {reverse} this under Changes."
    return one_line(done.note, 200) or message


async def ask_allow(context: Context, run_id: str, owner: QWidget) -> str:
    """Show what a held run would write, write what the user ticks, and return a message about it."""
    paths = await UndoDialog(context, await context.api.held_plan(run_id), owner, held=True).ask_paths()
    if not paths:
        return ""
    done = await context.api.decide_files(run_id, paths, ())
    return one_line(done.note, 200) or f"Wrote {count_of(done.count, 'file')}. You can undo this under Changes."


async def ask_deny(context: Context, run_id: str, owner: QWidget) -> str:
    """Discard what a held run wants to write, after a question, because it is stored nowhere else."""
    changes = (await context.api.held_plan(run_id)).changes
    paths = tuple(change.path for change in changes.files)
    sentence = "What the program wrote for these files is discarded."
    text = "\n".join(paths[:500])
    if not await context.ask(
        "Keep the old files?", sentence, "Keep the old files", danger=True, text=text, parent=owner
    ):
        return ""
    await context.api.decide_files(run_id, (), paths)
    return "Kept the old files."
