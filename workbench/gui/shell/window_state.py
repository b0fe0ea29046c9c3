"""Remembers the layout of the window, and what was open and typed in it, across restarts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from PySide6.QtCore import QByteArray, QObject, QSettings, QTimer
from PySide6.QtWidgets import QMainWindow

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.gui.kit.json_text import dump, parse
from workbench.paths import Paths
from workbench.records import JsonObject

VERSION = 4
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
    def runs_introduced(self) -> bool:
        """Whether the panes about runs have been shown, which the first run does."""
        return self._open().value("introduced", "no") == "yes"

    @runs_introduced.setter
    def runs_introduced(self, introduced: bool) -> None:
        settings = self._open()
        settings.setValue("introduced", "yes" if introduced else "no")
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


Key: TypeAlias = tuple[str, str]
"""A server and the name of a tool."""

_PAUSE_MS = 400  # after a change until it is on disk: what a crash can take
LONGEST: Final = 1_000_000  # characters of one form that are kept
_MOST = 4_000_000  # of all of them; the ones that were changed last stay
_LARGEST = 16 << 20  # bytes of the file that are read
_MOST_NAMES = 500  # expanded servers


class WindowSession(QObject):
    """Written a moment after each change, and when the window closes."""

    def __init__(self, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self._forms: dict[Key, str] = {}  # drafts as JSON, the one that was changed last is the last
        self.open: Key = ("", "")
        self.tabs: tuple[Key, ...] = ()  # the tools that are open, in their order
        self.expanded: tuple[str, ...] = ()
        self._changed: dict[Key, Callable[[], JsonObject | None]] = {}
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._write)
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._read()

    def forms(self) -> dict[Key, JsonObject]:
        """The drafts of `SchemaForm` that were kept."""
        return {key: parse(text) for key, text in self._forms.items()}

    def note_form(self, server: str, tool: str, draft: Callable[[], JsonObject | None]) -> None:
        """A form changed; `draft` is asked when it is written, and answers None for what must not be kept."""
        self._changed[(server, tool)] = draft
        self._start()

    def note_open(self, server: str, tool: str) -> None:
        if self.open != (server, tool):
            self.open = (server, tool)
            self._start()

    def note_tabs(self, tools: Iterable[Key]) -> None:
        tabs = tuple(tools)[:_MOST_NAMES]
        if self.tabs != tabs:
            self.tabs = tabs
            self._start()

    def note_expanded(self, names: Iterable[str]) -> None:
        found = tuple(sorted(names))[:_MOST_NAMES]
        if self.expanded != found:
            self.expanded = found
            self._start()

    def write(self) -> None:
        """Put what changed on disk now."""
        if self._pause.isActive():
            self._pause.stop()
            self._write()

    def _write(self) -> None:
        for key, draft in self._changed.items():
            self._forms.pop(key, None)
            if (text := _written(draft())) is not None:
                self._forms[key] = text
        self._changed.clear()
        while sum(map(len, self._forms.values())) > _MOST:
            self._forms.pop(next(iter(self._forms)))
        forms = [[*key, text] for key, text in self._forms.items()]
        tabs = [list(key) for key in self.tabs]
        told = {"open": list(self.open), "tabs": tabs, "expanded": list(self.expanded), "forms": forms}
        with contextlib.suppress(WorkbenchError):  # a disk that is full must not stop the window
            write_file(self._file, json.dumps(told), durable=False)

    def _start(self) -> None:
        if not self._pause.isActive():  # one who types on and on is written, too
            self._pause.start()

    def _read(self) -> None:
        told: dict[str, Any] = json.loads(read_plain(self._file, largest=_LARGEST))
        self.expanded = tuple(str(name) for name in told.get("expanded", ()))[:_MOST_NAMES]
        server, tool = told.get("open", ("", ""))
        self.open = (str(server), str(tool))
        tabs = told.get("tabs", [self.open] if tool else ())  # a file of an earlier version has no tabs
        self.tabs = tuple((str(server), str(tool)) for server, tool in tabs)[:_MOST_NAMES]
        for server, tool, text in told.get("forms", ()):
            if isinstance(parse(str(text)), Mapping):
                self._forms[(str(server), str(tool))] = str(text)


def _written(draft: JsonObject | None) -> str | None:
    """The draft as text that keeps how its numbers are spelled; None for one that is too long."""
    if draft is None or len(json.dumps(draft)) > LONGEST:
        return None
    return dump(draft, indent=None)
