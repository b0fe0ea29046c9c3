"""A client's connection to the core: calls its API methods and receives its events.

`connection.api` is typed as `CoreApi`; each call is sent to the core. This module imports little, so that a window can
paint before it loads anything of the core.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, cast

from msgspec import Raw

from workbench import __version__
from workbench.api.client_stub import CoreApi
from workbench.api.codec import NOTHING, Hint, Message, TextPreview, decode, decode_event
from workbench.api.core_launcher import CoreLauncher, reap_launched
from workbench.api.core_lock import check_private
from workbench.api.frames import HELLO_SECONDS, PROTOCOL, READ_AHEAD, SLICE, error_from_json, pack_frame, read_frame
from workbench.api.marker import mark_of
from workbench.api.method_schema import MethodSchema, schema_of
from workbench.errors import WorkbenchError
from workbench.events import Bus, Listener, spawn
from workbench.paths import Paths
from workbench.records import JsonObject

log = logging.getLogger(__name__)

RETRY_SECONDS = 0.02  # between two attempts to reach a core that is starting


class CoreConnection:
    """An open connection to the core. `closed` is set when the connection has ended, whichever side ended it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.api = cast(CoreApi, _Remote(self))
        self.closed = asyncio.Event()
        self._reader = reader
        self._writer = writer
        self._bus = Bus()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[Hint, asyncio.Future[Any]]] = {}
        self._reading = spawn("api.reading", self._read())
        self._closers: list[Callable[[], Awaitable[None]]] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Receive every event from now on; the returned function stops that."""
        return self._bus.listen(listener)

    async def fetch(self, handle: str, offset: int = 0, length: int = SLICE) -> str:
        """Return `length` characters of a long text from `offset`, or fewer at its end."""
        parts: list[str] = []
        while length > 0:
            wanted = min(length, SLICE)
            part: str = await self._send({"fetch": handle, "offset": offset, "length": wanted}, str)
            parts.append(part)
            if len(part) < wanted:
                break
            offset, length = offset + wanted, length - wanted
        return "".join(parts)

    async def fetch_full_text(self, text: str) -> str:
        """Return the complete text of an answer; the core keeps long texts."""
        return await self.fetch(text.handle, 0, text.size) if isinstance(text, TextPreview) else text

    async def close(self) -> None:
        """Disconnect; open calls fail with an error."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self._end()
        try:
            await self._writer.wait_closed()
        except OSError as fault:
            log.debug("the core closed the connection first: %s", fault)
        closers, self._closers = self._closers, []
        for closer in closers:
            await closer()

    def on_close(self, closer: Callable[[], Awaitable[None]]) -> None:
        """Register something else to close together with this connection."""
        self._closers.append(closer)

    async def ask(self, method: MethodSchema, *args: Any, **kwargs: Any) -> Any:
        """Call a method. Any: as the method declares; `api` gives this its types."""
        given = method.encode_arguments(*args, **kwargs)
        return await self._send({"ask": method.name, "arguments": given}, method.answer)

    async def _send(self, message: JsonObject, answer: Hint) -> Any:
        """Send a request and wait for its answer. Any: a value of the hinted type."""
        if self.closed.is_set():
            raise _gone()
        number = next(self._numbers)
        frame = pack_frame({"id": number, **message})
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (answer, future)
        self._writer.write(frame)
        try:
            return await future
        except asyncio.CancelledError:
            if not self.closed.is_set():
                self._writer.write(pack_frame({"cancel": number}))
            raise
        finally:
            self._waiting.pop(number, None)

    async def _read(self) -> None:
        try:
            while (message := await read_frame(self._reader)) is not None:
                await self._receive(message)
        except WorkbenchError as fault:
            log.error("the core sent an invalid message: %s", fault.message)
        finally:
            self._end()

    async def _receive(self, message: Message) -> None:
        number = message.get("id", 0)
        if type(number) is not int:
            raise WorkbenchError("A message has neither an answer nor events.")
        for event in message.get("events", ()):
            self._tell(event)
        hint, future = self._waiting.get(number, (None, None))
        if future is None or future.done():
            return
        try:
            if "fault" in message:
                raise error_from_json(message["fault"])
            value = decode(hint, message.get("value", NOTHING))
        except WorkbenchError as fault:
            _settle(future, fault=fault)
        else:
            _settle(future, value)
        await asyncio.sleep(0)  # lets the caller continue, so that it sees this answer before later events

    def _tell(self, value: Raw) -> None:
        try:
            event = decode_event(value)
        except WorkbenchError as fault:
            log.error("the core sent an invalid event: %s", fault.message)
        else:
            self._bus.tell(event)

    def _end(self) -> None:
        self.closed.set()
        self._writer.close()
        for _, future in self._waiting.values():
            if not future.done():
                future.set_exception(_gone())


class _Remote:
    """Turns each method that `CoreApi` declares into a request."""

    def __init__(self, connection: CoreConnection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return a function that sends a request. Any: the cast to `CoreApi` in `CoreConnection` gives the types."""
        declared = getattr(CoreApi, name, None)
        if mark_of(declared) is None:
            raise AttributeError(f"there is no API method {name!r}")
        method, connection = schema_of(declared, name), self._connection
        return lambda *args, **kwargs: connection.ask(method, *args, **kwargs)


async def connect(paths: Paths, start: bool = True, role: str = "window") -> CoreConnection:
    """Connect to the core of a project; with `start`, a core is started if none runs."""
    starter = CoreLauncher(paths)
    while True:
        check_private(paths.runtime)
        try:
            reader, writer = await asyncio.open_unix_connection(paths.user_socket, limit=READ_AHEAD)
        except OSError as fault:
            await _begin_or_refuse(starter, start, fault)
            continue
        if await greet(reader, writer, str(paths.project), role):
            for pause in reap_launched(paths):
                await asyncio.sleep(pause)
            return CoreConnection(reader, writer)
        await _begin_or_refuse(starter, start, None)


async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, project: str, role: str) -> bool:
    """Introduce this client; False when the core has exited meanwhile, a `WorkbenchError` when it refuses."""
    writer.write(pack_frame({"hello": {"protocol": PROTOCOL, "app": __version__, "project": project, "role": role}}))
    try:
        async with asyncio.timeout(HELLO_SECONDS):
            message = await read_frame(reader)
        if message is not None and "fault" in message:
            raise error_from_json(message["fault"])
    except TimeoutError:
        writer.close()
        raise WorkbenchError("The core does not answer.", "End it with `mcp-workbench stop` and try again.") from None
    except BaseException:
        writer.close()
        raise
    if message is None:
        writer.close()
    return message is not None


async def _begin_or_refuse(starter: CoreLauncher, start: bool, fault: OSError | None) -> None:
    if not start:
        raise WorkbenchError(
            "No core is running for this project.", "Open the window, or start one with `mcp-workbench serve`."
        )
    if isinstance(fault, PermissionError):
        raise WorkbenchError(f"The core's socket cannot be used: {fault.strerror}.", "It belongs to another user.")
    for pause in starter.steps():
        await asyncio.sleep(pause)
    await asyncio.sleep(RETRY_SECONDS)


def _gone() -> WorkbenchError:
    return WorkbenchError("The connection to the core was lost.", "Nothing that was decided or recorded is lost.")


def _settle(future: asyncio.Future[Any], value: Any = None, fault: WorkbenchError | None = None) -> None:
    """Set the result of a call. Any: the result. The caller may have been cancelled while the answer was decoded."""
    if future.done():
        return
    if fault:
        future.set_exception(fault)
    else:
        future.set_result(value)
