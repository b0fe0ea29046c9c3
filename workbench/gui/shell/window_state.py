"""Remembers the layout of the window, and what was open and typed in it, across restarts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from PySide6.QtCore import QByteArray, QObject, QSettings, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.gui.kit.json_text import dump, parse
from workbench.paths import Paths
from workbench.records import JsonObject

VERSION = 4
"""Raised when docks are renamed. A new dock needs no new version: `Layout.docks` tells which docks a state contains."""
_DOCKS = "dock.servers dock.skills dock.calls dock.files dock.runs dock.audit dock.output"
"""The docks of a layout file that does not list them."""


class _Text:
    """An attribute of `Layout`: a text of the layout file."""

    def __init__(self, key: str, default: str = "") -> None:
        self._key = key
        self._default = default

    def __get__(self, layout: Layout, _owner: object = None) -> str:
        return str(layout.open().value(self._key, self._default))

    def __set__(self, layout: Layout, text: str) -> None:
        settings = layout.open()
        settings.setValue(self._key, text)
        settings.sync()


class _Flag:
    """An attribute of `Layout` that is one of two texts in the file, because INI files have no truth values."""

    def __init__(self, key: str, true: str = "yes", false: str = "no", *, default: bool = False) -> None:
        self._true = true
        self._false = false
        self._text = _Text(key, true if default else false)

    def __get__(self, layout: Layout, owner: object = None) -> bool:
        return self._text.__get__(layout, owner) == self._true

    def __set__(self, layout: Layout, value: bool) -> None:
        self._text.__set__(layout, self._true if value else self._false)


class Layout:
    """The layout file of one project."""

    welcome = _Flag("welcome", default=True)
    """Whether the welcome page is shown at start."""
    runs_below = _Flag("runs", "below", "beside")
    """Whether the runs are among the panes below only because the window is narrow."""
    runs_introduced = _Flag("introduced")
    """Whether the panes about runs have been shown, which the first run does."""
    found_seen = _Text("found")
    """A digest of the servers of other clients about which the user does not want to be told again."""
    _audit = _Text("audit")

    def __init__(self, paths: Paths) -> None:
        self._file = str(paths.window)

    @property
    def docks(self) -> list[str]:
        """The object names of the docks that the stored state contains."""
        return str(self.open().value("docks", _DOCKS)).split()

    @property
    def audit_filters(self) -> tuple[str, ...]:
        """Filters of the audit that the user saved."""
        return tuple(filter(None, self._audit.split("\n")))

    @audit_filters.setter
    def audit_filters(self, filters: tuple[str, ...]) -> None:
        self._audit = "\n".join(filters)

    def restore(self, window: QMainWindow) -> bool:
        """Return whether there was something to restore."""
        geometry, state = self.open().value("geometry"), self.open().value("state")
        if not isinstance(geometry, QByteArray) or not isinstance(state, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(state, VERSION)

    def save(self, window: QMainWindow) -> None:
        settings = self.open()
        settings.setValue("geometry", window.saveGeometry())
        settings.setValue("state", window.saveState(VERSION))
        settings.setValue("docks", " ".join(dock.objectName() for dock in window.findChildren(QDockWidget)))
        settings.sync()

    def open(self) -> QSettings:
        return QSettings(self._file, QSettings.Format.IniFormat)


Key: TypeAlias = tuple[str, str]
"""A server and the name of a tool."""


class OpenPages(NamedTuple):
    """The pages that have a tab in the centre, in their order, and which of them is in front."""

    pages: tuple[tuple[str, str, str], ...] = ()
    """For each its name, what it shows (a server, skill or file), and which of its own pages."""
    front: str = ""


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
        self.pages = OpenPages()
        self._find_pages: Callable[[], OpenPages] | None = None
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

    def note_pages(self, find: Callable[[], OpenPages]) -> None:
        """The pages of the centre changed; `find` is asked when they are written, also when the window closes."""
        self._find_pages = find
        self._start()

    def write(self) -> None:
        """Put what changed on disk now."""
        if self._pause.isActive() or self._find_pages is not None:
            self._pause.stop()
            self._write()

    def _write(self) -> None:
        for key, draft in self._changed.items():
            self._forms.pop(key, None)
            if (text := _serialize(draft())) is not None:
                self._forms[key] = text
        self._changed.clear()
        while sum(map(len, self._forms.values())) > _MOST:
            self._forms.pop(next(iter(self._forms)))
        forms = [[*key, text] for key, text in self._forms.items()]
        tabs = [list(key) for key in self.tabs]
        session: dict[str, object] = {
            "open": list(self.open),
            "tabs": tabs,
            "expanded": list(self.expanded),
            "forms": forms,
        }
        if self._find_pages is not None:
            self.pages = self._find_pages()
        session["pages"], session["front"] = self.pages
        with contextlib.suppress(WorkbenchError):  # a disk that is full must not stop the window
            write_file(self._file, json.dumps(session), durable=False)

    def _start(self) -> None:
        if not self._pause.isActive():  # what is typed without a pause is written, too
            self._pause.start()

    def _read(self) -> None:
        session: dict[str, Any] = json.loads(read_plain(self._file, largest=_LARGEST))
        self.expanded = tuple(str(name) for name in session.get("expanded", ()))[:_MOST_NAMES]
        server, tool = session.get("open", ("", ""))
        self.open = (str(server), str(tool))
        tabs = session.get("tabs", [self.open] if tool else ())  # a file of an earlier version has no tabs
        self.tabs = tuple((str(server), str(tool)) for server, tool in tabs)[:_MOST_NAMES]
        for server, tool, text in session.get("forms", ()):
            if isinstance(parse(str(text)), Mapping):
                self._forms[(str(server), str(tool))] = str(text)
        pages = tuple((str(name), str(item), str(inner)) for name, item, inner in session.get("pages", ()))
        self.pages = OpenPages(pages[:_MOST_NAMES], str(session.get("front", "")))


def _serialize(draft: JsonObject | None) -> str | None:
    """The draft as text that keeps how its numbers are spelled; None for one that is too long."""
    if draft is None or len(json.dumps(draft)) > LONGEST:
        return None
    return dump(draft, indent=None)
