"""Rows for what runs, people and undos changed in the workspace."""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedLayout, QTextEdit, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.diff_view import DiffView
from workbench.gui.files.change_rows import change_rows, deed_word, file_rows, held_rows, title_of
from workbench.gui.files.undo_dialog import ask_allow, ask_deny, ask_undo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, lead_focus
from workbench.gui.kit.rows import KEY, RowsModel
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.gui.shell.navigation import HELD, ShowChanges, ShowFile, ShowRun
from workbench.records import FileChange, FileChanges

"""How the id of a run begins where its changes are meant that wait for the user."""


MOST_LINES: Final = 2_000  # of each side that are compared, and rows that are shown
_LONGEST: Final = 1_000  # characters of a line that are shown
_MOST_MARKED: Final = 400  # lines in which words are marked
_AROUND: Final = 3  # lines that stayed, above and below
_HEAD: Final = re.compile(r"([-+])(\d+)")
_WORDS: Final = re.compile(r"\w+|\s+|.")
Stretch = tuple[int, int, int]  # row, first letter, how many


class WordDiff(DiffView):
    """`show_change` two texts; colour only helps, the signs say it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("What changed in the file")

    def show_change(self, before: str, after: str) -> None:
        old, new = _lines(before), _lines(after)
        found, whole = compared(old, new)
        if not found:
            found = ["  Its text is the same: its rights or its kind are others."]
        if not whole:
            found.append(f"  The rest is not compared: only {MOST_LINES:,} lines are.")
        self._rows = found
        self.set_text("\n".join(found))
        self._mark_lines()
        self.setExtraSelections([*self.extraSelections(), *map(self._word, stretches(found))])

    def _word(self, stretch: Stretch) -> QTextEdit.ExtraSelection:
        row, start, length = stretch
        made = QTextEdit.ExtraSelection()
        colour = self.theme.colour("success" if self._rows[row].startswith("+") else "danger")
        colour.setAlphaF(0.35)
        made.format.setBackground(colour)
        made.cursor = QTextCursor(self.document())
        made.cursor.setPosition(self.line_place(row, start))
        made.cursor.setPosition(self.line_place(row, start + length), QTextCursor.MoveMode.KeepAnchor)
        return made


def compared(old: list[str], new: list[str]) -> tuple[list[str], bool]:
    """The rows of a unified diff, and whether these are all: what both begin and end with is not looked through."""
    least = min(len(old), len(new))
    start = next((at for at in range(least) if old[at] != new[at]), least)
    end = next((at for at in range(least - start) if old[-1 - at] != new[-1 - at]), least - start)
    first, last = max(0, start - _AROUND), max(0, end - _AROUND)
    gone, come = old[first : len(old) - last], new[first : len(new) - last]
    found = list(difflib.unified_diff(gone[:MOST_LINES], come[:MOST_LINES], lineterm="", n=_AROUND))[2:]
    rows = [_HEAD.sub(lambda match: f"{match[1]}{int(match[2]) + first}", row) if row[:2] == "@@" else row
            for row in found[:MOST_LINES]]  # fmt: skip
    return rows, max(len(gone), len(come), len(found)) <= MOST_LINES


def stretches(rows: list[str]) -> Iterator[Stretch]:
    """The words that differ in lines that were changed, not added or taken away: as many left as came."""
    marked = 0
    for start, gone, come in _blocks(rows):
        if gone != come or marked > _MOST_MARKED:
            continue
        marked += gone
        for number in range(gone):
            yield from _differing(
                start + number, rows[start + number], start + gone + number, rows[start + gone + number]
            )


def _blocks(rows: list[str]) -> Iterator[tuple[int, int, int]]:
    """Where lines left and others came right behind them: the place, how many left, how many came."""
    place = 0
    while place < len(rows):
        gone = come = 0
        while place + gone < len(rows) and rows[place + gone].startswith("-"):
            gone += 1
        while place + gone + come < len(rows) and rows[place + gone + come].startswith("+"):
            come += 1
        if gone and come:
            yield place, gone, come
        place += max(1, gone + come)


def _differing(one: int, old: str, other: int, new: str) -> Iterator[Stretch]:
    a, b = _WORDS.findall(old[1:]), _WORDS.findall(new[1:])
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    if matcher.quick_ratio() < 0.3:
        return  # another line altogether: marking all of it says nothing
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind != "equal":
            for row, words, low, high in ((one, a, first, last), (other, b, begin, end)):
                length = _units("".join(words[low:high]))
                if length:
                    yield row, 1 + _units("".join(words[:low])), length


def _units(text: str) -> int:
    """As Qt counts letters."""
    return len(text) + sum(ord(mark) > 0xFFFF for mark in text)


def _lines(text: str) -> list[str]:
    found = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in visible(text).split("\n")]
    return found[:-1] if found and not found[-1] else found


MOST = 200


class ChangesList(QWidget):
    """One click shows what was changed."""

    changed = Signal()
    """Others are chosen."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "What was changed", self)
        self.list.setModel(self.model)
        words = "When a program or you change files, it is listed here, and can be taken back."
        self._empty = EmptyState(context.theme, "history", "Nothing was changed yet", words)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        lead_focus(self, self._stack)
        self._found: tuple[tuple[FileChanges, ...], tuple[FileChanges, ...]] = ((), ())
        self._minute = QTimer(self, interval=30_000)  # how long ago each was goes on
        self._minute.timeout.connect(self._show)
        self._minute.start()
        self.list.chosen.connect(self._choose)
        self.list.clicked.connect(self._clicked)
        self.list.selection_changed.connect(self._selected)

    def refresh(self) -> None:
        self._context.tasks.run("what was changed", self._read())

    def chosen(self) -> str:
        """Of changes that were made, and so can be undone."""
        key = self.list.key()
        return "" if key.startswith(HELD) else key

    async def undo(self) -> None:
        """Show what undoing would do, and do what is ticked."""
        if key := self.chosen():
            words = await ask_undo(self._context, key, self.window())
            if words:
                self._context.say(words)

    async def _read(self) -> None:
        api = self._context.api
        self._load(await api.held_files(), await api.file_changes(MOST))

    def _load(self, held: tuple[FileChanges, ...], changes: tuple[FileChanges, ...]) -> None:
        self._found = (held, changes)
        self._show()
        self._selected()

    def _show(self) -> None:
        held, changes = self._found
        self.model.show_rows([*held_rows(held), *change_rows(changes)])
        self._stack.setCurrentWidget(self.list if changes or held else self._empty)

    def _clicked(self, index: QModelIndex) -> None:
        self._choose(str(index.data(KEY)))

    def _choose(self, key: str) -> None:
        self._context.go(ShowChanges(key))

    def _selected(self) -> None:
        self.changed.emit()


class ChangePage(QWidget):
    """`show_changes` by their id."""

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
            self._context.say(words)

    def _ask_allow(self) -> None:
        self._context.tasks.run("allow changes", self._decide(ask_allow))

    def _ask_deny(self) -> None:
        self._context.tasks.run("keep the old files", self._decide(ask_deny))

    async def _decide(self, ask: Callable[[Context, str, QWidget], Awaitable[str]]) -> None:
        if self._held and (words := await ask(self._context, self._held, self.window())):
            self._context.say(words)

    def _open_run(self) -> None:
        self._context.go(ShowRun(self._held or self._name))

    def _open_file(self) -> None:
        self._open_chosen(self.list.key())

    def _open_chosen(self, path: str) -> None:
        one = self.chosen()
        if one is not None and one.after is not None and one.after.kind == "file":
            self._context.go(ShowFile(path))

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
