"""One open door as the core sees it: its questions run side by side, and end with it unless they decide something."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from msgspec import Raw

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import JsonObject, JsonValue
from workbench.wire.codec import NO_ARGUMENTS, Message, encode
from workbench.wire.peer import Asker, answering, check_is_user
from workbench.wire.protocol import FRAME_CAP, SLICE, Oversized, fault_of, pack, take

if TYPE_CHECKING:
    from workbench.wire.server import Server

log = logging.getLogger(__name__)

UNREAD_CAP = 2 * FRAME_CAP  # bytes a door may leave unread before it is closed
ASKED_CAP = 512  # questions one door may have open at once
FAREWELL_SECONDS = 1.0  # how long a closing door may take to read what was already said


class Door:
    """Reads one connection's questions and writes their answers."""

    def __init__(
        self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asker: Asker
    ) -> None:
        self._server = server
        self._asker = asker
        self._reader = reader
        self._writer = writer
        self._asked: dict[int, tuple[str, asyncio.Task[None]]] = {}

    async def answer_all(self) -> None:
        """Until the other side leaves, or sends what cannot be followed."""
        while True:
            try:
                message = await take(self._reader)
            except Oversized as fault:
                log.warning("a door was closed: %s", fault.message)
                self.say({"fault": fault_of(fault)})
                return
            except WorkbenchError as fault:
                self.say({"id": None, "fault": fault_of(fault)})
                continue
            if message is None:
                return
            self._take_up(message)

    def send(self, frame: bytes) -> None:
        """Write a frame, unless the other side has stopped reading: then it is closed, so that it cannot eat us up."""
        if self._writer.transport.get_write_buffer_size() > UNREAD_CAP:
            log.warning("a door does not read what it is told and was closed")
            self._writer.transport.abort()
        elif not self._writer.is_closing():
            self._writer.write(frame)

    def say(self, message: JsonObject) -> None:
        self.send(pack(message))

    async def close(self) -> None:
        """Let go of the connection; questions that decide run to their end, and are answered if that is soon."""
        decides = self._server.methods.decides
        idle = [task for name, task in self._asked.values() if not decides(name)]
        deciding = [task for name, task in self._asked.values() if decides(name)]
        for task in idle:
            _take_back(task)
        if deciding:  # whoever asked the core to end is still waiting to hear that it will
            await asyncio.wait(deciding, timeout=FAREWELL_SECONDS)
        self._writer.close()
        try:
            async with asyncio.timeout(FAREWELL_SECONDS):
                if idle:
                    await asyncio.wait(idle)  # gathering them would cancel them once more when the time is over
                await self._writer.wait_closed()
        except (TimeoutError, OSError):
            self._writer.transport.abort()

    def _take_up(self, message: Message) -> None:
        if "cancel" in message:
            self._cancel(message["cancel"])
            return
        number = message.get("id")
        if type(number) is not int or number in self._asked:
            self.say({"id": None, "fault": fault_of(WorkbenchError("A question needs a number of its own."))})
        elif len(self._asked) >= ASKED_CAP:
            self.say({"id": number, "fault": fault_of(WorkbenchError("Too many questions are open at once."))})
        else:
            self._start(number, message)

    def _start(self, number: int, message: Message) -> None:
        name = str(message.get("ask", "fetch"))
        task = spawn(f"wire.{name}", self._answer(number, message))
        self._asked[number] = (name, task)
        if self._server.methods.decides(name):
            self._server.see_through(task)
        task.add_done_callback(lambda _: self._asked.pop(number, None))

    def _cancel(self, number: JsonValue) -> None:
        """A window that closes lets go of all it asked; what decides something runs to its end all the same."""
        name, task = self._asked.get(number, ("", None)) if type(number) is int else ("", None)
        if task and not self._server.methods.decides(name):
            _take_back(task)

    async def _answer(self, number: int, message: Message) -> None:
        try:
            answer = {"id": number, "value": await self._value(message)}
            frame = pack(answer)
        except WorkbenchError as fault:
            frame = pack({"id": number, "fault": fault_of(fault)})
        except Exception as fault:
            log.exception("a question failed: %s", message.get("ask"))
            trouble = WorkbenchError(f"The core failed on this: {type(fault).__name__}.", "Its log has the details.")
            frame = pack({"id": number, "fault": fault_of(trouble)})
        self._server.flush()
        self.send(frame)

    async def _value(self, message: Message) -> Raw:
        if "fetch" in message:
            return encode(str, self._slice(message))
        method = self._server.methods.get(str(message.get("ask")))
        if method is None:
            raise WorkbenchError(f"The core has no method {message.get('ask')!r}.")
        arguments = method.schema.decode_arguments(message.get("arguments", NO_ARGUMENTS), self._server.shelf.whole)
        with answering(self._asker):
            if method.mark.consent:
                check_is_user()
            answer = await method(**arguments)
        return method.schema.encode_answer(answer, self._server.shelf.keep)

    def _slice(self, message: Message) -> str:
        handle, offset, length = message.get("fetch"), message.get("offset"), message.get("length")
        if type(handle) is not str or type(offset) is not int or type(length) is not int:
            raise WorkbenchError("A long text is fetched by handle, offset and length.")
        return self._server.shelf.slice(handle, offset, min(length, SLICE))


def _take_back(task: asyncio.Task[None]) -> None:
    """Cancelled once and no more: the second time would interrupt it while it tells a server to stop."""
    if not task.cancelling():
        task.cancel()
