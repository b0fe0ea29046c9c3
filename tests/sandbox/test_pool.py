"""Children that are ready before anybody asks: fresh each time, and never of a folder that is gone."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Limits
from workbench.sandbox.program import Ending, Program
from workbench.sandbox.sandbox import Sandbox

QUICK = Limits(seconds=20.0, cpu_seconds=10.0, memory_mb=384, disk_mb=16)


async def answer(what: str, wish: Any) -> Any:
    return wish


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    sandbox = Sandbox(ready=1)
    if (await sandbox.open()).level == "none":
        await sandbox.close()
        pytest.skip(sandbox.strength.reason)
    yield sandbox
    await sandbox.close()


async def run(sandbox: Sandbox, code: str, workspace: Path) -> Ending:
    return await sandbox.run(Program(code, QUICK, workspace), answer, lambda stream, text: None)


async def test_nothing_is_shared_between_runs(sandbox: Sandbox, tmp_path: Path, processes: Any) -> None:
    dirty = "import json, os\njson.secret = 1\nos.environ['secret'] = '1'\nopen('/tmp/secret', 'w').close()"
    look = "import os, json\n[hasattr(json, 'secret'), 'secret' in os.environ, os.path.exists('/tmp/secret')]"
    for _ in range(4):
        assert (await run(sandbox, dirty, tmp_path)).ok
        assert json.loads((await run(sandbox, look, tmp_path)).result) == [False] * 3
    randoms = {(await run(sandbox, "import random\nrandom.random()", tmp_path)).result for _ in range(5)}
    assert len(randoms) == 5
    assert len(processes()) <= 1 + 2 * 2


async def test_a_workspace_that_was_made_anew_is_the_one_that_is_seen(sandbox: Sandbox, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    for number in range(3):
        assert (await run(sandbox, f"write_file('a', '{number}')", workspace)).ok
        await asyncio.sleep(0.05)
        assert (workspace / "a").read_text() == str(number)
        shutil.rmtree(workspace)


async def test_a_spare_that_died_is_replaced(sandbox: Sandbox, tmp_path: Path, processes: Any) -> None:
    assert (await run(sandbox, "1", tmp_path)).ok
    while len(processes()) < 3:
        await asyncio.sleep(0.01)
    for process in processes() - {sandbox.launcher}:
        os.kill(process, signal.SIGKILL)
    await asyncio.sleep(0.1)
    assert (await run(sandbox, "2", tmp_path)).result == "2"


async def test_closing_takes_the_spares_along(sandbox: Sandbox, tmp_path: Path, processes: Any) -> None:
    assert (await run(sandbox, "1", tmp_path)).ok
    await sandbox.close()
    assert processes() == set()
