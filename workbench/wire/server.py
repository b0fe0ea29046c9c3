"""The core's end of the wire: answers the questions of many doors and tells all of them what happens.

Events are gathered for a moment and encoded once for all doors. They are flushed before every answer, so a door never
hears of something after it has already been answered about it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

from msgspec import Raw

from workbench import __version__
from workbench.errors import WorkbenchError
from workbench.events import Bus, Event, EventsLost, RunOutput, spawn
from workbench.records import JsonValue
from workbench.wire.codec import encode_event
from workbench.wire.door import Door
from workbench.wire.peer import Process, asker_at
from workbench.wire.protocol import BATCH_SECONDS, HELLO_CAP, HELLO_SECONDS, PROTOCOL, fault_of, pack, take
from workbench.wire.registry import Registry
from workbench.wire.shelf import Shelf

log = logging.getLogger(__name__)

DECIDE_SECONDS = 3.0  # how long closing waits for decisions that are being carried out


class Server:
    """Serves the methods of one core and its events to every door that says hello properly."""

    def __init__(
        self,
        methods: Registry,
        bus: Bus,
        bench: str = "",
        *,
        shelf: Shelf | None = None,
        clients: Callable[[], Iterable[Process]] = tuple,
    ) -> None:
        """`clients`: the processes of the agents that are connected; what they start must not answer for the user."""
        self.methods = methods
        self.shelf = shelf or Shelf()
        self._bench = bench
        self._clients = clients
        self._doors: set[Door] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._deciding: set[asyncio.Task[None]] = set()
        self._pending: list[Event] = []
        self._timer: asyncio.Handle | None = None
        self._flushed = 0.0
        self._stop_listening = bus.listen(self._gather)

    @property
    def doors(self) -> int:
        """How many doors are open now, those included that have not said hello yet."""
        return len(self._tasks)

    def admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection in a task of its own; fits `asyncio.start_unix_server`."""
        task = spawn("wire.door", self.serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side ends it."""
        asker = asker_at(writer.get_extra_info("socket"), "", self._clients)
        door = Door(self, reader, writer, asker)
        try:
            if role := await self._greet(reader, writer):
                asker.role = role
                self._doors.add(door)
                await door.answer_all()
        finally:
            self._doors.discard(door)
            await door.close()

    async def close(self) -> None:
        """Let decisions finish, say what is still to say, then close every door."""
        if self._deciding:
            await asyncio.wait(self._deciding, timeout=DECIDE_SECONDS)
        self.flush()
        self._stop_listening()
        for task in tuple(self._deciding):
            task.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def see_through(self, task: asyncio.Task[None]) -> None:
        """Remember a question that decides something, so that closing waits for it."""
        self._deciding.add(task)
        task.add_done_callback(self._deciding.discard)

    def flush(self) -> None:
        """Send gathered events now."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if not self._pending:
            return
        batch, self._pending = _joined(self._pending), []
        self._flushed = asyncio.get_running_loop().time()
        if self._doors:
            self._tell([(type(event).__name__, encode_event(event, self.shelf.keep)) for event in batch])

    def _gather(self, event: Event) -> None:
        if not self._doors:
            return  # who comes later asks how things stand
        self._pending.append(event)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            wait = self._flushed + BATCH_SECONDS - loop.time()
            self._timer = loop.call_later(wait, self.flush) if wait > 0 else loop.call_soon(self.flush)

    def _tell(self, events: list[tuple[str, Raw]]) -> None:
        """In one frame, or in several where they are too many for one. In place of an event that no frame can hold,
        clients get `EventsLost` and ask for everything again."""
        try:
            frame = pack({"events": [encoded for _, encoded in events]})
        except WorkbenchError as fault:
            if len(events) == 1:
                log.error("an event was lost: %s", fault.message)
                self._tell([(EventsLost.__name__, encode_event(EventsLost(events[0][0])))])
                return
            middle = len(events) // 2
            self._tell(events[:middle])
            self._tell(events[middle:])
            return
        for door in tuple(self._doors):
            door.send(frame)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        """The role that the other side says it has; nothing for one that is turned away."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                message = await take(reader, HELLO_CAP)
            if message is None:
                return ""
            role = _checked_role(message.get("hello"), self._bench)
        except TimeoutError:
            return ""
        except WorkbenchError as fault:
            log.warning("a door was turned away: %s", fault.message)
            writer.write(pack({"fault": fault_of(fault)}))
            return ""
        writer.write(pack({"hello": {"protocol": PROTOCOL, "app": __version__, "bench": self._bench}}))
        return role


def _checked_role(hello: JsonValue, bench: str) -> str:
    if type(hello) is not dict or not isinstance(role := hello.get("role"), str) or not role:
        raise WorkbenchError("The first message must be a hello.")
    if hello.get("protocol") != PROTOCOL or hello.get("app") != __version__:
        raise WorkbenchError(
            f"The core that runs is version {__version__}, and this is {hello.get('app')}.",
            "End it with `mcp-workbench stop`; the next start uses the new version.",
        )
    if hello.get("bench") != bench:
        raise WorkbenchError(f"This core serves the bench {bench}.", "Start the door with the same folder.")
    return role


def _joined(events: list[Event]) -> list[Event]:
    """Neighbouring pieces of one run's output as one event: a chatty program costs one frame, not thousands."""
    joined: list[Event] = []
    texts: list[str] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, RunOutput) and isinstance(last, RunOutput) and _same(event, last):
            texts.append(event.text)
            continue
        _settle(joined, texts)
        joined.append(event)
    _settle(joined, texts)
    return joined


def _same(one: RunOutput, other: RunOutput) -> bool:
    return one.run_id == other.run_id and one.stream == other.stream


def _settle(joined: list[Event], texts: list[str]) -> None:
    if texts and isinstance(last := joined[-1], RunOutput):
        joined[-1] = RunOutput(last.run_id, last.stream, last.text + "".join(texts))
        texts.clear()
