"""The Files page in the centre: a preview of one file, or the changes of files. A preview never executes anything."""

from __future__ import annotations

import csv
import io
import json
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QStackedLayout, QStackedWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.events import FilesChanged, FilesHeld
from workbench.gui.code.code_view import CodeView
from workbench.gui.files.change_page import ChangePage
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState, Strip
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.results.contents import file_of
from workbench.gui.results.parts_page import PicturePage
from workbench.gui.results.table_page import TablePage
from workbench.gui.results.text_pages import TextPage
from workbench.gui.results.token_chips import MarkMenu
from workbench.gui.results.tree_page import TreePage
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole, size_words
from workbench.records import Content, FilePiece, JsonValue

_LONGEST_COLOURED: Final = 300_000  # characters; longer text is shown without colours
_LONGEST_LINE: Final = 5_000  # characters; the code view lays out a line as a whole
_LANGUAGES: Final = {"py": "python", "ts": "typescript", "js": "typescript", "json": "json", "md": "markdown",
                     "toml": "toml"}  # fmt: skip
_KINDS: Final = {"json": "JSON", "csv": "table", "image": "picture", "binary": "binary file, first bytes"}
_MIMES: Final = {b"\x89P": "image/png", b"\xff\xd8": "image/jpeg", b"GI": "image/gif", b"RI": "image/webp"}


class Preview(QWidget):
    """Shows text with colours, JSON as a tree, CSV as a table, pictures, and other files as bytes."""

    more_wanted = Signal(int)
    """Carries where the next part of the file begins."""

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
        self.as_text = QPushButton("Show as text")
        self.as_text.setCheckable(True)
        mark(self.as_text, kind="chip")
        self.as_text.toggled.connect(self._show)
        self.more = QPushButton()
        mark(self.more, kind="chip")
        self.more.clicked.connect(self._want_more)
        self.code, self.plain = CodeView(theme), TextPage(theme, "Text of the file")
        self.plain.edit.setFont(theme.mono())
        MarkMenu(self.plain.edit, context)
        MarkMenu(self.code, context)
        self.tree, self.table, self.picture = TreePage(theme), TablePage(theme), PicturePage(theme)
        for page in (self.tree, self.table):
            page.said.connect(self._context.say)
        self.picture.save_wanted.connect(self._save)
        self._lay_out()

    def show_piece(self, piece: FilePiece, text: str) -> None:
        """Show a part of a file with its complete text; a later part is added to the parts before it."""
        continues = self._piece is not None and piece.path == self._piece.path and piece.start > 0
        self._text = self._text + text if continues else text
        self._piece = piece
        self.facts.setText(f"{piece.path}   {size_words(piece.size)} · {_KINDS.get(piece.kind, 'text')}")
        self.warning.setText(f"⚠ On your machine, {piece.warning}" if piece.warning else "")
        self.warning.setVisible(bool(piece.warning))
        self.as_text.setVisible(piece.kind in ("json", "csv"))
        self.more.setVisible(0 < piece.end < piece.size)
        self.more.setText(f"Load more ({size_words(piece.end)} of {size_words(piece.size)})")
        self._show()

    def _show(self) -> None:
        piece = self._piece
        if piece is None:
            return
        if piece.kind == "image":
            content = Content("image", data=self._text, mime=mime_of(self._text), name=piece.path)
            self.picture.show_pictures((content,))
            self._stack.setCurrentWidget(self.picture)
        elif piece.kind == "binary":
            self._show_text(_hex(self._text, piece.size), "")
        elif self.as_text.isChecked() or not self._show_structure(piece):
            self._show_text(self._text, _LANGUAGES.get(piece.path.rpartition(".")[2].lower(), ""))
        if (page := self._stack.currentWidget()) is not None:
            self.setFocusProxy(page)

    def _show_structure(self, piece: FilePiece) -> bool:
        """Show JSON as a tree and CSV as a table. False if the content does not fit the name of the file."""
        try:
            if piece.kind == "json":
                self.tree.show_value(json.loads(self._text))
            elif piece.kind == "csv":
                self.table.show_value(rows_of(self._text))
            else:
                return False
        except (ValueError, RecursionError, csv.Error):
            return False
        self._stack.setCurrentWidget(self.tree if piece.kind == "json" else self.table)
        return True

    def _show_text(self, text: str, language: str) -> None:
        longest = max(map(len, text.split("\n")), default=0)
        coloured = language and len(text) <= _LONGEST_COLOURED and longest <= _LONGEST_LINE
        if coloured:
            self.code.set_language(language)
            self.code.show_code(text)
        else:
            self.plain.show_text(text)
        self._stack.setCurrentWidget(self.code if coloured else self.plain)

    def _save(self, block: Content) -> None:
        stem = (self._piece.path if self._piece else "picture").rpartition("/")[2].rpartition(".")[0]
        self._context.save_file(self, *file_of(block, stem or "picture"))

    def _want_more(self) -> None:
        if self._piece is not None:
            self.more_wanted.emit(self._piece.end)

    def _lay_out(self) -> None:
        unit = self._context.theme.unit
        head = Strip(self._context.theme)
        head.row.addWidget(self.facts, 1)
        head.row.addWidget(self.more)
        head.row.addWidget(self.as_text)
        self.warning.setContentsMargins(unit * 3, 0, unit * 3, unit)
        self._stack = QStackedWidget()
        for page in (self.code, self.plain, self.tree, self.table, self.picture):
            self._stack.addWidget(page)
        column(self, head, self.warning, self._stack, grows=self._stack)


