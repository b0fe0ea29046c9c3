"""Stdio transport: linear line reader, frame limit, captured stderr, message log, and an end that leaves no process.

WORKAROUND(the SDK's client reads in quadratic time: 1.9 s of CPU for 20 MB; it has no frame limit, stops at bytes that
are not UTF-8, python-sdk#2454, and hides the process; mcp > 2.3): see `tests/servers/test_plain_sdk.py`. Any async
context manager that yields a pair of message streams is a transport.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, cast

from workbench.events import spawn
from workbench.servers import server_faults
from workbench.servers.configuration.launch_command import LaunchCommand
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.fast_tool_calls import FastToolCalls
from workbench.servers.sdk_adapter.untrusted_json import may_be_heavy, replace_lone_surrogates, too_heavy
from workbench.servers.server_faults import ServerFault

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCMessage


_QUEUED = 1 << 20  # bytes of queued lines above which reading pauses
_ERROR_LINE = 1 << 16  # bytes of one stderr line
_STDOUT, _STDERR = 1, 2
_QUEUE = 256  # messages queued for a server that reads slowly
_SLOW_PARSE = 4 << 20  # bytes from which a message is parsed on a thread
_GRACE = 2.0  # seconds a server has after its stdin closed, and again after TERM
_LOOK = 0.02  # seconds between two checks of a process group
_TOLD = 200  # bytes at the start and end of an unreadable answer that are searched for its id
_ID = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,')
_LAST_ID = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


_HEAD = 512  # bytes kept of a line that was too long


@dataclass(frozen=True, slots=True)
class OversizedLine:
    """The start of a line longer than the limit. It is reported at once; the rest is discarded."""

    head: bytes


class LineSplitter:
    """Splits chunks into lines. Each byte is scanned once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False  # inside the rest of an oversized line

    def feed(self, chunk: bytes) -> Iterator[bytes | OversizedLine]:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            if (fault := self._add(chunk[start:end])) is not None:
                yield fault
            if not self._skipping:
                yield b"".join(self._parts)
            self._parts, self._size, self._skipping = [], 0, False
            start = end + 1
        if (fault := self._add(chunk[start:])) is not None:
            yield fault

    def rest(self) -> bytes:
        """Return the data after the last line end when the stream closed."""
        return b"".join(self._parts)

    def _add(self, part: bytes) -> OversizedLine | None:
        if self._skipping:
            return None
        self._parts.append(part)
        self._size += len(part)
        if self._size <= self._limit:
            return None
        head = b"".join(self._parts)[:_HEAD]
        self._parts, self._skipping = [], True
        return OversizedLine(head)


class ServerPipes(asyncio.SubprocessProtocol):
    """Pipes of a server process: lines of stdout in order, stderr, and flow control of stdin.

    `take` may handle a line of stdout in the callback that reads it, which saves 20 µs a tool call compared with a
    reader task. It is not offered a line while an earlier one waits.
    """

    def __init__(self, limit: int, take: Callable[[bytes], bool], said: Callable[[bytes], None]) -> None:
        self._take = take
        self._said = said
        self._lines, self._error_lines = LineSplitter(limit), LineSplitter(_ERROR_LINE)
        self._waiting: deque[bytes | OversizedLine] = deque()
        self._waiting_bytes = 0
        self._busy = False  # a line was returned and is being handled
        self._discarding = False
        self._stdin_lost = False
        self._room = asyncio.Event()  # set when stdin accepts more data
        self._room.set()
        self._arrived = asyncio.Event()
        self.stdout_ended = asyncio.Event()
        self.exited = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.process = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            for line in self._error_lines.feed(data):
                self._said(line.head if isinstance(line, OversizedLine) else line)
        elif not self._discarding:
            for line in self._lines.feed(data):
                if self._busy or self._waiting or isinstance(line, OversizedLine) or not self._take(line):
                    self._waiting.append(line)
                    self._waiting_bytes += _size(line)
            if self._waiting:
                self._arrived.set()
            if self._waiting_bytes > _QUEUED:
                self._stdout.pause_reading()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _STDERR:
            if rest := self._error_lines.rest():
                self._said(rest)
        elif fd == _STDOUT:
            self.stdout_ended.set()
            self._arrived.set()
        else:
            self._stdin_lost = True
            self._room.set()

    def process_exited(self) -> None:
        self.exited.set()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    async def next_line(self) -> bytes | OversizedLine | None:
        """Return the next line of stdout that `take` did not handle; None at the end."""
        self._busy = False
        while not self._waiting:
            if self.stdout_ended.is_set():
                return None
            self._arrived.clear()
            await self._arrived.wait()
        line = self._waiting.popleft()
        self._waiting_bytes -= _size(line)
        if self._waiting_bytes <= _QUEUED and not self.stdout_ended.is_set():
            self._stdout.resume_reading()
        self._busy = True
        return line

    def discard(self) -> None:
        """Drop further output, so that a server that is still writing can finish and see its stdin close."""
        self._discarding = True
        self._waiting.clear()
        self._waiting_bytes = 0
        if not self.stdout_ended.is_set():
            self._stdout.resume_reading()

    def rest(self) -> bytes:
        """Return the data after the last line end when stdout closed."""
        return self._lines.rest()

    def write(self, data: bytes) -> None:
        self._stdin.write(data)

    async def drained(self) -> None:
        """Wait until a slow server has room. Raises OSError after the server closed its stdin."""
        if not self._room.is_set():
            await self._room.wait()
        if self._stdin_lost:
            raise BrokenPipeError("The server has closed its stdin.")

    def close_stdin(self) -> None:
        self._stdin.close()

    @property
    def _stdin(self) -> asyncio.WriteTransport:
        return cast("asyncio.WriteTransport", self.process.get_pipe_transport(0))

    @property
    def _stdout(self) -> asyncio.ReadTransport:
        return cast("asyncio.ReadTransport", self.process.get_pipe_transport(_STDOUT))


