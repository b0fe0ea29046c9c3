"""A program gets the isolation level it asks for or a stronger one, and a weaker one only if the caller allows it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.sandbox.conftest import QUICK, echo
from tests.sandbox.lent import Lent
from workbench.errors import WorkbenchError
from workbench.records import Level
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.program import Program
from workbench.sandbox.sandbox import Sandbox

Opened = Callable[..., Awaitable[Sandbox]]


@pytest.fixture
async def opened() -> AsyncIterator[Opened]:
    made: list[Sandbox] = []

    async def with_engines(**engines: Lent) -> Sandbox:
        sandbox = Sandbox(ready=0, engines=engines)
        made.append(sandbox)
        if (await sandbox.open()).level == "none":
            pytest.skip(sandbox.strength.reason)
        return sandbox

    yield with_engines
    for sandbox in made:
        await sandbox.close()


def program(folder: Path, level: str, **words: str) -> Program:
    return Program("result = 6 * 7", QUICK, folder / "workspace", level=level, **words)


async def run(sandbox: Sandbox, wanted: Program) -> str:
    return (await sandbox.run(wanted, echo, lambda stream, text: None)).result


async def test_a_machine_with_processes_only_says_what_the_others_lack(opened: Opened) -> None:
    levels = (await opened()).levels()
    assert [(level.name, level.available) for level in levels] == [
        ("process", True),
        ("container", False),
        ("vm", False),
    ]
    assert "locked processes" in levels[0].sentence


async def test_a_level_that_is_missing_is_never_replaced_by_a_weaker_one(opened: Opened, tmp_path: Path) -> None:
    sandbox = await opened(container=Lent("container", available=False))
    with pytest.raises(WorkbenchError) as refused:
        await run(sandbox, program(tmp_path, "container"))
    assert "needs a container" in refused.value.message
    assert refused.value.hint == "Build it."
    assert await run(sandbox, program(tmp_path, "process")) == "42"


async def test_the_next_stronger_level_takes_the_place_of_a_missing_one(opened: Opened, tmp_path: Path) -> None:
    machine = Lent("vm")
    sandbox = await opened(container=Lent("container", available=False), vm=machine)
    assert await run(sandbox, program(tmp_path, "container")) == "42"
    assert machine.made == 1
    assert await run(sandbox, program(tmp_path, "process")) == "42"
    assert machine.made == 1  # a program that asks for less gets the level that starts fastest


async def test_a_level_that_does_not_run_the_language_is_passed_over(opened: Opened, tmp_path: Path) -> None:
    sandbox = await opened(container=Lent("container"))
    assert await sandbox.fitting("container", "typescript") is None
    reason = "that runs typescript" if deno_backend.runtime() else deno_backend.MISSING
    with pytest.raises(WorkbenchError, match=reason):
        await run(sandbox, program(tmp_path, "container", language="typescript"))


async def test_what_was_built_meanwhile_is_found_when_somebody_looks_again(opened: Opened) -> None:
    engine = Lent("container", available=False)
    sandbox = await opened(container=engine)
    assert await sandbox.fitting("container") is None
    engine.available = True
    found = {level.name: level for level in await sandbox.look_again()}
    assert found["container"].available
    assert await sandbox.fitting("container") == found["container"]


async def test_an_engine_that_fails_at_being_asked_is_an_absent_one_with_its_reason(opened: Opened) -> None:
    class Broken(Lent):
        async def look(self) -> Level:
            raise WorkbenchError("The engine does not answer.", "Start it.")

    sandbox = await opened(vm=Broken("vm"))
    assert await sandbox.fitting("vm") is None
    assert (sandbox.levels()[2].sentence, sandbox.levels()[2].hint) == ("The engine does not answer.", "Start it.")