def rows_of(text: str) -> JsonValue:
    """The records of a CSV or TSV text whose first line names the columns."""
    sample = text[:20_000]
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(sample, ",;\t|")
    except csv.Error:
        dialect = csv.excel
    rows = list(csv.reader(io.StringIO(text), dialect))
    if len(rows) < 2:
        raise csv.Error("no table")
    names = [name or f"column {number}" for number, name in enumerate(rows[0], 1)]
    names += [f"column {number}" for number in range(len(names) + 1, max(map(len, rows)) + 1)]
    return [dict(zip(names, row, strict=False)) for row in rows[1:] if row]


def mime_of(data: str) -> str:
    import base64

    return _MIMES.get(base64.b64decode(data[:8] + "==")[:2], "image/bmp")


def _hex(text: str, size: int) -> str:
    """A hex dump with sixteen bytes per line."""
    data = bytes.fromhex(text)
    lines = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        letters = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
        lines.append(f"{at:06x}  {row.hex(' '):<47}  {letters}")
    return "\n".join(lines) + (f"\n… {size:,} bytes in total" if size > len(data) else "")


class FilesPage(Pane):
    """Shows one file or one set of changes, and follows changes of the workspace."""

    named = Signal(str)
    """Carries the title of its tab."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._path = ""
        self.preview = Preview(context)
        self.changes = ChangePage(context)
        self.empty = EmptyState(context.theme, "file", "No file is open", "")
        self._stack = QStackedLayout(self)
        for page in (self.empty, self.preview, self.changes):
            self._stack.addWidget(page)
        self.preview.more_wanted.connect(self._load_more)
        context.store.linked.connect(self._reload)
        context.store.on(FilesChanged, self._reload)
        context.store.on(FilesHeld, self._reload)

    def show_file(self, path: str) -> None:
        """Show a file from its beginning."""
        self._path = path
        self.named.emit(path.rpartition("/")[2])
        self.context.tasks.run("read a file", self._load(path, 0))

    def show_changes(self, changes_id: str) -> None:
        self._path = ""
        self._bring_to_front(self.changes)
        self.named.emit("Changes")
        self.changes.show_changes(changes_id)

    def _reload(self, _event: object = None) -> None:
        if self._stack.currentWidget() is self.changes:
            self.changes.reload()
        elif self._path:
            self.show_file(self._path)

    def _load_more(self, start: int) -> None:
        self.context.tasks.run("read a file", self._load(self._path, start))

    async def _load(self, path: str, start: int) -> None:
        try:
            piece = await self.context.api.file_piece(path, start)
        except WorkbenchError as fault:
            if path == self._path:
                self.empty.say(fault.message, fault.hint)
                self._bring_to_front(self.empty)
            return
        (text,) = await fetch_whole(self.context.fetch, [piece.text])
        if path == self._path:
            self.preview.show_piece(piece, text)
            self._bring_to_front(self.preview)

    def _bring_to_front(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)
