"""Writes one part of an answer into a file that a person chooses: its text, or the bytes behind base64."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.whole import fetch_whole
from workbench.records import Content

_ENDINGS = {
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/html": ".html",
    "text/csv": ".csv",
    "application/json": ".json",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/svg+xml": ".svg",
}
_STRANGE = re.compile(r"[^\w. -]+")
_LONGEST = 80


class SavePart(QFileDialog):
    """`open()` it; `saved` carries the path."""

    saved = Signal(str)

    def __init__(self, context: Context, part: Content, parent: QWidget | None = None) -> None:
        super().__init__(parent, self.tr("Save the resource"))
        self._context = context
        self._part = part
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.selectFile(file_name(part))
        self.fileSelected.connect(self._chosen)

    def _chosen(self, path: str) -> None:
        self._context.tasks.run("save a resource", self._save(Path(path)), self.saved.emit)

    async def _save(self, path: Path) -> str:
        part = self._part
        text, data = await fetch_whole(self._context.fetch, (part.text, part.data))
        try:
            content = base64.b64decode(data) if data else text.encode("utf-8", "surrogatepass")
        except (binascii.Error, ValueError) as fault:
            raise WorkbenchError("The server sent no proper base64.", "Look at it raw.") from fault
        try:
            await asyncio.to_thread(path.write_bytes, content)
        except OSError as fault:
            raise WorkbenchError(f"{path} cannot be written: {fault.strerror}.", "Choose another place.") from fault
        return str(path)


def file_name(part: Content) -> str:
    """A name for a part that no server can lead out of the chosen folder, nor hide."""
    last = unquote(urlsplit(part.uri).path if "://" in part.uri else part.uri).rstrip("/").rsplit("/", 1)[-1]
    name = _STRANGE.sub("_", last).strip(" .")[:_LONGEST] or "resource"
    ending = _ENDINGS.get(part.mime.split(";")[0].strip().lower(), "")
    return name if "." in name or not ending else f"{name}{ending}"
