"""The core's end of the channel to one child: every frame that comes out is hostile until it is checked.

It carries ready, start, output, requests and end. Reading pauses while too much is unanswered or unsent.
"""

from __future__ import annotations

import asyncio
import codecs
import logging
import os
import re
import time
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from types import CoroutineType
from typing import Any

from workbench.events import spawn
from workbench.records import Limits
from workbench.sandbox.channel.connection_passing import ConnectionPassing
from workbench.sandbox.channel.frames import FrameFault, FrameReader, encode
from workbench.sandbox.channel.requests import answer_frame, checked_end, failure_of, insert_bulk_arguments
from workbench.sandbox.program import Answer, Answered, Output, ToolFailure

_CHUNK = 1 << 18


class RawOutput(asyncio.BaseTransport):
    """Hands over what comes; `take` does so now, without waiting for the event loop's next turn."""

    def __init__(self, descriptor: int, tell: Callable[[bytes], None], silent: asyncio.Future[None]) -> None:
        super().__init__()
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._tell = tell
        self._silent = silent
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, self.take)

    def take(self) -> None:
        if self._descriptor < 0:
            return
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._tell(data)
        else:
            self.close()

    def is_closing(self) -> bool:
        return self._descriptor < 0

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
        if not self._silent.done():
            self._silent.set_result(None)


log = logging.getLogger(__name__)

_CARRYING = frozenset({"send", "receive"})  # bytes of a connection, counted where the network's limits are
_REQUESTS = frozenset({"call", "search", "definition", "skill", "offer", "sealed", "connect"}) | _CARRYING
_MOST_AT_ONCE = 64  # questions being answered before reading pauses
_UNSENT = 4 << 20  # bytes the program has not taken yet before reading pauses
_FRAME_WEIGHT = 16  # what an output frame counts beside its text, so that empty ones cannot flood
_MOST = 1 << 30  # bytes a program may send in one run
_OBJECT = 32  # bytes that a list or an object counts for beside its own: reading it takes as long
_REFUSALS = 20  # frames of unknown kinds before the run is ended
_LARGEST_ID = 1 << 53
_LINE = re.compile(rb"\x00at line ([1-9][0-9]{0,6})\x00")  # as `runner` writes it when it is asked


