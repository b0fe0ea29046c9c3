"""One desktop notification, over D-Bus (`org.freedesktop.Notifications`), that is updated instead of repeated.

The connection is made when something is first shown, and closed when nothing is shown any more.
"""

from __future__ import annotations

import asyncio
import html
import itertools
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.paths import OVERRIDE, SESSIONS

log = logging.getLogger(__name__)

SERVICE, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
REPLY_SECONDS = 5.0
READ_BYTES = 65_536
DISMISSED = 2  # the reason of NotificationClosed when the user closed the notification
_NO_BUS = "This session has no D-Bus session bus."

Hear = Callable[[str, Sequence[Any]], None]  # a signal's name and body; Any: what the service sends
Invoked = Callable[[str, str], None]  # an action's key, and a token with which a window may come to the front


def bus_address(environment: Mapping[str, str]) -> str:
    """The address of the user's session bus; empty if there is none. An agent's client often starts the core with an
    environment that lacks it, so the usual place is tried too."""
    if given := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return given
    if environment.get(OVERRIDE):
        return ""
    socket = Path(environment.get("XDG_RUNTIME_DIR") or f"{SESSIONS}/{os.getuid()}") / "bus"
    return f"unix:path={socket}" if socket.is_socket() else ""


class DesktopNotification:
    """The notification of one core. `invoked` is called when the user presses one of its buttons, `dismissed` when
    the user closes it."""

    def __init__(self, environment: Mapping[str, str], invoked: Invoked, dismissed: Callable[[], None]) -> None:
        self._environment = environment
        self._invoked = invoked
        self._dismissed = dismissed
        self._bus: _Bus | None = None
        self._number = 0  # of the notification that is shown; 0: none
        self._token = ""
        self.fault = ""  # why the last one could not be shown

    @property
    def is_shown(self) -> bool:
        return bool(self._number)

    async def show(self, title: str, body: str, actions: Sequence[tuple[str, str]], *, urgent: bool = False) -> bool:
        """Show the notification, or update it. `actions`: keys and names of buttons. Returns whether it is shown."""
        try:
            async with asyncio.timeout(REPLY_SECONDS):
                if self._bus is None or self._bus.is_lost:
                    await self._connect()
                self._number = await self._send(title, body, actions, urgent=urgent)
        except Exception as fault:  # what a broken bus or service may answer is not foreseeable
            self.fault = str(fault) if isinstance(fault, WorkbenchError) else _describe(fault)
            log.info("no desktop notification: %s", self.fault)
            await self._disconnect()
            return False
        self.fault = ""
        return True

    async def close(self) -> None:
        """Remove the notification and disconnect."""
        if self._bus is not None and self._number and not self._bus.is_lost:
            with suppress(Exception):
                async with asyncio.timeout(REPLY_SECONDS):
                    await self._bus.call("CloseNotification", "u", (self._number,))
        await self._disconnect()

    async def _connect(self) -> None:
        await self._disconnect()
        if not (address := bus_address(self._environment)):
            raise WorkbenchError(_NO_BUS)
        self._bus = await _Bus.open(address, self._hear)

    async def _disconnect(self) -> None:
        bus, self._bus, self._number = self._bus, None, 0
        if bus is not None:
            with suppress(OSError):
                await bus.close()

    async def _send(self, title: str, body: str, actions: Sequence[tuple[str, str]], *, urgent: bool) -> int:
        assert self._bus is not None
        if "body-markup" in self._bus.capabilities:
            body = html.escape(body, quote=False)
        shown = [word for pair in actions for word in pair] if "actions" in self._bus.capabilities else []
        hints = {"urgency": ("y", 2 if urgent else 1), "desktop-entry": ("s", "mcp-workbench")}
        parts = ("MCP Workbench", self._number, "mcp-workbench", title, body, shown, hints, -1)
        number = (await self._bus.call("Notify", "susssasa{sv}i", parts))[0]
        return int(number)

    def _hear(self, member: str, body: Sequence[Any]) -> None:  # Any: as in `Hear`
        if not body or body[0] != self._number or not self._number:
            return
        if member == "ActivationToken" and len(body) > 1:
            self._token = str(body[1])
        elif member == "ActionInvoked" and len(body) > 1:
            token, self._token = self._token, ""
            self._invoked(str(body[1]), token)
        elif member == "NotificationClosed":
            self._number = 0
            if len(body) > 1 and body[1] == DISMISSED:
                self._dismissed()


