"""The core's side of the channel to one locked child. Every frame from the child is untrusted until it is checked.

Frames: ready, start, output, requests and their answers, end. The channel stops reading while too many requests are
unanswered or too many bytes unsent.
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
    """Reads a child's descriptors 1 and 2 as data arrives. `take` reads at once, without waiting for the event loop."""

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

_CARRYING = frozenset({"send", "receive"})  # data of a connection; the network limits count its bytes
_REQUESTS = frozenset({"call", "search", "definition", "skill", "offer", "sealed", "tokens", "connect"}) | _CARRYING
_MOST_AT_ONCE = 64  # concurrent requests above which reading pauses
_UNSENT = 4 << 20  # bytes that the program has not read yet above which reading pauses
_FRAME_WEIGHT = 16  # bytes added to each output frame's text length, so that empty frames also reach the limit
_MOST = 1 << 30  # limit for the bytes that a program may send in one run
_OBJECT = 32  # extra bytes counted for each list or object, because parsing one takes as long
_REFUSALS = 20  # frames of unknown kinds after which the run is ended
_LARGEST_ID = 1 << 53
# format in which `runner` reports the current line on request
_LINE = re.compile(rb"\x00at line ([1-9][0-9]{0,6})\x00")


class Channel(asyncio.Protocol):
    """Protocol of a locked child: ready, start, output and requests, end.

    `ended` holds the last frame, or None if the child closed the channel without one.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[dict[str, Any]] = loop.create_future()  # Any: facts about the child, JSON
        self.ended: asyncio.Future[dict[str, Any] | None] = loop.create_future()  # Any: JSON
        self.died_before_ready = False  # died before it was ready and without a message
        self.reason = ""  # why the core ended the program, if it did
        self.message = ""
        self.output: list[str] = []
        self._reader = FrameReader()
        self._received = 0
        # received frames that wait to be processed; Any: checked when they are taken
        self._waiting: deque[dict[str, Any]] = deque()
        self._transport: asyncio.Transport | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy = 0  # number of requests being answered
        self._busy_since = 0.0
        self._answering = 0.0  # total seconds with at least one request being answered, up to the last idle moment
        self._line = ""  # line that the program reported on request
        self._located = asyncio.Event()
        self._limits = Limits()
        self._answer: Answer | None = None
        self._tell: Output | None = None
        self._printed = 0
        self._calls = 0
        self._refused = 0
        self._blocked = False
        self.unusable: asyncio.Future[str] = loop.create_future()  # why no further program may run in this child
        self._program = 0  # number of the current program of a REPL session; 0: no REPL session
        self._may_speak = True
        self._stray_output = 0
        self._raw = codecs.getincrementaldecoder("utf-8")("replace")

    def begin(
        self, code: str, limits: Limits, answer: Answer, tell: Output, network: ConnectionPassing | None = None
    ) -> None:
        """Send the program's text. From now on the program may send frames."""
        self._limits, self._answer, self._tell = limits, answer, tell
        self._start({"kind": "start", "code": code} | ({"run": self._program} if self._program else {}), network)

    def begin_next(
        self, code: str, limits: Limits, answer: Answer, tell: Output, network: ConnectionPassing | None = None
    ) -> None:
        """Send the next program of a REPL session. It may send frames after it reported that it began."""
        self._program += 1
        if self._program > 1:
            self.ended = asyncio.get_running_loop().create_future()
            self.output, self._printed, self._calls, self._refused, self._may_speak = [], 0, 0, 0, False
            self._received, self._line = 0, ""
            self._located.clear()
        self.begin(code, limits, answer, tell, network)

    def answering_seconds(self) -> float:
        """Seconds spent on answering requests so far: tool calls, and scanning their answers."""
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
        """Finish a program of a REPL session: cancel its requests and ignore its later output."""
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # let the event loop read output that was written directly to descriptors 1 and 2
        self._tell = None
        self._cancel_requests()
        await self.closed()

    def _start(self, frame: dict[str, Any], network: ConnectionPassing | None) -> None:  # Any: JSON
        """Send the start frame. With a network, its first byte carries the socket over which connections are passed."""
        if network is None or self._transport is None or self._transport.is_closing():
            self._send(frame)
            return
        data = encode(frame | {"network": True})
        self._transport.write(network.give(self._transport, data) if network.nearby else data)

    @property
    def program_started(self) -> bool:
        """Whether a program's text was sent."""
        return self._answer is not None

    def fault(self) -> str:
        """Why the child is not ready, or "" if it is."""
        if not self.ready.done():
            return "it was not ready in time."
        facts = self.ready.result()
        return "" if facts["kind"] == "ready" else str(facts.get("message", ""))[:500].rstrip(".") + "."

    def end(self, reason: str, message: str) -> None:
        """End the program because of a limit or decision of the core. Only the first reason is kept."""
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
        """Wait until no request is being answered."""
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
                raise FrameFault(f"it sent more than {_MOST >> 20} MB in one run")
            self._waiting += self._reader.feed(data)
            self._take_waiting()
            if self._reader.fault is not None:
                raise self._reader.fault
        except FrameFault as fault:
            self._mark_unusable(f"violated the channel protocol: {fault}")

    def _take_waiting(self) -> None:
        """Process waiting frames while there is room for requests and answers."""
        while self._waiting and self._has_room:
            frame = self._waiting.popleft()
            if "bulk" in frame and frame.get("kind") not in ("ask", "end"):
                raise FrameFault("an unexpected bulk frame")
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
            self._mark_unusable(f"violated the channel protocol: {fault}")

    def _take_between_programs(self, frame: dict[str, Any]) -> None:  # Any: checked here
        """Check a frame that arrives between two programs of a REPL session.

        Only code that an earlier program left running can send one.
        """
        if not self._program:
            return
        if not self.ended.done() and frame.get("kind") == "begun" and frame.get("run") == self._program:
            self._may_speak = True
        elif frame.get("kind") == "output":
            self._stray_output += len(str(frame.get("text"))) + _FRAME_WEIGHT
            if self._stray_output > self._limits.output_bytes:
                raise FrameFault("code left running by an earlier program printed too much")
        else:
            raise FrameFault("code left running by an earlier program sent a frame between programs")

    def _mark_unusable(self, words: str) -> None:
        if not self.unusable.done():
            self.unusable.set_result(f"its program {words}")
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
        """Handle bytes written to descriptors 1 and 2. A reported line number is removed from the output."""
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
                raise FrameFault("a frame before it was ready")
            self.ready.set_result(frame)
        elif self._answer is None:
            raise FrameFault("a frame before the program started")
        elif kind == "ask":
            self._take_request(frame)
        elif kind == "output":
            self._take_output(frame)
        elif kind == "end":
            self.ended.set_result(checked_end(frame))
        else:
            self._refuse(frame)

    def _refuse(self, frame: dict[str, Any]) -> None:  # Any: checked here
        """Answer a well-formed frame of an unknown kind with an error; end the run after `_REFUSALS` of them."""
        number = frame.get("id")
        self._refused += 1
        if self._refused > _REFUSALS:
            raise FrameFault("too many frames of unknown kinds")
        no = ToolFailure("Programs cannot send this kind of request.", "refused")
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
            raise FrameFault("a request without a valid number")
        if what not in _REQUESTS or not isinstance(wish, dict):
            raise FrameFault(f"a request of unknown kind {str(what)[:40]!r}")
        self._calls += what not in _CARRYING
        if self._calls > self._limits.calls:
            self.end("calls", f"The program sent more than {self._limits.calls:,} requests.")
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
        answer.close()  # closes the coroutine of a task that was cancelled before its first step
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
            self._write(
                answer_frame(number, ToolFailure(f"The answer cannot be passed to the program: {fault}.", "too_large"))
            )

    def _resume(self) -> None:
        """Process waiting frames again after a request was answered or bytes were sent."""
        try:
            self._take_waiting()
        except FrameFault as fault:
            self._mark_unusable(f"violated the channel protocol: {fault}")
        self._pause_or_resume()

    @property
    def _has_room(self) -> bool:
        return self._busy < _MOST_AT_ONCE and not self._blocked

    def _pause_or_resume(self) -> None:
        """Back-pressure: stop reading while too many requests are unanswered or too many bytes unsent."""
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
