"""What every pane is given, and the base class of panes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from workbench.api.client_stub import CoreApi
from workbench.errors import WorkbenchError
from workbench.gui.kit.dialogs import Question, ask_target
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.navigation import Request
from workbench.gui.shell.store import Store
from workbench.gui.shell.tasks import Tasks
from workbench.paths import Paths

Fetch: TypeAlias = Callable[[str, int, int], Awaitable[str]]
"""Reads a slice of a large value: handle, offset, length."""


class Message(Struct, frozen=True):
    """A short text for the status bar."""

    text: str
    undo: str = ""  # the id of an action that takes it back, offered beside the text for a while
    show: Request | None = None  # opens what the text is about, offered in the same way


class Messages(QObject):
    """Carries messages and navigation requests from anywhere in the window to the window itself."""

    said = Signal(object)
    """Carries a Message."""
    requested = Signal(object)
    """Carries a record of `shell/navigation.py`."""


class Context(Struct, frozen=True, weakref=True):
    """One per window; `api` stays the same object when the core is restarted under it."""

    api: CoreApi
    tasks: Tasks
    theme: Theme
    paths: Paths
    fetch: Fetch
    store: Store
    commands: Commands
    messages: Messages

    def say(self, text: str, undo: str = "", show: Request | None = None) -> None:
        """Show a text in the status bar, with a button "Undo" for the action of this id or "Show" for a request."""
        self.messages.said.emit(Message(text, undo, show))

    def go(self, request: Request) -> None:
        """Ask the window to show or do something that belongs to another room."""
        self.messages.requested.emit(request)

    async def ask(
        self,
        title: str,
        sentence: str,
        yes: str,
        *,
        danger: bool = False,
        text: str = "",
        parent: QWidget | None = None,
    ) -> bool:
        """Ask a question with two answers and wait; `text` is shown in full, `yes` is the button's text."""
        question = Question(self.theme, title, sentence, parent or QApplication.activeWindow())
        if text:
            question.show_text(text, title)
        return await question.ask(yes, danger=danger, settles=bool(text))

    def save_file(self, owner: QWidget, name: str, data: bytes) -> QFileDialog:
        """Ask for the file name, without blocking the window, and write the file."""
        return ask_target(
            owner, "Save", name, lambda path: self.tasks.run("save a file", self._write(Path(path), data))
        )

    async def _write(self, path: Path, data: bytes) -> None:
        try:
            await asyncio.to_thread(path.write_bytes, data)
        except OSError as fault:
            raise WorkbenchError(f"{path.name} was not saved: {fault.strerror}.", "Choose another place.") from fault
        self.say(f"Saved as {path.name}.")


class Pane(QWidget):
    """A part of the window. It never touches a pane of another room: it calls `context.go`."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
