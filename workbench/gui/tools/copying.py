"""Copies a call as Python, curl, JSON-RPC or a command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from workbench.gui.kit.icons import icon
from workbench.gui.shell.context import Context
from workbench.records import JsonObject
from workbench.records.common_types import count_of

_COPIES = (
    ("Copy as Python", "python"),
    ("Copy as JSON-RPC message", "json-rpc"),
    ("Copy as curl command, or as a pipe for stdio", "curl"),
    ("Copy as mcp-workbench command", "command"),
)


def copy_call(context: Context, form: str, server: str, tool: str, arguments: JsonObject) -> None:
    """Put a call into the clipboard: as `python`, `json-rpc`, `curl` or `command`."""

    def put_into_clipboard(text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        context.say(f"Copied {count_of(len(text), 'character')}.")

    api = context.api
    is_code = form == "python"
    coro = api.call_as_code(server, tool, arguments) if is_code else api.call_as_text(form, server, tool, arguments)
    context.tasks.run("copy a call", coro, put_into_clipboard)


def add_copy_actions(menu: QMenu, copy: Callable[[str], object]) -> None:
    """Add an entry for each form in which a call can be copied; `copy` gets the form."""
    for text, form in _COPIES:
        menu.addAction(icon("copy", "muted"), text, partial(copy, form))
