"""Completion and parameter help of the program editor, with answers from the core."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QCompleter, QFrame, QToolTip

from workbench.errors import WorkbenchError
from workbench.gui.code.program_editor import ProgramEditor
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import RowsView
from workbench.gui.kit.plain_edit import code_points
from workbench.gui.kit.rows import Row, RowDelegate, RowsModel
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import hint_words
from workbench.gui.shell.context import Context
from workbench.gui.shell.store import Store
from workbench.records import CallShape, Candidate, ToolSummary

MAX_NAMES = 100
_BUILTINS = frozenset(dir(builtins)) | frozenset(keyword.kwlist)


def rank_candidates(candidates: Sequence[Candidate], typed: str, *, members: bool = False) -> list[Candidate]:
    """The candidates that match, best first: same beginning, same beginning in any case, then letters in order.

    Of equal matches, parameters of the call come first, then names of the program, modules such as servers, and
    builtins. `members`: the candidates are members of a value, which may have the names of builtins.
    """
    ranked = [
        (rank, _group(candidate, members), place, candidate)
        for place, candidate in enumerate(candidates)
        if (rank := _rank(candidate.name, typed)) is not None
    ]
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:3])[:MAX_NAMES]]


def name_before(line: str, place: int) -> str:
    """The identifier, or its beginning, that ends at this column."""
    match = _NAME_AT_END.search(line[:place])
    return match.group() if match is not None else ""


def _rank(name: str, typed: str) -> int | None:
    if name.startswith(typed):
        return 0
    folded, wanted = name.casefold(), typed.casefold()
    if folded.startswith(wanted):
        return 1
    letters = iter(folded)
    if len(typed) < 2 or not all(letter in letters for letter in wanted):
        return None
    return 2 if folded[0] == wanted[0] else 3


def _group(candidate: Candidate, members: bool) -> int:
    if candidate.name.endswith("="):
        return 0
    if candidate.name in _BUILTINS and not members:
        return 3
    return 2 if candidate.kind == "module" else 1


_NAME_AT_END = re.compile(r"\b[^\W\d]\w{0,200}\Z")
_VISIBLE_ROWS = 9
_POPUP_LETTERS = 76
_LABEL_LETTERS = 48
_ICONS = {"function": "code", "class": "layers", "module": "book", "param": "pencil", "keyword": "code"}


def candidate_rows(candidates: Sequence[Candidate], tools: dict[str, ToolSummary]) -> list[Row]:
    """Rows of the completion list; a tool says what it does instead of its kind in Python."""
    rows = []
    for number, candidate in enumerate(candidates):
        label, icon = candidate.kind, _ICONS.get(candidate.kind, "dot")
        if candidate.kind in ("module", "function") and (tool := tools.get(candidate.name)) is not None:
            label, icon = _tool_label(tool), "tool"
        rows.append(Row(str(number), candidate.name, aside=label, icon=icon, mono=True))
    return rows


def tools_by_function(store: Store, names: frozenset[str], line: str) -> dict[str, ToolSummary]:
    """The tools that programs import under these names; servers that the line names come first."""
    found: dict[str, ToolSummary] = {}
    for server, tools in store.tools.items():
        for tool in tools:
            function = tool.import_line.rpartition(" ")[2]
            if function in names and (function not in found or server in line):
                found[function] = tool
    return found


def _tool_label(tool: ToolSummary) -> str:
    hints = ", ".join(word for word, _ in hint_words(tool.hints))
    parts = ("tool", hints, tool.summary)
    return one_line(" · ".join(part for part in parts if part), _LABEL_LETTERS)


_CARD_LETTERS = 84
_MAX_DOC_LINES = 6
_MAX_HEIGHT = 0.6  # share of the window's height


class HelpCard(QFrame):
    """Shows the call at the cursor, or an explanation, above the current line. The current parameter is in ▸ ◂."""

    def __init__(self, theme: Theme, editor: ProgramEditor) -> None:
        super().__init__(editor)
        self._theme = theme
        self._editor = editor
        mark(self, kind="card")
        self._head = ForeignLabel()
        self._head.setFont(theme.mono())
        self._body = ForeignLabel()
        mark(self._body, role="muted")
        for part in (self._head, self._body):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column(self, self._head, self._body, margins=(theme.unit * 2, theme.unit) * 2, spacing=theme.unit // 2)
        self.hide()

    def show_call(self, shapes: Sequence[CallShape], *, requested: bool) -> None:
        """Show the innermost call; without one, hide, or say so if the user asked."""
        if not shapes:
            self.show_text("The cursor is not in a call.") if requested else self.hide()
            return
        shape = shapes[0]
        parts = [f"▸{name}◂" if at == shape.current else name for at, name in enumerate(shape.parameters)]
        lines = shape.words.strip().split("\n")[:_MAX_DOC_LINES]
        self._show(f"{shape.name}({', '.join(parts)})", "\n".join(lines))

    def show_text(self, text: str) -> None:
        """The first line becomes the heading."""
        head, _, body = text.partition("\n")
        self._show(head, body.strip())

    def text(self) -> str:
        return f"{self._head.full_text()}\n{self._body.full_text()}".strip() if self.isVisible() else ""

    def _show(self, head: str, body: str) -> None:
        self._head.setText(head)
        self._body.setText(body)
        self._body.setVisible(bool(body))
        window = self._editor.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        width = min(self.fontMetrics().averageCharWidth() * _CARD_LETTERS, window.width() - self._theme.unit * 4)
        self.setFixedWidth(width)
        line = self._editor.cursorRect(self._editor.textCursor())
        corner = self._editor.viewport().mapTo(window, line.topLeft())
        room = corner.y() - 2
        height = min(self.heightForWidth(width), round(window.height() * _MAX_HEIGHT))
        if height > room and body:  # the completion list opens below the line, so the card stays above it
            self._body.hide()
            height = self.heightForWidth(width)
        top = room - height if height <= room else corner.y() + line.height() + 2
        self.setGeometry(max(0, min(corner.x(), window.width() - width)), top, width, height)
        self.show()
        self.raise_()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, f"{head} {body}"[:400]))


_NO_COMPLETION_IN = ("code_string", "code_comment")
_CALL_MS = 60
_INSERT_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class CodeCompletion(QObject):
    """Completes names in one editor and shows the parameters of calls. Only Python is completed."""

    def __init__(self, context: Context, editor: ProgramEditor) -> None:
        super().__init__(editor)
        self._context = context
        self._editor = editor
        self.card = HelpCard(context.theme, editor)
        self._model = RowsModel(self)
        self._completer: QCompleter | None = None
        self._candidates: tuple[Candidate, ...] = ()
        self._tools: dict[str, ToolSummary] = {}
        self._start = -1  # where the word begins for which `_candidates` are known
        self._asking = False
        self._ask_again = False  # something was typed while a request was under way
        self._requested = False  # the user asked for it, so an empty answer is said too
        self._call = QTimer(self, singleShot=True, interval=_CALL_MS)
        self._call.timeout.connect(self._ask_call)
        editor.key_filter = self._filter_key
        editor.installEventFilter(self)
        editor.viewport().installEventFilter(self)
        editor.typed.connect(self._typed)
        editor.cursorPositionChanged.connect(self._moved)
        editor.verticalScrollBar().valueChanged.connect(self.hide)

    @property
    def enabled(self) -> bool:
        return self._editor.language == "python" and not self._editor.isReadOnly()

    @property
    def popup(self) -> QAbstractItemView:
        """The list that shows the names."""
        popup = self._open_completer().popup()
        assert popup is not None
        return popup

    def is_open(self) -> bool:
        """Whether the list of names is shown."""
        return self._completer is not None and self.popup.isVisible()

    def names(self) -> list[str]:
        """The names in the list, while it is shown."""
        rows = range(self._model.rowCount()) if self.is_open() else ()
        return [str(self._model.index(row).data()) for row in rows]

    def _open_completer(self) -> QCompleter:
        """The completer, created when it is first needed: it costs time and must be deleted in order (`close`)."""
        if self._completer is None:
            self._completer = completer = QCompleter(self._model, self)
            completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
            completer.setWidget(self._editor)
            popup = RowsView(self._context.theme, "Completions")
            completer.setPopup(popup)
            popup.setItemDelegate(RowDelegate(self._context.theme, popup))  # a completer replaces it by its own
            popup.installEventFilter(self)  # it is called before the completer's own
            completer.setMaxVisibleItems(_VISIBLE_ROWS)
            completer.activated[QModelIndex].connect(self._insert)  # type: ignore[index]  # overloads are not typed
            completer.highlighted[QModelIndex].connect(self._announce)  # type: ignore[index]
        return self._completer

    def complete(self) -> None:
        """Show the names that fit at the cursor."""
        if self.enabled:
            self._requested = True
            self._start = -1
            self._ask()

    def show_call(self) -> None:
        """Show the parameters of the call at the cursor."""
        if self.enabled:
            self._ask_call(requested=True)

    def explain(self) -> None:
        """Show the documentation of the name at the cursor and the problems there."""
        if self._editor.language == "python":
            self._context.tasks.run("explain a name", self._explain(self._editor.textCursor(), None))

    def hide(self) -> None:
        """Close the list and the card."""
        self._close_list()
        self.card.hide()
        self._requested = False

    def close(self) -> None:
        """Delete list and card before the editor. Left to garbage collection, Qt can crash: a completer watches its
        editor and its popup, which would be destroyed in any order.
        """
        self.hide()
        self._editor.key_filter = None
        self._editor.removeEventFilter(self)
        self._editor.viewport().removeEventFilter(self)
        completer, self._completer = self._completer, None
        if completer is not None:
            shiboken6.delete(completer)
        self.card.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._editor and event.type() == QEvent.Type.FocusOut and not self.is_open():
            self.hide()
        if isinstance(event, QHelpEvent) and watched is self._editor.viewport():
            return self._hover(event)
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            return self.is_open() and watched is self.popup and self._press_beside_list(event)
        return False

    def _press_beside_list(self, event: QMouseEvent) -> bool:
        """Close the list and press a button that was clicked beside it: the completer would only close the list."""
        button = QApplication.widgetAt(event.globalPosition().toPoint())
        is_left = event.button() is Qt.MouseButton.LeftButton
        if not is_left or not isinstance(button, QAbstractButton) or button.window() is not self._editor.window():
            return False
        self._close_list()
        button.animateClick()
        return True

    def _close_list(self) -> None:
        if self.is_open():
            self.popup.hide()

    # while the user types

    def _filter_key(self, event: QKeyEvent) -> bool:
        """The completer offers keys to the editor first: those that it handles itself must not reach the text."""
        escape = event.key() == Qt.Key.Key_Escape
        if escape and (self.is_open() or self.card.isVisible()):
            self.hide()
            event.accept()
            return True
        if self.is_open() and event.key() in _INSERT_KEYS and not event.modifiers():
            if self._selected() != self._typed_name():
                event.ignore()
                return True
            self._close_list()
        return False

    def _typed(self, letters: str) -> None:
        if not self.enabled:
            return
        if letters in ("(", ",") or self.card.isVisible():
            self._call.start()
        word, cursor = self._typed_name(), self._editor.textCursor()
        start = cursor.position() - len(word)
        unknown = not letters and start != self._start  # letters were deleted, and no names are known here
        if unknown or (not word and letters != ".") or self._in_text(cursor):
            self._close_list()
            self._start = -1
        elif start == self._start:
            self._show()
        else:
            self._ask()

    def _moved(self) -> None:
        if self.is_open() and self._editor.textCursor().position() - len(self._typed_name()) != self._start:
            self._close_list()
        if self.card.isVisible() and not self._call.isActive():
            self._call.start()

    def _ask(self) -> None:
        if self._asking:
            self._ask_again = True
            return
        self._asking = True
        self._context.tasks.run("complete a program", self._fetch_candidates())

    async def _fetch_candidates(self) -> None:
        cursor = self._editor.textCursor()
        start = cursor.position() - len(self._typed_name())
        try:
            candidates = await self._context.api.complete_code(*self._position(cursor))
        except WorkbenchError:
            candidates = ()  # typing goes on without completion
        finally:
            self._asking = False
        again, self._ask_again = self._ask_again, False
        now = self._editor.textCursor()
        word = self._typed_name()
        if not (word or self._requested or now.block().text()[: now.positionInBlock()].endswith(".")):
            return  # what was typed has been deleted or replaced meanwhile
        if now.position() - len(word) == start:
            names = frozenset(candidate.name for candidate in candidates)
            self._tools = tools_by_function(self._context.store, names, now.block().text())
            self._candidates, self._start = candidates, start
            self._show()
        elif again:
            self._ask()

    def _show(self) -> None:
        word, cursor = self._typed_name(), self._editor.textCursor()
        cursor.setPosition(cursor.position() - len(word))
        is_member = cursor.block().text()[: cursor.positionInBlock()].endswith(".")
        candidates = rank_candidates(self._candidates, word, members=is_member)
        complete = len(candidates) == 1 and candidates[0].name == word
        requested, self._requested = self._requested, False
        if not candidates or complete or not self._editor.hasFocus():
            self._close_list()
            if requested and not candidates:
                self.card.show_text("No names fit here.")
            return
        self._model.show_rows(candidate_rows(candidates, self._tools))
        completer = self._open_completer()
        place = self._editor.cursorRect(cursor)
        place.translate(self._editor.viewport().geometry().topLeft())
        place.setWidth(min(self.popup.fontMetrics().averageCharWidth() * _POPUP_LETTERS, self._editor.window().width()))
        completer.complete(place)
        self.popup.setCurrentIndex(completer.completionModel().index(0, 0))

    def _selected(self) -> str:
        return str(self.popup.currentIndex().data() or "")

    def _insert(self, index: QModelIndex) -> None:
        name, word, cursor = str(index.data()), self._typed_name(), self._editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(word))
        cursor.insertText(name)
        self._editor.setTextCursor(cursor)
        self._start = -1

    def _announce(self, index: QModelIndex) -> None:
        """A screen reader says the current name: the list never has the keyboard."""
        text = f"{index.data()}, {index.row() + 1} of {self._model.rowCount()}"
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, text))

    # calls and explanations

    def _ask_call(self, *, requested: bool = False) -> None:
        self._context.tasks.run("show a call", self._fetch_call(self._editor.textCursor().position(), requested))

    async def _fetch_call(self, place: int, requested: bool) -> None:
        try:
            shapes = await self._context.api.call_shapes(*self._position(self._editor.textCursor()))
        except WorkbenchError:
            shapes = ()
        if self._editor.textCursor().position() == place:
            self.card.show_call(shapes, requested=requested)

    def _hover(self, event: QHelpEvent) -> bool:
        cursor = self._editor.cursorForPosition(event.pos())
        problems = self._editor.problems_at(cursor.position())
        if problems:
            QToolTip.showText(event.globalPos(), plain_tip(problems), self._editor.viewport())
        elif self._editor.language == "python":
            self._context.tasks.run("explain a name", self._explain(cursor, event.globalPos()))
        return True

    async def _explain(self, cursor: QTextCursor, place: QPoint | None) -> None:
        text = self._editor.problems_at(cursor.position())
        try:
            explanation = await self._context.api.explain_code(*self._position(cursor))
            text = f"{text}\n\n{explanation.words}".strip()
        except WorkbenchError:
            pass  # the problems are shown without it
        if place is None:
            self.card.show_text(text or "No documentation for this name.")
        elif text and self._editor.viewport().underMouse():
            QToolTip.showText(place, plain_tip(text), self._editor.viewport())

    # positions

    def _position(self, cursor: QTextCursor) -> tuple[str, int, int]:
        """The program, the line from 1, and the column in code points, as the core counts them."""
        column = code_points(cursor.block().text(), cursor.positionInBlock())
        return self._editor.text(), self._editor.line_of(cursor.block()) + 1, column

    def _typed_name(self) -> str:
        """Letters of names are one UTF-16 unit each, except in rare scripts, which are not completed."""
        cursor = self._editor.textCursor()
        line = cursor.block().text()
        return name_before(line, code_points(line, cursor.positionInBlock()))

    def _in_text(self, cursor: QTextCursor) -> bool:
        """Whether the cursor is in a string or comment. A letter just typed has no colour yet: look one back."""
        row, column = cursor.blockNumber(), cursor.positionInBlock()
        if self._editor.role_at(row, column - 1) in _NO_COMPLETION_IN:
            return True
        before = cursor.block().text()[max(0, column - 2) : column - 1]
        return before not in ("", '"', "'") and self._editor.role_at(row, column - 2) in _NO_COMPLETION_IN
