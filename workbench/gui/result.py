"""Shows what came of a call or a run: as text, as a tree, as a table, as a picture, or raw.

Only the view one looks at is made. Long text arrives as a preview; a few megabytes are fetched at once, more only when
somebody asks.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTableView,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.context import Context
from workbench.gui.forms.json_text import dump
from workbench.gui.models.json_tree import JsonTree
from workbench.gui.models.records_table import RecordsTable, records_of
from workbench.gui.picture import Picture
from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import mark
from workbench.gui.views import tool_button
from workbench.gui.whole import fetch_whole, size_words, whole_size
from workbench.records import Content, JsonValue, Outcome

_AT_ONCE = 4_000_000  # characters fetched without asking
_TABLE, _TREE, _IMAGE, _TEXT, _RAW = "Table", "Tree", "Image", "Text", "Raw"
_LARGEST_IMAGE: Final = 40_000_000  # characters of base64; more is not decoded in the window
_OPENED: Final = 12  # a tree with no more top rows than this opens its first level


class ResultView(QWidget):
    """Show with `show_outcome`, `show_json` or `show_text`."""

    shown = Signal()
    """Another result is on screen, whole."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._text = ""
        self._value: JsonValue = None
        self._images: tuple[Content, ...] = ()
        self._filled: set[str] = set()
        self._waiting: list[str] = []
        self._views: tuple[str, ...] = (_TEXT,)
        self._raw: Callable[[], str] = str
        self._pages: dict[str, QWidget] = {}
        self._buttons: dict[str, QPushButton] = {}
        self._build()
        context.theme.changed.connect(self._dress)

    def clear(self) -> None:
        self._show(text="", value=None, images=(), raw=str, views=(_TEXT,))

    def show_outcome(self, outcome: Outcome) -> None:
        """All of a call's answer; structured content comes first where the server sent some."""
        blocks = outcome.content
        long = [outcome.structured, *(block.text for block in blocks), *(block.data for block in blocks)]
        if self._shelved(long, lambda texts: self._show_outcome(_with_texts(outcome, texts))):
            return
        self._show_outcome(outcome)

    def show_json(self, text: str) -> None:
        """A result as JSON text, such as a run's."""
        if not self._shelved([text], lambda texts: self.show_json(texts[0])):
            value, readable = _parsed(text)
            if readable:
                self._show_value(value, lambda: dump(value))
            else:
                self._show(text=text, value=None, images=(), raw=lambda: text, views=(_TEXT,))

    def show_text(self, text: str) -> None:
        if not self._shelved([text], lambda texts: self.show_text(texts[0])):
            self._show(text=text, value=None, images=(), raw=lambda: text, views=(_TEXT,))

    def views(self) -> tuple[str, ...]:
        """The ways this result can be looked at, the best one first."""
        return self._views

    def view(self) -> str:
        """The way it is looked at now."""
        return next((name for name, button in self._buttons.items() if button.isChecked()), _TEXT)

    def look(self, view: str) -> None:
        self._buttons[view].setChecked(True)
        self._fill(view)
        self._stack.setCurrentWidget(self._pages[view])

    def _show_outcome(self, outcome: Outcome) -> None:
        images = tuple(block for block in outcome.content if block.kind == "image")
        text = "\n\n".join(_block_text(block) for block in outcome.content if block.kind != "image")
        value, readable = _parsed(outcome.structured) if outcome.structured else _parsed_block(outcome.content)
        raw = _raw_of(outcome)
        if readable and isinstance(value, dict | list):
            self._show_value(value, raw, text, images)
        elif images:
            self._show(text, None, images, raw, (_IMAGE, *((_TEXT,) if text else ()), _RAW))
        else:
            self._show(text, None, (), raw, (_TEXT, _RAW))

    def _show_value(
        self, value: JsonValue, raw: Callable[[], str], text: str = "", images: tuple[Content, ...] = ()
    ) -> None:
        if not isinstance(value, dict | list):
            plain = value if isinstance(value, str) else json.dumps(value)
            self._show(plain, value, images, raw, (_TEXT, _RAW))
            return
        table = (_TABLE,) if records_of(value) else ()
        picture = (_IMAGE,) if images else ()
        self._show(text or dump(value), value, images, raw, (*picture, *table, _TREE, _TEXT, _RAW))

    def _show(
        self, text: str, value: JsonValue, images: tuple[Content, ...], raw: Callable[[], str], views: tuple[str, ...]
    ) -> None:
        self._text, self._value, self._images, self._raw = text, value, images, raw
        self._filled = set()
        self._views = views
        for name, button in self._buttons.items():
            button.setVisible(name in views and len(views) > 1)
        self._more.hide()
        self.look(views[0])
        self.shown.emit()

    def _shelved(self, texts: list[str], again: Callable[[list[str]], None]) -> bool:
        """Whether a part of the result still waits in the core; then the preview is shown until it came."""
        missing = whole_size(texts)
        self._waiting = []
        if not missing:
            return False
        preview = next(text for text in texts if whole_size([text]))
        self._show(text=preview, value=None, images=(), raw=lambda: preview, views=(_TEXT,))
        self._again, self._waiting = again, texts
        if missing <= _AT_ONCE:
            self._fetch()
        else:
            self._note.setText(self.tr("This is the beginning of {0}.").format(size_words(missing)))
            self._all.setText(self.tr("Show all ({0})").format(size_words(missing)))
            self._all.setEnabled(True)
            self._more.show()
        return True

    def _fetch(self) -> None:
        self._all.setEnabled(False)
        again = self._again
        texts = self._waiting

        def done(found: list[str]) -> None:
            if texts is self._waiting:
                again(found)

        self._context.tasks.run("fetch a long result", fetch_whole(self._context.fetch, texts), done)

    def _build(self) -> None:
        unit = self._context.theme.unit
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._head(unit))
        layout.addWidget(self._more_bar(unit))
        self._stack = QStackedWidget(self)
        layout.addWidget(self._stack, 1)
        self._add(_TABLE, self._make_table())
        self._add(_TREE, self._make_tree())
        self._add(_IMAGE, self._make_picture())
        self._add(_TEXT, self._make_text(self.tr("Result as text")))
        self._add(_RAW, self._make_text(self.tr("Raw result")))
        self._dress()
        self.clear()

    def _head(self, unit: int) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setContentsMargins(unit * 3, unit, unit * 2, unit)
        head.setSpacing(unit)
        self._group = QButtonGroup(self)
        for name in (_TABLE, _TREE, _IMAGE, _TEXT, _RAW):
            button = QPushButton(self.tr(name), self)
            button.setCheckable(True)
            button.clicked.connect(self._clicked)
            mark(button, kind="chip")
            self._group.addButton(button)
            self._buttons[name] = button
            head.addWidget(button)
        head.addStretch(1)
        copy = tool_button("copy", self.tr("Copy the result"), self._context.theme)
        copy.clicked.connect(self._copy)
        head.addWidget(copy)
        return head

    def _more_bar(self, unit: int) -> QFrame:
        self._more = QFrame(self)
        mark(self._more, kind="banner", tone="info")
        row = QHBoxLayout(self._more)
        row.setContentsMargins(unit * 3, unit, unit * 3, unit)
        self._note = ForeignLabel()
        self._all = QPushButton(self._more)
        self._all.clicked.connect(self._fetch)
        row.addWidget(self._note, 1)
        row.addWidget(self._all)
        return self._more

    def _add(self, name: str, page: QWidget) -> None:
        self._pages[name] = page
        self._stack.addWidget(page)

    def _make_tree(self) -> QTreeView:
        self._tree = QTreeView()
        self._tree.setUniformRowHeights(True)
        self._tree.setAccessibleName(self.tr("Result as a tree"))
        self._tree.setModel(JsonTree(self._context.theme, self._tree))
        self._tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._tree.setHeaderHidden(True)
        mark(self._tree, kind="code")
        return self._tree

    def _make_table(self) -> QTableView:
        self._table = QTableView()
        self._table.setAccessibleName(self.tr("Result as a table"))
        self._table.setModel(RecordsTable(self._table))
        self._table.setShowGrid(False)
        self._table.setWordWrap(False)
        self._table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self._table.setTabKeyNavigation(False)
        self._table.setSortingEnabled(True)
        self._table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._table.verticalHeader().hide()
        return self._table

    def _make_picture(self) -> QScrollArea:
        self._picture = Picture()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(self._picture)
        area.setAccessibleName(self.tr("Result as a picture"))
        return area

    def _make_text(self, name: str) -> QPlainTextEdit:
        edit = QPlainTextEdit()
        edit.setReadOnly(True)
        edit.setTabChangesFocus(True)
        edit.setAccessibleName(name)
        edit.setFrameShape(QFrame.Shape.NoFrame)
        edit.document().setDocumentMargin(self._context.theme.unit * 2)
        mark(edit, kind="code")
        return edit

    def _dress(self) -> None:
        theme = self._context.theme
        for name in (_TREE, _TEXT, _RAW):
            self._pages[name].setFont(theme.mono())
        self._table.verticalHeader().setDefaultSectionSize(self._table.fontMetrics().height() + theme.unit * 2)

    def _clicked(self) -> None:
        self.look(self.view())

    def _fill(self, view: str) -> None:
        """Give a view its content, the first time it is looked at."""
        if view in self._filled:
            return
        self._filled.add(view)
        page = self._pages[view]
        if isinstance(page, QPlainTextEdit):
            page.setPlainText(visible(self._text if view == _TEXT else self._raw()))
        elif view == _TREE:
            self._fill_tree()
        elif view == _TABLE:
            self._fill_table()
        else:
            self._fill_picture()

    def _fill_tree(self) -> None:
        model = self._tree.model()
        assert isinstance(model, JsonTree)
        model.show_value(self._value)
        model.fetchMore(QModelIndex())
        self._tree.setColumnWidth(0, max(self._tree.fontMetrics().averageCharWidth() * 28, self._tree.width() // 3))
        if model.rowCount() <= _OPENED:
            self._tree.expandToDepth(0)

    def _fill_table(self) -> None:
        model = self._table.model()
        assert isinstance(model, RecordsTable)
        model.show_records(records_of(self._value))
        letter = self._table.fontMetrics().averageCharWidth()
        for column in range(model.columnCount()):
            texts = [str(model.data(model.index(row, column)) or "") for row in range(min(20, model.rowCount()))]
            title = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
            longest = max(len(text) for text in (title, *texts))
            self._table.setColumnWidth(column, letter * (min(longest, 40) + 5))

    def _fill_picture(self) -> None:
        picture = QPixmap()
        block = self._images[0]
        try:
            usable = len(block.data) <= _LARGEST_IMAGE and picture.loadFromData(base64.b64decode(block.data))
        except (binascii.Error, ValueError):
            usable = False
        if usable:
            self._picture.setPixmap(picture)
            words = self.tr("Picture, {0} by {1} pixels, {2}")
            self._picture.setAccessibleName(words.format(picture.width(), picture.height(), visible(block.mime)))
        else:
            self._picture.setTextFormat(Qt.TextFormat.PlainText)
            self._picture.setText(self.tr("This picture cannot be shown ({0}).").format(visible(block.mime)[:80]))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text if self.view() == _TEXT else self._raw())


def _parsed(text: str) -> tuple[JsonValue, bool]:
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def _parsed_block(content: tuple[Content, ...]) -> tuple[JsonValue, bool]:
    """A lone text block that is JSON: what servers send that know no structured content."""
    texts = [block.text for block in content if block.kind == "text"]
    if len(texts) != 1 or texts[0].lstrip()[:1] not in ("{", "["):
        return None, False
    return _parsed(texts[0])


def _block_text(block: Content) -> str:
    if block.text:
        return block.text
    words = [f"({block.kind})", block.uri, block.mime, f"{len(block.data) * 3 // 4:,} bytes" if block.data else ""]
    return " ".join(word for word in words if word)


def _raw_of(outcome: Outcome) -> Callable[[], str]:
    def raw() -> str:
        names = ("text", "mime", "uri", "data")
        blocks = [
            {"type": block.kind, **{name: getattr(block, name) for name in names if getattr(block, name)}}
            for block in outcome.content
        ]
        structured, readable = _parsed(outcome.structured)
        whole = {"content": blocks, **({"structuredContent": structured} if readable else {})}
        return json.dumps(whole, indent=2, ensure_ascii=True)

    return raw


def _with_texts(outcome: Outcome, texts: list[str]) -> Outcome:
    end = 1 + len(outcome.content)
    parts = zip(outcome.content, texts[1:end], texts[end:], strict=True)
    blocks = tuple(replace(block, text=text, data=data) for block, text, data in parts)
    return replace(outcome, structured=texts[0], content=blocks)
