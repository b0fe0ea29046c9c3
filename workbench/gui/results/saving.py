"""Saves a result or a part of it as a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.dialogs import ask_target
from workbench.gui.results.contents import bytes_of, ending_of
from workbench.gui.shell.context import Context
from workbench.records import Content


def ask_and_save(context: Context, owner: QWidget, name: str, data: bytes) -> QFileDialog:
    """Ask for the file name, without blocking the window, and write the file."""
    return ask_target(owner, "Save", name, lambda path: context.tasks.run("save a result", _write(path, data)))


def file_of(block: Content, stem: str) -> tuple[str, bytes]:
    """The file name and content for a part of a result."""
    if block.data:
        data = bytes_of(block)
        return stem + ending_of(block.mime), data if data is not None else block.data.encode("ascii", "replace")
    return stem + (ending_of(block.mime) if block.mime else ".txt"), block.text.encode("utf-8", "surrogatepass")


async def _write(path: str, data: bytes) -> None:
    try:
        await asyncio.to_thread(Path(path).write_bytes, data)
    except OSError as fault:
        raise WorkbenchError(f"{Path(path).name} was not saved: {fault.strerror}.", "Choose another place.") from fault
