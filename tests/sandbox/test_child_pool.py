"""Children prepared in advance: each is used once, and none is used after its folder was replaced."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Limits
from workbench.sandbox.child_pool import ChildPool
from workbench.sandbox.process import launcher_client
from workbench.sandbox.process.launcher_client import LauncherClient
from workbench.sandbox.program import Ending, Program
from workbench.sandbox.sandbox import Sandbox

QUICK = Limits(seconds=60.0, cpu_seconds=10.0, memory_mb=384, disk_mb=16)


async def answer(what: str, wish: Any) -> Any:
    return wish


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    sandbox = Sandbox(ready=lambda: 1)
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
    while len(processes()) > 1 + 2:
        await asyncio.sleep(0.01)


LOOK = """
import gc, linecache, os, sys, threading, types
globals_then = sorted(globals())
def open_files():
    found = []
    for number in range(300):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return found
result = {
    "globals": globals_then,
    "modules": sorted(sys.modules),
    "main": sorted(vars(sys.modules["__main__"])),
    "files": [os.listdir(place) for place in ("/tmp", os.environ["HOME"], "/bench")],
    "descriptors": open_files(),
    "environment": dict(os.environ),
    "path": [sys.path, sys.argv, os.getcwd()],
    "lines": sorted(linecache.cache),
    "threads": [threading.active_count(), threading.main_thread().name],
    "loop": [asyncio.events._event_loop_policy is None, asyncio.events._get_running_loop() is None],
    "asked": sys.modules["client"].get_client().call_count,
    "streams": [sys.stdout.name if hasattr(sys.stdout, "name") else "", sys.stdout.encoding, sys.stdout.errors],
    "strange": sorted(name for name, value in globals().items() if isinstance(value, types.GeneratorType)),
}
async def task():
    return asyncio.current_task().get_name()
result["task"] = asyncio.run(task())
"""


async def test_a_child_that_was_made_ahead_is_as_fresh_as_one_that_was_not(sandbox: Sandbox, tmp_path: Path) -> None:
    cold = json.loads((await run(sandbox, LOOK, tmp_path)).result)
    dirty = "import sys, builtins\nsys.modules['odd'] = builtins.odd = sys\nopen('/tmp/odd', 'w').close()\nodd = 1"
    assert (await run(sandbox, dirty, tmp_path)).ok
    for _ in range(2):
        await ready(sandbox, 1)
        assert json.loads((await run(sandbox, LOOK, tmp_path)).result) == cold


async def test_spares_of_the_profiles_that_ran_last_are_kept(tmp_path: Path) -> None:
    sandbox = Sandbox(ready=lambda: 2)
    if (await sandbox.open()).level == "none":
        await sandbox.close()
        pytest.skip(sandbox.strength.reason)
    for number in range(5):
        assert (await run(sandbox, "1", tmp_path / str(number))).ok
        await ready(sandbox, 2)
    spares = pool_of(sandbox)._spares
    assert [(Path(profile.workspace).name, len(children)) for profile, children in spares.items()] == [
        ("2", 1),
        ("3", 1),
        ("4", 2),
    ]
    shutil.rmtree(tmp_path / "3")
    assert (await run(sandbox, "1", tmp_path / "2")).ok
    while [(Path(p.workspace).name, len(children)) for p, children in spares.items()] != [("4", 1), ("2", 2)]:
        await asyncio.sleep(0.01)
    await sandbox.close()


async def test_as_many_are_kept_as_is_wished_now(tmp_path: Path, processes: Any) -> None:
    wished = 3
    sandbox = Sandbox(ready=lambda: wished)
    if (await sandbox.open()).level == "none":
        await sandbox.close()
        pytest.skip(sandbox.strength.reason)
    assert (await run(sandbox, "1", tmp_path)).ok
    await ready(sandbox, 3)
    wished = 0
    assert (await run(sandbox, "1", tmp_path)).ok
    while processes() != {sandbox.launcher}:
        await asyncio.sleep(0.01)
    await sandbox.close()


def pool_of(sandbox: Sandbox) -> ChildPool:
    return sandbox._places["process"].pool


async def ready(sandbox: Sandbox, count: int) -> None:
    """Wait until that many prepared children of the newest profile exist."""
    pool = pool_of(sandbox)
    while not pool._spares or len(list(pool._spares.values())[-1]) < count or pool._filling is not None:
        await asyncio.sleep(0.01)


async def test_a_workspace_that_was_made_anew_is_the_one_that_is_seen(sandbox: Sandbox, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    for number in range(3):
        assert (await run(sandbox, f"write_file('a', '{number}')", workspace)).ok
        await asyncio.sleep(0.05)
        assert (workspace / "a").read_text() == str(number)
        shutil.rmtree(workspace)


async def test_a_spare_that_died_is_replaced(sandbox: Sandbox, tmp_path: Path, processes: Any) -> None:
    assert (await run(sandbox, "1", tmp_path)).ok
    await ready(sandbox, 1)
    for process in processes() - {sandbox.launcher}:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    while any(not child.gone.done() for spares in pool_of(sandbox)._spares.values() for child in spares):
        await asyncio.sleep(0.01)
    assert (await run(sandbox, "2", tmp_path)).result == "2"


async def test_a_launcher_that_was_killed_unheard_is_said_and_the_next_run_is_fine(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    for number in range(3):
        os.kill(sandbox.launcher, signal.SIGKILL)
        assert (await run(sandbox, "1", tmp_path / str(number))).reason in ("done", "lost")
        while (await run(sandbox, "2", tmp_path / str(number))).reason == "lost":
            await asyncio.sleep(0)


def end_now(process: int) -> None:
    """Kill without running the event loop, so that asyncio has not noticed it yet."""
    os.kill(process, signal.SIGKILL)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)


async def test_a_launcher_that_dies_between_two_orders_is_replaced_unseen(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_ready, deaths = LauncherClient._launcher_ready, iter(range(2))

    async def ready_and_killed(children: LauncherClient) -> None:
        await was_ready(children)
        if next(deaths, None) is not None:
            end_now(children.launcher)

    monkeypatch.setattr(LauncherClient, "_launcher_ready", ready_and_killed)
    assert (await run(sandbox, "1", tmp_path)).result == "1"
    assert next(deaths, None) is None


async def test_a_launcher_that_dies_while_it_starts_is_replaced_unseen(sandbox: Sandbox, tmp_path: Path) -> None:
    first = sandbox.launcher
    os.kill(first, signal.SIGKILL)
    running = asyncio.ensure_future(run(sandbox, "1", tmp_path))
    while sandbox.launcher in (0, first):
        await asyncio.sleep(0)
    os.kill(sandbox.launcher, signal.SIGKILL)
    assert (await running).result == "1"


async def test_a_launcher_that_always_dies_is_said_and_not_started_for_ever(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.kill(sandbox.launcher, signal.SIGKILL)
    monkeypatch.setattr(launcher_client, "_START", "raise SystemExit")
    with pytest.raises(WorkbenchError, match="launcher ended each time it was started"):
        await run(sandbox, "1", tmp_path)


async def test_closing_takes_the_spares_along(sandbox: Sandbox, tmp_path: Path, processes: Any) -> None:
    assert (await run(sandbox, "1", tmp_path)).ok
    await sandbox.close()
    assert processes() == set()
