"""Programs in real virtual machines: the same behaviour as in other sandboxes, and no QEMU process afterwards."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from tests.sandbox.conftest import QUICK, Room, children
from workbench.errors import WorkbenchError
from workbench.records import Limits
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.vm.vm_maker import VmMaker

PATIENT = replace(QUICK, seconds=60.0, cpu_seconds=60.0)  # emulation on a busy machine takes many seconds


def files(room: Room) -> dict[str, bytes]:
    root = room.project / "workspace"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def test_without_an_image_the_hint_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as refused:
        await VmMaker(tmp_path / "vm").look()
    assert refused.value.hint


@pytest.mark.parametrize("words", [{"kept": True}, {"preload": ("pandas",)}])
async def test_what_a_machine_cannot_do_is_refused_before_it_starts(tmp_path: Path, words: dict[str, Any]) -> None:
    profile = dataclasses.replace(ChildProfile("qemu", str(tmp_path), "", "", True, 64, 1, 1, 1), **words)
    with pytest.raises(WorkbenchError) as refused:
        await VmMaker(tmp_path / "vm").make(profile)
    assert refused.value.hint


async def test_a_program_meets_the_same_places_and_leaves_its_files(running: Room) -> None:
    (running.project / "workspace/in.txt").write_text("hello")
    (running.project / "workspace/old.txt").write_text("old")
    (running.project / "servers/demo.py").write_text("value = 7")
    ending = await running.run(
        "import os\nfrom servers import demo\nos.remove('workspace/old.txt')\nos.makedirs('workspace/a/b')\n"
        "open('/workspace/a/b/out', 'w').write(read_file('in.txt') * 2)\n"
        "os.symlink('/etc/passwd', 'workspace/link')\nprint('printed')\n[demo.value, os.getcwd(), os.getuid()]",
        PATIENT,
    )
    assert (ending.reason, json.loads(ending.result)) == ("done", [7, "/bench", 65534])
    assert files(running) == {"in.txt": b"hello", "a/b/out": b"hellohello"}
    assert running.heard[0] == ("stdout", "printed\n")
    assert "'link': it is a link" in running.heard[-1][1]


async def test_calls_reach_the_broker_and_large_answers_come_back(running: Room) -> None:
    ending = await running.run(
        "found = await asyncio.gather(*[call_tool('s', 't', {'n': n}) for n in range(50)])\n"
        "[sum(answer['arguments']['n'] for answer in found), 'x' * 10_000_000]",
        PATIENT,
    )
    total, large = json.loads(ending.result)
    assert (total, len(large)) == (1225, 10_000_000)


@pytest.mark.parametrize(
    ("code", "limits", "reason"),
    [
        ("while True: pass", replace(PATIENT, seconds=2.0, cpu_seconds=60), "timeout"),
        ("while True: pass", replace(PATIENT, cpu_seconds=1), "cpu"),
        ("bytearray(1 << 30)", PATIENT, "memory"),
        ("while True: print('x' * 1000)", replace(PATIENT, output_bytes=50_000), "output"),
        ("for i in range(100): await call_tool('s', 't', {})", replace(PATIENT, calls=10), "calls"),
        ("import os, signal\nimport ctypes\nctypes.string_at(0)", PATIENT, "killed"),
        ("1 / 0", PATIENT, "failed"),
    ],
)
async def test_limits_end_it_with_the_same_words_as_elsewhere(
    running: Room, code: str, limits: Limits, reason: str
) -> None:
    assert (await running.run(code, limits)).reason == reason


async def test_a_workspace_that_is_filled_ends_the_run_or_fails_the_write(running: Room) -> None:
    ending = await running.run(
        "import time\nfor i in range(64):\n    open(f'workspace/{i}', 'wb').write(bytes(1 << 20))\ntime.sleep(20)",
        replace(PATIENT, disk_mb=16),
    )
    assert ending.reason in ("disk", "failed")
    assert sum(map(len, files(running).values())) <= 16 << 20


async def test_holes_count_as_what_they_look_like_and_nothing_of_them_arrives(running: Room) -> None:
    ending = await running.run(
        "for i in range(4): open(f'workspace/{i}', 'wb').truncate(10 << 20)", replace(PATIENT, disk_mb=16)
    )
    assert (ending.reason, files(running)) == ("disk", {})


async def test_a_run_that_we_had_to_end_leaves_the_workspace_as_it_was(running: Room) -> None:
    ending = await running.run(
        "open('workspace/half', 'w').write('x')\nwhile True: pass", replace(PATIENT, seconds=2.0)
    )
    assert (ending.reason, files(running)) == ("timeout", {})


async def test_a_program_that_may_not_write_cannot(running: Room) -> None:
    (running.project / "workspace/in.txt").write_text("hello")
    ending = await running.run("print(read_file('in.txt'))\nwrite_file('x', 'y')", PATIENT, writable=False)
    assert ending.error_type in ("OSError", "PermissionError")
    assert files(running) == {"in.txt": b"hello"}


async def test_machines_of_one_snapshot_share_neither_chance_nor_an_old_clock(running: Room) -> None:
    code = "import os, random, time, uuid\n[os.urandom(8).hex(), random.random(), str(uuid.uuid4()), time.time()]"
    first, second = [json.loads((await running.run(code, PATIENT)).result) for _ in range(2)]
    assert not set(first[:3]) & set(second[:3])
    assert second[3] > first[3]


async def test_there_is_no_network_and_nothing_of_the_host(running: Room) -> None:
    ending = await running.run(
        "import os, socket\nfound = []\n"
        "for attempt in (socket.socket, os.fork, lambda: open('/proc/1/environ').read(),\n"
        "                lambda: os.listdir('/files'),\n"
        "                lambda: open('/dev/vport0p2'), lambda: os.listdir('/sys')):\n"
        "    try:\n        attempt()\n        found.append(True)\n    except OSError:\n        pass\nfound",
        PATIENT,
    )
    assert json.loads(ending.result) == []


async def test_qemu_itself_is_locked_away(running: Room) -> None:
    found: dict[str, Any] = {}

    async def answer(what: str, wish: Any) -> Any:
        qemu = next(process for process in map(psutil.Process, children()) if "qemu" in process.name())
        lines = Path(f"/proc/{qemu.pid}/status").read_text().splitlines()
        found.update(line.split(":\t", 1) for line in lines if ":\t" in line)
        found["worlds"] = [
            os.readlink(f"/proc/{qemu.pid}/ns/{name}") != os.readlink(f"/proc/self/ns/{name}")
            for name in ("mnt", "net", "pid", "ipc", "uts")
        ]

    ending = await running.run("await call_tool('s', 't', {})", PATIENT, answer=answer)
    assert ending.reason == "done"
    assert "0" not in found["Uid"].split()
    assert (found["CapEff"], found["NoNewPrivs"], found["Seccomp"]) == ("0" * 16, "1", "2")
    assert found["worlds"] == [True] * 5


async def test_a_program_with_much_memory_gets_a_larger_machine(running: Room) -> None:
    ending = await running.run("len(bytearray(900 << 20)) >> 20", replace(PATIENT, memory_mb=1536))
    assert (ending.reason, ending.result) == ("done", "900")


@pytest.mark.alone
async def test_twenty_runs_in_a_row_leave_nothing(running: Room) -> None:
    before = children()
    open_files = psutil.Process().num_fds()
    for _ in range(20):
        assert (await running.run("1 + 1", PATIENT)).result == "2"
    assert children() == before
    assert psutil.Process().num_fds() <= open_files + 1


async def test_a_cancelled_run_leaves_no_machine(running: Room) -> None:
    before = children()
    started = asyncio.Event()

    async def answer(what: str, wish: Any) -> Any:
        started.set()

    run = asyncio.ensure_future(running.run("await call_tool('s', 't', {})\nwhile True: pass", PATIENT, answer=answer))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert children() == before


async def test_a_machine_that_is_killed_from_outside_is_told_and_the_next_one_runs(running: Room) -> None:
    before = children()
    started = asyncio.Event()

    async def answer(what: str, wish: Any) -> Any:
        started.set()

    run = asyncio.ensure_future(running.run("await call_tool('s', 't', {})\nwhile True: pass", PATIENT, answer=answer))
    await started.wait()
    for process in children() - before:
        os.kill(process, signal.SIGKILL)
    ending = await run
    assert (ending.reason, "from outside" in ending.message) == ("lost", True)
    assert (await running.run("1 + 1", PATIENT)).result == "2"


def test_a_core_that_is_killed_takes_its_machine_along(image_folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.sandbox.vm.alone", str(image_folder), str(tmp_path / "workspace")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as core:
        assert core.stdout is not None
        assert core.stdout.readline() == b"running\n"
        below = psutil.Process(core.pid).children(recursive=True)
        assert any("qemu" in process.name() for process in below)
        core.kill()
    assert psutil.wait_procs(below, timeout=60)[1] == []