class _Bus:
    """A connection to the session bus that calls the notification service and hears its signals."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hear: Hear) -> None:
        self._reader = reader
        self._writer = writer
        self._hear = hear
        self._owner = ""
        self._serials = itertools.count(1)
        self._replies: dict[int, asyncio.Future[Any]] = {}  # Any: jeepney has no types
        self._receiving: asyncio.Task[None] | None = None
        self.capabilities: frozenset[str] = frozenset()

    @classmethod
    async def open(cls, address: str, hear: Hear) -> _Bus:
        from jeepney.bus import get_bus

        bus = cls(*await asyncio.open_unix_connection(get_bus(address)), hear)
        try:
            await bus._begin()
        except BaseException:
            await bus.close()
            raise
        return bus

    @property
    def is_lost(self) -> bool:
        return self._receiving is None or self._receiving.done()

    async def call(self, member: str, signature: str = "", body: tuple[object, ...] = ()) -> Sequence[Any]:
        """Call a method of the notification service and return the body of its reply."""
        from jeepney import DBusAddress, new_method_call

        address = DBusAddress(PATH, bus_name=SERVICE, interface=SERVICE)
        return await self._ask(new_method_call(address, member, signature or None, body))

    async def close(self) -> None:
        if self._receiving is not None:
            self._receiving.cancel()
            await asyncio.wait([self._receiving])
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _begin(self) -> None:
        from jeepney import MatchRule, message_bus

        await self._authenticate()
        self._receiving = spawn("session bus", self._receive())
        await self._ask(message_bus.Hello())
        await self._ask(message_bus.AddMatch(MatchRule(type="signal", sender=SERVICE, interface=SERVICE, path=PATH)))
        self.capabilities = frozenset((await self.call("GetCapabilities"))[0])  # starts the service if needed
        self._owner = (await self._ask(message_bus.GetNameOwner(SERVICE)))[0]

    async def _authenticate(self) -> None:
        from jeepney.auth import BEGIN, Authenticator

        steps = Authenticator()
        for data in steps:
            self._writer.write(data)
            if not (answer := await self._reader.read(1024)):
                raise EOFError
            steps.feed(answer)
        self._writer.write(BEGIN)

    async def _ask(self, message: Any) -> Sequence[Any]:
        from jeepney.wrappers import unwrap_msg

        if self._receiving is None or self._receiving.done():
            raise EOFError
        serial = next(self._serials)
        reply = self._replies[serial] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(message.serialise(serial))
            found: Sequence[Any] = unwrap_msg(await reply)
        finally:
            self._replies.pop(serial, None)
        return found

    async def _receive(self) -> None:
        from jeepney import HeaderFields, MessageType, Parser

        parser = Parser()
        try:
            while data := await self._reader.read(READ_BYTES):
                parser.add_data(data)
                while (message := parser.get_next_message()) is not None:
                    fields, kind = message.header.fields, message.header.message_type
                    if kind in (MessageType.method_return, MessageType.error):
                        reply = self._replies.get(fields.get(HeaderFields.reply_serial, 0))
                        if reply is not None and not reply.done():
                            reply.set_result(message)
                            await asyncio.sleep(0)  # the caller knows the number before a signal about it is read
                    elif kind is MessageType.signal:
                        # any process on the bus can send a signal that looks like one of the service
                        origin = fields.get(HeaderFields.sender), fields.get(HeaderFields.interface)
                        if origin == (self._owner, SERVICE):
                            self._hear(fields.get(HeaderFields.member, ""), message.body)
        except (OSError, ValueError) as fault:
            log.info("the connection to the session bus broke: %s", fault)
        finally:
            for reply in self._replies.values():
                if not reply.done():
                    reply.set_exception(EOFError())


def _describe(fault: Exception) -> str:
    if isinstance(fault, TimeoutError):
        return "The desktop's notification service does not answer."
    if isinstance(fault, ImportError):
        return "The package jeepney is not installed."
    if isinstance(fault, OSError | EOFError):
        return "The session bus cannot be reached."
    return f"This desktop has no notification service ({type(fault).__name__})."
