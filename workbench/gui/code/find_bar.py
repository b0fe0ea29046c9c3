"""Finds places in a program: plain words here, regular expressions in a process of their own that can be ended.

Python's regular expressions cannot be interrupted, and some take longer than the sun will shine. Those that a person
types run beside the window, for a second or two at most, so the window never waits for one.
"""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TypeAlias

from PySide6.QtCore import QObject, QProcess, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QTextEdit, QToolButton, QWidget

from workbench.gui.code.code_editor import CodeEditor
from workbench.gui.kit.lists import Strip, search_box, tool_button
from workbench.gui.kit.plain_edit import code_points, exact_text, tamed, units
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark

SECONDS = 2.0
MOST = 50_000  # hits of one search
Hit: TypeAlias = tuple[int, int, str]
"""From, to, and what would stand there instead; in Python's counting."""

_PROGRAM = """
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
wish = json.loads(sys.stdin.buffer.read())
flags = re.MULTILINE | (0 if wish["case"] else re.IGNORECASE)
try:
    words = "\\\\b(?:" + wish["words"] + ")\\\\b" if wish["whole"] else wish["words"]
    re.compile(wish["words"])
    sought = re.compile(words, flags)
    found, instead = [], wish["instead"]
    for match in sought.finditer(wish["text"], wish["start"], wish["end"]):
        if len(found) >= wish["most"]:
            break
        found.append((match.start(), match.end(), match.expand(instead)))
    told = {"hits": found}
except (re.error, IndexError, OverflowError, RecursionError, MemoryError) as fault:
    told = {"fault": str(fault) or "it needs too much memory"}
sys.stdout.buffer.write(json.dumps(told).encode())
"""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for, and what would stand there instead."""

    words: str
    instead: str = ""
    regex: bool = False
    case: bool = False
    whole: bool = False
    start: int = 0
    end: int = -1  # -1: to the end of the text


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to; with a fault there are no hits."""

    wish: Wish
    text: str
    hits: tuple[Hit, ...] = ()
    fault: str = ""


def plain_hits(text: str, wish: Wish) -> tuple[Hit, ...]:
    """Where words stand as they are; no text can make this slow."""
    if not wish.words:
        return ()
    words = re.escape(wish.words)
    if wish.whole:
        words = rf"(?<!\w){words}(?!\w)"
    end = len(text) if wish.end < 0 else wish.end
    found: list[Hit] = []
    for match in re.compile(words, 0 if wish.case else re.IGNORECASE).finditer(text, wish.start, end):
        found.append((match.start(), match.end(), wish.instead))
        if len(found) >= MOST:
            break
    return tuple(found)


