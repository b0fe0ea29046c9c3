"""The form for arguments of prompts and resource templates, with suggestions of the server (MCP completion)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct
from PySide6.QtCore import QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.gui.kit.layouts import column, scroll_area
from workbench.gui.kit.text import ForeignLabel, has_hidden, one_line, visible, wrapping_label
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.gui.shell.tasks import Tasks
from workbench.records import Completion

# Any: asyncio's own. The argument is what was typed.
Suggest: TypeAlias = Callable[[str], Coroutine[Any, Any, Completion]]

_PAUSE_MS = 150
_SHOWN = 12  # suggestions visible without scrolling


class SuggestingLine(QLineEdit):
    """Requests suggestions while the user types, and by Down or Ctrl+Space. Typing never waits for them.

    Suggestions with hidden characters are left out.
    """

    def __init__(self, name: str, tasks: Tasks, suggest: Suggest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._tasks = tasks
        self._suggest = suggest
        self._request: asyncio.Future[Completion | None] | None = None
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._request_suggestions)
        self._model = QStringListModel(self)
        self._popup = QListView()
        self._popup.setAccessibleName(f"Suggestions for {name}")
        completer = QCompleter(self._model, self)
        completer.setPopup(self._popup)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setMaxVisibleItems(_SHOWN)
        self.setCompleter(completer)
        self.textEdited.connect(self._edited)

    def suggestions(self) -> tuple[str, ...]:
        return tuple(self._model.stringList())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        asked = event.key() == Qt.Key.Key_Down or (event.key() == Qt.Key.Key_Space and control)
        if asked and not self._popup.isVisible():
            self._request_suggestions()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._cancel()

    def _edited(self) -> None:
        self._cancel()
        self._pause.start()

    def _cancel(self) -> None:
        """Drop the request for an earlier text."""
        self._pause.stop()
        if self._request is not None:
            self._request.cancel()
            self._request = None

    def _request_suggestions(self) -> None:
        self._cancel()
        self._request = self._tasks.run("read suggestions", self._suggest(self.text()), self._show)

    def _show(self, completion: Completion) -> None:
        values = [value for value in completion.values if not has_hidden(value) and "\n" not in value]
        self._model.setStringList(values)
        if not values or values == [self.text()] or not self.hasFocus():
            self._popup.hide()
        else:
            self.completer().complete()


# Any: asyncio's own. The arguments are a name, what was typed, and the values of the other fields.
Complete: TypeAlias = Callable[[str, str, dict[str, str]], Coroutine[Any, Any, Completion]]


class ArgumentField(Struct, frozen=True):
    """An argument of a prompt or template to fill in."""

    name: str
    description: str = ""
    required: bool = False


class ArgumentsForm(QScrollArea):
    """One line for each argument. Enter in the last line and Ctrl+Enter anywhere emit `submitted`.

    Shown in full height if there is room, else it scrolls: no server can make the window grow.
    """

    changed = Signal()
    submitted = Signal()

    def __init__(self, context: Context, fields: Sequence[ArgumentField], complete: Complete) -> None:
        super().__init__()
        self.fields = tuple(fields)
        self._context = context
        self._complete = complete
        self._lines: dict[str, SuggestingLine] = {}
        self._missing: dict[str, ForeignLabel] = {}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._page = QWidget()
        unit = context.theme.unit
        lines = map(self._make, self.fields)
        column(self._page, *lines, margins=(unit * 3, unit * 2, unit * 3, unit * 2), spacing=unit * 2)
        scroll_area(self._page, self)
        if self._lines:
            self.setFocusProxy(next(iter(self._lines.values())))
        else:
            self.hide()

    def sizeHint(self) -> QSize:
        return self._page.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), self._context.theme.unit * 24))

    def values(self) -> dict[str, str]:
        """The values by name, without empty ones."""
        return {name: line.text() for name, line in self._lines.items() if line.text()}

    def fill(self, values: dict[str, str]) -> None:
        for name, value in values.items():
            if name in self._lines:
                self._lines[name].setText(value)

    def validate(self) -> bool:
        """Whether all required fields have a value; else mark those without, and focus the first one."""
        missing = [field.name for field in self.fields if field.required and not self._lines[field.name].text()]
        for name, note in self._missing.items():
            note.setVisible(name in missing)
        if missing:
            self._lines[missing[0]].setFocus(Qt.FocusReason.OtherFocusReason)
        return not missing

    def line(self, name: str) -> SuggestingLine:
        return self._lines[name]

    def is_marked(self, name: str) -> bool:
        """Whether the field is marked as missing."""
        return not self._missing[name].isHidden()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.submitted.emit()
            return
        super().keyPressEvent(event)

    def _make(self, field: ArgumentField) -> QVBoxLayout:
        name = f"{visible(field.name)} (required)" if field.required else field.name
        title = ForeignLabel(name, elide=True, role="section")
        line = SuggestingLine(one_line(field.name), self._context.tasks, partial(self._suggest, field.name))
        line.textChanged.connect(self._edited)
        line.returnPressed.connect(partial(self._go_on, len(self._lines)))
        description = wrapping_label(field.description)
        if not field.description:
            description.hide()
        mark(description, role="muted")
        note = ForeignLabel("This argument is required.", role="error")
        note.hide()
        self._lines[field.name] = line
        self._missing[field.name] = note
        return column(None, title, line, description, note, spacing=self._context.theme.unit)

    async def _suggest(self, name: str, typed: str) -> Completion:
        others = {other: value for other, value in self.values().items() if other != name}
        return await self._complete(name, typed, others)

    def _edited(self) -> None:
        for name, note in self._missing.items():
            if self._lines[name].text():
                note.hide()
        self.changed.emit()

    def _go_on(self, number: int) -> None:
        """Enter moves to the next line, and from the last one submits."""
        lines = list(self._lines.values())
        if number + 1 < len(lines):
            lines[number + 1].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.submitted.emit()
