"""A program in a virtual machine has no network. Hosts allowed by a rule are reached through the core, and no
others.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.runs.reaching import GET, HOSTILE, allow, audited, housed, ran, serving, stays_inside
from workbench.paths import Paths, images_folder
from workbench.records import RunState

EVERYTHING = '[isolation]\nlow = "vm"\nmedium = "vm"\nhigh = "vm"\ncritical = "vm"\n'


async def test_a_place_that_a_rule_opens_is_reached_and_no_other(paths: Paths, image_folder: Path) -> None:
    shutil.copytree(image_folder, images_folder() / "vm")
    with serving() as port:
        async with housed(paths) as house:
            entry = f'domain = "ok.test"\nports = [{port}]\nprotocols = ["http"]'
            allow(house, entry, 'domain = "rebind.test"', settings=EVERYTHING)
            done = await ran(house, GET.format(port=port))
            assert (done.level, done.state, done.result) == ("vm", RunState.DONE, '"hello ok.test"'), done.fault
            assert audited(house, "connection.closed")[0]["address"] == "127.0.0.1"
            hostile = await stays_inside(house, HOSTILE.replace("{port}", str(port)))
            assert hostile.level == "vm"
