"""Colours JSON in a text box. Only the lines on screen are read, so the size of the text does not matter."""

from __future__ import annotations

import re

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from workbench.gui.kit.plain_edit import units
from workbench.gui.kit.theme import Theme

_LONGEST = 2_000  # characters; a longer line stays plain, because each key would lay all of it out again
_MOST = 1_500  # pieces that are coloured
_TOKEN = re.compile(
    r'(?P<code_key>"(?:[^"\\\n]|\\.){0,2000}"(?=\s{0,9}:))|(?P<code_string>"(?:[^"\\\n]|\\.){0,2000}"?)'
    r"|(?P<code_number>-?\d[\d.eE+-]{0,400})|(?P<code_keyword>\b(?:true|false|null)\b)"
)


class JsonColours(QObject):
    """Lays colours over the text, so that neither its content nor its undo history changes."""

    def __init__(self, edit: QPlainTextEdit, theme: Theme) -> None:
        super().__init__(edit)
        self._edit = edit
        self._theme = theme
        self._enabled = True
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._colour)
        edit.updateRequest.connect(self._visible_changed)
        edit.textChanged.connect(self._soon.start)
        theme.changed.connect(self._soon.start)
        self._coloured = (-1, -1)  # first block on screen and height, when colours were laid on

    def enable(self, enabled: bool) -> None:
        """Whether the text is JSON."""
        self._enabled = enabled
        self._soon.start()

    def _visible_changed(self) -> None:
        if self._first_block() != self._coloured:
            self._soon.start()

    def _first_block(self) -> tuple[int, int]:
        return self._edit.firstVisibleBlock().blockNumber(), self._edit.viewport().height()

    def _colour(self) -> None:
        self._coloured = self._first_block()
        selections: list[QTextEdit.ExtraSelection] = []
        block, bottom = self._edit.firstVisibleBlock(), self._edit.viewport().height()
        while self._enabled and block.isValid() and len(selections) < _MOST:
            if self._edit.blockBoundingGeometry(block).translated(self._edit.contentOffset()).top() > bottom:
                break
            text = block.text() if block.length() <= _LONGEST else ""
            for match in _TOKEN.finditer(text):
                selection = QTextEdit.ExtraSelection()
                selection.cursor = QTextCursor(block)
                selection.cursor.setPosition(block.position() + units(text, match.start()))
                end = block.position() + units(text, match.end())
                selection.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                selection.format.setForeground(self._theme.colour(match.lastgroup or "text"))
                selections.append(selection)
            block = block.next()
        self._edit.setExtraSelections(selections)
