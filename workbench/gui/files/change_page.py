"""Changes of files: the list of who changed what, and the page of one set of changes with its diffs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.diff_view import DiffView
from workbench.gui.files.change_rows import (
    change_row,
    change_word,
    file_row,
    held_row,
    is_undone,
    title_of,
    undo_verb,
    undone_text,
)
from workbench.gui.files.undo_dialog import ask_allow, ask_deny, ask_undo
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, Strip
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import HELD, ShowChanges, ShowFile, ShowRun
from workbench.records import FileChange, FileChanges
from workbench.records.common_types import count_of

MOST_CHANGES: Final = 200
MOST_LINES: Final = 2_000  # lines of each file that are compared
AGES_MS: Final = 30_000  # how often “5 min” is updated
Ask = Callable[[Context, str, QWidget], Awaitable[str]]
"""Asks about changes with this id, makes what the user chose, and returns a message."""


def _held_run(changes_id: str) -> str:
    """The run whose changes wait for the user; empty if the changes were made."""
    return changes_id.removeprefix(HELD) if changes_id.startswith(HELD) else ""


class ChangesList(ListPane):
    """Sets of changes, newest first; those that wait for the user are on top. A click shows the page of a set."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        empty = EmptyState(
            context.theme,
            "history",
            "No changes yet",
            "Changes of files by programs and by you are listed here. You can undo them.",
        )
        super().__init__(context.theme, "Changes", empty, parent=parent)
        self._context = context
        self._held: tuple[FileChanges, ...] = ()
        self._changes: tuple[FileChanges, ...] = ()
        self._ages = QTimer(self, interval=AGES_MS)
        self._ages.timeout.connect(self.update_ages)
        self._ages.start()
        self._show_action = menu_action(self, "Show changes", self._show_changes, "eye")
        self._run_action = menu_action(self, "Show run", self._show_run, "terminal")
        self._redo_action = menu_action(self, "Redo changes…", self._redo, "redo")
        self.set_menu(self._menu_actions)
        self.chosen.connect(self._show_changes)
        self.view.clicked.connect(self._show_changes)

    def reload(self) -> None:
        self._context.tasks.run("changes of files", self._read())

    def undoable(self) -> str:
        """The id of the selected changes if they were made and not all of them are undone."""
        changes = self._selected()
        return changes.id if changes is not None and not is_undone(changes) else ""

    def update_ages(self) -> None:
        self.show_rows([*map(held_row, self._held), *map(change_row, self._changes)])

    async def undo(self) -> None:
        await self._ask_undo(self.undoable())

    async def _ask_undo(self, name: str) -> None:
        if name and (message := await ask_undo(self._context, name, self.window())):
            self._context.say(message)

    def _redo(self) -> None:
        changes = self._selected()
        self._context.tasks.run("redo changes", self._ask_undo(changes.undone_by if changes is not None else ""))

    def _selected(self) -> FileChanges | None:
        """The selected changes, if they were made."""
        return next((changes for changes in self._changes if changes.id == self.key()), None)

    async def _read(self) -> None:
        held = await self._context.api.held_files()
        self._held, self._changes = held, await self._context.api.file_changes(MOST_CHANGES)
        self.update_ages()
        self.selection_changed.emit()

    def _menu_actions(self, key: str) -> Sequence[QAction | None]:
        changes = self._selected()
        of_run = key.startswith(HELD) or (changes is not None and changes.kind == "run")
        undo = () if changes is not None and is_undone(changes) else (self._context.commands["files.undo"],)
        redo = (self._redo_action,) if changes is not None and changes.undone_by else ()
        return (self._show_action, *((self._run_action,) if of_run else ()), None, *undo, *redo)

    def _show_changes(self) -> None:
        self._context.go(ShowChanges(self.key()))

    def _show_run(self) -> None:
        self._context.go(ShowRun(self.key().removeprefix(HELD)))


