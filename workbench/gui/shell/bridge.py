"""The only link between the API connection and Qt: passes events on as one signal and calls to the core, reconnects.

The bridge answers as `CoreApi` itself: panes keep one object while the connection behind it is laid anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any, Protocol, cast

from msgspec import Struct
from PySide6.QtCore import QObject, Signal

from workbench.api.client_stub import CoreApi
from workbench.errors import WorkbenchError
from workbench.events import CoreStopping, Event, EventsLost, Listener
from workbench.records import Fault

PAUSES = (0.2, 1.0, 3.0)
"""Seconds before each try to bring a lost core back; after the last one the user presses a button."""


NOT_CONNECTED = Fault("The core is not connected.", "Wait until the status bar says that it is running.")
"""The fault of a call without a connection; no longer true once the core is there."""


class Wire(Protocol):
    """What the bridge needs of `workbench.api.client.CoreConnection`."""

    api: CoreApi
    closed: asyncio.Event

    def listen(self, listener: Listener) -> Callable[[], None]: ...

    async def fetch(self, handle: str, offset: int, length: int) -> str: ...

    async def close(self) -> None: ...


class LinkState(StrEnum):
    """State of the connection to the core."""

    CONNECTING = "connecting"
    LINKED = "linked"
    LOST = "lost"  # trying again
    BROKEN = "broken"  # the user decides


class Link(Struct, frozen=True):
    """The state of the connection as one record."""

    state: LinkState
    restarted: bool = False  # the core was lost and started again
    fault: Fault | None = None


class Bridge(QObject):
    """Keeps one window connected to its core."""

    event_received = Signal(object)
    """Carries one event of `workbench.events`."""
    linked = Signal(object)
    """Carries one Link."""

    def __init__(self, connect: Callable[[], Awaitable[Wire]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._connect = connect
        self._wire: Wire | None = None
        self._closing = False
        self._stopped = False
        self.link = Link(LinkState.CONNECTING)
        self.api = cast(CoreApi, _Relay(self))

    @property
    def wire(self) -> Wire:
        """The current connection; WorkbenchError without one."""
        if self._wire is None:
            raise WorkbenchError(NOT_CONNECTED.message, NOT_CONNECTED.hint)
        return self._wire

    async def fetch(self, handle: str, offset: int, length: int) -> str:
        return await self.wire.fetch(handle, offset, length)

    async def keep(self) -> None:
        """Connect, wait until the core is lost, connect again; ends when the user has to decide."""
        before = self._stopped = False
        while not self._closing and await self._establish(before):
            await self._wire_ends()
            before = True
            if self._stopped and not self._closing:
                stopped = Fault("The core was stopped.", "Try again starts it; nothing is lost.")
                self._tell(Link(LinkState.BROKEN, fault=stopped))
                return

    async def close(self) -> None:
        """Disconnect. The core itself decides whether it goes on."""
        self._closing = True
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.close()

    async def _establish(self, before: bool) -> bool:
        """Connect, several times if needed. `before`: there was a connection, and it was lost."""
        for attempt, pause in enumerate((0.0, *PAUSES)):
            try:
                self._tell(Link(LinkState.LOST if before or attempt else LinkState.CONNECTING))
                await asyncio.sleep(pause)
                self._wire = await self._connect()
            except WorkbenchError as fault:
                failure = Fault(fault.message, fault.hint)
            except OSError as fault:
                failure = Fault(f"The core cannot be reached: {fault}.", "Its log says more.")
            else:
                self._wire.listen(self._receive)
                self._tell(Link(LinkState.LINKED, restarted=before))
                return True
        self._tell(Link(LinkState.BROKEN, fault=failure))
        return False

    async def _wire_ends(self) -> None:
        wire = self._wire
        if wire is None:
            return
        await wire.closed.wait()
        if not self._closing:
            self._wire = None
            await wire.close()

    def _receive(self, event: Event) -> None:
        if isinstance(event, CoreStopping):
            self._stopped = True
        elif isinstance(event, EventsLost):
            self._tell(Link(LinkState.LINKED))  # every pane loads its content again
        self.event_received.emit(event)

    def _tell(self, link: Link) -> None:
        self.link = link
        self.linked.emit(link)


class _Relay:
    """Passes each API call to the current connection."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def __getattr__(self, name: str) -> Any:  # Any: the method of that name; `CoreApi` types it for every caller
        async def ask(*words: Any, **named: Any) -> Any:  # Any: as above
            return await getattr(self._bridge.wire.api, name)(*words, **named)

        if name.startswith("_") or not hasattr(CoreApi, name):
            raise AttributeError(name)
        return ask