class Search(QObject):
    """Only the answer to the latest wish is told."""

    found = Signal(object)
    """Carries a Found."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._asked: Found | None = None
        self._late = QTimer(self, singleShot=True, interval=round(SECONDS * 1000))
        self._late.timeout.connect(self._too_late)

    def seek(self, text: str, wish: Wish) -> None:
        self.stop()
        if not wish.regex or not wish.words:
            self.found.emit(Found(wish, text, plain_hits(text, wish)))
            return
        self._asked = Found(wish, text)
        process = self._process = QProcess(self)
        process.finished.connect(self._ended)
        process.errorOccurred.connect(self._broken)
        process.start(sys.executable, ["-I", "-S", "-c", _PROGRAM])
        told = {name: getattr(wish, name) for name in ("words", "instead", "case", "whole", "start")}
        told |= {"text": text, "end": len(text) if wish.end < 0 else wish.end, "most": MOST}
        process.write(json.dumps(told).encode())
        process.closeWriteChannel()
        self._late.start()

    def stop(self) -> None:
        """Nothing is sought any more; its process is gone when this returns."""
        self._late.stop()
        process, self._process = self._process, None
        self._asked = None
        if process is not None:
            process.finished.disconnect(self._ended)
            process.errorOccurred.disconnect(self._broken)
            process.kill()
            process.waitForFinished(1000)
            process.deleteLater()

    def _ended(self) -> None:
        process, asked = self._process, self._asked
        if process is None or asked is None:
            return
        told = bytes(process.readAllStandardOutput().data())
        self.stop()
        try:
            answer = json.loads(told)
        except ValueError:
            answer = {"fault": "it ended without an answer"}
        if "fault" in answer:
            self.found.emit(replace(asked, fault=f"No regular expression: {answer['fault']}."))
        else:
            self.found.emit(replace(asked, hits=tuple((a, b, words) for a, b, words in answer["hits"])))

    def _broken(self) -> None:
        if self._asked is not None:
            asked = self._asked
            self.stop()
            self.found.emit(replace(asked, fault="The search could not be started."))

    def _too_late(self) -> None:
        if self._asked is not None:
            asked = self._asked
            self.stop()
            words = "This regular expression takes too long; it was stopped after {0:g} seconds."
            self.found.emit(replace(asked, fault=words.format(SECONDS)))


_PAUSE_MS = 120
_LINE_BY_LINE = 2_000  # replacements made one by one; more of them as one
_LAYER = "sought"


class EditorFindBar(Strip):
    """Belongs to one editor; hidden until it is asked for."""

    closed = Signal()

    def __init__(self, editor: CodeEditor, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._editor = editor
        self._theme = theme
        self._search = Search(self)
        self._search.found.connect(self._show)
        self._found: Found | None = None
        self._range: QTextCursor | None = None  # the selection that is searched; it moves along with the text
        self._then = ""  # what to do when the answer to a fresh search is there
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._seek)
        self._build()
        editor.edited.connect(self._edited)
        editor.verticalScrollBar().valueChanged.connect(self._mark_hits)
        self.hide()

    def open_bar(self, *, replacing: bool = False) -> None:
        """Begin with the selected words; a selection of several lines is what is searched."""
        cursor = self._editor.textCursor()
        chosen = cursor.selection().toRawText() if cursor.hasSelection() else ""
        if "\u2029" in chosen:
            self._inside.setChecked(True)
        elif chosen:
            self.words.setText(chosen)
        replaces = replacing and not self._editor.isReadOnly()
        self._second.setVisible(replaces)
        self.instead.setVisible(replaces)
        self.show()
        self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words.selectAll()
        self._seek()

    def close_bar(self) -> None:
        self._pause.stop()
        self._search.stop()
        self._found = None
        self._then = ""
        self._inside.setChecked(False)
        self._editor.show_layer(_LAYER, [])
        self.hide()
        self._editor.setFocus()
        self.closed.emit()

    def go(self, step: int) -> None:
        """To the next hit (1) or the one before (-1); with nothing to look for, the bar opens."""
        if not self.words.text():
            self.open_bar()
        elif self._fresh():
            self._step(step)
        else:
            self._ask("next" if step > 0 else "previous")

    def replace_one(self) -> None:
        """Replace the hit the cursor stands on, then go on."""
        self._replace() if self._fresh() else self._ask("replace")

    def replace_all(self) -> None:
        """Replace every hit; one undo takes all of it back."""
        self._replace_all() if self._fresh() else self._ask("all")

    def words_said(self) -> str:
        """What stands beside the field."""
        return self._said.full_text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.instead.hasFocus():
                self.replace_one()
            else:
                self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    # searching

    def _wish(self) -> Wish:
        text, start, end = exact_text(self._editor), 0, -1
        if self._range is not None and self._range.hasSelection():
            start, end = (self._place(text, place) for place in sorted((self._range.anchor(), self._range.position())))
        ticked = (self._regex.isChecked(), self._case.isChecked(), self._whole.isChecked())
        return Wish(tamed(self.words.text()), tamed(self.instead.text()), *ticked, start, end)

    def _seek(self) -> None:
        self._pause.stop()
        if self.isVisible() or self._then:
            self._search.seek(exact_text(self._editor), self._wish())

    def _ask(self, then: str) -> None:
        self._then = then
        self._seek()

    def _fresh(self) -> bool:
        found = self._found
        return found is not None and found.text == exact_text(self._editor) and found.wish == self._wish()

    def _show(self, found: Found) -> None:
        self._found = found
        then, self._then = self._then, ""
        if found.fault:
            self._say(found.fault, "danger")
        elif then in ("next", "previous"):
            self._step(1 if then == "next" else -1)
        elif then == "replace":
            self._replace()
        elif then == "all":
            self._replace_all()
        else:
            self._count()
        self._mark_hits()

    def _edited(self) -> None:
        if self.isVisible():
            self._pause.start()

    # going and replacing

    def _hits(self) -> tuple[Hit, ...]:
        return self._found.hits if self._found is not None else ()

    def _step(self, step: int) -> None:
        hits, cursor = self._hits(), self._editor.textCursor()
        if not hits:
            self._count()
            return
        text = exact_text(self._editor)
        here = self._place(text, cursor.selectionStart() if step < 0 else cursor.position())
        starts = [start for start, _, _ in hits]
        at = bisect_left(starts, here)
        if step < 0:
            at -= 1
        elif at < len(hits) and hits[at][:2] == (here, here) and not cursor.hasSelection():
            at += 1  # an empty hit where the cursor stands already
        self._choose(hits[at % len(hits)], text)
        self._count()

    def _choose(self, hit: Hit, text: str) -> None:
        cursor = self._editor.textCursor()
        start, end = (self._editor.document_place(units(text, place)) for place in hit[:2])
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.centerCursor()

    def _current(self) -> Hit | None:
        text, cursor = exact_text(self._editor), self._editor.textCursor()
        place = self._place(text, cursor.selectionStart()), self._place(text, cursor.selectionEnd())
        return next((hit for hit in self._hits() if hit[:2] == place), None)

    def _replace(self) -> None:
        hit = self._current()
        if hit is not None and not self._editor.isReadOnly():
            cursor = self._editor.textCursor()
            cursor.insertText(tamed(hit[2]))
            self._editor.setTextCursor(cursor)
            self._ask("next")
        else:
            self._step(1)

    def _replace_all(self) -> None:
        hits = self._hits()
        if not hits or self._editor.isReadOnly():
            self._count()
            return
        text = exact_text(self._editor)
        cursor = QTextCursor(self._editor.document())
        cursor.beginEditBlock()
        if len(hits) > _LINE_BY_LINE or not text.isascii() or self._editor.has_soft_breaks():
            cursor.select(QTextCursor.SelectionType.Document)
            self._editor.insert_at(cursor, _replaced(text, hits))
        else:
            for start, end, instead in reversed(hits):
                cursor.setPosition(start)
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                cursor.insertText(tamed(instead))
        cursor.endEditBlock()
        one = "1 place was replaced."
        self._say(one if len(hits) == 1 else f"{len(hits):,} places were replaced.")
        self._pause.stop()

    # what is shown

    def _count(self) -> None:
        hits = self._hits()
        if not self.words.text():
            self._say("")
        elif not hits:
            self._say("Not found.")
        else:
            current = self._current()
            number = f"{hits.index(current) + 1:,}" if current is not None else "–"
            more = "+" if len(hits) >= MOST else ""
            self._say(f"{number} of {len(hits):,}{more}")

    def _say(self, words: str, tone: str = "") -> None:
        mark(self._said, role="muted" if not tone else "", tone=tone)
        self._said.setText(words)

    def _mark_hits(self) -> None:
        """Only what is on screen is marked."""
        hits, text = self._hits(), self._found.text if self._found is not None else ""
        if not self.isVisible() or not hits or self._found is None or not self._fresh():
            self._editor.show_layer(_LAYER, [])
            return
        rows = [number for number, _, _ in self._editor.visible_lines()]
        first = self._editor.line_block(rows[0]).position() if rows else 0
        last = self._editor.line_block(rows[-1] + 1).position() if rows else -1  # 0 beyond the last line
        start = self._place(text, first)
        end = self._place(text, last) if last > 0 else len(text)
        begin = bisect_left(hits, (start, 0, ""))
        shown = []
        for hit in hits[begin:]:
            if hit[0] > end:
                break
            shown.append(self._lit(*(self._editor.document_place(units(text, place)) for place in hit[:2])))
        self._editor.show_layer(_LAYER, shown)

    def _place(self, text: str, place: int) -> int:
        """A place of the document, in the text."""
        return code_points(text, self._editor.text_place(place))

    def _lit(self, start: int, end: int) -> QTextEdit.ExtraSelection:
        made = QTextEdit.ExtraSelection()
        made.format.setBackground(self._editor.scheme.soft("warning", 0.35))
        cursor = QTextCursor(self._editor.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        made.cursor = cursor
        return made

    def _limit(self, inside: bool) -> None:
        cursor = self._editor.textCursor()
        self._range = QTextCursor(cursor) if inside and cursor.hasSelection() else None
        if inside and self._range is None:
            self._inside.setChecked(False)
            self._say("Select the lines to search in first.")
            return
        self._seek()

    def _build(self) -> None:
        self.words = search_box("Find in the program", "Find in the program")
        self.instead = search_box("Replace with", "Replace with")
        self._said = ForeignLabel()
        self._said.setWordWrap(False)
        self._case = self._tick("Aa", "Capital letters count")
        self._whole = self._tick("ab", "Whole words only")
        self._regex = self._tick(".*", "Regular expression")
        self._inside = self._tick("[ ]", "Only in the selection")
        first = QHBoxLayout()
        for tick in (self._case, self._whole, self._regex, self._inside):
            first.addWidget(tick)
        first.addWidget(self._said)
        for symbol, name, act in (
            ("chevron-up", "The place before (Shift+Enter)", self._back),
            ("chevron-down", "The next place (Enter)", self._on),
            ("x", "Close the search (Escape)", self.close_bar),
        ):
            button = tool_button(symbol, name, self._theme)
            button.clicked.connect(act)
            first.addWidget(button)
        self._second = QWidget()
        row = QHBoxLayout(self._second)
        row.setContentsMargins(0, 0, 0, 0)
        for words, act in (("Replace", self.replace_one), ("Replace all", self.replace_all)):
            plain = QPushButton(words)
            plain.clicked.connect(act)
            row.addWidget(plain)
        row.addStretch(1)
        grid = QGridLayout()
        grid.addWidget(self.words, 0, 0)
        grid.addLayout(first, 0, 1)
        grid.addWidget(self.instead, 1, 0)
        grid.addWidget(self._second, 1, 1)
        grid.setColumnStretch(0, 1)
        self.row.addLayout(grid, 1)
        self.words.textChanged.connect(self._pause.start)
        self.instead.textChanged.connect(self._pause.start)

    def _tick(self, sign: str, name: str) -> QToolButton:
        button = tool_button("", name, self._theme)
        button.setText(sign)
        button.setCheckable(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.toggled.connect(self._limit if sign == "[ ]" else self._ticked)
        return button

    def _ticked(self, _checked: bool) -> None:
        self._seek()

    def _on(self) -> None:
        self.go(1)

    def _back(self) -> None:
        self.go(-1)


def _replaced(text: str, hits: tuple[Hit, ...]) -> str:
    pieces, at = [], 0
    for start, end, instead in hits:
        pieces += [text[at:start], tamed(instead)]
        at = end
    return "".join([*pieces, text[at:]])
