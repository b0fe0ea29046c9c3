"""What every pane is given, and the base class of panes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.api.client_stub import CoreApi
from workbench.events import Event
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.tasks import Tasks
from workbench.paths import Paths

Fetch: TypeAlias = Callable[[str, int, int], Awaitable[str]]
"""Reads a slice of a large value: handle, offset, length."""


class Context(Struct, frozen=True):
    """One per window; `api` stays the same object when the core is restarted under it."""

    api: CoreApi
    tasks: Tasks
    theme: Theme
    paths: Paths
    fetch: Fetch


class Pane(QWidget):
    """A part of the window. It never touches another pane: it emits `wished` and the window sees to it."""

    wished = Signal(object)
    """Carries one record of `workbench.gui.shell.navigation`."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context

    def hear(self, event: Event) -> None:
        """Something happened in the core. Panes that care override this; it must be quick."""

    def refresh(self) -> None:
        """The core is there (again): load what is shown. Nothing a person typed may be lost by it."""
