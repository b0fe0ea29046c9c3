"""What a server would send to a model, word for word: foreign text, and shown as that."""

from __future__ import annotations

import json
from collections.abc import Iterator

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark
from workbench.gui.whole import size_words
from workbench.records import JsonObject, JsonValue

_LONGEST = 200_000  # characters shown; the rest is counted


class Transcript(PlainEdit):
    """Read only; headings are ours, everything below them is the server's."""

    def __init__(self, theme: Theme, request: JsonObject, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("What the server wants a model to read")
        mark(self, kind="code")
        self._left = _LONGEST
        for heading, text in parts(request):
            self._write(heading, text)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _write(self, heading: str, text: str) -> None:
        if self._left <= 0:
            return
        shown = text if len(text) <= self._left else f"{text[: self._left]}… ({len(text) - self._left:,} more)"
        self._left -= len(shown)
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        loud = QTextCharFormat()
        loud.setFontWeight(QFont.Weight.Bold)
        loud.setForeground(self._theme.colour("accent"))
        between = "\n\n" if self.document().characterCount() > 1 else ""
        self.insert_at(cursor, f"{between}{visible(heading)}\n", loud)
        self.insert_at(cursor, visible(shown))


def parts(request: JsonObject) -> Iterator[tuple[str, str]]:
    """Heading and text of everything in it, in the order in which a model would read it."""
    if isinstance(system := request.get("systemPrompt"), str) and system:
        yield "System prompt", system
    for message in request.get("messages", []):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        yield str(message.get("role", "?"))[:40], "\n".join(_block(block) for block in blocks)
    for tool in request.get("tools") or []:
        yield f"Tool {str(tool.get('name'))[:100]}", str(tool.get("description") or "It has no description.")


def facts(request: JsonObject) -> str:
    """Length, temperature and wishes about the model in one line."""
    wishes = request.get("modelPreferences") or {}
    wishes = wishes if isinstance(wishes, dict) else {}
    hints = [str(hint.get("name")) for hint in wishes.get("hints") or [] if isinstance(hint, dict)]
    figures = {key.removesuffix("Priority"): wishes[key] for key in wishes if key.endswith("Priority")}
    choice = request.get("toolChoice") or {}
    told = (
        f"at most {request.get('maxTokens', '?')} tokens",
        f"temperature {request['temperature']}" if "temperature" in request else "",
        f"stops at {json.dumps(request['stopSequences'], ensure_ascii=False)}" if request.get("stopSequences") else "",
        f"would like {', '.join(hints)}" if hints else "",
        ", ".join(f"{name} {figure}" for name, figure in figures.items()),
        f"tools: {choice.get('mode', 'auto')}" if request.get("tools") and isinstance(choice, dict) else "",
        f"context: {request['includeContext']}" if request.get("includeContext") else "",
    )
    return " · ".join(part for part in told if part)


def _block(block: JsonValue) -> str:
    if not isinstance(block, dict):
        return json.dumps(block, ensure_ascii=False)
    match block.get("type"):
        case "text":
            return str(block.get("text", ""))
        case "image" | "audio" as kind:
            size = size_words(len(str(block.get("data", ""))) * 3 / 4)
            return f"[{kind} {str(block.get('mimeType', ''))[:60]}, {size}]"
    return json.dumps(block, ensure_ascii=False, indent=2)
