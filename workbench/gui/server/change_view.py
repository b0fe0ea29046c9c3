"""One changed definition to be read: what left is struck through, what came is underlined, places have their paths."""

from __future__ import annotations

import json
from collections.abc import Mapping

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QWidget

from workbench.gui.plain_edit import PlainEdit
from workbench.gui.server.differences import Piece, Spot, places_changed, words_changed
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark
from workbench.records import JsonValue

_TEXTS = ("title", "description")
_LONGEST = 200_000  # characters of one definition


class ChangeView(PlainEdit):
    """Marks say it in shape, colour only helps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._shown = ("", "")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(theme.unit * 3)
        self.setAccessibleName("What changed in the definition")
        mark(self, kind="code")
        theme.changed.connect(self._draw)

    def show_change(self, before: str, after: str) -> None:
        """Two definitions as JSON text; an empty one was not there, or is no more."""
        if self._shown != (before, after):
            self._shown = (before, after)
            self._draw()

    def _draw(self) -> None:
        self.setFont(self._theme.mono())
        self.clear()
        before, after = (_parsed(text) for text in self._shown)
        cursor = QTextCursor(self.document())
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            self._write_texts(cursor, before, after)
            self._write_places(cursor, places_changed(before, after, without=frozenset(_TEXTS)))
        else:
            whole = "\n".join(self._shown)[:_LONGEST].strip()
            self.insert_at(cursor, visible(whole), self._format("-" if self._shown[0] else "="))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _write_texts(
        self, cursor: QTextCursor, before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
    ) -> None:
        for name in _TEXTS:
            old, new = (str(one.get(name) or "")[:_LONGEST] for one in (before, after))
            if old != new:
                self._head(cursor, {"title": "Title", "description": "Description"}[name])
                for piece in words_changed(old, new):
                    self.insert_at(cursor, _spoken(piece), self._format(piece.kind))
                self.insert_at(cursor, "\n\n", self._format("="))

    def _write_places(self, cursor: QTextCursor, spots: tuple[Spot, ...]) -> None:
        if spots:
            self._head(cursor, "Schema and annotations")
        for spot in spots:
            self.insert_at(cursor, f"{visible(spot.path)}\n", self._format("path"))
            for sign, value in (("-", spot.before), ("+", spot.after)):
                if value:
                    self.insert_at(cursor, f"  {sign} ", self._format("="))
                    self.insert_at(cursor, f"{visible(value)}\n", self._format(sign))

    def _head(self, cursor: QTextCursor, words: str) -> None:
        self.insert_at(cursor, f"{words}\n", self._format("head"))

    def _format(self, kind: str) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setForeground(self._theme.colour("code_text"))
        if kind == "head":
            made.setFontWeight(QFont.Weight.DemiBold)
            made.setForeground(self._theme.colour("muted"))
        elif kind == "path":
            made.setForeground(self._theme.colour("code_key"))
        elif kind in "+-":
            tone = "success" if kind == "+" else "danger"
            made.setForeground(self._theme.colour(tone))
            made.setBackground(self._theme.soft(tone))
            made.setFontUnderline(kind == "+")
            made.setFontStrikeOut(kind == "-")
        return made


def _spoken(piece: Piece) -> str:
    return visible(piece.text)


def _parsed(text: str) -> JsonValue:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
