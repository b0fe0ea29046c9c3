"""Sandbox objects that several threads or asyncio tasks use at once, under a very short thread switch interval."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.conftest import QUICK
from workbench.gc_pause import pause_gc
from workbench.records import Limits
from workbench.sandbox.inside.frame_channel import FrameChannel
from workbench.sandbox.program import Ending, Program
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.supervision.child_usage import usage
from workbench.sandbox.supervision.workspace_quota import QuotaGauge, quota_gauge

THREADS = 8


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
async def sandbox() -> Any:
    made = Sandbox(ready=2)
    if (await made.open()).level == "none":
        await made.close()
        pytest.skip(made.strength.reason)
    yield made
    await made.close()


def silent(stream: str, text: str) -> None:
    """Discards output."""


async def run(sandbox: Sandbox, code: str, workspace: Path, limits: Limits = QUICK) -> Ending:
    workspace.mkdir(exist_ok=True)

    async def answer(what: str, request: Any) -> Any:
        return await asyncio.to_thread(lambda: request["arguments"]["number"])

    return await sandbox.run(Program(code, limits, workspace), answer, silent)


CALLS = """
import asyncio
async def call(number):
    return await call_tool("demo", "echo", {"number": number})
numbers = range(BASE, BASE + 30)
assert await asyncio.gather(*map(call, numbers)) == list(numbers)
open("workspace/mark", "w").write("BASE")
result = BASE
"""


async def test_runs_beside_each_other_share_neither_answers_nor_files(sandbox: Sandbox, tmp_path: Path) -> None:
    codes = [CALLS.replace("BASE", str(1000 * number)) for number in range(6)]
    endings = await asyncio.gather(*(run(sandbox, code, tmp_path / str(at)) for at, code in enumerate(codes)))
    assert [(one.ok, one.result, one.message) for one in endings] == [(True, str(1000 * at), "") for at in range(6)]
    assert [(tmp_path / str(at) / "mark").read_text() for at in range(6)] == [str(1000 * at) for at in range(6)]


async def test_each_run_has_an_end_when_the_launcher_is_killed_among_them(
    sandbox: Sandbox, tmp_path: Path, processes: Any
) -> None:
    waiting = [
        asyncio.ensure_future(run(sandbox, "import time\ntime.sleep(0.4)\nresult = 1", tmp_path / str(number)))
        for number in range(5)
    ]
    await asyncio.sleep(0.15)
    os.kill(sandbox.launcher, signal.SIGKILL)
    endings = await asyncio.gather(*waiting)
    assert {one.reason for one in endings} <= {"lost", "done"}
    assert "lost" in {one.reason for one in endings}
    assert (await run(sandbox, "result = 2", tmp_path / "next")).result == "2"
    await sandbox.settle()


async def test_a_limit_ends_its_own_run_only(sandbox: Sandbox, tmp_path: Path) -> None:
    codes = {
        "timeout": "import time\ntime.sleep(60)",
        "cpu": "while True: pass",
        "disk": "import time\nfor n in range(40):\n open(f'workspace/{n}', 'wb').write(bytes(1 << 20))\ntime.sleep(60)",
        "output": "while True: print('x' * 1000)",
        "done": "sum(range(1000))",
    }
    short = Limits(seconds=1.0, cpu_seconds=1.0, memory_mb=384, disk_mb=16, output_bytes=20_000, sleep_counts=True)
    long = Limits(seconds=60.0, cpu_seconds=1.0, memory_mb=384, disk_mb=16, output_bytes=20_000)
    limits = {reason: short if reason == "timeout" else long for reason in codes}
    endings = await asyncio.gather(
        *(run(sandbox, code, tmp_path / reason, limits[reason]) for reason, code in codes.items())
    )
    assert [one.reason for one in endings] == list(codes)


def in_threads(*work: Any) -> None:
    with ThreadPoolExecutor(len(work)) as pool:
        for future in [pool.submit(one) for one in work]:
            future.result(60)


def test_a_workspace_that_is_too_full_is_seen_whoever_else_counts_it(tmp_path: Path) -> None:
    gauge = QuotaGauge(str(tmp_path), 1)
    over = threading.Event()

    def count() -> None:
        while not over.is_set():
            gauge.count()

    def look() -> None:
        while not over.is_set():
            gauge.is_suspect()
            gauge.due(time.monotonic())

    def fill() -> None:
        try:
            for number in range(60):
                (tmp_path / str(number)).write_bytes(bytes(30_000))
        finally:
            over.set()

    in_threads(count, count, look, look, fill)
    assert "more than 1 MB" in gauge.count()
    assert gauge.trouble


def test_one_gauge_for_each_workspace_however_many_threads_ask(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    start, found = threading.Barrier(THREADS), []

    def ask() -> None:
        start.wait(30)
        found.append(quota_gauge(str(tmp_path / "a"), 7))

    in_threads(*[ask] * THREADS)
    assert all(one.count() == "" for one in found)
    assert quota_gauge(str(tmp_path / "a"), 7) is quota_gauge(str(tmp_path / "a"), 7)


def test_usage_of_processes_that_come_and_go_is_a_number_or_nothing() -> None:
    over, seen = threading.Event(), [os.getpid()]

    def spawn() -> None:
        try:
            for _ in range(25):
                process = os.posix_spawn("/bin/true", ["true"], {})
                seen.append(process)
                os.waitpid(process, 0)
        finally:
            over.set()

    def read() -> None:
        while not over.is_set():
            for process in tuple(seen):
                found = usage(process)
                assert found is None or found.cpu >= 0

    in_threads(spawn, read, read, read)
    assert usage(os.getpid()) is not None
    assert all(usage(process) is None for process in seen[1:])


def test_collection_comes_back_after_the_last_of_many_readers() -> None:
    assert gc.isenabled()

    def read() -> None:
        for _ in range(300):
            with pause_gc():
                assert not gc.isenabled()

    in_threads(*[read] * THREADS)
    assert gc.isenabled()


class Host:
    """The core's end of a program's channel: answers each request with its own number, in reverse order."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def serve(self) -> None:
        waiting: list[dict[str, Any]] = []
        data = b""
        self._end.settimeout(0.005)
        while True:
            try:
                piece = self._end.recv(1 << 16)
            except TimeoutError:
                piece = None
            if piece == b"":
                return
            data += piece or b""
            while len(data) >= 4 and len(data) >= 4 + struct.unpack(">I", data[:4])[0]:
                end = 4 + struct.unpack(">I", data[:4])[0]
                frame, data = json.loads(data[4:end]), data[end:]
                if frame["kind"] == "ask":
                    waiting.append(frame)
            if piece is None or len(waiting) > 20:
                for frame in reversed(waiting):
                    self._answer(frame)
                waiting.clear()

    def _answer(self, frame: dict[str, Any]) -> None:
        number = frame["wish"]["number"]
        words = {"error": {"message": str(number)}} if number % 5 == 0 else {"value": number}
        text = json.dumps({"kind": "answer", "id": frame["id"], **words}).encode()
        self._end.sendall(struct.pack(">I", len(text)) + text)


