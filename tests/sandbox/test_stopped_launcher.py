"""A launcher that received SIGSTOP is replaced, so no run waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

import psutil

from workbench.core import Core
from workbench.records import Run, RunState

HANG = 120  # seconds; used up only if a test fails


def launchers() -> list[int]:
    """The launchers, found by their command line."""
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # also for a zombie
            found += [child.pid] * any("process.launcher" in word for word in child.cmdline())
    return found


async def run(core: Core, code: str) -> Run:
    session = core.services.sessions.open("tester")
    async with asyncio.timeout(HANG):
        return await core.run_manager.wait_until_finished(core.run_manager.submit(code, session, "a test").id)


async def test_a_stopped_launcher_is_replaced_and_keeps_no_run_waiting(core: Core) -> None:
    assert (await run(core, "print(1)")).state is RunState.DONE
    stopped = launchers()
    assert stopped
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    for made in await asyncio.gather(*(run(core, f"print({at})") for at in range(5))):
        if made.state is not RunState.DONE:  # it had started in a child of the stopped launcher
            assert made.fault is not None
            assert "launcher was ended from outside" in made.fault.message
            assert "Propose it again." in made.fault.hint
    assert (await run(core, "print(2)")).output == "2\n"
    assert set(stopped).isdisjoint(launchers())
