"""Measures tracking of file changes: scans of the workspace, storing contents, and a trivial run through the core.

`benchmarks/workspace.py` prints a line per size of workspace: scans alone, a run that writes one small file, the first
time all contents are stored, and the undo of one file.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from workbench.core import Core
from workbench.paths import OVERRIDE, paths_of
from workbench.records import RunState
from workbench.settings import Settings
from workbench.workspace.confined_paths import Confined
from workbench.workspace.snapshots import NotQuick, Snapshots, Writer
from workbench.workspace.undo import Undoing

SIZES = (0, 10, 100, 1_000, 10_000)
BYTES = 2_000  # size of a file
ROUNDS = 40
RUNS = 60


def main() -> None:
    print(f"{'files':>7} {'take all':>10} {'nothing written':>16} {'one written':>12} {'undo':>9}   (ms, median)")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            print(line(Path(name), size))
    for size in (0, 100, 1_000):
        for kept in (100, 0):
            print(asyncio.run(through_the_core(size, kept)))


def line(home: Path, size: int) -> str:
    root = home / "workspace"
    fill(root, size)
    snapshots = Snapshots(Confined(root), home / "undo", Settings)
    began = time.perf_counter()
    while snapshots.warm():
        pass
    first = (time.perf_counter() - began) * 1000
    time.sleep(0.05)  # longer than the resolution of the file system's timestamps
    snapshots.warm()
    idle = median(lambda number: turn(snapshots, number, None))
    wrote = median(lambda number: turn(snapshots, number + ROUNDS, root / "one.txt"))
    undo = median(lambda number: undone(snapshots, number + ROUNDS), 10)
    snapshots.close()
    return f"{size:>7,} {first:>10.1f} {idle:>16.3f} {wrote:>12.3f} {undo:>9.2f}"


def fill(root: Path, size: int) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for number in range(size):
        folder = root / f"folder {number // 200}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.txt").write_text(f"{number} ".ljust(BYTES, "x"))


def turn(snapshots: Snapshots, number: int, writes: Path | None) -> None:
    for act in (snapshots.begin, None, snapshots.end):
        if act is None:
            if writes is not None:
                writes.write_text(f"written {number}")
            continue
        what = Writer(f"r{number}", "run", "project") if act == snapshots.begin else f"r{number}"
        try:
            act(what, quick=True)  # type: ignore[operator,arg-type]  # the two take different first words
        except NotQuick:
            act(what)  # type: ignore[operator,arg-type]


def undone(snapshots: Snapshots, number: int) -> None:
    name = f"r{number + 29}"  # the newest runs are kept
    Undoing(snapshots).undo(name, ["one.txt"], "project")


def median(act: Callable[[int], None], rounds: int = ROUNDS) -> float:
    times = []
    for number in range(rounds):
        began = time.perf_counter()
        act(number)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def through_the_core(size: int, kept: int) -> str:
    """Time of an empty program with prepared sandboxes, from its submission to the end of the run."""
    with tempfile.TemporaryDirectory() as name:
        os.environ[OVERRIDE] = str(Path(name) / "home")
        paths = paths_of(Path(name) / "project")
        fill(paths.workspace, size)
        core = Core(paths)
        await core.open()
        try:
            core.settings = replace(core.settings, workspace_undo_runs=kept)
            agent = core.services.sessions.open("project")
            times = []
            for _ in range(RUNS):
                await asyncio.sleep(0.05)  # until the next sandbox is prepared
                began = time.perf_counter()
                run = await core.run_manager.wait_until_finished(core.run_manager.submit("result = 1", agent).id)
                times.append((time.perf_counter() - began) * 1000)
                assert run.state is RunState.DONE, run.fault
        finally:
            await core.close()
    words = f"what {kept} runs changed is kept" if kept else "nothing is kept"
    times.sort()
    middle, late = statistics.median(times), times[int(RUNS * 0.9)]
    return f"trivial run, {size:>5,} files, {words}: p50 {middle:.2f} ms, p90 {late:.2f} ms"


if __name__ == "__main__":
    main()
