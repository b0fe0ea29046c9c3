"""The button below a form: save the call, or copy it in the words of another tool."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.icons import icon
from workbench.gui.roomy_button import RoomyButton
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.records import Outcome, PastCall, PastQuery, SavedCall, Tool

_RECENT = 8  # earlier calls in the menu


class CallMenu(RoomyButton):
    """Knows the tool; asks for the arguments and the last answer when they are needed."""

    save_wanted = Signal(object, object)
    """Carries a SavedCall and the last Outcome, or None."""
    recent_wanted = Signal(object)
    """Carries the arguments of an earlier call."""
    said = Signal(str)

    def __init__(
        self, context: Context, tool: Tool, arguments: Callable[[], dict[str, Any]], parent: QWidget | None = None
    ) -> None:
        """Any: JSON arguments."""
        super().__init__(context.theme, icon("bookmark", "muted"), "Save or copy", parent)
        self._context = context
        self._tool = tool
        self._arguments = arguments
        self.outcome: Outcome | None = None
        self.setToolTip("Save call, or copy as code")
        mark(self, kind="quiet")
        menu = QMenu(self)
        menu.addAction(icon("save", "muted"), "Save the call… (Ctrl+Shift+S)", self.save)
        self.recent = menu.addMenu(icon("history", "muted"), "Recent calls of this tool")
        menu.aboutToShow.connect(self._ask_recent)
        menu.addSeparator()
        for words, form in self.forms():
            menu.addAction(icon("copy", "muted"), words, partial(self.copy, form))
        self.setMenu(menu)

    def forms(self) -> tuple[tuple[str, str], ...]:
        return (
            ("Copy as Python", "python"),
            ("Copy as JSON-RPC message", "json-rpc"),
            ("Copy as curl, or a pipe for stdio", "curl"),
            ("Copy as mcp-workbench line", "command"),
        )

    def save(self) -> None:
        try:
            call = SavedCall("", "", self._tool.server, self._tool.name, self._arguments())
        except WorkbenchError as fault:
            self.said.emit(f"Not saved. {fault.message} {fault.hint}")
            return
        self.save_wanted.emit(call, self.outcome)

    def copy(self, form: str) -> None:
        api, tool = self._context.api, self._tool
        try:
            arguments = self._arguments()
        except WorkbenchError as fault:
            self.said.emit(f"Nothing was copied. {fault.message} {fault.hint}")
            return
        if form == "python":
            coro = api.call_as_code(tool.server, tool.name, arguments)
        else:
            coro = api.call_as_text(form, tool.server, tool.name, arguments)
        self._context.tasks.run("copy a call", coro, self._copied)

    def _ask_recent(self) -> None:
        query = PastQuery(server=self._tool.server, tool=self._tool.name, limit=_RECENT)
        self._context.tasks.run("recent calls", self._context.api.past_calls(query), self._show_recent)

    def _show_recent(self, calls: tuple[PastCall, ...]) -> None:
        self.recent.clear()
        self.recent.setEnabled(bool(calls))
        for call in calls:
            at = time.strftime("%d %b %H:%M", time.localtime(call.at))
            words = f"{at}   {one_line(call.arguments, 60)}".replace("&", "&&")
            symbol, tone = ("check", "success") if call.ok else ("alert", "danger")
            self.recent.addAction(icon(symbol, tone), words, partial(self._take, call))

    def _take(self, call: PastCall) -> None:
        """Its whole arguments: a list has them shortened."""
        self._context.tasks.run("read a call", self._context.api.past_call(call.id), self._taken)

    def _taken(self, call: PastCall) -> None:
        self.recent_wanted.emit(json.loads(call.arguments))

    def _copied(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.said.emit(f"Copied {len(text)} characters.")
