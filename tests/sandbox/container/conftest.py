"""Real containers, where an engine is here and a layer with Python was built; else skipped with the reason."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.sandbox.container.building import base_image, is_there, lay_runner
from workbench.sandbox.container.containers import Containers
from workbench.sandbox.container.engine import ask
from workbench.sandbox.container.image import source_hash
from workbench.sandbox.container.station import Station, read_station
from workbench.sandbox.sandbox import Sandbox


@pytest.fixture(scope="session")
def station() -> Iterator[Station]:
    """This tree's own runner, over what `mcp-workbench sandbox build container` left and found out on this machine."""
    built = read_station(Path.home() / ".local/share/mcp-workbench/images")
    if built is None or not is_there(built, base_image(built)):
        pytest.skip("No containers are set up here: run `mcp-workbench sandbox build container` once.")
    image = f"{'localhost/' if built.engine == 'podman' else ''}mcp-workbench-test:{os.getpid()}"
    made = replace(built, image=image, source=source_hash())
    lay_runner(made, base_image(made), lambda line: None)
    yield made
    ask(made.command("rmi", "-f", image))


@pytest.fixture
async def maker(station: Station) -> AsyncIterator[Containers]:
    made = Containers(Path(), station)
    yield made
    await made.close()


@pytest.fixture
async def sandbox(maker: Containers) -> AsyncIterator[Sandbox]:
    made = Sandbox(ready=0, engines={"container": maker})
    await made.look_again()
    yield made
    await made.close()