class Channel(asyncio.Protocol):
    """Ready, start, output and questions, end. `ended` holds the last frame, or None when there was none."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[dict[str, Any]] = loop.create_future()  # Any: the child's facts, JSON
        self.ended: asyncio.Future[dict[str, Any] | None] = loop.create_future()  # Any: as above
        self.died_before_ready = False  # before it was ready, without a word
        self.reason = ""  # why we ended it, when it was us
        self.message = ""
        self.output: list[str] = []
        self._reader = FrameReader()
        self._received = 0
        self._waiting: deque[dict[str, Any]] = deque()  # frames that came with others; Any: checked when they are taken
        self._transport: asyncio.Transport | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy = 0  # questions being answered
        self._busy_since = 0.0
        self._answering = 0.0  # seconds in which questions were being answered, up to the last time that none was
        self._line = ""  # where the program said it is, when it was asked
        self._located = asyncio.Event()
        self._limits = Limits()
        self._answer: Answer | None = None
        self._tell: Output | None = None
        self._printed = 0
        self._calls = 0
        self._refused = 0
        self._blocked = False
        self.unusable: asyncio.Future[str] = loop.create_future()  # why no further program may run in it
        self._program = 0  # number of the program in a kept sandbox; 0: it is not kept
        self._may_speak = True
        self._stray_output = 0
        self._raw = codecs.getincrementaldecoder("utf-8")("replace")

    def begin(
        self, code: str, limits: Limits, answer: Answer, tell: Output, network: ConnectionPassing | None = None
    ) -> None:
        """Send the program's text; from here on the program may send frames."""
        self._limits, self._answer, self._tell = limits, answer, tell
        self._start({"kind": "start", "code": code} | ({"run": self._program} if self._program else {}), network)

    def begin_next(
        self, code: str, limits: Limits, answer: Answer, tell: Output, network: ConnectionPassing | None = None
    ) -> None:
        """Send the next program of a REPL session. It may send frames once it reports that this program has begun."""
        self._program += 1
        if self._program > 1:
            self.ended = asyncio.get_running_loop().create_future()
            self.output, self._printed, self._calls, self._refused, self._may_speak = [], 0, 0, 0, False
            self._received, self._line = 0, ""
            self._located.clear()
        self.begin(code, limits, answer, tell, network)

    def answering_seconds(self) -> float:
        """For how long questions have been answered so far: the time of tools, and of scanning what they answer."""
        return self._answering + (time.monotonic() - self._busy_since if self._busy else 0.0)

    async def located(self) -> None:
        """Wait until the program has reported its current line."""
        await self._located.wait()

    def where(self) -> str:
        return f" It was at line {self._line}." if self._line else ""

    def _begin_answering(self) -> None:
        if not self._busy:
            self._busy_since = time.monotonic()
        self._busy += 1

    def _end_answering(self) -> None:
        self._busy -= 1
        if not self._busy:
            self._answering += time.monotonic() - self._busy_since

    async def rest(self) -> None:
        """End a program of a REPL session: cancel its requests and ignore what is still printed in its name."""
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # what it wrote past Python's streams is there already, and read by now
        self._tell = None
        self._cancel_requests()
        await self.closed()

    def _start(self, frame: dict[str, Any], network: ConnectionPassing | None) -> None:  # Any: JSON
        """With a network, the first byte brings the way on which connections are handed over."""
        if network is None or self._transport is None or self._transport.is_closing():
            self._send(frame)
            return
        data = encode(frame | {"network": True})
        self._transport.write(network.give(self._transport, data) if network.nearby else data)

    @property
    def begun(self) -> bool:
        """A program's text was handed over."""
        return self._answer is not None

    def fault(self) -> str:
        """Why the child is not ready, or "" when it is."""
        if not self.ready.done():
            return "it was not ready in time."
        facts = self.ready.result()
        return "" if facts["kind"] == "ready" else str(facts.get("message", ""))[:500].rstrip(".") + "."

    def end(self, reason: str, message: str) -> None:
        """End the program for a reason of ours; the first reason counts."""
        if not self.ended.done():
            self.reason, self.message = reason, message
            self.ended.set_result(None)
        self.close()

    def close(self) -> None:
        self._cancel_requests()
        if self._transport is not None:
            self._transport.abort()

    def _cancel_requests(self) -> None:
        """Cancel each request once: a second cancellation would interrupt a call that tells its server to stop."""
        for task in self._tasks:
            if not task.cancelling():
                task.cancel()

    async def closed(self) -> None:
        """Every question that was being answered has been let go."""
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=_UNSENT)

    def data_received(self, data: bytes) -> None:
        self._received += len(data) + _OBJECT * (data.count(b"[") + data.count(b"{"))
        try:
            if self._received > _MOST:
                raise FrameFault(f"more than {_MOST >> 20} MB in one run")
            self._waiting += self._reader.feed(data)
            self._take_waiting()
            if self._reader.fault is not None:
                raise self._reader.fault
        except FrameFault as fault:
            self._mark_unusable(f"broke the channel: {fault}")

    def _take_waiting(self) -> None:
        """Frame after frame, as long as not too much is unanswered."""
        while self._waiting and self._has_room:
            frame = self._waiting.popleft()
            if "bulk" in frame and frame.get("kind") not in ("ask", "end"):
                raise FrameFault("a bulk frame where none belongs")
            if self.ended.done() or not self._may_speak:
                self._take_between_programs(frame)
            else:
                self._take(frame)

    def _take_last(self) -> None:
        """Take the output and end that arrived before the connection closed; ignore the requests."""
        try:
            while self._waiting and self._may_speak and not self.ended.done():
                if (frame := self._waiting.popleft()).get("kind") != "ask":
                    self._take(frame)
        except FrameFault as fault:
            self._mark_unusable(f"broke the channel: {fault}")

    def _take_between_programs(self, frame: dict[str, Any]) -> None:  # Any: checked here
        """Check what arrives between two programs of a REPL session; only leftovers of the earlier one can send it."""
        if not self._program:
            return
        if not self.ended.done() and frame.get("kind") == "begun" and frame.get("run") == self._program:
            self._may_speak = True
        elif frame.get("kind") == "output":
            self._stray_output += len(str(frame.get("text"))) + _FRAME_WEIGHT
            if self._stray_output > self._limits.output_bytes:
                raise FrameFault("something that an earlier program left behind printed without end")
        else:
            raise FrameFault("something that an earlier program left behind spoke outside of a program")

    def _mark_unusable(self, words: str) -> None:
        if not self.unusable.done():
            self.unusable.set_result(f"it {words}")
        self.end("protocol", f"The program {words}.")

    def connection_lost(self, fault: Exception | None) -> None:
        self._cancel_requests()
        self._take_last()
        if not self.unusable.done():
            self.unusable.set_result("its process ended")
        if not self.ended.done():
            self.ended.set_result(None)
        if not self.ready.done():
            self.died_before_ready = True
            self.ready.set_result({"kind": "broken", "message": "its process died"})

    def pause_writing(self) -> None:
        self._blocked = True
        self._pause_or_resume()

    def resume_writing(self) -> None:
        self._blocked = False
        self._resume()

    def raw_output(self, data: bytes) -> None:
        """What was written past Python's streams; where a program is that was asked is no output."""
        if (found := _LINE.search(data)) is not None:
            self._line = found[1].decode()
            self._located.set()
            data = _LINE.sub(b"", data)
        if data and not self.reason and self._answer is not None:
            self._print("stdout", self._raw.decode(data))

    def _take(self, frame: dict[str, Any]) -> None:  # Any: checked here
        kind = frame.get("kind")
        if not self.ready.done():
            if kind not in ("ready", "broken"):
                raise FrameFault("speech before it was asked")
            self.ready.set_result(frame)
        elif self._answer is None:
            raise FrameFault("speech before it was asked")
        elif kind == "ask":
            self._take_request(frame)
        elif kind == "output":
            self._take_output(frame)
        elif kind == "end":
            self.ended.set_result(checked_end(frame))
        else:
            self._refuse(frame)

    def _refuse(self, frame: dict[str, Any]) -> None:  # Any: checked here
        """A frame that is well made and asks for what no program may ask: no, and not too often."""
        number = frame.get("id")
        self._refused += 1
        if self._refused > _REFUSALS:
            raise FrameFault("too many frames of unknown kinds")
        no = ToolFailure("A program cannot ask for that.", "refused")
        self._reply(number if type(number) is int and 0 < number < _LARGEST_ID else 0, no)

    def _take_output(self, frame: dict[str, Any]) -> None:  # Any: checked here
        stream, text = frame.get("stream"), frame.get("text")
        if stream not in ("stdout", "stderr") or not isinstance(text, str):
            raise FrameFault("output without a stream or text")
        self._print(stream, text)

    def _print(self, stream: str, text: str) -> None:
        room = self._limits.output_bytes - self._printed
        self._printed += len(text.encode()) + (_FRAME_WEIGHT if len(text) < _FRAME_WEIGHT else 0)
        kept = (
            text
            if self._printed <= self._limits.output_bytes
            else text.encode()[: max(0, room)].decode("utf-8", "ignore")
        )
        if kept and self._tell is not None:
            self.output.append(kept)
            self._tell(stream, kept)
        if self._printed > self._limits.output_bytes:
            self.end("output", f"The program printed more than {self._limits.output_bytes:,} bytes.")

    def _take_request(self, frame: dict[str, Any]) -> None:  # Any: checked here
        number, what, wish = frame.get("id"), frame.get("what"), frame.get("wish")
        if type(number) is not int or not 0 < number < _LARGEST_ID:
            raise FrameFault("a question without a number")
        if what not in _REQUESTS or not isinstance(wish, dict):
            raise FrameFault(f"a question of unknown kind {str(what)[:40]!r}")
        self._calls += what not in _CARRYING
        if self._calls > self._limits.calls:
            self.end("calls", f"The program asked more than {self._limits.calls:,} times.")
            return
        if (bulk := frame.get("bulk")) is not None and (refusal := insert_bulk_arguments(what, wish, bulk)):
            self._reply(number, refusal)
            return
        assert self._answer is not None
        try:
            found = self._answer(what, wish)
        except Exception as fault:
            self._reply(number, failure_of(fault))
            return
        if isinstance(found, CoroutineType | Coroutine):
            self._answer_in_task(number, found)
            self._pause_or_resume()
        else:
            self._reply(number, found)

    def _answer_in_task(self, number: int, answer: Coroutine[Any, Any, Answered]) -> None:
        self._begin_answering()
        task = spawn("sandbox request", self._reply_later(number, answer))
        self._tasks.add(task)
        task.add_done_callback(partial(self._request_done, answer))

    def _request_done(self, answer: Coroutine[Any, Any, Answered], task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        answer.close()  # a task that was cancelled before its first step never began it
        self._end_answering()
        self._resume()

    async def _reply_later(self, number: int, answer: Coroutine[Any, Any, Answered]) -> None:
        try:
            found: Answered | ToolFailure = await answer
        except Exception as fault:
            found = failure_of(fault)
        self._reply(number, found)

    def _reply(self, number: int, found: Answered | ToolFailure) -> None:
        try:
            self._write(answer_frame(number, found))
        except (TypeError, ValueError, RecursionError, FrameFault) as fault:
            self._write(answer_frame(number, ToolFailure(f"The answer cannot be handed over: {fault}.", "too_large")))

    def _resume(self) -> None:
        """Take waiting frames again, as there may be room."""
        try:
            self._take_waiting()
        except FrameFault as fault:
            self._mark_unusable(f"broke the channel: {fault}")
        self._pause_or_resume()

    @property
    def _has_room(self) -> bool:
        return self._busy < _MOST_AT_ONCE and not self._blocked

    def _pause_or_resume(self) -> None:
        """Stop reading while too much is unanswered or untaken; the program waits, we do not grow."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        wanted = self._has_room and not self._waiting
        if wanted and not transport.is_reading():
            transport.resume_reading()
        elif not wanted and transport.is_reading():
            transport.pause_reading()

    def _send(self, frame: dict[str, Any]) -> None:  # Any: JSON
        self._write(encode(frame))

    def _write(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)
