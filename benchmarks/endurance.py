"""Runs programs in sequence, in parallel and with kills at random times, and counts leaked resources.

`python benchmarks/endurance.py [RUNS [AT_ONCE [KILLS]]]` prints a table per process backend: processes, file
descriptors, mounts, private folders, and the memory of this process (in place of the core) and of the launcher.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.isolation_probe import BACKENDS
from workbench.sandbox.program import Program
from workbench.sandbox.sandbox import Sandbox

LIMITS = Limits(seconds=20.0, memory_mb=256)
WORK = "write_file('n', '1')\nprint('said')\n(await call_tool('s', 't', {'n': 1}))['n'] + 1"
BUSY = "await call_tool('s', 't', {})\nfor n in range(10 ** 7): pass\n'whole'"
PATIENCE = 15.0  # seconds for ending processes to be gone


@dataclass(frozen=True, slots=True)
class Count:
    """The resources in use at one time."""

    processes: int
    descriptors: int
    mounts: int
    folders: int
    core_kb: int
    launcher_kb: int


async def _answer(what: str, wish: JsonObject) -> JsonValue:
    return wish["arguments"]


async def one(sandbox: Sandbox, folder: Path, code: str = WORK) -> str:
    """Run a program and return the outcome. A sandbox that cannot be created is an outcome too."""
    try:
        ending = await sandbox.run(Program(code, LIMITS, folder), _answer, lambda stream, text: None)
    except WorkbenchError:
        return "not built"
    return ending.reason


async def in_a_row(sandbox: Sandbox, folder: Path, runs: int) -> Counter[str]:
    return Counter([await one(sandbox, folder) for _ in range(runs)])


async def at_once(sandbox: Sandbox, folder: Path, runs: int) -> Counter[str]:
    return Counter(await asyncio.gather(*[one(sandbox, folder) for _ in range(runs)]))


async def killed(sandbox: Sandbox, folder: Path, kills: int, chance: random.Random) -> Counter[str]:
    """Kill the launcher or the child of each run at a random time. The next run must succeed."""
    ends: Counter[str] = Counter()
    began = time.monotonic()
    await one(sandbox, folder)
    life = 1.5 * (time.monotonic() - began)
    for _ in range(kills):
        run = spawn("run to be killed", one(sandbox, folder, BUSY if chance.random() < 0.5 else WORK))
        await asyncio.sleep(chance.random() * life)
        victims = [sandbox.launcher] if chance.random() < 0.4 else sorted(below(sandbox.launcher))
        for victim in victims if chance.random() < 0.5 else victims[-1:]:
            if victim:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
        ends[await run] += 1
        ends["next " + await one(sandbox, folder)] += 1
    return ends


async def settled(sandbox: Sandbox, processes: int, folders: int, descriptors: int = sys.maxsize) -> Count:
    """The resources left after everything has ended. A child's end is reported with a small delay."""
    until = time.monotonic() + PATIENCE
    await sandbox.settle()
    found = count(sandbox)
    most = (processes, folders, descriptors)
    while _exceeds((found.processes, found.folders, found.descriptors), most) and time.monotonic() < until:
        await asyncio.sleep(0.02)
        found = count(sandbox)
    return found


def _exceeds(found: tuple[int, ...], most: tuple[int, ...]) -> bool:
    return any(one > limit for one, limit in zip(found, most, strict=True))


def count(sandbox: Sandbox) -> Count:
    return Count(
        len(below(os.getpid())),
        len(os.listdir("/proc/self/fd")),
        len(Path("/proc/self/mountinfo").read_text().splitlines()),
        len(list(Path(tempfile.gettempdir()).glob("mcp-workbench-private-*"))),
        _resident(os.getpid()),
        _resident(sandbox.launcher),
    )


def below(process: int) -> set[int]:
    """All descendants of a process, including ending ones."""
    try:
        words = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return set()
    return {number for word in words for number in (int(word), *below(int(word)))}


def _resident(process: int) -> int:
    """Private dirty memory of a process in KB. Mapped files are excluded, because other processes share their pages."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Dirty:", "Swap:")))


async def main(runs: int = 1000, together: int = 50, kills: int = 100) -> None:
    for backend in BACKENDS:
        sandbox = Sandbox(backend, ready=0)
        try:
            strength = await sandbox.open()
            if strength.level == "none":
                print(f"{backend}: skipped, {strength.reason}")
                continue
            with tempfile.TemporaryDirectory(prefix="mcp-workbench-endurance-") as folder:
                await measure(sandbox, Path(folder), runs, together, kills)
        finally:
            await sandbox.close()


async def measure(sandbox: Sandbox, folder: Path, runs: int, together: int, kills: int) -> None:
    print(f"{sandbox.strength.backend:32} processes  descriptors  mounts  folders  core KB  launcher KB  ends")
    await in_a_row(sandbox, folder, 20)
    await at_once(sandbox, folder, together)
    idle = await settled(sandbox, 1, 0)
    _line("before", idle, Counter())
    steps = (
        (f"{runs} in a row", lambda: in_a_row(sandbox, folder, runs)),
        (f"{together} at once", lambda: at_once(sandbox, folder, together)),
        (f"{kills} killed", lambda: killed(sandbox, folder, kills, random.Random(4))),
    )
    for name, step in steps:
        ends = await step()
        _line(name, await settled(sandbox, idle.processes, idle.folders, idle.descriptors), ends)


def _line(name: str, found: Count, ends: Counter[str]) -> None:
    words = "  ".join(f"{reason} {times}" for reason, times in ends.most_common())
    print(
        f"  {name:30} {found.processes:9} {found.descriptors:12} {found.mounts:7} {found.folders:8} "
        f"{found.core_kb:8} {found.launcher_kb:12}  {words}",
        flush=True,
    )


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
