"""Programs that exhaust resources: each is ended with its reason, the host continues, and the next run succeeds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.sandbox.conftest import empty
from workbench.records import Limits

LIMITS = Limits(seconds=60.0, cpu_seconds=20.0, memory_mb=256, disk_mb=16, output_bytes=50_000)
SHORT = replace(LIMITS, seconds=1.0)
BUSY = replace(LIMITS, cpu_seconds=0.4)  # the kernel counts complete seconds, so the program ends after one

GREEDY = {
    "ten gigabytes": ("bytearray(10 << 30)", LIMITS, "memory"),
    "more and more": ("kept = []\nwhile True: kept.append(bytes(1 << 20))", LIMITS, "memory"),
    "an endless loop in C": ("10 ** 10 ** 8", SHORT, "timeout"),
    "an endless loop": ("while True: pass", BUSY, "cpu"),
    "a regular expression": ("re.match('(a|a)*$', 'a' * 40 + 'b')", SHORT, "timeout"),
    "endless print": ("while True: print('x' * 1000)", LIMITS, "output"),
    "endless bytes": ("import os\nwhile True: os.write(1, b'x' * 1000)", LIMITS, "output"),
    "endless errors": ("import sys\nwhile True: sys.stderr.write('x' * 1000)", LIMITS, "output"),
    "a full disk": (
        "for n in range(99): open(f'workspace/{n}', 'wb').write(bytes(8 << 20))\nwhile True: pass",
        LIMITS,
        "disk",
    ),
    "one large file": ("open('workspace/large', 'wb').write(bytes(32 << 20))", LIMITS, "failed"),
    "calls without end": ("while True: await call_tool('s', 't', {})", replace(LIMITS, calls=50), "calls"),
    "a fork bomb": ("import os\nwhile True: os.fork()", LIMITS, "failed"),
    "endless recursion": ("def f(): return f()\nf()", LIMITS, "failed"),
    "recursion without a limit": (
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return [f(n + 1)]\nf(0)",
        replace(LIMITS, seconds=2.0),
        "killed memory failed timeout",
    ),
    "a huge complaint": ("raise ValueError('x' * (50 << 20))", LIMITS, "failed memory"),
    "a complaint that complains": (
        "class E(Exception):\n    def __str__(self): raise E()\nraise E()",
        LIMITS,
        "failed",
    ),
    "ten thousand threads": (
        "import threading\nover = threading.Event()\nfor _ in range(10_000):\n"
        "    threading.Thread(target=over.wait, daemon=True).start()",
        LIMITS,
        "failed memory",
    ),
}


@pytest.mark.parametrize("half", [0, 1])  # two parts, so that two test processes share the time
async def test_each_is_ended_with_its_reason(native: Any, half: int) -> None:
    for name in list(GREEDY)[half::2]:
        code, limits, reasons = GREEDY[name]
        native.heard.clear()
        ending = await native.run(f"print('began', flush=True)\n{code}", limits, stands=lambda: not native.heard)
        assert ending.reason in reasons.split(), (name, ending)
        assert ending.message, name
        assert len(ending.message) < 25_000, name
        assert ending.output.startswith("began"), name  # its output is preserved
        assert len(ending.output) <= limits.output_bytes, name
        empty(native.project / "workspace")
        assert (await native.run("1 + 1")).result == "2", name


def on_disk(room: Any) -> int:
    return sum(file.stat().st_blocks * 512 for file in (room.project / "workspace").iterdir())


@pytest.mark.parametrize("name", ["ten gigabytes", "an endless loop in C", "endless print", "a fork bomb"])
@pytest.mark.parametrize("backend", ["bubblewrap", "reduced"])
async def test_the_other_backends_end_it_as_well(open_room: Any, backend: str, name: str) -> None:
    room = await open_room(backend)
    code, limits, reasons = GREEDY[name]
    ending = await room.run(f"print('began', flush=True)\n{code}", limits)
    assert ending.reason in reasons.split(), ending
    assert (await room.run("1 + 1")).result == "2"


async def test_a_hundred_thousand_tasks_run_or_end_and_harm_nobody(native: Any) -> None:
    ending = await native.run(
        "async def one(n): return n\nsum(await asyncio.gather(*[one(n) for n in range(100_000)]))",
        replace(LIMITS, memory_mb=512),
    )
    assert ending.result == "4999950000", ending


async def test_files_without_end_are_counted_while_they_are_made(native: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.sandbox.supervision.workspace_quota.MOST_FILES", 2000)
    ending = await native.run("n = 0\nwhile True:\n    open(f'workspace/{n}', 'w').close()\n    n += 1", LIMITS)
    assert (ending.reason, "2,000 files" in ending.message) == ("disk", True), ending


async def test_each_limit_counts_for_one_call_alone(native: Any) -> None:
    found = [await native.run("bytes(100 << 20)\n'fits'", replace(LIMITS, memory_mb=most)) for most in (64, 256, 64)]
    assert [ending.reason for ending in found] == ["memory", "done", "memory"]
    assert "64 MB" in found[0].message


async def test_open_files_and_threads_have_an_end_and_the_program_goes_on(native: Any) -> None:
    ending = await native.run(
        "import os, threading\nover, made, opened = threading.Event(), 0, []\n"
        "try:\n    while True: opened.append(os.open('/dev/null', 0))\nexcept OSError: pass\n"
        "for each in opened[:9]: os.close(each)\n"
        "try:\n    while True:\n        threading.Thread(target=over.wait, daemon=True).start()\n        made += 1\n"
        "except RuntimeError: pass\nover.set()\n[len(opened), made]",
        replace(LIMITS, pids=16, memory_mb=512),
    )
    opened, made = json.loads(ending.result)
    assert 200 < opened <= 256
    assert 10 < made <= 16


async def test_the_threads_of_one_run_are_not_taken_from_another(native: Any) -> None:
    """All children belong to one user. With the limit set in the wrong order, their threads would be counted
    together.
    """
    started, over = asyncio.Event(), asyncio.Event()

    async def answer(what: str, wish: Any) -> Any:
        started.set()
        await over.wait()

    make = (
        "import threading\nover, made = threading.Event(), 0\n"
        "for _ in range(12):\n    threading.Thread(target=over.wait, daemon=True).start()\n    made += 1\n"
    )
    limits = replace(LIMITS, pids=16)
    first = asyncio.ensure_future(native.run(f"{make}await call_tool('s', 't', {{}})", limits, answer=answer))
    await started.wait()
    second = await native.run(f"{make}over.set()\nmade", limits)
    over.set()
    assert (second.result, (await first).ok) == ("12", True)


async def test_disk_that_is_asked_for_in_one_call_is_written_block_by_block_and_counted(room: Any) -> None:
    """The kernel's fallocate would take gigabytes of the host before the quota is checked."""
    ending = await room.run("import os\nos.posix_fallocate(os.open('workspace/a', 66), 0, 3 << 20)")
    assert (ending.ok, (room.project / "workspace/a").stat().st_blocks * 512) == (True, 3 << 20)
    greedy = "import os\nfor n in range(200):\n    os.posix_fallocate(os.open(f'workspace/{n}', 66), 0, 16 << 20)"
    assert (await room.run(greedy, LIMITS)).reason == "disk"
    assert on_disk(room) < 1 << 30  # of 3.2 GB; the amount depends on the load of the machine


async def test_short_programs_fill_a_workspace_no_more_than_a_long_one(native: Any) -> None:
    """Repeated several times, because disk space freed by other programs meanwhile can hide a write."""
    write = "for n in range(3): open(f'workspace/{}-{{n}}', 'wb').write(bytes(12 << 20))"
    reasons = [(await native.run(write.format(number), LIMITS)).reason for number in range(3)]
    assert "disk" in reasons, reasons
    refused = await native.run("write_file('more', 'x')", LIMITS)
    assert (refused.ok, "27" in refused.message) == (False, True), refused
    remove = "import os\nfor name in os.listdir('workspace'): os.remove('workspace/' + name)"
    assert (await native.run(remove, LIMITS)).ok
    assert (await native.run("write_file('more', 'x')", LIMITS)).ok
