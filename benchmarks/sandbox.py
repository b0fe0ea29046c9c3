"""Measures the sandbox compared with `python3 -c pass`: `python benchmarks/sandbox.py [--brief]`.

Every measurement alternates with a plain Python process, so that a busy machine slows both. As root, the benchmark runs
a second time as an ordinary user. For a missing backend, container engine or Deno, the reason is printed.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any  # Any: keyword arguments of subprocess

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import msgspec

from workbench.paths import images_folder
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.isolation_levels import engines
from workbench.sandbox.isolation_probe import BACKENDS
from workbench.sandbox.program import Ending, Program
from workbench.sandbox.sandbox import Sandbox

ROOT = Path(__file__).resolve().parents[1]
BRIEF = "--brief" in sys.argv
ROUNDS = 5 if BRIEF else 30
SLOW_ROUNDS = 3 if BRIEF else 8  # for measurements that take tenths of a second
READY = 3
ORDINARY = 65534  # the user of the second pass
LIMITS = Limits(seconds=60.0, calls=1_000_000, memory_mb=1024)
HELLO = {"python": "print('x')", "typescript": "console.log('x')"}
EACH = """
import time
took = []
for _ in range({n}):
    began = time.perf_counter()
    await call_tool('s', 't', {{'i': 1}})
    took.append(time.perf_counter() - began)