def test_threads_and_event_loops_of_a_program_each_get_their_own_answer() -> None:
    ours, theirs = socket.socketpair()
    host = threading.Thread(target=Host(theirs).serve)
    host.start()
    channel = FrameChannel(ours, lambda error: LookupError(error["message"]), lambda shape, value: value)

    def check(number: int, answer: Any) -> None:
        assert answer == (f"refused {number}" if number % 5 == 0 else number)

    def ask_now(base: int) -> None:
        for number in range(base, base + 40):
            try:
                answer = channel.ask_now("search", number=number)
            except LookupError as refusal:
                answer = f"refused {refusal}"
            check(number, answer)
            channel.say(kind="output", stream="stdout", text="x")

    async def ask_all(base: int) -> None:
        answers = await asyncio.gather(
            *(channel.ask("search", number=number) for number in range(base, base + 40)), return_exceptions=True
        )
        for number, answer in enumerate(answers, base):
            check(number, f"refused {answer}" if isinstance(answer, LookupError) else answer)

    def ask_in_loop(base: int) -> None:
        asyncio.run(ask_all(base))

    try:
        in_threads(
            *(lambda base=1000 * number: ask_now(base) for number in range(1, 6)),
            *(lambda base=1000 * number: ask_in_loop(base) for number in range(6, 9)),
        )
    finally:
        ours.shutdown(socket.SHUT_RDWR)
        host.join(30)
        ours.close()
        theirs.close()
    assert not host.is_alive()
