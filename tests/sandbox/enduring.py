"""Runs and kills programs in a process of its own and prints counts, so that other tests' memory is not counted.

`python -m tests.sandbox.enduring runs|kills BACKEND FOLDER` prints one line of JSON, or `{"skipped": reason}`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import random
import sys
from pathlib import Path
from typing import Any

from benchmarks import endurance
from workbench.sandbox.sandbox import Sandbox

_OTHERS = 1_000_000  # private folders that other programs of this machine may create meanwhile


async def endure_runs(sandbox: Sandbox, folder: Path) -> dict[str, Any]:
    await endurance.at_once(sandbox, folder, 10)
    before = await endurance.settled(sandbox, 1, _OTHERS)
    ends = await endurance.in_a_row(sandbox, folder, 60) + await endurance.at_once(sandbox, folder, 10)
    after = await endurance.settled(sandbox, before.processes, _OTHERS, before.descriptors)
    return {"ends": ends, "before": dataclasses.asdict(before), "after": dataclasses.asdict(after)}


async def endure_kills(sandbox: Sandbox, folder: Path) -> dict[str, Any]:
    ends = await endurance.killed(sandbox, folder, 12, random.Random(sandbox.strength.backend))
    return {"ends": ends, "after": dataclasses.asdict(await endurance.settled(sandbox, 1, _OTHERS))}


async def main(what: str, backend: str, folder: str) -> None:
    sandbox = Sandbox(backend, ready=0)
    try:
        strength = await sandbox.open()
        if strength.level == "none":
            print(json.dumps({"skipped": f"{strength.reason} {strength.hint}"}))
            return
        endured = endure_runs if what == "runs" else endure_kills
        print(json.dumps(await endured(sandbox, Path(folder))))
    finally:
        await sandbox.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
