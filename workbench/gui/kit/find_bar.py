"""Find and replace: the find bar of editors, texts and results, and its search in plain text or by expression.

Qt's regular expressions (PCRE2) give up after a bounded number of steps, about 20 ms. A text is searched in pieces with
a time budget, so that no expression blocks the window.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import takewhile
from time import perf_counter
from typing import Protocol, TypeAlias

from msgspec import Struct
from PySide6.QtCore import QPoint, QRegularExpression, QRegularExpressionMatch, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QGridLayout, QToolButton, QWidget

from workbench.gui.kit.layouts import row
from workbench.gui.kit.lists import Strip, push_button, search_box, tool_button
from workbench.gui.kit.plain_edit import PlainEdit, editable_text, highlight, units, utf16_slice
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.records.common_types import count_of

MAX_HITS = 15_000  # hits that are shown and counted; 15,000 take 20 ms
MAX_REPLACED = 200_000
BUDGET = 0.15  # seconds of a search while the user types
_REPLACE_BUDGET = 1.0  # seconds of the search for "Replace all"
TOO_SLOW = "This expression takes too long. Simplify it, or search in a selection."
_PIECE = 40_000  # characters that are searched at once: the most that cannot be interrupted
_OVERLAP = 4_000  # characters of the next piece that a match may reach into, and of the one before for look-behind
_REFERENCE = re.compile(r"\\(?:(\d{1,2})|g<(\w{1,64})>|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}
Hit: TypeAlias = tuple[int, int, str]
"""Start and end in UTF-16 units of the text, and the replacement."""


class FindQuery(Struct, frozen=True):
    """What to search for, and its replacement."""

    text: str
    replacement: str = ""
    regex: bool = False
    case: bool = False
    whole_words: bool = False
    start: int = 0  # in UTF-16 units
    end: int = -1  # -1: the end of the text


class FindResult(Struct, frozen=True):
    """The hits of a search, or why there are none."""

    query: FindQuery
    text: str
    hits: tuple[Hit, ...] = ()
    fault: str = ""
    complete: bool = True  # False: there are more hits


def find_all(text: str, query: FindQuery, max_hits: int = MAX_HITS, budget: float = BUDGET) -> FindResult:
    """Search a text; takes a little longer than the budget, in seconds, at most."""
    if not query.text:
        return FindResult(query, text)
    expression, fault = _compile(query)
    if fault:
        return FindResult(query, text, fault=fault)
    end = query.end if query.end >= 0 else units(text, len(text))
    hits: list[Hit] = []
    deadline = perf_counter() + budget
    in_all = query.start == 0 and query.end < 0
    for piece, base, first, last in _pieces(text if in_all else utf16_slice(text, query.start, end)):
        base += query.start
        matches = expression.globalMatch(piece, max(first, hits[-1][1] - base) if hits else first)
        late = perf_counter() > deadline
        while not late and matches.hasNext():
            match = matches.next()
            if match.capturedStart() >= last:
                break
            instead = _expand(query.replacement, match) if query.regex else query.replacement
            hits.append((base + match.capturedStart(), base + match.capturedEnd(), instead))
            late = len(hits) >= max_hits or perf_counter() > deadline
        if late and hits:
            return FindResult(query, text, tuple(hits), complete=False)
        if late or not matches.isValid():
            return FindResult(query, text, fault=TOO_SLOW)
    return FindResult(query, text, tuple(hits))


def _pieces(text: str) -> Iterator[tuple[str, int, int, int]]:
    """Pieces of whole lines with some context, and in UTF-16 units: the piece's place in the text, where its own
    characters begin in it, and where they end."""
    start = place = 0
    while True:
        end = start + _PIECE
        end = len(text) if end >= len(text) else text.find("\n", end) + 1 or len(text)
        end = min(end, start + 2 * _PIECE)
        before, own = text[max(0, start - _OVERLAP) : start], text[start:end]
        first, width = units(before, len(before)), units(own, len(own))
        last = first + width + (end >= len(text))  # a match may also be empty and lie at the very end
        yield before + own + text[end : end + _OVERLAP], place - first, first, last
        if end >= len(text):
            return
        start, place = end, place + width


def _compile(query: FindQuery) -> tuple[QRegularExpression, str]:
    """The expression, or why there is none."""
    pattern = query.text if query.regex else QRegularExpression.escape(query.text)
    options = QRegularExpression.PatternOption.MultilineOption
    options |= QRegularExpression.PatternOption.UseUnicodePropertiesOption
    if not query.case:
        options |= QRegularExpression.PatternOption.CaseInsensitiveOption
    expression = QRegularExpression(pattern, options)
    if not expression.isValid():
        return expression, f"Not a regular expression: {expression.errorString()}."
    groups = {str(number) for number in range(expression.captureCount() + 1)} | {*expression.namedCaptureGroups()}
    for number, name, escape in _REFERENCE.findall(query.replacement) if query.regex else ():
        if (number or name) and (number.lstrip("0") or name or "0") not in groups:
            return expression, f"The expression has no group {number or name}."
        if escape and escape.isalpha() and escape not in _ESCAPES:
            return expression, f"The replacement has an unknown escape: \\{escape}."
    if query.whole_words:
        expression.setPattern(rf"(?<!\w)(?:{pattern})(?!\w)")
    return expression, ""


def _expand(replacement: str, match: QRegularExpressionMatch) -> str:
    """Put the matched groups into a replacement: \\1, \\g<name>, \\n and \\t as in Python."""

    def expand(reference: re.Match[str]) -> str:
        number, name, escape = reference.groups()
        if escape is not None:
            return _ESCAPES.get(escape, escape)
        return str(match.captured(int(number) if number else name))

    return _REFERENCE.sub(expand, replacement)


_PAUSE_MS = 120
_MAX_SINGLE_EDITS = 2_000  # replacements made one by one; more are made by replacing the whole text
_LAYER = "search"  # layers are drawn in the order of their names: above "marks" and "problems"


class SearchableView(Protocol):
    """A view that searches itself, such as a tree."""

    def seek(self, text: str, step: int) -> str:
        """Go to the next match (`step` 1) or the previous one (-1); returns what to say beside the field."""


class FindBar(Strip):
    """Searches a text box with all options, or a view in its own way; hidden until it is opened."""

    closed = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._theme = theme
        self._edit: PlainEdit | None = None
        self._view: SearchableView | None = None
        self._result: FindResult | None = None
        self._range: QTextCursor | None = None  # the selection to search in; it moves with the text
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._search)
        self._build(name)
        self.hide()

    def search_in(self, target: PlainEdit | SearchableView) -> None:
        """Choose the text box or view to search."""
        if target in (self._edit, self._view):
            return
        if self._edit is not None:
            self._mark_hits([])
            self._edit.textChanged.disconnect(self._text_changed)
            self._edit.verticalScrollBar().valueChanged.disconnect(self._mark_visible_hits)
        self._result = self._range = None
        self._edit, self._view = (target, None) if isinstance(target, PlainEdit) else (None, target)
        if self._edit is not None:
            self._edit.textChanged.connect(self._text_changed)
            self._edit.verticalScrollBar().valueChanged.connect(self._mark_visible_hits)
        for option in self._options:
            option.setVisible(self._edit is not None)
        self.say("")

    def open_bar(self, *, replacing: bool = False) -> None:
        """Start with the selected text; a selection of several lines becomes the range to search in."""
        cursor = self._edit.textCursor() if self._edit is not None else QTextCursor()
        selected = self._edit.selected_text(cursor) if self._edit is not None and cursor.hasSelection() else ""
        if "\n" in selected:
            self._in_selection.setChecked(True)
        elif selected:
            self.text.setText(selected)
        replaces = replacing and self._edit is not None and not self._edit.isReadOnly()
        self._replace_buttons.setVisible(replaces)
        self.replacement.setVisible(replaces)
        self.show()
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        self._search()

    def close_bar(self) -> None:
        self._pause.stop()
        self._result = None
        self._in_selection.setChecked(False)
        self._mark_hits([])
        self.hide()
        if self._edit is not None:
            self._edit.setFocus()
        self.closed.emit()

    def go(self, step: int, _checked: bool = False) -> None:
        """Go to the next hit (1) or the previous one (-1); with nothing to search for, open the bar."""
        self._pause.stop()
        if not self.text.text():
            self.open_bar()
        elif self._view is not None:
            self.say(self._view.seek(self.text.text(), step))
        elif self._edit is not None:
            cursor = self._edit.textCursor()
            self._go_from(cursor.selectionStart() if step < 0 else cursor.position(), step)

    def replace_one(self) -> None:
        """Replace the selected hit and go to the next one."""
        hit = self._selected_hit(self._current_hits())
        if hit is not None and self._edit is not None and not self._edit.isReadOnly():
            cursor = self._edit.textCursor()
            cursor.insertText(editable_text(hit[2]))
            self._edit.setTextCursor(cursor)
        self.go(1)

    def replace_all(self) -> None:
        """Replace every hit; one undo takes all of it back."""
        edit, result = self._edit, self._result if self._current_hits() else None
        if edit is None or result is None or edit.isReadOnly():
            self._show_count()
            return
        if not result.complete:
            result = find_all(result.text, result.query, MAX_REPLACED, _REPLACE_BUDGET)
        hits = result.hits
        cursor = QTextCursor(edit.document())
        cursor.beginEditBlock()
        if len(hits) > _MAX_SINGLE_EDITS or edit.has_soft_breaks():
            cursor.select(QTextCursor.SelectionType.Document)
            edit.insert_at(cursor, _replace_hits(result.text, hits))
        else:
            for start, end, replacement in reversed(hits):
                cursor.setPosition(start)
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                cursor.insertText(editable_text(replacement))
        cursor.endEditBlock()
        self.say(f"Replaced {count_of(len(hits), 'hit')}.{'' if result.complete else ' There are more.'}")
        self._pause.stop()

    def say(self, text: str, tone: str = "") -> None:
        """Show a text beside the field."""
        mark(self._status, role="" if tone else "muted", tone=tone)
        self._status.setText(text)

    def status_text(self) -> str:
        """The text beside the field: the number of hits, or a fault."""
        return self._status.full_text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.replacement.hasFocus():
                self.replace_one()
            else:
                self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """With the replacement shown, Tab goes from the one field to the other, then through the buttons."""
        stops = [stop for stop in self._tab_order if stop.isVisible()]
        focus = QApplication.focusWidget()
        at = stops.index(focus) + (1 if forward else -1) if focus in stops else -1
        if self.replacement.isHidden() or not 0 <= at < len(stops):
            return super().focusNextPrevChild(forward)
        stops[at].setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        return True

    # searching

    def _query(self, edit: PlainEdit) -> FindQuery:
        start, end = 0, -1
        if self._range is not None and self._range.hasSelection():
            start, end = sorted(map(edit.text_place, (self._range.anchor(), self._range.position())))
        options = (self._regex.isChecked(), self._case.isChecked(), self._whole_words.isChecked())
        return FindQuery(editable_text(self.text.text()), editable_text(self.replacement.text()), *options, start, end)

    def _search(self) -> None:
        """Search while the user types. What can be edited keeps its cursor; in a result, show the first hit."""
        self._pause.stop()
        if not self.isVisible():
            return
        if self._view is not None:
            self.say(self._view.seek(self.text.text(), 1))
        elif self._edit is not None and self._edit.isReadOnly():
            self._go_from(self._edit.textCursor().selectionStart(), 1)
        else:
            self._current_hits()
            self._mark_visible_hits()
            self._show_count()

    def _current_hits(self) -> tuple[Hit, ...]:
        """The hits in the text as it is now."""
        edit, result = self._edit, self._result
        if edit is None:
            return ()
        query = self._query(edit)
        if result is None or result.text != edit.text() or result.query != query:
            self._pause.stop()
            self._result = result = find_all(edit.text(), query)
            self._mark_visible_hits()
        return result.hits

    def _text_changed(self) -> None:
        if self.isVisible():
            self._pause.start()

    def _go_from(self, place: int, step: int) -> None:
        """Select the first hit from a place in the document on, or the last one before it; around the end."""
        hits, edit = self._current_hits(), self._edit
        if hits and edit is not None:
            here = edit.text_place(place)
            at = bisect_left([start for start, _, _ in hits], here)
            if step < 0:
                at -= 1
            elif at < len(hits) and hits[at][:2] == (here, here) and not edit.textCursor().hasSelection():
                at += 1  # the cursor is on this empty hit already
            edit.setTextCursor(self._cursor_over(edit, hits[at % len(hits)]))
            edit.centerCursor()
        self._show_count()

    def _cursor_over(self, edit: PlainEdit, hit: Hit) -> QTextCursor:
        return edit.cursor_over(edit.document_place(hit[0]), edit.document_place(hit[1]))

    def _selected_hit(self, hits: tuple[Hit, ...]) -> Hit | None:
        if self._edit is None:
            return None
        cursor = self._edit.textCursor()
        place = self._edit.text_place(cursor.selectionStart()), self._edit.text_place(cursor.selectionEnd())
        at = bisect_left(hits, (*place, ""))
        return hits[at] if at < len(hits) and hits[at][:2] == place else None

    # what is shown

    def _show_count(self) -> None:
        result = self._result
        if result is None or not result.query.text:
            self.say("")
        elif result.fault:
            self.say(result.fault, "warning")
        elif not result.hits:
            self.say("Not found.")
        else:
            selected = self._selected_hit(result.hits)
            number = f"{bisect_left(result.hits, selected) + 1:,}" if selected is not None else "–"
            self.say(f"{number} of {len(result.hits):,}{'' if result.complete else '+'}")

    def _mark_visible_hits(self) -> None:
        """Mark the hits that are on screen."""
        editor, result = self._edit, self._result
        if editor is None or not self.isVisible() or result is None:
            return
        if not result.hits or result.text != editor.text():
            self._mark_hits([])
            return
        last = editor.cursorForPosition(QPoint(0, editor.viewport().height())).block()
        top = editor.text_place(editor.firstVisibleBlock().position())
        bottom = editor.text_place(last.position() + last.length())
        from_top = result.hits[bisect_left(result.hits, (top, 0, "")) :]
        self._mark_hits(takewhile(lambda hit: hit[0] <= bottom, from_top))

    def _mark_hits(self, hits: Iterable[Hit]) -> None:
        if self._edit is not None:
            colour = self._theme.colour("warning")
            colour.setAlphaF(0.35)  # readable on the background of every colour scheme
            marks = [highlight(self._cursor_over(self._edit, hit), colour) for hit in hits if hit[0] < hit[1]]
            self._edit.show_layer(_LAYER, marks)

    def _limit_to_selection(self, on: bool) -> None:
        cursor = self._edit.textCursor() if self._edit is not None else QTextCursor()
        self._range = cursor if on and cursor.hasSelection() else None
        if on and self._range is None:
            self._in_selection.setChecked(False)
            self.say("Select the lines to search first.")
        else:
            self._search()

    def _build(self, name: str) -> None:
        self.text = search_box(name, name)
        self.replacement = search_box("Replace with", "Replace with")
        self._status = ForeignLabel()
        self._status.setWordWrap(False)
        self._case = self._option("Aa", "Match case")
        self._whole_words = self._option("ab", "Whole words only")
        self._regex = self._option(".*", "Regular expression")
        self._in_selection = self._option("[ ]", "Search in the selection", self._limit_to_selection)
        self._options = (self._case, self._whole_words, self._regex, self._in_selection)
        tools = [
            tool_button(symbol, text, self._theme, act)
            for symbol, text, act in (
                ("chevron-up", "Previous hit (Shift+Enter)", partial(self.go, -1)),
                ("chevron-down", "Next hit (Enter)", partial(self.go, 1)),
                ("x", "Close (Escape)", self.close_bar),
            )
        ]
        first_row = row(None, *self._options, self._status, *tools, spacing=self._theme.unit)
        self._replace_buttons = QWidget()
        buttons = push_button("Replace", self.replace_one), push_button("Replace all", self.replace_all)
        row(self._replace_buttons, *buttons, None, spacing=self._theme.unit)
        self._tab_order: tuple[QWidget, ...] = (self.text, self.replacement, *self._options, *tools, *buttons)
        grid = QGridLayout()
        grid.addWidget(self.text, 0, 0)
        grid.addLayout(first_row, 0, 1)
        grid.addWidget(self.replacement, 1, 0)
        grid.addWidget(self._replace_buttons, 1, 1)
        grid.setColumnStretch(0, 1)
        self.row.addLayout(grid, 1)
        self.text.textChanged.connect(self._pause.start)
        self.replacement.textChanged.connect(self._pause.start)

    def _option(self, sign: str, name: str, act: Callable[[bool], None] | None = None) -> QToolButton:
        button = tool_button("", name, self._theme)
        button.setText(sign)
        button.setCheckable(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.toggled.connect(act or self._search)
        return button


def _replace_hits(text: str, hits: tuple[Hit, ...]) -> str:
    data = text.encode("utf-16-le", "surrogatepass")
    pieces, at = [], 0
    for start, end, replacement in hits:
        pieces += [data[at * 2 : start * 2], editable_text(replacement).encode("utf-16-le", "surrogatepass")]
        at = end
    return b"".join([*pieces, data[at * 2 :]]).decode("utf-16-le", "surrogatepass")
