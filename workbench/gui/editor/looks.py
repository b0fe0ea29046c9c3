"""How all programs of a window look: how large, and in which colours; kept beside the drafts, one small file."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.gui.editor.schemes import OWN, Scheme, scheme_named
from workbench.gui.theme import Theme

SMALLEST, LARGEST = -4, 20  # points away from the window's size


class Looks(QObject):
    """One for all tabs; `changed` tells them."""

    changed = Signal()

    def __init__(self, theme: Theme, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._file = file
        self.steps = 0
        self._schemes = {"light": OWN, "dark": OWN}
        self._read()

    def zoom(self, by: int) -> int:
        """So many points larger or smaller; 0 is the window's size again. Answers how far away from that it is."""
        wanted = 0 if by == 0 else max(SMALLEST, min(self.steps + by, LARGEST))
        if wanted != self.steps:
            self.steps = wanted
            self._tell()
        return wanted

    @property
    def scheme_name(self) -> str:
        """The chosen scheme for the window's brightness of now."""
        return self._schemes[self._side]

    def choose(self, name: str) -> None:
        """Take a scheme for this brightness; the other one keeps its own."""
        if name != self.scheme_name:
            self._schemes[self._side] = name
            self._tell()

    def scheme(self) -> Scheme:
        return scheme_named(self.scheme_name, self._theme.colours)

    @property
    def _side(self) -> str:
        return "dark" if self._theme.dark else "light"

    def _tell(self) -> None:
        with contextlib.suppress(WorkbenchError):  # looks that cannot be kept are looks of this window
            write_file(self._file, json.dumps({"steps": self.steps, **self._schemes}), durable=False)
        self.changed.emit()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            told = json.loads(self._file.read_text(encoding="utf-8"))
            self.steps = max(SMALLEST, min(int(told.get("steps", 0)), LARGEST))
            for side in self._schemes:
                self._schemes[side] = str(told.get(side, OWN))
