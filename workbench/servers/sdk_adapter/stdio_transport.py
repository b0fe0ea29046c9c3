"""Stdio transport: linear line reader, frame limit, captured stderr, message log, and an end without leftovers.

WORKAROUND(the SDK's client reads in quadratic time: 1.9 s of CPU for 20 MB; it has no frame limit, stops at bytes that
are no UTF-8, python-sdk#2454, and hides the process; mcp > 2.3): see `tests/servers/test_plain_sdk.py`. Any async
context manager that yields a pair of message streams is a transport.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from workbench.events import spawn
from workbench.servers import server_faults
from workbench.servers.configuration.launch_command import LaunchCommand
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.fast_tool_calls import FastToolCalls
from workbench.servers.sdk_adapter.untrusted_json import may_be_heavy, too_heavy, whole
from workbench.servers.server_faults import ServerFault

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCMessage


_CHUNK = 1 << 20
_QUEUE = 256  # messages on their way to a server that reads slowly
_SLOW_PARSE = 4 << 20  # bytes from which a message is parsed beside the loop
_GRACE = 2.0  # seconds a server has after its stdin closed, and again after TERM
_LOOK = 0.02  # seconds between two looks at a process group
_TOLD = 200  # bytes at the beginning and at the end in which an unreadable answer may say whose it is
_ID = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,')
_LAST_ID = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


class _Protocol(SubprocessStreamProtocol):
    """Knows the moment of exit, not only when all pipes are closed."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit, asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        self.exited.set()
        super().process_exited()


