"""Opens what the user chose to review in a desktop notification, in the tray or in the closing dialog."""

from __future__ import annotations

import os
from collections.abc import Callable

from PySide6.QtCore import QObject

from workbench.events import ReviewRequested
from workbench.gui.runs.pending_strip import pending_requests
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import HELD


class RequestedReview(QObject):
    """One per window. A request that the window has not loaded yet is opened once it is loaded."""

    def __init__(self, context: Context, show_window: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._show_window = show_window
        self._request_id = ""  # to open once it is loaded
        context.store.on(ReviewRequested, self._requested)
        context.store.runs_loaded.connect(self._ask_core)
        context.store.requests_changed.connect(self._open)

    def open_first(self) -> None:
        """Open what ends first of all that waits."""
        self._show_window()
        if waiting := pending_requests(self._context.store):
            self._context.go(waiting[0].opens)

    def _requested(self, event: ReviewRequested) -> None:
        """The user chose Review in a desktop notification."""
        if event.token:
            os.environ["XDG_ACTIVATION_TOKEN"] = event.token  # Qt reads it when a Wayland window is activated
        self._show_window()
        self._request_id = event.request_id
        self._open()

    def _ask_core(self) -> None:
        """Ask for the request that the user chose before this window was open."""
        self._context.tasks.run("requested review", self._take_from_core())

    async def _take_from_core(self) -> None:
        self._request_id = await self._context.api.take_wanted_review() or self._request_id
        self._open()

    def _open(self) -> None:
        ids = (self._request_id, HELD + self._request_id)
        waiting = pending_requests(self._context.store) if self._request_id else ()
        if (found := next((one for one in waiting if one.id in ids), None)) is not None:
            self._request_id = ""
            self._context.go(found.opens)
