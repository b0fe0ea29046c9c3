"""Base class of the pages of a result, the find bar, and a search in JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.gui.kit.lists import Strip, search_box, tool_button
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.records import JsonValue

Place: TypeAlias = tuple[int, ...]
"""The path to a value as row numbers from the root."""

_MOST = 10_000  # places told
_LOOKED_AT = 2_000_000  # values looked at


def find_places(value: JsonValue, words: str) -> list[Place]:
    """The places that contain the text, from top to bottom. Without recursion, so that depth does not matter."""
    needle = words.casefold()
    found: list[Place] = []
    stack: list[tuple[Place, str, JsonValue]] = [((), "", value)]
    left = _LOOKED_AT
    while stack and left > 0 and len(found) < _MOST:
        place, name, part = stack.pop()
        left -= 1
        if place and (needle in name.casefold() or needle in _scalar_text(part)):
            found.append(place)
        stack.extend((((*place, row), inner, item) for row, inner, item in _parts(part)))
    return found


def _parts(value: JsonValue) -> Iterable[tuple[int, str, JsonValue]]:
    """The parts in reverse order, because a stack reverses them again."""
    if isinstance(value, Mapping):
        rows = list(enumerate(value.items()))
        return ((row, name, item) for row, (name, item) in reversed(rows))
    if isinstance(value, list):
        return ((row, "", value[row]) for row in range(len(value) - 1, -1, -1))
    return ()


def _scalar_text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value.casefold()
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int | float) else ""


class FindBar(Strip):
    """The search field above a result; hidden until `open_bar`."""

    wanted = Signal(str, int)
    """Carries the text and the direction: 1 or -1."""
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.box = search_box("Find in the result", "Find in the result")
        self._words = ForeignLabel()
        self._words.setWordWrap(False)
        mark(self._words, role="muted")
        self.row.addWidget(self.box, 1)
        self.row.addWidget(self._words)
        for symbol, words, step in (
            ("chevron-up", "Previous match (Shift+Enter)", -1),
            ("chevron-down", "Next match (Enter)", 1),
        ):
            button = tool_button(symbol, words, theme)
            button.clicked.connect(self._back if step < 0 else self._on)
            self.row.addWidget(button)
        close = tool_button("x", "Close (Escape)", theme)
        close.clicked.connect(self.close_bar)
        self.row.addWidget(close)
        self._pause = QTimer(self, singleShot=True, interval=150)
        self._pause.timeout.connect(self._on)
        self.box.textChanged.connect(self._pause.start)
        self.hide()

    def open_bar(self) -> None:
        self.show()
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def close_bar(self) -> None:
        self._pause.stop()
        self.hide()
        self.closed.emit()

    def say(self, words: str) -> None:
        self._words.setText(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            (self._back if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else self._on)()
        else:
            super().keyPressEvent(event)

    def _on(self) -> None:
        self._pause.stop()
        self.wanted.emit(self.box.text(), 1)

    def _back(self) -> None:
        self._pause.stop()
        self.wanted.emit(self.box.text(), -1)


_LOW = 9  # lines of text; below this height the content matters more than its buttons


class Page(QWidget):
    """One view of a result."""

    strip: QWidget | None = None
    """The row of buttons that is hidden where the page is low."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.strip is not None:
            self.strip.setVisible(self.height() >= self.fontMetrics().lineSpacing() * _LOW)

    def seek(self, words: str, step: int) -> str:
        """Go to the next match (`step` 1) or the previous one (-1); returns a message for the user."""
        return "This view cannot be searched. Use Tree or JSON."