class StdioTransport:
    """One server process and its pipes; an async context manager that yields (messages in, messages out)."""

    kind = "stdio"
    status, challenge, expired = 0, "", False  # there is no HTTP here

    def __init__(
        self, name: str, launch: LaunchCommand, frame_limit: int, traffic: MessageLog, groups: ProcessGroups
    ) -> None:
        self._name = name
        self._launch = launch
        self._limit = frame_limit
        self._traffic = traffic
        self._groups = groups
        self._tasks: list[asyncio.Task[None]] = []
        self.direct = FastToolCalls(self._put, self._drained)
        self.pid = 0
        self.ended = asyncio.Event()  # nothing more will come from the server
        self.returncode: int | None = None  # None: it did not leave by itself
        self.fault = ""  # why we gave up on the stream, when it was us

    async def __aenter__(
        self,
    ) -> tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]:
        import anyio

        await self._start()
        self._incoming, incoming = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
        outgoing, self._outgoing = anyio.create_memory_object_stream["SessionMessage"](_QUEUE)
        self._streams = (self._incoming, incoming, outgoing, self._outgoing)
        works = {"stdout": self._read(), "stdin": self._write(), "stderr": self._listen(), "exit": self._watch()}
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
        """The exit code says more than the SDK's exception."""
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
        self._process, self._protocol = await asyncio.get_running_loop().subprocess_exec(
            lambda: _Protocol(_CHUNK),
            launch.command,
            *launch.args,
            env=dict(launch.env),
            cwd=launch.cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a group of its own: it is signalled with all its children
        )
        self.pid = self._process.get_pid()
        try:
            await self._groups.add(self.pid)
        except BaseException:
            self._signal(signal.SIGKILL)
            self._process.close()
            raise

    async def _read(self) -> None:
        """Server's stdout → messages. Ends with the stream, or when a message cannot be taken."""
        lines = LineSplitter(self._limit)
        try:
            while chunk := await self._stdout.read(_CHUNK):
                for line in lines.feed(chunk):
                    await self._take(line)
                await asyncio.sleep(0)  # a server that never stops talking must not starve the others
        except OSError as fault:
            self.fault = self.fault or str(fault)
        except _session_gone():
            await self._drain()
            return
        if rest := lines.rest():
            self._traffic.rubbish(rest)
        self._stop_hearing()

    async def _drain(self) -> None:
        """Nobody listens any more; a server that is still writing must be able to finish and see its stdin end."""
        with contextlib.suppress(OSError):
            while await self._stdout.read(_CHUNK):
                pass

    async def _take(self, line: bytes | OversizedLine) -> None:
        from mcp.shared.message import SessionMessage

        if isinstance(line, OversizedLine):
            await self._refuse(line)
        elif may_be_heavy(line) and (words := await asyncio.to_thread(too_heavy, line)):
            self._traffic.rubbish(line[:_TOLD], len(line))
            await self._answer_instead(line, f"The answer is too large to be read. {words}")
        elif len(line) <= _SLOW_PARSE and self.direct.take(line):
            self._traffic.received(line)
        elif line.strip():
            message = await self._parse(line)
            if message is not None and not await self._taken(message):
                await self._incoming.send(SessionMessage(message))

    async def _taken(self, message: JSONRPCMessage) -> bool:
        """Whether it belongs to a call that went the short way, and could not be read on it."""
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

        text = whole(line)
        try:
            if len(line) > _SLOW_PARSE:
                message = await asyncio.to_thread(jsonrpc_message_adapter.validate_json, text, by_name=False)
            else:
                message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValueError:
            self._traffic.rubbish(line)
            await self._answer_instead(line, "The server's answer cannot be read: it is no JSON-RPC message.")
            return None
        self._traffic.received(line)
        return message

    async def _refuse(self, line: OversizedLine) -> None:
        """Answer the waiting call in the server's place; without an id nobody knows which, so the connection ends."""
        self._traffic.rubbish(line.head, self._limit)
        if await self._answer_instead(line.head, f"The answer is longer than the limit of {self._limit:,} bytes."):
            return
        self.fault = f"It sent a message longer than the limit of {self._limit:,} bytes."
        raise OSError(self.fault)

    async def _answer_instead(self, line: bytes, sentence: str) -> bool:
        """Answer in the server's place the call whose answer cannot be taken; whether it can be told which it is."""
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
                self._put(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
                await self._drained()
        except OSError:
            self._stop_hearing()  # it reads no more: without this, calls would wait for answers that cannot come

    def _put(self, data: bytes) -> None:
        self._traffic.sent(data)
        self._stdin.write(data + b"\n")

    async def _drained(self) -> None:
        await self._stdin.drain()

    def _stop_hearing(self) -> None:
        self.ended.set()
        self._incoming.close()
        self.direct.close()

    async def _listen(self) -> None:
        lines = LineSplitter(1 << 16)
        with contextlib.suppress(OSError):
            while chunk := await self._stderr.read(1 << 16):
                for line in lines.feed(chunk):
                    self._traffic.said(line.head if isinstance(line, OversizedLine) else line)
        if rest := lines.rest():
            self._traffic.said(rest)

    async def _watch(self) -> None:
        """A server may leave while its children hold its pipes open; what it wrote before is still read."""
        await self._protocol.exited.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE / 4):
                await self.ended.wait()
        self._stop_hearing()

    async def _end(self) -> None:
        """Stdin closed, a moment; TERM, a moment; KILL. Then whatever its children are."""
        if self.ended.is_set():
            await self._gone(_GRACE / 2)
            self.returncode = self._process.get_returncode()
        self._streams[2].close()
        await asyncio.sleep(0)
        self._stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if await self._gone(_GRACE):
                break
            self._signal(number)
        await self._gone(_GRACE)
        if self._signal(signal.SIGTERM):
            await self._group_gone(_GRACE / 4)

    def _end_now(self) -> None:
        self._signal(signal.SIGKILL)
        self._process.close()  # also when a grandchild elsewhere still holds a pipe
        self.direct.close()
        for stream in self._streams:
            stream.close()
        for task in self._tasks:
            task.cancel()

    async def _gone(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._protocol.exited.wait()
        return self._protocol.exited.is_set()

    async def _group_gone(self, seconds: float) -> None:
        """Looks again and again: nothing tells when another process's children are gone."""
        for _ in range(round(seconds / _LOOK)):
            if not self._signal(0):
                return
            await asyncio.sleep(_LOOK)

    def _signal(self, number: int) -> bool:
        """Signal the whole group; False when nobody is left in it."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        assert self._protocol.stdin is not None
        return self._protocol.stdin

    @property
    def _stdout(self) -> asyncio.StreamReader:
        assert self._protocol.stdout is not None
        return self._protocol.stdout

    @property
    def _stderr(self) -> asyncio.StreamReader:
        assert self._protocol.stderr is not None
        return self._protocol.stderr


def _session_gone() -> tuple[type[Exception], ...]:
    import anyio

    return (anyio.ClosedResourceError, anyio.BrokenResourceError)


_HEAD = 512  # bytes kept of a line that was too long


@dataclass(frozen=True, slots=True)
class OversizedLine:
    """A line that grew past the limit: told as soon as it does, its rest is thrown away unseen."""

    head: bytes


class LineSplitter:
    """Feed chunks, get whole lines. Each byte is looked at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False  # within the rest of an oversized line

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
        """What came without a line end before the stream closed."""
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
