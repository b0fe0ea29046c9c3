"""Remembers where the window and its panes were. Looks only: everything else a person sets is a typed setting."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow

from workbench.paths import Paths

VERSION = 3
"""Raised when docks are added or renamed, so that an old state is not forced onto a new window."""


class Layout:
    """The layout file of one project."""

    def __init__(self, paths: Paths) -> None:
        self._file = str(paths.window)

    def restore(self, window: QMainWindow) -> bool:
        """Answers whether there was something to restore."""
        settings = self._open()
        geometry, state = settings.value("geometry"), settings.value("state")
        if not isinstance(geometry, QByteArray) or not isinstance(state, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(state, VERSION)

    def save(self, window: QMainWindow, *, output_in_front: bool = True) -> None:
        settings = self._open()
        settings.setValue("geometry", window.saveGeometry())
        settings.setValue("state", window.saveState(VERSION))
        settings.setValue("output", "front" if output_in_front else "behind")
        settings.sync()

    @property
    def output_in_front(self) -> bool:
        """Whether the output pane, which comes late and so is not in Qt's state, stood before its neighbours."""
        return self._open().value("output", "front") == "front"

    @property
    def welcome(self) -> bool:
        """Whether the welcome page is wanted at start."""
        return self._open().value("welcome", "yes") == "yes"

    @welcome.setter
    def welcome(self, wanted: bool) -> None:
        settings = self._open()
        settings.setValue("welcome", "yes" if wanted else "no")
        settings.sync()

    @property
    def runs_below(self) -> bool:
        """Whether the runs stand behind the panes below only because the window is narrow."""
        return self._open().value("runs", "beside") == "below"

    @runs_below.setter
    def runs_below(self, below: bool) -> None:
        settings = self._open()
        settings.setValue("runs", "below" if below else "beside")
        settings.sync()

    @property
    def found_seen(self) -> str:
        """Which servers of other apps a person does not want to be told of again."""
        return str(self._open().value("found", ""))

    @found_seen.setter
    def found_seen(self, mark: str) -> None:
        settings = self._open()
        settings.setValue("found", mark)
        settings.sync()

    @property
    def audit_filters(self) -> tuple[str, ...]:
        """Filters of the audit that a person kept."""
        kept = str(self._open().value("audit", ""))
        return tuple(filter(None, kept.split("\n")))

    @audit_filters.setter
    def audit_filters(self, kept: tuple[str, ...]) -> None:
        settings = self._open()
        settings.setValue("audit", "\n".join(kept))
        settings.sync()

    def _open(self) -> QSettings:
        return QSettings(self._file, QSettings.Format.IniFormat)
