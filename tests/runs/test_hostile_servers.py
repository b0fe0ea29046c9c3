"""What one connected server sends holds up nobody who does not use it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from workbench.core import Core
from workbench.records import Decision, Run, RunState, ServerConfig

HOSTILE = Path(__file__).parents[1] / "servers" / "hostile.py"
HANG = 120  # seconds; only a test that fails takes them


async def connect(core: Core, mode: str) -> None:
    await core.catalog.add(ServerConfig(mode, sys.executable, (str(HOSTILE), mode)))
    await core.catalog.connect(mode)


async def run(core: Core, code: str) -> Run:
    """To its end; the user allows whatever asks."""
    session = core.rooms.sessions.open("tester")
    made = core.conveyor.submit(code, session, "a test")
    async with asyncio.timeout(HANG):
        while made.state not in (RunState.DONE, RunState.FAILED, RunState.REFUSED, RunState.STOPPED):
            if made.state is RunState.WAITING:
                core.conveyor.decide(Decision(made.id, made.proposal.sha, allow=True, by="you", seal=made.seal))
            await asyncio.sleep(0.01)
            made = core.conveyor.run(made.id)
    return made


@pytest.mark.parametrize("mode", ["doubling", "rows"])
async def test_a_schema_that_stands_for_billions_of_parts_stops_no_program(core: Core, mode: str) -> None:
    await connect(core, mode)
    assert (await run(core, "print('hello')")).state is RunState.DONE
    done = await run(core, f"from servers.{mode} import odd\nprint(await odd(a='x'))")
    assert (done.state, done.output.strip()) == (RunState.DONE, "ok")
