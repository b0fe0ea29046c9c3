"""Prints what the sandbox costs on this machine, beside `python3 -c pass`: `python benchmarks/sandbox.py`."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.probe import BACKENDS
from workbench.sandbox.program import Ending, Program
from workbench.sandbox.sandbox import Sandbox

ROUNDS = 30
LIMITS = Limits(seconds=60.0, calls=1_000_000)
SERIAL = "for _ in range({n}): await call_tool('s', 't', {{'i': 1}})"
TOGETHER = "await asyncio.gather(*[call_tool('s', 't', {{'i': 1}}) for _ in range({n})])"


async def main() -> None:
    who = "root" if os.getuid() == 0 else "an ordinary user"
    print(f"Python {sys.version.split()[0]}, as {who}, {os.cpu_count()} processors, {ROUNDS} rounds, p50 (p95) in ms")
    line(
        "python3 -c pass",
        [timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)) for _ in range(ROUNDS)],
    )
    for backend in BACKENDS:
        await measure(backend)


async def measure(backend: str) -> None:
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-bench-") as folder:
        for ready, name in ((0, "cold"), (1, "from the pool")):
            sandbox = Sandbox(backend, ready)
            try:
                began = time.perf_counter()
                strength = await sandbox.open()
                if strength.level == "none":
                    print(f"{backend}: skipped, {strength.reason}")
                    return
                if not ready:
                    line(f"{backend}: launcher and probe", [time.perf_counter() - began])
                await starts(sandbox, f"{backend}, {name}", Path(folder))
                if not ready:
                    await calls(sandbox, backend, Path(folder))
            finally:
                await sandbox.close()


async def starts(sandbox: Sandbox, name: str, folder: Path) -> None:
    first: list[float] = []
    whole: list[float] = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        heard: list[float] = []
        await run(sandbox, "print('x')", folder, lambda stream, text, heard=heard: heard.append(time.perf_counter()))
        whole.append(time.perf_counter() - began)
        first.append(heard[0] - began)
        await asyncio.sleep(0.06)  # time for the pool to be full again
    line(f"{name}: to the first line", first[1:])
    line(f"{name}: whole run", whole[1:])


async def calls(sandbox: Sandbox, name: str, folder: Path) -> None:
    for n in (100, 1000):
        took = [(await run(sandbox, SERIAL.format(n=n), folder)).seconds for _ in range(5)]
        line(f"{name}: {n} calls one by one", took)
    took = [(await run(sandbox, SERIAL.format(n=5000), folder)).seconds]
    print(f"{name}: round trip {took[0] / 5000 * 1e6:.0f} µs, {5000 / took[0]:,.0f} calls/s one by one")
    took = [(await run(sandbox, TOGETHER.format(n=5000), folder)).seconds]
    print(f"{name}: {5000 / took[0]:,.0f} calls/s together")
    line(f"{name}: a result of 10 MB", [(await run(sandbox, "'x' * 10_000_000", folder)).seconds for _ in range(5)])


async def run(
    sandbox: Sandbox, code: str, folder: Path, output: Callable[[str, str], None] = lambda stream, text: None
) -> Ending:
    ending = await sandbox.run(Program(code, LIMITS, folder), answer, output)
    if not ending.ok:
        raise SystemExit(f"the benchmark's program ended as {ending.reason}: {ending.message}")
    return ending


async def answer(what: str, wish: JsonObject) -> JsonValue:
    return True


def timed(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def line(name: str, took: list[float]) -> None:
    ordered = sorted(took)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    print(f"{name:44} {statistics.median(ordered) * 1000:9.2f} ({p95 * 1000:.2f})")


if __name__ == "__main__":
    asyncio.run(main())
