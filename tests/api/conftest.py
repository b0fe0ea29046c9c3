"""A small `Questions` to ask, and connections to it that are always closed again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from workbench import __version__
from workbench.api import core_launcher
from workbench.api.client import CoreConnection
from workbench.api.codec import Message
from workbench.api.core_lock import lock_holder
from workbench.api.frames import FRAME_CAP, PROTOCOL, pack_frame, read_frame
from workbench.api.in_memory import StandIn, connect_in_memory
from workbench.api.server import ApiServer
from workbench.errors import WorkbenchError
from workbench.events import Bus, living
from workbench.paths import Paths
from workbench.records import CoreStatus, EntryQuery, JsonValue, Outcome, Strength, ToolCall, ToolSummary
from workbench.records.servers import Hints
from workbench.settings import Settings


class Answers:
    """Answers a few questions for real; the others are not needed here."""

    def __init__(self) -> None:
        self.bus = Bus()
        self.files: dict[str, str] = {}
        self.asked: list[object] = []
        self.started = asyncio.Event()
        self.release = asyncio.Event()
        self.gave_up = asyncio.Event()
        self.cancelled: list[str] = []
        self.finished: list[str] = []

    async def status(self) -> CoreStatus:
        return CoreStatus("0.1.0", 7, "/bench", 1.0, Strength("native", "full", {"namespaces": True}))

    async def settings(self) -> Settings:
        return Settings()

    async def change_setting(self, name: str, value: JsonValue) -> Settings:
        await self._wait("change_setting")
        return Settings(run_seconds=value)

    async def tools(self) -> tuple[ToolSummary, ...]:
        return tuple(ToolSummary("demo", f"tool{i}", "", "Does it.", Hints(), "import", i) for i in range(2_345))

    async def read_file(self, path: str) -> str:
        if path not in self.files:
            raise WorkbenchError(f"There is no file {path}.", "See the list of files.")
        return self.files[path]

    async def call(self, call: ToolCall) -> Outcome:
        self.asked.append(call)
        await self._wait("call")
        return Outcome(call.id, True)

    async def call_as_code(self, server: str, tool: str, arguments: JsonValue) -> str:
        self.asked.append(arguments)
        return f"{server}.{tool}"

    async def entries(self, query: EntryQuery) -> tuple[object, ...]:
        self.asked.append(query)
        return ()

    async def frames(self, server: str, after: float = 0.0) -> tuple[object, ...]:
        raise ZeroDivisionError("secret inside")

    async def shut_down(self) -> None:
        self.finished.append("shut_down")

    async def _wait(self, name: str) -> None:
        self.started.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.append(name)
            self.gave_up.set()
            raise
        self.finished.append(name)


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
async def connection(answers: Answers) -> AsyncIterator[CoreConnection]:
    connection = await connect_in_memory(answers, answers.bus)
    yield connection
    answers.release.set()
    await connection.close()


@pytest.fixture
def core_command(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ...]]:
    """Doors start a real process around simple rooms; at the end of the test none is left."""
    command = (sys.executable, str(Path(__file__).with_name("fake_core.py")))
    monkeypatch.setattr(core_launcher, "COMMAND", command)
    yield command
    deadline = time.monotonic() + 60
    while (pid := lock_holder(paths.lock)) and time.monotonic() < deadline:
        os.kill(pid, signal.SIGTERM)
        time.sleep(0.02)
    assert not lock_holder(paths.lock)


@pytest.fixture(scope="session")
def answers_of() -> type[Answers]:
    """For tests that run an event loop of their own for each example."""
    return Answers


HELLO = {"hello": {"protocol": PROTOCOL, "app": __version__, "project": "/bench", "role": "window"}}


def _plain(message: Message) -> dict[str, object]:
    plain: dict[str, object] = dict(message)
    if "events" in message:
        plain["events"] = [json.loads(bytes(event))[0] for event in message["events"]]
    if "value" in message:
        plain["value"], *shelved = json.loads(bytes(message["value"]))
        plain |= {"shelved": shelved[0]} if shelved else {}
    return plain


class Caller:
    """A raw socket that can say anything."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def say(self, message: dict[str, object]) -> None:
        arguments = {"arguments": [message["arguments"]]} if "arguments" in message else {}
        self.writer.write(pack_frame({**message, **arguments}))

    async def hear(self) -> dict[str, object] | None:
        """What came, with its values as plain JSON; `shelved` holds the long texts of the value."""
        async with asyncio.timeout(60):
            message = await read_frame(self.reader)
        return message and _plain(message)

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


@contextlib.asynccontextmanager
async def serve_answers(answers):
    """A server, and a way to call it; both are gone afterwards."""
    running, callers = ApiServer(StandIn(answers), answers.bus, "/bench"), []

    async def call(hello: dict[str, object] | None = HELLO) -> Caller:
        near, far = socket.socketpair()
        running.admit(*await asyncio.open_connection(sock=far))
        caller = Caller(*await asyncio.open_connection(sock=near, limit=2 * FRAME_CAP))
        callers.append(caller)
        if hello:
            caller.say(hello)
            assert (await caller.hear())["hello"]["project"] == "/bench"
        return caller

    try:
        yield running, call
    finally:
        answers.release.set()
        await running.close()
        for caller in callers:
            await caller.close()
        assert not [name for name in living() if name.startswith("api.")]


@pytest.fixture(scope="session")
def serving():
    """`async with serving(answers) as (server, call)`: a server and a way to open raw connections to it."""
    return serve_answers