result = sorted(took)[{n} // 2]
"""
TIMED = """
import time
text = 'x' * 7_000_000
began = time.perf_counter()
{work}
result = time.perf_counter() - began
"""
SERIAL = "for _ in range({n}): await call_tool('s', 't', {{'i': 1}})"
TOGETHER = "await asyncio.gather(*[call_tool('s', 't', {{'i': 1}}) for _ in range({n})])"


@dataclass(frozen=True, slots=True)
class Place:
    """A configuration of the sandbox, as a row of the table."""

    name: str
    backend: str = ""  # of the process level; empty: the strongest available
    level: str = "process"
    language: str = "python"
    first: str = ""  # goal for the first line of output from the pool, as text
    cold: str = ""

    @property
    def rounds(self) -> int:
        return ROUNDS if self.level == "process" and self.language == "python" else SLOW_ROUNDS


PLACES = (
    Place("native", "native", first="≤ 0.5", cold="≤ 5"),
    Place("bubblewrap", "bubblewrap"),
    Place("reduced", "reduced"),
    Place("typescript", language="typescript", cold="≤ 40"),
    Place("container", level="container"),
    Place("vm", level="vm"),
)
assert {place.backend for place in PLACES} >= set(BACKENDS)


async def main() -> None:
    who = "root" if os.getuid() == 0 else "an ordinary user"
    print(f"\nPython {sys.version.split()[0]}, as {who}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(f"{'milliseconds':52}{'p50':>9}{'p95':>9}{'bare p50':>10}  goal")
    for place in PLACES:
        with tempfile.TemporaryDirectory(prefix="mcp-workbench-project-") as folder:
            await measure(place, Path(folder))
    if importlib.util.find_spec("mcp"):
        from sandbox_core import through_the_core

        await through_the_core(line, bare, ROUNDS)
    else:
        print("through the core: skipped, this Python has not the workbench's dependencies")


async def measure(place: Place, folder: Path) -> None:
    sandbox = Sandbox(place.backend, 0, engines(images_folder()))
    try:
        began = time.perf_counter()
        strength = await sandbox.open()
        opened = time.perf_counter() - began
        if why := await missing(sandbox, place, strength.level, strength.reason):
            print(f"{place.name}: skipped, {why}")
            return
        if place.backend:
            line(f"{place.name}: launcher and probe", [opened])
        cold = await starts(sandbox, place, folder, "cold", goal=place.cold)
        if place.backend == "native":
            await calls(sandbox, folder)
    finally:
        await sandbox.close()
    await ahead(place, folder, cold)


async def missing(sandbox: Sandbox, place: Place, level: str, reason: str) -> str:
    """Why this configuration is not available; empty if it is."""
    if place.level == "process" and level == "none":
        return reason
    await sandbox.look_again()
    found = await sandbox.fitting(place.level, place.language)
    if found is not None and found.name == place.level:
        return ""
    level_of = {one.name: one for one in sandbox.levels()}[place.level]
    return f"{level_of.sentence} {level_of.hint}".strip() if not level_of.available else f"no {place.language} here"


async def ahead(place: Place, folder: Path, cold: float) -> None:
    """Measure starts with prepared sandboxes, and after they are used up."""
    sandbox = Sandbox(place.backend, READY, engines(images_folder()))
    try:
        await sandbox.open()
        await missing(sandbox, place, "", "")
        await starts(sandbox, place, folder, "from the pool", pause=max(0.1, 4 * cold), goal=place.first)
        if place.backend:
            await asyncio.sleep(max(1.0, READY * 10 * cold))  # until the pool is refilled
            memory(sandbox, place)
        first, whole = [], []
        for _ in range(max(2, place.rounds // 10)):
            for number in range(READY + 3):  # without a pause, so that the pool runs empty
                a, b = await hello(sandbox, place, folder)
                if number >= READY:
                    first.append(a)
                    whole.append(b)
            await asyncio.sleep(max(0.1, READY * 4 * cold))
        line(f"{place.name}, drained: to the first line", first)
        line(f"{place.name}, drained: whole run", whole)
    finally:
        await sandbox.close()


async def starts(sandbox: Sandbox, place: Place, folder: Path, how: str, pause: float = 0.0, goal: str = "") -> float:
    """Measure complete runs and return the median."""
    await hello(sandbox, place, folder)
    first, whole, beside = [], [], []
    for _ in range(place.rounds):
        await asyncio.sleep(pause)
        a, b = await hello(sandbox, place, folder)
        first.append(a)
        whole.append(b)
        beside.append(bare())
    line(f"{place.name}, {how}: to the first line", first, beside, goal)
    line(f"{place.name}, {how}: whole run", whole, beside)
    return statistics.median(whole)


async def hello(sandbox: Sandbox, place: Place, folder: Path) -> tuple[float, float]:
    """Seconds to the first line of output, and to the end."""
    heard: list[float] = []
    program = Program(HELLO[place.language], LIMITS, folder, level=place.level, language=place.language)
    began = time.perf_counter()
    ending = await sandbox.run(program, answer, lambda stream, text: heard.append(time.perf_counter()))
    whole = time.perf_counter() - began
    if not ending.ok or not heard:
        raise SystemExit(f"{place.name}: the program ended as {ending.reason}: {ending.message}")
    return heard[0] - began, whole


async def calls(sandbox: Sandbox, folder: Path) -> None:
    """Measure calls that the host answers immediately: the cost of the channel alone."""
    for n in (100, 1000):
        took = [(await run(sandbox, TIMED.format(work=SERIAL.format(n=n)), folder)) for _ in range(5)]
        line(f"broker, raw: {n:,} calls in one run", took)
    trips = [await run(sandbox, EACH.format(n=2000), folder) for _ in range(5)]
    line("broker, raw: one round trip", trips)
    speeds, echoes = [], []
    for _ in range(5):
        speeds.append(2000 / await run(sandbox, TIMED.format(work=SERIAL.format(n=2000)), folder))
        echoes.append(echoed(2000))
    print(f"{'broker, raw: calls a second, one by one':52}{max(speeds):9,.0f} (best of 5){'':7}  ≥ 20,000")
    print(f"{'  an echo of two Pythons that do nothing else':52}{max(echoes):9,.0f} (best of 5)")
    speeds = [2000 / await run(sandbox, TIMED.format(work=TOGETHER.format(n=2000)), folder) for _ in range(5)]
    print(f"{'broker, raw: calls a second, together':52}{max(speeds):9,.0f} (best of 5)")
    empty = [(await ended(sandbox, "'x'", folder)).seconds for _ in range(5)]
    large = [(await ended(sandbox, "'x' * 10_000_000", folder)).seconds - min(empty) for _ in range(5)]
    line("a result of 10 MB, beside an empty one", large)
    for name, work in (
        ("an answer of 10 MB", "('s', 'large', {})"),
        ("arguments of 7 MB", "('s', 't', {'text': text})"),
    ):
        code = TIMED.format(work=f"await call_tool{work}")
        line(name, [await run(sandbox, code, folder) for _ in range(5)])


async def run(sandbox: Sandbox, code: str, folder: Path) -> float:
    """Seconds measured by the program itself."""
    return float((await ended(sandbox, code, folder)).result)


async def ended(sandbox: Sandbox, code: str, folder: Path) -> Ending:
    ending = await sandbox.run(Program(code, LIMITS, folder), answer, lambda stream, text: None)
    if not ending.ok:
        raise SystemExit(f"the benchmark's program ended as {ending.reason}: {ending.message}")
    return ending


def echoed(times: int) -> float:
    """Messages per second between this process and an echo process: an upper bound for the channel."""
    ours, theirs = socket.socketpair()
    process = os.fork()
    if not process:
        ours.close()
        while data := theirs.recv(4096):
            theirs.send(data)
        os._exit(0)
    theirs.close()
    began = time.perf_counter()
    for _ in range(times):
        ours.send(b"x" * 100)
        ours.recv(4096)
    seconds = time.perf_counter() - began
    ours.close()
    os.waitpid(process, 0)
    return times / seconds


TEN = "x" * 10_000_000


def answer(what: str, wish: JsonObject) -> JsonValue:
    return TEN if wish.get("tool") == "large" else True


# ── memory ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def memory(sandbox: Sandbox, place: Place) -> None:
    """Print the memory (PSS) of the launcher and of each prepared sandbox."""
    children = below(sandbox.launcher)
    sizes = [pss(process) for process in children]
    known = [size for size in sizes if size is not None]
    own = pss(sandbox.launcher)
    words = f"{own:.1f} MB" if own is not None else "not readable"
    each = f"{sum(known) / READY:.1f} MB" if known else "not readable"
    print(f"{place.name + ': memory (PSS) of the launcher':52}{words:>12}")
    print(f"{place.name + ': memory (PSS) of each ready sandbox':52}{each:>12}  {len(children)} processes")


def below(process: int) -> list[int]:
    """All descendants of the process."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, IndexError):
            if name.isdigit():
                words = Path("/proc", name, "stat").read_text().rsplit(")", 1)[1].split()
                parents.setdefault(int(words[1]), []).append(int(name))
    found, waiting = [], [process]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def pss(process: int) -> float | None:
    """Proportional set size in megabytes; `None` if the kernel does not report it."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("Pss:")), None)


# ── table ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def bare() -> float:
    """Seconds that an empty Python program takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began


def line(name: str, took: list[float], beside: list[float] | None = None, goal: str = "") -> None:
    ordered = sorted(took)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    other = f"{statistics.median(beside) * 1000:10.2f}" if beside else " " * 10
    print(f"{name:52}{statistics.median(ordered) * 1000:9.2f}{p95 * 1000:9.2f}{other}  {goal}".rstrip(), flush=True)


# ── second run as an ordinary user ───────────────────────────────────────────────────────────────────────────────────
def again_as_an_ordinary_user() -> None:
    """Run the benchmark again with a copy and a Python that the ordinary user can read."""
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-project-") as folder:
        os.chmod(folder, 0o755)
        for part in ("workbench", "benchmarks"):
            shutil.copytree(ROOT / part, Path(folder, part), ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(Path(msgspec.__file__).parent, Path(folder, "msgspec"))
        home = Path(folder, "home")
        home.mkdir()
        os.chown(home, ORDINARY, ORDINARY)
        for python in (sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or ""):
            if python and starts_for(python, folder):
                words = [python, f"{folder}/benchmarks/sandbox.py", *sys.argv[1:]]
                subprocess.run(words, check=True, **ordinary(folder))
                return
    print(
        "\nAs an ordinary user: skipped, such a user may not start this Python. Run it once more as one, with a Python "
        "and a checkout that it may read."
    )


def starts_for(python: str, folder: str) -> bool:
    """Whether the ordinary user can start this Python, and it can import the copied msgspec, which is compiled."""
    test = [python, "-c", f"import sys; sys.path.insert(0, {folder!r}); import msgspec"]
    try:
        return subprocess.run(test, capture_output=True, **ordinary(folder)).returncode == 0
    except OSError:
        return False


def ordinary(folder: str) -> dict[str, Any]:
    home = f"{folder}/home"
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}
    return {"user": ORDINARY, "group": ORDINARY, "extra_groups": [], "cwd": home, "env": environment}


if __name__ == "__main__":
    asyncio.run(main())
    if os.getuid() == 0:
        again_as_an_ordinary_user()