class ChangePage(QWidget):
    """The files of one set of changes, and the diff of the selected file."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._id = ""
        self._changes: FileChanges | None = None
        self.title, self.note = ForeignLabel(elide=True), ForeignLabel()
        mark(self.title, role="strong")
        mark(self.note, role="muted")
        self.undo = self._button("Undo…", "undo", partial(self._run, "undo changes", ask_undo))
        self.redo = self._button("Redo…", "redo", self._redo)
        self.allow = self._button("Allow…", "check", partial(self._run, "allow changes", ask_allow))
        self.deny = self._button("Keep the old files…", "x", partial(self._run, "keep the old files", ask_deny))
        mark(self.allow, kind="primary")
        self.allow.setIcon(icon("check", "on_accent"))
        self.run = self._button("Show run", "terminal", self._show_run)
        self.file = self._button("Show file", "eye", self._show_file)
        self.rows = ListPane(context.theme, "Changed files", EmptyState(context.theme, "file", "No files", ""))
        self._show_action = menu_action(self, "Show file", self._show_file, "eye")
        self._copy_action = menu_action(self, "Copy path", self._copy_path, "copy")
        self.head, self.warning = ForeignLabel(elide=True), ForeignLabel()
        mark(self.head, role="section")
        mark(self.warning, role="warning")
        self.diff = DiffView(context.theme)
        self.diff.setAccessibleName("Changes of the file")
        self._lay_out()
        self.rows.set_menu(lambda _path: (self._show_action, self._copy_action))
        self.rows.selection_changed.connect(self._show_selected)
        self.rows.chosen.connect(self._show_file)

    def show_changes(self, changes_id: str) -> None:
        self._id = changes_id
        self.reload()

    def reload(self) -> None:
        if self._id:
            self._context.tasks.run("read changes", self._load(self._id))

    def selected(self) -> FileChange | None:
        files = self._changes.files if self._changes else ()
        return next((change for change in files if change.path == self.rows.key()), None)

    async def _load(self, changes_id: str) -> None:
        api, held_run = self._context.api, _held_run(changes_id)
        try:
            changes = (await api.held_plan(held_run)).changes if held_run else await api.changes_of(changes_id)
        except WorkbenchError as fault:
            if changes_id == self._id:
                self._show(None, fault.message, fault.hint)
            return
        if changes_id == self._id:
            self._show(changes, f"{title_of(changes)} · {count_of(changes.count, 'file')}", self._note_on(changes))

    def _note_on(self, changes: FileChanges) -> str:
        sentences = [changes.note] if changes.note else []
        if _held_run(self._id):
            sentences.append(
                "You did not approve this program, so it could not change these files. They stay as they are until you"
                " decide. This is what the program wrote."
            )
        if changes.undone:
            sentences.append(f"{undone_text(changes).capitalize()}.")
        if shared := sum(bool(change.shared) for change in changes.files):
            sentences.append(f"{count_of(shared, 'file')} may have been changed by something else at the same time.")
        if changes.count > len(changes.files):
            sentences.append(f"The first {len(changes.files):,} are listed.")
        return " ".join(sentences)

    def _show(self, changes: FileChanges | None, title: str, note: str) -> None:
        self._changes = changes
        self.title.setText(title)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.rows.show_rows([file_row(change) for change in changes.files] if changes else [])
        is_held, has_files = bool(_held_run(self._id)), changes is not None and bool(changes.files)
        verbs = ("Redo", "Undo") if changes is not None and undo_verb(changes) == "Redo" else ("Undo", "Redo")
        for button, verb in zip((self.undo, self.redo), verbs, strict=True):
            button.setText(f"{verb}…")
            button.setIcon(icon(verb.casefold()))
        self.undo.setVisible(not is_held and not (changes is not None and is_undone(changes)))
        self.undo.setEnabled(has_files)
        self.redo.setVisible(changes is not None and bool(changes.undone_by))
        for button in (self.allow, self.deny):
            button.setVisible(is_held and has_files)
        self.run.setVisible(changes is not None and (changes.kind == "run" or is_held))
        self.file.setVisible(changes is not None)
        if not self.rows.key():
            self.rows.view.choose_first(opened=False)
        self._show_selected()

    def _show_selected(self) -> None:
        change = self.selected()
        for part in (self.file, self._show_action):
            part.setEnabled(change is not None and change.after is not None and change.after.kind == "file")
        self.head.setText(f"{change.path} — {change_word(change)}" if change else "")
        self.warning.setText(f"⚠ On your machine, {change.warning}" if change and change.warning else "")
        self.warning.setVisible(bool(change and change.warning))
        if change is None:
            self.diff.show_diff("", "")
        elif (state := change.after or change.before) is not None and state.kind == "folder":
            self.diff.show_diff("", "A folder.")
        else:
            self._context.tasks.run("compare a file", self._compare(self._id, change.path))

    async def _compare(self, changes_id: str, path: str) -> None:
        api, held_run = self._context.api, _held_run(changes_id)
        try:
            texts = await (api.held_text(held_run, path) if held_run else api.changed_text(changes_id, path))
            before, after = await fetch_whole(self._context.fetch, texts)
        except WorkbenchError as fault:
            if self.rows.key() == path:
                self.diff.show_diff("", f"{fault.message} {fault.hint}")
            return
        if self.rows.key() == path and changes_id == self._id:
            same = "Content unchanged; only permissions or file type differ."
            self.diff.show_change(before, after, same=same, most_lines=MOST_LINES)

    def _redo(self) -> None:
        if self._changes is not None:
            self._context.tasks.run("redo changes", self._ask(ask_undo, self._changes.undone_by))

    def _run(self, name: str, ask: Ask, _checked: bool = False) -> None:
        self._context.tasks.run(name, self._ask(ask, _held_run(self._id) or self._id))

    async def _ask(self, ask: Ask, changes_id: str) -> None:
        if message := await ask(self._context, changes_id, self.window()):
            self._context.say(message)

    def _show_run(self) -> None:
        self._context.go(ShowRun(_held_run(self._id) or self._id))

    def _show_file(self) -> None:
        change = self.selected()
        if change is not None and change.after is not None and change.after.kind == "file":
            self._context.go(ShowFile(change.path))

    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(str(self._context.paths.workspace / self.rows.key()))
        self._context.say("Path copied.")

    def _button(self, text: str, symbol: str, work: Callable[..., object]) -> QPushButton:
        button = QPushButton(icon(symbol), text)
        button.clicked.connect(work)
        return button

    def _lay_out(self) -> None:
        theme, unit = self._context.theme, self._context.theme.unit
        head = Strip(theme)
        head.row.addWidget(self.title, 1)
        for button in (self.file, self.run, self.undo, self.redo, self.deny, self.allow):
            head.row.addWidget(button)
        for part in (self.note, self.head, self.warning):
            part.setContentsMargins(unit * 3, unit, unit * 3, unit)
        right = QWidget()
        column(right, self.head, self.warning, self.diff, grows=self.diff)
        split = AdaptiveSplit(90, (7, 13), self.rows, right)
        column(self, head, self.note, split, grows=split)
        self.setFocusProxy(self.rows)
