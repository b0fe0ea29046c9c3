"""A short run of `benchmarks/endurance.py`: many runs, and kills at any moment, leave nothing behind."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
_OTHERS = 1_000_000  # private folders that other programs of this machine may have just now


@pytest.fixture
def endurance(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("endurance")


async def test_many_runs_leave_nothing_and_none_grows(native: Any, endurance: Any) -> None:
    sandbox, folder = native.sandbox, native.bench / "workspace"
    await endurance.at_once(sandbox, folder, 10)
    before = await endurance.settled(sandbox, 1, _OTHERS)
    assert await endurance.in_a_row(sandbox, folder, 60) == {"done": 60}
    assert await endurance.at_once(sandbox, folder, 10) == {"done": 10}
    after = await endurance.settled(sandbox, before.processes, _OTHERS, before.descriptors)
    assert after.processes == before.processes
    assert after.descriptors <= before.descriptors
    assert after.launcher_kb < before.launcher_kb + 2_000
    assert after.core_kb < before.core_kb + 8_000


@pytest.mark.parametrize("backend", ["native", "reduced"])
async def test_a_kill_at_any_moment_is_told_and_the_next_run_is_fine(
    open_room: Any, endurance: Any, backend: str
) -> None:
    room = await open_room(backend)
    sandbox, folder = room.sandbox, room.bench / "workspace"
    ends = await endurance.killed(sandbox, folder, 12, random.Random(backend))
    assert ends["next done"] == 12, ends
    assert set(ends) <= {"next done", "done", "killed", "lost", "not built"}, ends
    assert (await endurance.settled(sandbox, 1, _OTHERS)).processes == 1
