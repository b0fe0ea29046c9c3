"""A program in a container has no network. Hosts allowed by a rule are reached through the core, and no others."""

from __future__ import annotations

from tests.runs.reaching import GET, HOSTILE, allow, audited, housed, ran, serving, stays_inside
from workbench.paths import Paths, images_folder
from workbench.records import RunState
from workbench.sandbox.container.engine import EngineSettings, write_engine_settings

EVERYTHING = '[isolation]\nlow = "container"\nmedium = "container"\nhigh = "container"\ncritical = "container"\n'


async def test_a_place_that_a_rule_opens_is_reached_and_no_other(paths: Paths, engine_settings: EngineSettings) -> None:
    await _reaches(paths, engine_settings)


async def test_from_another_machine_too(paths: Paths, is_remote: EngineSettings) -> None:
    await _reaches(paths, is_remote)


async def _reaches(paths: Paths, engine_settings: EngineSettings) -> None:
    write_engine_settings(images_folder(), engine_settings)
    with serving() as port:
        async with housed(paths) as house:
            entry = f'domain = "ok.test"\nports = [{port}]\nprotocols = ["http"]'
            allow(house, entry, 'domain = "rebind.test"', settings=EVERYTHING)
            done = await ran(house, GET.format(port=port))
            assert (done.level, done.state, done.result) == ("container", RunState.DONE, '"hello ok.test"'), done.fault
            assert audited(house, "connection.closed")[0]["address"] == "127.0.0.1"
            hostile = await stays_inside(house, HOSTILE.replace("{port}", str(port)))
            assert hostile.level == "container"
