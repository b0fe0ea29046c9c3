"""A line for one argument that asks the server for proposals while one types; typing never waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct
from PySide6.QtCore import QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QFrame, QLineEdit, QListView, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.gui.kit.shrinkable_label import yielding
from workbench.gui.kit.text import ForeignLabel, has_hidden, one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.gui.shell.tasks import Tasks
from workbench.records import Completion

# Any: what a coroutine yields concerns the loop alone. Given is what was typed.
Propose: TypeAlias = Callable[[str], Coroutine[Any, Any, Completion]]

_PAUSE_MS = 150
_SHOWN = 12  # proposals one sees without scrolling


class ProposingLine(QLineEdit):
    """Down or Ctrl+Space asks for proposals too; a proposal with hidden characters is not offered."""

    def __init__(self, name: str, tasks: Tasks, propose: Propose | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._tasks = tasks
        self._propose = propose
        self._asked: asyncio.Future[Completion | None] | None = None
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        if propose is None:
            return
        self._model = QStringListModel(self)
        self._popup = QListView()
        self._popup.setAccessibleName(f"Proposals for {name}")
        completer = QCompleter(self._model, self)
        completer.setPopup(self._popup)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setMaxVisibleItems(_SHOWN)
        self.setCompleter(completer)
        self.textEdited.connect(self._edited)

    def proposals(self) -> tuple[str, ...]:
        """What is proposed now."""
        return tuple(self._model.stringList()) if self._propose is not None else ()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        wanted = event.key() == Qt.Key.Key_Down or (event.key() == Qt.Key.Key_Space and control)
        if wanted and self._propose is not None and not self._popup.isVisible():
            self._ask()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._forget()

    def _edited(self) -> None:
        self._forget()
        self._pause.start()

    def _forget(self) -> None:
        """An answer to what was typed before is of no use."""
        self._pause.stop()
        if self._asked is not None:
            self._asked.cancel()
            self._asked = None

    def _ask(self) -> None:
        if self._propose is not None:
            self._forget()
            self._asked = self._tasks.run("proposals", self._propose(self.text()), self._show)

    def _show(self, found: Completion) -> None:
        values = [value for value in found.values if not has_hidden(value) and "\n" not in value]
        self._model.setStringList(values)
        if not values or values == [self.text()] or not self.hasFocus():
            self._popup.hide()
        else:
            self.completer().complete()


# Any: what a coroutine yields concerns the loop alone. Given are the blank, what is typed, and what is filled already.
Ask: TypeAlias = Callable[[str, str, dict[str, str]], Coroutine[Any, Any, Completion]]


class Blank(Struct, frozen=True):
    """One blank."""

    name: str
    words: str = ""  # what the server says of it
    required: bool = False


class BlanksArea(QScrollArea):
    """As high as its form where there is room, scrolled where there is not: no server makes the window grow."""

    def __init__(self, form: Blanks, least: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._form = form
        self._least = least  # height it may be pressed down to
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setWidget(form)

    def sizeHint(self) -> QSize:
        return self._form.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self._form.sizeHint().height(), self._least))


class Blanks(QWidget):
    """`submitted` on Enter in the last line or Ctrl+Enter anywhere."""

    changed = Signal()
    submitted = Signal()

    def __init__(
        self, context: Context, blanks: Sequence[Blank], ask: Ask | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._blanks = tuple(blanks)
        self._ask = ask
        self._lines: dict[str, ProposingLine] = {}
        self._missing: dict[str, ForeignLabel] = {}
        unit = context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        column.setSpacing(unit)
        for blank in self._blanks:
            self._add(blank, context, column)
            column.addSpacing(unit)
        if self._lines:
            self.setFocusProxy(next(iter(self._lines.values())))

    def values(self) -> dict[str, str]:
        """What is filled; empty blanks are not in it."""
        return {name: line.text() for name, line in self._lines.items() if line.text()}

    def fill(self, values: dict[str, str]) -> None:
        for name, value in values.items():
            if name in self._lines:
                self._lines[name].setText(value)

    def complete(self) -> bool:
        """Whether all that is required is filled; what is missing is said, and gets the keyboard."""
        missing = [blank.name for blank in self._blanks if blank.required and not self._lines[blank.name].text()]
        for name, note in self._missing.items():
            note.setVisible(name in missing)
        if missing:
            self._lines[missing[0]].setFocus(Qt.FocusReason.OtherFocusReason)
        return not missing

    def line(self, name: str) -> ProposingLine:
        return self._lines[name]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.submitted.emit()
            return
        super().keyPressEvent(event)

    def _add(self, blank: Blank, context: Context, column: QVBoxLayout) -> None:
        words = f"{visible(blank.name)} (required)" if blank.required else blank.name
        title = ForeignLabel(words, elide=True)
        mark(title, role="section")
        column.addWidget(title)
        propose = partial(self._propose, blank.name) if self._ask is not None else None
        line = ProposingLine(one_line(blank.name), context.tasks, propose)
        line.textChanged.connect(self._edited)
        line.returnPressed.connect(self._entered)
        self._lines[blank.name] = line
        column.addWidget(line)
        if blank.words:
            about = yielding(blank.words)
            mark(about, role="muted")
            column.addWidget(about)
        note = self._missing[blank.name] = ForeignLabel("This is needed.")
        mark(note, role="error")
        note.hide()
        column.addWidget(note)

    async def _propose(self, name: str, typed: str) -> Completion:
        assert self._ask is not None
        others = {other: value for other, value in self.values().items() if other != name}
        return await self._ask(name, typed, others)

    def _edited(self) -> None:
        for name, note in self._missing.items():
            if self._lines[name].text():
                note.hide()
        self.changed.emit()

    def _entered(self) -> None:
        """Enter goes on to the next line, and from the last one sends."""
        lines = list(self._lines.values())
        following = next((at + 1 for at, line in enumerate(lines) if line is self.sender()), len(lines))
        if following < len(lines):
            lines[following].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.submitted.emit()