def _size(line: bytes | OversizedLine) -> int:
    """Return the memory of a queued line; an empty one needs some too."""
    return 50 + len(line if isinstance(line, bytes) else line.head)


class StdioTransport:
    """One server process and its pipes: an async context manager that yields (messages in, messages out)."""

    kind = "stdio"
    status, challenge, expired = 0, "", False  # stdio has no HTTP

    def __init__(
        self, name: str, launch: LaunchCommand, frame_limit: int, traffic: MessageLog, groups: ProcessGroups
    ) -> None:
        self._name = name
        self._launch = launch
        self._limit = frame_limit
        self._traffic = traffic
        self._groups = groups
        self._tasks: list[asyncio.Task[None]] = []
        self.direct = FastToolCalls(self._write_line, self._drained)
        self.pid = 0
        self.ended = asyncio.Event()  # set when the server sends nothing more
        self.returncode: int | None = None  # None: the process did not exit by itself
        self.fault = ""  # why this transport closed the stream

    async def __aenter__(
        self,
    ) -> tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]:
        import anyio

        await self._start()
        self._incoming, incoming = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
        outgoing, self._outgoing = anyio.create_memory_object_stream["SessionMessage"](_QUEUE)
        self._streams = (self._incoming, incoming, outgoing, self._outgoing)
        works = {"stdout": self._read(), "stdin": self._write(), "exit": self._watch()}
        self._tasks = [spawn(f"server {self._name}: {what}", work) for what, work in works.items()]
        return incoming, outgoing

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._end()
        finally:
            self._end_now()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._groups.remove(self.pid)

    def unstarted(self, leaves: Sequence[BaseException]) -> ServerFault | None:
        """Explain a failed start; the exit code says more than the SDK's exception."""
        if not self.pid:
            for leaf in leaves:
                if isinstance(leaf, (OSError, ValueError)):
                    return server_faults.not_started(self._launch, leaf)
        if self.fault:
            return ServerFault(self.fault, "", self._traffic.tail())
        return None if self.returncode is None else server_faults.left_at_start(self.returncode, self._traffic)

    def gone(self) -> ServerFault:
        return server_faults.died(self.returncode, self.fault, self._traffic)

    async def _start(self) -> None:
        launch = self._launch
        self._traffic.begin()
        self._process, self._pipes = await asyncio.get_running_loop().subprocess_exec(
            lambda: ServerPipes(self._limit, self._take_at_once, self._traffic.add_error_line),
            launch.command,
            *launch.args,
            env=dict(launch.env),
            cwd=launch.cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # its own process group, so that a signal reaches all its children
        )
        self.pid = self._process.get_pid()
        try:
            await self._groups.add(self.pid)
        except BaseException:
            self._signal(signal.SIGKILL)
            self._process.close()
            raise

    async def _read(self) -> None:
        """Pass messages from the server's stdout to the session until the stream ends or a message
        cannot be accepted."""
        try:
            while (line := await self._pipes.next_line()) is not None:
                await self._take(line)
        except OSError as fault:
            self.fault = self.fault or str(fault)
            self._pipes.discard()
        except _session_gone():
            self._pipes.discard()
            return
        if rest := self._pipes.rest():
            self._traffic.add_invalid_line(rest)
        self._stop_hearing()

    def _take_at_once(self, line: bytes) -> bool:
        """Handle a line that answers a waiting tool call or is a log message. Returns false for others."""
        taken = not may_be_heavy(line) and len(line) <= _SLOW_PARSE and self.direct.take(line)
        if taken:
            self._traffic.received(line)
        return taken

    async def _take(self, line: bytes | OversizedLine) -> None:
        from mcp.shared.message import SessionMessage

        if isinstance(line, OversizedLine):
            await self._refuse(line)
        elif may_be_heavy(line) and (words := await asyncio.to_thread(too_heavy, line)):
            self._traffic.add_invalid_line(line[:_TOLD], len(line))
            await self._answer_instead(line, f"The answer is too large to be read. {words}")
        elif not self._take_at_once(line) and line.strip():
            message = await self._parse(line)
            if message is not None and not await self._settle_fast_call(message):
                await self._incoming.send(SessionMessage(message))

    async def _settle_fast_call(self, message: JSONRPCMessage) -> bool:
        """Deliver an answer to a fast tool call whose line only the SDK could parse. Returns false for
        other messages."""
        from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCResponse

        match message:
            case JSONRPCResponse():
                return self.direct.settle(message.id, message.result, None)
            case JSONRPCError():
                return self.direct.settle(message.id, None, message.error.model_dump(exclude_unset=True))
            case JSONRPCNotification(method="notifications/progress"):
                return await self.direct.progress(message.params)
        return False

    async def _parse(self, line: bytes) -> JSONRPCMessage | None:
        from mcp.types import jsonrpc_message_adapter

        text = replace_lone_surrogates(line)
        try:
            if len(line) > _SLOW_PARSE:
                message = await asyncio.to_thread(jsonrpc_message_adapter.validate_json, text, by_name=False)
            else:
                message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValueError:
            self._traffic.add_invalid_line(line)
            await self._answer_instead(line, "The server's answer cannot be read: it is not a JSON-RPC message.")
            return None
        self._traffic.received(line)
        return message

    async def _refuse(self, line: OversizedLine) -> None:
        """Answer the waiting call on behalf of the server. Without an id the call is unknown, so the
        connection ends."""
        self._traffic.add_invalid_line(line.head, self._limit)
        if await self._answer_instead(line.head, f"The answer is longer than the limit of {self._limit:,} bytes."):
            return
        self.fault = f"The server sent a message longer than the limit of {self._limit:,} bytes."
        raise OSError(self.fault)

    async def _answer_instead(self, line: bytes, sentence: str) -> bool:
        """Answer the call of a rejected answer on behalf of the server. Returns false when its id cannot be found."""
        from mcp.shared.message import SessionMessage
        from mcp.types import ErrorData, JSONRPCError

        found = _ID.match(line[:_TOLD]) or _LAST_ID.search(line[-_TOLD:])
        if found is None:
            return False
        number = int(found[1])
        if not self.direct.settle(number, None, {"code": -32603, "message": sentence}):
            error = ErrorData(code=-32603, message=sentence)
            await self._incoming.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=number, error=error)))
        return True

    async def _write(self) -> None:
        try:
            async for message in self._outgoing:
                self._write_line(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
                await self._drained()
        except OSError:
            self._stop_hearing()  # nothing is read any more; calls must not wait for answers that cannot come

    def _write_line(self, data: bytes) -> None:
        self._traffic.sent(data)
        self._pipes.write(data + b"\n")

    async def _drained(self) -> None:
        await self._pipes.drained()

    def _stop_hearing(self) -> None:
        self.ended.set()
        self._incoming.close()
        self.direct.close()

    async def _watch(self) -> None:
        """Watch for the exit of the server. Its children may hold the pipes open; output written
        before is still read."""
        await self._pipes.exited.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE / 4):
                await self.ended.wait()
        self._stop_hearing()

    async def _end(self) -> None:
        """Close stdin and wait, send TERM and wait, send KILL; then the same for child processes."""
        if self.ended.is_set():
            await self._gone(_GRACE / 2)
            self.returncode = self._process.get_returncode()
        self._streams[2].close()
        await asyncio.sleep(0)
        self._pipes.close_stdin()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if await self._gone(_GRACE):
                break
            self._signal(number)
        await self._gone(_GRACE)
        if self._signal(signal.SIGTERM):
            await self._group_gone(_GRACE / 4)

    def _end_now(self) -> None:
        self._signal(signal.SIGKILL)
        self._process.close()  # needed when a process outside the group still holds a pipe
        self.direct.close()
        for stream in self._streams:
            stream.close()
        for task in self._tasks:
            task.cancel()

    async def _gone(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._pipes.exited.wait()
        return self._pipes.exited.is_set()

    async def _group_gone(self, seconds: float) -> None:
        """Wait until the process group is empty. Polls, because no event reports the end of another
        process's children."""
        for _ in range(round(seconds / _LOOK)):
            if not self._signal(0):
                return
            await asyncio.sleep(_LOOK)

    def _signal(self, number: int) -> bool:
        """Signal the process group. Returns false when it is empty."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def _session_gone() -> tuple[type[Exception], ...]:
    import anyio

    return (anyio.ClosedResourceError, anyio.BrokenResourceError)
