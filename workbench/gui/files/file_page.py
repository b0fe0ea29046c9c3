"""One file of the workspace to look at: text in colours, JSON as a tree, CSV as a table, pictures; nothing is run."""

from __future__ import annotations

import csv
import io
import json
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, FilesChanged, FilesHeld
from workbench.gui.code.code_view import CodeView
from workbench.gui.files.change_page import ChangePage
from workbench.gui.kit.lists import EmptyState, Strip
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.results.picture_page import PicturePage
from workbench.gui.results.saving import ask_and_save, file_of
from workbench.gui.results.table_page import TablePage
from workbench.gui.results.text_pages import TextPage
from workbench.gui.results.tree_page import TreePage
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole, size_words, whole_size
from workbench.records import Content, FilePiece, JsonValue

_COLOURED: Final = 300_000  # characters; longer text is plain
_LINE: Final = 5_000  # characters of a line up to which an editor lays it out at once
_LANGUAGES: Final = {"py": "python", "ts": "typescript", "js": "typescript", "json": "json", "md": "markdown",
                     "toml": "toml"}  # fmt: skip
_MIMES: Final = {b"\x89P": "image/png", b"\xff\xd8": "image/jpeg", b"GI": "image/gif", b"RI": "image/webp"}


class Preview(QWidget):
    """`show_piece` what the core read."""

    more_wanted = Signal(int)
    """Where the next slice begins."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self._piece: FilePiece | None = None
        self._text = ""
        self.facts = ForeignLabel(elide=True)
        mark(self.facts, role="muted")
        self.warning = ForeignLabel()
        mark(self.warning, role="warning")
        self.as_text = QPushButton("As text")
        self.as_text.setCheckable(True)
        mark(self.as_text, kind="chip")
        self.as_text.toggled.connect(self._draw)
        self.more = QPushButton()
        mark(self.more, kind="chip")
        self.more.clicked.connect(self._ask_more)
        self.code, self.plain = CodeView(theme), TextPage(theme, "The file as text")
        self.plain.edit.setFont(theme.mono())
        self.tree, self.table, self.picture = TreePage(theme), TablePage(theme), PicturePage(theme)
        for page in (self.tree, self.table):
            page.said.connect(self._context.say)
        self.picture.save_wanted.connect(self._save)
        self._lay_out()

    def show_piece(self, piece: FilePiece, text: str) -> None:
        """`text`: of this slice, whole; slices that follow are put behind the ones before."""
        follows = self._piece is not None and piece.path == self._piece.path and piece.start > 0
        self._text = self._text + text if follows else text
        self._piece = piece
        self.facts.setText(self._facts(piece))
        self.warning.setText(f"⚠ Elsewhere, {piece.warning}" if piece.warning else "")
        self.warning.setVisible(bool(piece.warning))
        structured = piece.kind in ("json", "csv")
        self.as_text.setVisible(structured)
        self.more.setVisible(0 < piece.end < piece.size)
        self.more.setText(f"Read on ({size_words(piece.end)} of {size_words(piece.size)})")
        self._draw()

    def _draw(self) -> None:
        piece = self._piece
        if piece is None:
            return
        if piece.kind == "image":
            self.picture.show_pictures((self._picture(piece),))
            self._stack.setCurrentWidget(self.picture)
        elif piece.kind == "binary":
            self._show_text(_hex(self._text, piece.size), "")
        elif self.as_text.isChecked() or not self._show_structure(piece):
            self._show_text(self._text, _LANGUAGES.get(piece.path.rpartition(".")[2].lower(), ""))
        if (page := self._stack.currentWidget()) is not None:
            self.setFocusProxy(page)

    def _show_structure(self, piece: FilePiece) -> bool:
        try:
            if piece.kind == "json":
                self.tree.show_value(json.loads(self._text))
                self._stack.setCurrentWidget(self.tree)
                return True
            if piece.kind == "csv":
                self.table.show_value(rows_of(self._text))
                self._stack.setCurrentWidget(self.table)
                return True
        except (ValueError, RecursionError, csv.Error):
            return False  # it is named so and is none: its text says what it is
        return False

    def _show_text(self, text: str, language: str) -> None:
        coloured = language and len(text) <= _COLOURED and max(map(len, text.split("\n")), default=0) <= _LINE
        if coloured:
            self.code.speak(language)
            self.code.show_code(text)
        else:
            self.plain.show_text(text)
        self._stack.setCurrentWidget(self.code if coloured else self.plain)

    def _facts(self, piece: FilePiece) -> str:
        kinds = {
            "json": "JSON",
            "csv": "table",
            "image": "picture",
            "binary": "no text: its first bytes",
        }
        return f"{piece.path}   {size_words(piece.size)} · {kinds.get(piece.kind, 'text')}"

    def _picture(self, piece: FilePiece) -> Content:
        return Content("image", data=self._text, mime=mime_of(self._text), name=piece.path)

    def _save(self, block: Content) -> None:
        stem = (self._piece.path if self._piece else "picture").rpartition("/")[2].rpartition(".")[0]
        ask_and_save(self._context, self, *file_of(block, stem or "picture"))

    def _ask_more(self) -> None:
        if self._piece is not None:
            self.more_wanted.emit(self._piece.end)

    def _lay_out(self) -> None:
        unit = self._context.theme.unit
        head = Strip(self._context.theme)
        head.row.addWidget(self.facts, 1)
        head.row.addWidget(self.more)
        head.row.addWidget(self.as_text)
        warn = QHBoxLayout()
        warn.setContentsMargins(unit * 3, 0, unit * 3, unit)
        warn.addWidget(self.warning)
        self._stack = QStackedWidget()
        for page in (self.code, self.plain, self.tree, self.table, self.picture):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addLayout(warn)
        column.addWidget(self._stack, 1)


def rows_of(text: str) -> JsonValue:
    """A table of a CSV or TSV text: its first line names the columns."""
    sample = text[:20_000]
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(sample, ",;\t|")
    except csv.Error:
        dialect = csv.excel
    rows = list(csv.reader(io.StringIO(text), dialect))
    if len(rows) < 2:
        raise csv.Error("no table")
    names = [name or f"column {number}" for number, name in enumerate(rows[0], 1)]
    wide = max(map(len, rows))
    names += [f"column {number}" for number in range(len(names) + 1, wide + 1)]
    return [dict(zip(names, row, strict=False)) for row in rows[1:] if row]


def mime_of(data: str) -> str:
    import base64

    return _MIMES.get(base64.b64decode(data[:8] + "==")[:2], "image/bmp")


def _hex(text: str, size: int) -> str:
    """Sixteen bytes on a line, with what of them can be read."""
    found = bytes.fromhex(text)
    lines = []
    for at in range(0, len(found), 16):
        row = found[at : at + 16]
        read = "".join(chr(one) if 32 <= one < 127 else "·" for one in row)
        lines.append(f"{at:06x}  {row.hex(' '):<47}  {read}")
    return "\n".join(lines) + (f"\n… {size:,} bytes in all" if size > len(found) else "")


class FilesPage(Pane):
    """Made when it is first asked for."""

    named = Signal(str)
    """What its tab is called now."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._path = ""
        self.preview = Preview(context)
        self.changes = ChangePage(context)
        self._gone = EmptyState(context.theme, "file", "No file is open", "")
        self._stack = QStackedLayout(self)
        for page in (self._gone, self.preview, self.changes):
            self._stack.addWidget(page)
        self.preview.more_wanted.connect(self._read_on)

    def hear(self, event: Event) -> None:
        if isinstance(event, FilesChanged | FilesHeld):
            self.refresh()

    def refresh(self) -> None:
        if self._stack.currentWidget() is self.changes:
            self.changes.refresh()
        elif self._path:
            self.show_file(self._path)

    def show_file(self, path: str) -> None:
        """From its beginning."""
        self._path = path
        self.named.emit(path.rpartition("/")[2])
        self.context.tasks.run("read a file", self._load(path, 0))

    def show_changes(self, name: str) -> None:
        self._path = ""
        self._turn(self.changes)
        self.named.emit("Changed files")
        self.changes.show_changes(name)

    def _read_on(self, start: int) -> None:
        self.context.tasks.run("read on in a file", self._load(self._path, start))

    async def _load(self, path: str, start: int) -> None:
        try:
            piece = await self.context.api.file_piece(path, start)
        except WorkbenchError as fault:
            if path == self._path:
                self._gone.say(fault.message, fault.hint)
                self._turn(self._gone)
            return
        text = await self._whole(piece)
        if path == self._path:
            self.preview.show_piece(piece, text)
            self._turn(self.preview)

    async def _whole(self, piece: FilePiece) -> str:
        """Long texts come as a handle and are fetched in slices."""
        return (await fetch_whole(self.context.fetch, [piece.text]))[0] if whole_size([piece.text]) else piece.text

    def _turn(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)

    def _say(self, words: str) -> None:
        self.context.say(words)
