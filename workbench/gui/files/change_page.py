"""What one run, person or undo changed: the files on the left, the chosen one's difference on the right, Undo above."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QSplitter, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.files.undo_dialog import ask_allow, ask_deny, ask_undo
from workbench.gui.files.word_diff import WordDiff
from workbench.gui.icons import icon
from workbench.gui.models.changes import HELD, deed_word, file_rows, title_of
from workbench.gui.models.rows import RowsModel
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import RowsView, Strip
from workbench.gui.whole import fetch_whole, whole_size
from workbench.gui.wishes import Say, ShowFile, ShowRun
from workbench.records import FileChange, FileChanges


class ChangePage(QWidget):
    """`show_changes` by their id."""

    wished = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._name = ""
        self._changes: FileChanges | None = None
        self.title, self.note = ForeignLabel(elide=True), ForeignLabel()
        mark(self.title, role="strong")
        mark(self.note, role="muted")
        self.undo = self._button("Undo…", "undo", self._ask_undo)
        self.allow = self._button("Allow…", "check", self._ask_allow)
        self.deny = self._button("Keep the old files…", "x", self._ask_deny)
        mark(self.allow, kind="primary")
        self.allow.setIcon(icon("check", "on_accent"))
        self.run = self._button("Open the run", "terminal", self._open_run)
        self.file = self._button("Open the file", "eye", self._open_file)
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Changed files", self)
        self.list.setModel(self.model)
        self.head, self.warning = ForeignLabel(elide=True), ForeignLabel()
        mark(self.head, role="section")
        mark(self.warning, role="warning")
        self.diff = WordDiff(context.theme)
        self._lay_out()
        self.list.selection_changed.connect(self._selected)
        self.list.chosen.connect(self._open_chosen)

    def show_changes(self, name: str) -> None:
        self._name = name
        self.refresh()

    def refresh(self) -> None:
        if self._name:
            self._context.tasks.run("read what was changed", self._load(self._name))

    @property
    def _held(self) -> str:
        """The run whose changes wait for the user; empty where they were made."""
        return self._name.removeprefix(HELD) if self._name.startswith(HELD) else ""

    def chosen(self) -> FileChange | None:
        key = self.list.key()
        files = self._changes.files if self._changes else ()
        return next((one for one in files if one.path == key), None)

    async def _load(self, name: str) -> None:
        try:
            api, held = self._context.api, name.removeprefix(HELD)
            changes = await api.changes_of(name) if held == name else (await api.held_plan(held)).changes
        except WorkbenchError as fault:
            if name == self._name:
                self._changes = None
                self.title.setText(fault.message)
                self._note(fault.hint)
                self._show()
            return
        if name == self._name:
            self._changes = changes
            count = "1 file" if changes.count == 1 else f"{changes.count:,} files"
            self.title.setText(f"{title_of(changes)} · {count}")
            self._note(self._words(changes))
            self._show()

    def _words(self, changes: FileChanges) -> str:
        words = [changes.note] if changes.note else []
        if self._held:
            words.append(
                "Nobody approved this program, so these files are as they were until you decide."
                " Shown is what the program made of them."
            )
        if changes.undone_by:
            words.append("These changes were taken back; undoing the undo brings them again.")
        shared = sum(bool(one.shared) for one in changes.files)
        if shared:
            words.append(
                f"{shared} of them are shared: something else may have changed them, and nobody knows whose they are."
            )
        if changes.count > len(changes.files):
            words.append(f"The first {len(changes.files):,} are listed.")
        return " ".join(words)

    def _show(self) -> None:
        changes, before = self._changes, self.list.key()
        self.model.show_rows(file_rows(changes) if changes else [])
        held, some = bool(self._held), changes is not None and bool(changes.files)
        self.undo.setVisible(not held)
        self.undo.setEnabled(some)
        for button in (self.allow, self.deny):
            button.setVisible(held and some)
        self.run.setVisible(changes is not None and (changes.kind == "run" or held))
        index = self.model.find(before)
        self.list.setCurrentIndex(index if index.isValid() else self.model.index(0))
        self._selected()

    def _selected(self) -> None:
        one = self.chosen()
        self.file.setVisible(self._changes is not None)
        self.file.setEnabled(one is not None and one.after is not None and one.after.kind == "file")
        self.head.setText(f"{one.path} — {deed_word(one.deed)}" if one else "")
        self.warning.setText(f"⚠ Elsewhere, {one.warning}" if one and one.warning else "")
        self.warning.setVisible(bool(one and one.warning))
        if one is None:
            self.diff.show_diff("", "")
        elif (state := one.after or one.before) is not None and state.kind == "folder":
            self.diff.show_diff("", "A folder.")
        else:
            self._context.tasks.run("compare a file", self._compare(self._name, one.path))

    async def _compare(self, name: str, path: str) -> None:
        try:
            api, held = self._context.api, name.removeprefix(HELD)
            asked = api.changed_text(name, path) if held == name else api.held_text(held, path)
            texts = list(await asked)
            if whole_size(texts):
                texts = await fetch_whole(self._context.fetch, texts)
        except WorkbenchError as fault:
            if self.list.key() == path:
                self.diff.show_diff("", f"{fault.message} {fault.hint}")
            return
        if self.list.key() == path and name == self._name:
            self.diff.show_change(*texts)

    def _note(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))

    def _ask_undo(self) -> None:
        self._context.tasks.run("undo changes", self._undo(self._name))

    async def _undo(self, name: str) -> None:
        if words := await ask_undo(self._context, name, self.window()):
            self.wished.emit(Say(words))

    def _ask_allow(self) -> None:
        self._context.tasks.run("allow changes", self._decide(ask_allow))

    def _ask_deny(self) -> None:
        self._context.tasks.run("keep the old files", self._decide(ask_deny))

    async def _decide(self, ask: Callable[[Context, str, QWidget], Awaitable[str]]) -> None:
        if self._held and (words := await ask(self._context, self._held, self.window())):
            self.wished.emit(Say(words))

    def _open_run(self) -> None:
        self.wished.emit(ShowRun(self._held or self._name))

    def _open_file(self) -> None:
        self._open_chosen(self.list.key())

    def _open_chosen(self, path: str) -> None:
        one = self.chosen()
        if one is not None and one.after is not None and one.after.kind == "file":
            self.wished.emit(ShowFile(path))

    def _button(self, words: str, symbol: str, act: object) -> QPushButton:
        made = QPushButton(words)
        made.setIcon(icon(symbol))
        made.clicked.connect(act)
        return made

    def _lay_out(self) -> None:
        theme = self._context.theme
        unit = theme.unit
        head = Strip(theme)
        head.row.addWidget(self.title, 1)
        for button in (self.file, self.run, self.undo, self.deny, self.allow):
            head.row.addWidget(button)
        self.note.setContentsMargins(unit * 3, unit, unit * 3, unit)
        right = QWidget()
        inner = QVBoxLayout(right)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        for part in (self.head, self.warning):
            part.setContentsMargins(unit * 3, unit, unit * 3, unit)
            inner.addWidget(part)
        inner.addWidget(self.diff, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.list)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setSizes([unit * 70, unit * 130])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self.note)
        column.addWidget(split, 1)
        self.setFocusProxy(self.list)
