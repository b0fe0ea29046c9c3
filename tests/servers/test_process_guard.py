"""No server outlives the core, even if the core is killed with SIGKILL and the server ignores all other signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from workbench.servers import process_guard

CORE = """
import asyncio, json, sys
from pathlib import Path
from workbench.servers.server_catalog import ServerCatalog
from workbench.paths import paths_of
from workbench.settings import Settings

async def main():
    catalog = ServerCatalog(paths_of(Path(sys.argv[1])), Settings, lambda event: None)
    await catalog.open()
    states = [await catalog.connect(name) for name in ("stubborn", "orphan")]
    print(json.dumps([state.pid for state in states]), flush=True)
    await asyncio.sleep(300)

asyncio.run(main())
"""


def test_servers_die_with_a_core_that_was_killed(house, paths) -> None:
    house.write(house.faulty("stubborn"), house.faulty("orphan"))
    core = subprocess.Popen([sys.executable, "-c", CORE, str(paths.project)], stdout=subprocess.PIPE, text=True)
    try:
        assert core.stdout is not None
        pids = json.loads(core.stdout.readline())
        groups = [os.getpgid(pid) for pid in pids]
        assert all(house.lives(pid) for pid in pids)
        assert all(_members(group) for group in groups)
    finally:
        core.kill()
        core.wait()
        core.stdout.close()
    _until(lambda: not any(_members(group) for group in groups))


def test_the_guard_ignores_polite_signals() -> None:
    command = [sys.executable, "-I", "-S", process_guard.__file__]  # -I and -S: imports of our package would fail
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    assert process.stdin is not None
    sleeper = subprocess.Popen(["sleep", "300"], start_new_session=True)
    process.stdin.write(f"+{sleeper.pid}\n".encode())
    process.stdin.flush()
    _until(lambda: _ignores(process.pid, signal.SIGTERM))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process.send_signal(number)
    assert sleeper.poll() is None
    process.stdin.close()
    assert process.wait(60) == 0
    assert sleeper.wait(60) == -signal.SIGTERM


def test_only_well_formed_lines_count() -> None:
    lines = [b"+100\n", b"+200\n", b"-100\n", b"+1\n", b"+0\n", b"+-5\n", b"nonsense\n", b"\n", b"+\xff\n"]
    assert process_guard.follow(lines) == {200}


def _members(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    stats = (entry / "stat" for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return any(_belongs(stat, group) for stat in stats)


def _belongs(stat: Path, group: int) -> bool:
    """Whether the process belongs to the group. Zombies do not count."""
    try:
        state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
    except OSError:
        return False
    return int(pgrp) == group and state != "Z"


def _ignores(pid: int, number: int) -> bool:
    line = next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("SigIgn"))
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
