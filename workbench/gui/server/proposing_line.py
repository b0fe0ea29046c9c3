"""A line for one argument that asks the server for proposals while one types; typing never waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from PySide6.QtCore import QStringListModel, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QWidget

from workbench.gui.tasks import Tasks
from workbench.gui.text import has_hidden
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
