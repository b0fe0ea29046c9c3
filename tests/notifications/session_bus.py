"""A D-Bus session bus with a notification service, served by the test over a real socket: what a desktop does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from jeepney import HeaderFields, MessageType, Parser, new_error, new_method_return, new_signal
from jeepney.wrappers import DBusAddress

SERVICE = "org.freedesktop.Notifications"
OWNER, STRANGER = ":1.7", ":1.99"
HANG = 30.0


class Shown(NamedTuple):
    """One call of Notify."""

    number: int
    title: str
    body: str
    actions: list[str]


class SessionBus:
    """Accepts clients, answers as the bus and as the notification service, and sends the service's signals."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bus"
        self.address = f"unix:path={self.path}"
        self.capabilities = ["actions", "body", "body-markup"]
        self.has_service = True
        self.shown: list[Shown] = []
        self.closed: list[int] = []
        self._changed = asyncio.Condition()
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._serial = 0
        self._newest = 0

    async def __aenter__(self) -> SessionBus:
        self._server = await asyncio.start_unix_server(self._admit, str(self.path))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self.drop_clients()

    def _admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)

    async def drop_clients(self) -> None:
        """The bus goes away, as at the end of a desktop session."""
        for writer in self._writers:
            writer.close()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._writers.clear()

    async def until(self, condition) -> None:
        async with asyncio.timeout(HANG), self._changed:
            await self._changed.wait_for(condition)

    async def until_shown(self, count: int) -> Shown:
        await self.until(lambda: len(self.shown) >= count)
        return self.shown[-1]

    async def signal(self, member: str, signature: str, body: tuple, sender: str = OWNER) -> None:
        """Send a signal; with a different sender it is that of some other process on the bus."""
        message = new_signal(DBusAddress("/org/freedesktop/Notifications", interface=SERVICE), member, signature, body)
        message.header.fields[HeaderFields.sender] = sender
        for writer in self._writers:
            if not writer.is_closing():
                self._send(writer, message)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n")
            writer.write(b"OK 1234deadbeef\r\n")
            await reader.readuntil(b"BEGIN\r\n")
            parser = Parser()
            while data := await reader.read(65_536):
                parser.add_data(data)
                while (message := parser.get_next_message()) is not None:
                    if message.header.message_type is MessageType.method_call:
                        self._send(writer, self._answer(message))
                        async with self._changed:
                            self._changed.notify_all()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _answer(self, call):
        fields = call.header.fields
        member = fields[HeaderFields.member]
        if fields.get(HeaderFields.destination) == SERVICE and not self.has_service:
            return new_error(call, "org.freedesktop.DBus.Error.ServiceUnknown", "s", ("no such name",))
        match member:
            case "Hello":
                return new_method_return(call, "s", (":1.42",))
            case "AddMatch":
                return new_method_return(call)
            case "GetCapabilities":
                return new_method_return(call, "as", (self.capabilities,))
            case "GetNameOwner":
                return new_method_return(call, "s", (OWNER,))
            case "Notify":
                _, replaces, _, title, body, actions, _, _ = call.body
                self._newest = replaces or self._newest + 1
                self.shown.append(Shown(self._newest, title, body, list(actions)))
                return new_method_return(call, "u", (self._newest,))
            case "CloseNotification":
                self.closed.append(call.body[0])
                return new_method_return(call)
        return new_error(call, "org.freedesktop.DBus.Error.UnknownMethod")

    def _send(self, writer: asyncio.StreamWriter, message) -> None:
        self._serial += 1
        writer.write(message.serialise(self._serial))
