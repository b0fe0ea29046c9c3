"""A hostile server does not delay runs that do not use it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from workbench.core import Core
from workbench.records import Decision, Run, RunState, ServerConfig

HOSTILE = Path(__file__).parents[1] / "mcp_servers" / "hostile.py"
HANG = 120  # seconds; used up only if a test fails


async def connect(core: Core, mode: str) -> None:
    await core.catalog.add(ServerConfig(mode, sys.executable, (str(HOSTILE), mode)))
    await core.catalog.connect(mode)


async def run(core: Core, code: str) -> Run:
    """Run a program to its end. The user allows everything."""
    session = core.services.sessions.open("tester")
    made = core.run_manager.submit(code, session, "a test")
    async with asyncio.timeout(HANG):
        while made.state not in (RunState.DONE, RunState.FAILED, RunState.REFUSED, RunState.STOPPED):
            if made.state is RunState.WAITING:
                core.run_manager.decide(
                    Decision(made.id, made.proposal.sha, allow=True, by="you", fingerprint=made.fingerprint)
                )
            await asyncio.sleep(0.01)
            made = core.run_manager.run(made.id)
    return made


@pytest.mark.parametrize("mode", ["doubling", "rows"])
async def test_a_schema_that_stands_for_billions_of_parts_stops_no_program(core: Core, mode: str) -> None:
    await connect(core, mode)
    assert (await run(core, "print('hello')")).state is RunState.DONE
    done = await run(core, f"from servers.{mode} import odd\nprint(await odd(a='x'))")
    assert (done.state, done.output.strip()) == (RunState.DONE, "ok")


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("many", "It contains more than 300,000 lists and objects."),
        ("deep", "The server's answer cannot be read"),
        ("no_object", "The server's answer cannot be read"),
    ],
)
async def test_an_answer_that_cannot_be_read_is_an_error_at_once_and_holds_up_nobody(
    core: Core, mode: str, words: str
) -> None:
    await connect(core, mode)
    await core.catalog.connect("demo")
    hostile = asyncio.create_task(run(core, f"from servers.{mode} import odd\nprint(await odd())"))
    others = [await run(core, "from servers.demo import count_orders\nprint(await count_orders())") for _ in range(3)]
    failed = await hostile
    assert [one.state for one in others] == [RunState.DONE] * 3
    assert failed.state is RunState.FAILED
    assert failed.fault is not None
    assert words in failed.fault.message
    assert (await run(core, f"from servers.{mode} import echo\nprint(await echo())")).output == "ok\n"


async def test_definitions_of_ten_megabytes_are_left_out_and_said_and_their_neighbours_stay(core: Core) -> None:
    await connect(core, "broad")
    tools = [tool for tool in core.catalog.tools() if tool.server == "broad"]
    assert [tool.name for tool in tools] == ["odd", "echo"]
    words = " ".join(core.catalog.server("broad").state.warnings)
    assert words.count("its definition is longer than 400,000 characters") == 2
    assert "it has no usable name" in words
    assert len(words) < 2_000
