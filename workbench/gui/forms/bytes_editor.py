"""Base64: a file is loaded into it; what is long is told by its size and not laid out letter by letter."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.check import PathFault
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.hint import hint_of
from workbench.gui.icons import icon
from workbench.gui.text import ForeignLabel, has_hidden, visible
from workbench.gui.whole import size_words
from workbench.records import JsonValue

_SHOWN = 400  # characters that are still shown as text
_LARGEST = 20_000_000  # bytes of a file; a call's arguments travel in one frame


class BytesEditor(Editor):
    """Keeps the text exactly; a file's content becomes the text."""

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._text = ""
        self._file = ""
        self._refused = ""
        self._line = QLineEdit(self)
        self._line.setMaxLength(_SHOWN)
        self._line.setAccessibleName(brief.name)
        self._line.setPlaceholderText(hint_of(brief.shape) or "base64, or load a file")
        self._size = ForeignLabel(elide=True)
        load = QPushButton(icon("file", "muted"), "Load a file…", self)
        load.setAccessibleName(f"Load a file into {visible(brief.name)}")
        load.clicked.connect(self._pick)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(brief.theme.unit * 2)
        row.addWidget(self._line, 1)
        row.addWidget(self._size, 1)
        row.addWidget(load)
        self._load = load
        self._line.textEdited.connect(self._typed)
        self._draw()

    def read(self) -> JsonValue:
        return self._text

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, str) or (len(value) <= _SHOWN and (has_hidden(value) or "\n" in value)):
            return False
        self._text, self._file, self._refused = value, "", ""
        self._draw()
        return True

    def clear(self) -> None:
        self.write("")

    def own_faults(self) -> tuple[PathFault, ...]:
        return (((), self._refused),) if self._refused else ()

    def load(self, path: str) -> None:
        """Take the content of a file."""
        self._refused = ""
        try:
            if Path(path).stat().st_size > _LARGEST:
                self._refused = f"takes files up to {size_words(_LARGEST)} only."
            else:
                self._text = base64.b64encode(Path(path).read_bytes()).decode("ascii")
                self._file = Path(path).name
        except OSError as fault:
            self._refused = f"was not loaded: {fault.strerror}."
        self._draw()
        self.changed.emit()

    def _pick(self) -> None:
        dialog = QFileDialog(self, self._load.accessibleName())
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.load)
        dialog.open()

    def _typed(self, text: str) -> None:
        self._text, self._file, self._refused = text, "", ""
        self.changed.emit()

    def _draw(self) -> None:
        long = len(self._text) > _SHOWN or bool(self._file)
        self._line.setVisible(not long)
        self._size.setVisible(long)
        self.setFocusProxy(self._load if long else self._line)
        if long:
            self._size.setText(" · ".join(part for part in (self._file, self._weight()) if part))
        elif self._line.text() != self._text:
            self._line.setText(self._text)

    def _weight(self) -> str:
        try:
            size = len(base64.b64decode(self._text, validate=True))
        except (binascii.Error, ValueError):
            return f"{len(self._text):,} characters that are not base64"
        return f"{size_words(size)}, as {len(self._text):,} characters of base64"
