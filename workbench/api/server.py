"""The core's side of the API: serves methods and events to clients, and keeps long texts, which clients read in
slices."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable

from msgspec import Raw

from workbench import __version__
from workbench.api.codec import NO_ARGUMENTS, Message, encode, encode_event
from workbench.api.frames import (
    BATCH_SECONDS,
    FRAME_CAP,
    HELLO_CAP,
    HELLO_SECONDS,
    PROTOCOL,
    SLICE,
    OversizedFrame,
    error_to_json,
    pack_frame,
    read_frame,
)
from workbench.api.peer_credentials import ApiCaller, PeerProcess, answering_caller, caller_at, check_is_user
from workbench.api.registry import Registry
from workbench.errors import WorkbenchError
from workbench.events import Bus, Event, EventsLost, RunOutput, spawn
from workbench.records import JsonObject, JsonValue

log = logging.getLogger(__name__)

DECIDE_SECONDS = 3.0  # how long `close` waits for methods that must run to their end
UNREAD_CAP = 2 * FRAME_CAP  # bytes a client may leave unread before its connection is closed
OPEN_REQUESTS = 512  # open requests of one client
FAREWELL_SECONDS = 1.0  # how long a client may take to read what was sent while its connection closes


class ApiServer:
    """Serves the methods and events of one core to every client that introduces itself correctly."""

    def __init__(
        self,
        methods: Registry,
        bus: Bus,
        project: str = "",
        *,
        long_texts: LongTextStore | None = None,
        agent_clients: Callable[[], Iterable[PeerProcess]] = tuple,
    ) -> None:
        """`agent_clients`: processes of the connected agents' clients; processes that they start must not consent
        for the user."""
        self.methods = methods
        self.long_texts = long_texts or LongTextStore()
        self._project = project
        self._agent_clients = agent_clients
        self._clients: set[ServedClient] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._deciding: set[asyncio.Task[None]] = set()
        self._pending: list[Event] = []
        self._timer: asyncio.Handle | None = None
        self._flushed = 0.0
        self._stop_listening = bus.listen(self._collect_event)

    @property
    def connections(self) -> int:
        """Return the number of open connections, including clients that have not introduced themselves yet."""
        return len(self._tasks)

    def admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection in its own asyncio task; fits `asyncio.start_unix_server`."""
        task = spawn("api.client", self.serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side ends it."""
        caller = caller_at(writer.get_extra_info("socket"), "", self._agent_clients)
        client = ServedClient(self, reader, writer, caller)
        try:
            if role := await self._greet(reader, writer):
                caller.role = role
                self._clients.add(client)
                await client.answer_requests()
        finally:
            self._clients.discard(client)
            await client.close()

    async def close(self) -> None:
        """Wait for methods that decide something, send the last events, then close every connection."""
        if self._deciding:
            await asyncio.wait(self._deciding, timeout=DECIDE_SECONDS)
        self.flush()
        self._stop_listening()
        for task in tuple(self._deciding):
            task.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def keep_until_done(self, task: asyncio.Task[None]) -> None:
        """Have `close` wait for a request that decides something."""
        self._deciding.add(task)
        task.add_done_callback(self._deciding.discard)

    def flush(self) -> None:
        """Send the collected events now."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if not self._pending:
            return
        batch, self._pending = _join_output(self._pending), []
        self._flushed = asyncio.get_running_loop().time()
        if self._clients:
            self._send_events([(type(event).__name__, encode_event(event, self.long_texts.store)) for event in batch])

    def _collect_event(self, event: Event) -> None:
        if not self._clients:
            return  # clients that connect later query the current state
        self._pending.append(event)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            wait = self._flushed + BATCH_SECONDS - loop.time()
            self._timer = loop.call_later(wait, self.flush) if wait > 0 else loop.call_soon(self.flush)

    def _send_events(self, events: list[tuple[str, Raw]]) -> None:
        """Send events in one frame, or in several if one is too small. In place of an event that no frame can hold,
        clients get `EventsLost` and query everything again."""
        try:
            frame = pack_frame({"events": [encoded for _, encoded in events]})
        except WorkbenchError as fault:
            if len(events) == 1:
                log.error("an event was lost: %s", fault.message)
                self._send_events([(EventsLost.__name__, encode_event(EventsLost(events[0][0])))])
                return
            middle = len(events) // 2
            self._send_events(events[:middle])
            self._send_events(events[middle:])
            return
        for client in tuple(self._clients):
            client.send(frame)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        """Return the role that the client declares; empty for a refused client."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                message = await read_frame(reader, HELLO_CAP)
            if message is None:
                return ""
            role = _checked_role(message.get("hello"), self._project)
        except TimeoutError:
            return ""
        except WorkbenchError as fault:
            log.warning("a client was refused: %s", fault.message)
            writer.write(pack_frame({"fault": error_to_json(fault)}))
            return ""
        writer.write(pack_frame({"hello": {"protocol": PROTOCOL, "app": __version__, "project": self._project}}))
        return role


class ServedClient:
    """One client's connection as the core sees it: reads its requests and answers them concurrently.

    When the connection ends, unanswered requests are cancelled, unless their method decides something.
    """

    def __init__(
        self, server: ApiServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, caller: ApiCaller
    ) -> None:
        self._server = server
        self._caller = caller
        self._reader = reader
        self._writer = writer
        self._requests: dict[int, tuple[str, asyncio.Task[None]]] = {}

    async def answer_requests(self) -> None:
        """Answer requests until the client disconnects or sends a frame after which the next one cannot be found."""
        while True:
            try:
                message = await read_frame(self._reader)
            except OversizedFrame as fault:
                log.warning("a connection was closed: %s", fault.message)
                self._send_message({"fault": error_to_json(fault)})
                return
            except WorkbenchError as fault:
                self._send_message({"id": None, "fault": error_to_json(fault)})
                continue
            if message is None:
                return
            self._handle_message(message)

    def send(self, frame: bytes) -> None:
        """Write a frame; a client that has stopped reading is disconnected, so that its backlog cannot grow."""
        if self._writer.transport.get_write_buffer_size() > UNREAD_CAP:
            log.warning("a client was disconnected because it does not read what it is sent")
            self._writer.transport.abort()
        elif not self._writer.is_closing():
            self._writer.write(frame)

    async def close(self) -> None:
        """Close the connection; requests that decide something run to their end, and are answered if that is soon."""
        decides = self._server.methods.decides
        idle = [task for name, task in self._requests.values() if not decides(name)]
        deciding = [task for name, task in self._requests.values() if decides(name)]
        for task in idle:
            _cancel_once(task)
        if deciding:  # the client that asked the core to end still waits for the answer
            await asyncio.wait(deciding, timeout=FAREWELL_SECONDS)
        self._writer.close()
        try:
            async with asyncio.timeout(FAREWELL_SECONDS):
                if idle:
                    await asyncio.wait(idle)  # `gather` would cancel them a second time at the timeout
                await self._writer.wait_closed()
        except (TimeoutError, OSError):
            self._writer.transport.abort()

    def _send_message(self, message: JsonObject) -> None:
        self.send(pack_frame(message))

    def _handle_message(self, message: Message) -> None:
        if "cancel" in message:
            self._cancel(message["cancel"])
            return
        number = message.get("id")
        if type(number) is not int or number in self._requests:
            self._send_message({"id": None, "fault": error_to_json(WorkbenchError("A request needs a unique number."))})
        elif len(self._requests) >= OPEN_REQUESTS:
            self._send_message(
                {"id": number, "fault": error_to_json(WorkbenchError("Too many requests are open at once."))}
            )
        else:
            self._start_request(number, message)

    def _start_request(self, number: int, message: Message) -> None:
        name = str(message.get("ask", "fetch"))
        task = spawn(f"api.{name}", self._answer(number, message))
        self._requests[number] = (name, task)
        if self._server.methods.decides(name):
            self._server.keep_until_done(task)
        task.add_done_callback(lambda _: self._requests.pop(number, None))

    def _cancel(self, number: JsonValue) -> None:
        """Cancel a request. A closing window cancels all its requests; those that decide something run to their end
        anyway."""
        name, task = self._requests.get(number, ("", None)) if type(number) is int else ("", None)
        if task and not self._server.methods.decides(name):
            _cancel_once(task)

    async def _answer(self, number: int, message: Message) -> None:
        try:
            answer = {"id": number, "value": await self._call_method(message)}
            frame = pack_frame(answer)
        except WorkbenchError as fault:
            frame = pack_frame({"id": number, "fault": error_to_json(fault)})
        except Exception as fault:
            log.exception("an API method failed: %s", message.get("ask"))
            trouble = WorkbenchError(f"The core failed on this request: {type(fault).__name__}.", "See the core's log.")
            frame = pack_frame({"id": number, "fault": error_to_json(trouble)})
        self._server.flush()
        self.send(frame)

    async def _call_method(self, message: Message) -> Raw:
        if "fetch" in message:
            return encode(str, self._text_slice(message))
        method = self._server.methods.get(str(message.get("ask")))
        if method is None:
            raise WorkbenchError(f"The core has no method {message.get('ask')!r}.")
        arguments = method.schema.decode_arguments(
            message.get("arguments", NO_ARGUMENTS), self._server.long_texts.resolve
        )
        with answering_caller(self._caller):
            if method.mark.consent:
                check_is_user()
            answer = await method(**arguments)
        return method.schema.encode_answer(answer, self._server.long_texts.store)

    def _text_slice(self, message: Message) -> str:
        handle, offset, length = message.get("fetch"), message.get("offset"), message.get("length")
        if type(handle) is not str or type(offset) is not int or type(length) is not int:
            raise WorkbenchError("A request for a long text needs a handle, an offset and a length.")
        return self._server.long_texts.slice(handle, offset, min(length, SLICE))


def _cancel_once(task: asyncio.Task[None]) -> None:
    """Cancel a task unless it was cancelled already: a second cancellation would interrupt the request while it
    tells a server to stop."""
    if not task.cancelling():
        task.cancel()


def _checked_role(hello: JsonValue, project: str) -> str:
    if type(hello) is not dict or not isinstance(role := hello.get("role"), str) or not role:
        raise WorkbenchError("The first message must be a hello.")
    if hello.get("protocol") != PROTOCOL or hello.get("app") != __version__:
        raise WorkbenchError(
            f"The running core is version {__version__}, but this client is version {hello.get('app')}.",
            "End it with `mcp-workbench stop`; the next start uses the new version.",
        )
    if hello.get("project") != project:
        raise WorkbenchError(
            f"This core serves a different project: {project}.", "Connect with the folder of that project."
        )
    return role


def _same_stream(one: RunOutput, other: RunOutput) -> bool:
    return (one.run_id, one.stream) == (other.run_id, other.stream)


def _join_output(events: list[Event]) -> list[Event]:
    """Join neighbouring output events of one run, so that a program with much output costs one frame, not thousands."""
    joined: list[Event] = []
    texts: list[str] = []

    def settle() -> None:
        if texts and isinstance(last := joined[-1], RunOutput):
            joined[-1] = RunOutput(last.run_id, last.stream, last.text + "".join(texts))
            texts.clear()

    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, RunOutput) and isinstance(last, RunOutput) and _same_stream(event, last):
            texts.append(event.text)
            continue
        settle()
        joined.append(event)
    settle()
    return joined


BUDGET = 256 * 1024 * 1024  # maximum bytes of kept text


class LongTextStore:
    """Stores long texts by the hash of their content, so that equal texts are kept once."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0

    def store(self, text: str) -> str:
        """Keep a text; returns its handle."""
        handle = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if handle not in self._texts:
            self._texts[handle] = text
            self._bytes += sys.getsizeof(text)
        self._texts.move_to_end(handle)
        self._make_room()
        return handle

    def slice(self, handle: str, offset: int, length: int) -> str:
        """Return a part of a text; raises for a handle whose text was dropped."""
        if handle not in self._texts:
            raise WorkbenchError("This long text is no longer kept.", "Open it again.")
        self._texts.move_to_end(handle)
        return self._texts[handle][max(0, offset) : max(0, offset) + max(0, length)]

    def resolve(self, handle: str, size: int, preview: str) -> str:
        """Return the complete text for a handle that a client sent back, so that no text is shortened on its way
        into the core."""
        return self.slice(handle, 0, sys.maxsize)

    def _make_room(self) -> None:
        while self._bytes > self._budget and len(self._texts) > 1:
            _, text = self._texts.popitem(last=False)
            self._bytes -= sys.getsizeof(text)
