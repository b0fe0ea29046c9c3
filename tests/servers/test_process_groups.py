"""The guard process starts with the first server, is replaced after it has died, and ends when no server is left."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess

import psutil

from workbench.servers import process_guard
from workbench.servers.process_groups import ProcessGroups


async def the_guard() -> psutil.Process:
    """The guard process. A process that has just started shows no command line for a moment."""
    async with asyncio.timeout(60):
        while not (found := guards()):
            await asyncio.sleep(0.01)
    (process,) = found
    return process


def guards() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # the process may end at this moment
            found += [child] * (process_guard.__file__ in child.cmdline())
    return found


async def test_the_guard_lives_as_long_as_the_groups() -> None:
    groups = ProcessGroups()
    await groups.close()  # no server was started
    server = _sleeper()
    await groups.add(server.pid)
    process = await the_guard()
    assert os.getpgid(process.pid) == process.pid  # a session of its own, so that a terminal's Ctrl+C does not reach it
    server.kill()
    server.wait()
    groups.remove(server.pid)
    await groups.close()
    assert not process.is_running()


async def test_a_guard_that_was_killed_is_replaced_and_knows_everything() -> None:
    groups = ProcessGroups()
    servers = [_sleeper(), _sleeper()]
    await groups.add(servers[0].pid)
    first = await the_guard()
    first.kill()
    first.wait(60)
    await _noticed(groups)
    await groups.add(servers[1].pid)
    second = await the_guard()
    assert second.pid != first.pid
    await groups.close()  # simulates the end of the core; the guard still lists both servers
    assert [server.wait(60) for server in servers] == [-15, -15]


def _sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "300"], start_new_session=True)


async def _noticed(groups: ProcessGroups) -> None:
    """Wait until asyncio has noticed a child's end, which happens with a small delay."""
    assert groups._guard is not None
    await groups._guard.wait()
