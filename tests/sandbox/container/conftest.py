"""Fixtures with real containers. Tests are skipped without an engine or without an image that contains Python."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.container.engine import EngineSettings, ask, read_engine_settings
from workbench.sandbox.container.image_builder import add_runner, base_image, is_there
from workbench.sandbox.container.image_contents import source_hash
from workbench.sandbox.sandbox import Sandbox


@pytest.fixture(scope="session")
def engine_settings() -> Iterator[EngineSettings]:
    """Engine settings with this tree's runner, on the image that `mcp-workbench sandbox build container` built on this
    machine.
    """
    built = read_engine_settings(Path.home() / ".local/share/mcp-workbench/images")
    if built is None or not is_there(built, base_image(built)):
        pytest.skip("No containers are set up here: run `mcp-workbench sandbox build container` once.")
    image = f"{'localhost/' if built.engine == 'podman' else ''}mcp-workbench-test:{os.getpid()}"
    made = replace(built, image=image, source=source_hash())
    add_runner(made, base_image(made), lambda line: None)
    yield made
    ask(made.command("rmi", "-f", image))


@pytest.fixture
async def maker(engine_settings: EngineSettings) -> AsyncIterator[ContainerMaker]:
    made = ContainerMaker(Path(), engine_settings)
    yield made
    await made.close()


@pytest.fixture
async def sandbox(maker: ContainerMaker) -> AsyncIterator[Sandbox]:
    made = Sandbox(ready=0, engines={"container": maker})
    await made.look_again()
    yield made
    await made.close()


@pytest.fixture(scope="module")
def is_remote(engine_settings: EngineSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineSettings]:
    """The same engine at a TCP address, like an engine on another machine, with this tree's runner in the image.

    Its scope is a module, because other tests count this process's children.
    """
    if engine_settings.engine != "podman" or engine_settings.service:
        pytest.skip("An engine elsewhere is tested with a podman of this machine.")
    with socket.create_server(("127.0.0.1", 0)) as found:
        url = f"tcp://127.0.0.1:{found.getsockname()[1]}"
    words = tmp_path_factory.mktemp("service") / "words"
    with words.open("wb") as file:
        command = engine_settings.command("system", "service", "--time=0", url)
        service = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    image = f"localhost/mcp-workbench-test:{os.getpid()}-elsewhere"
    made = replace(
        engine_settings, image=image, options=("--url", url), run_options=(), descriptor=False, service=True,
        remote=url,
        runtime="", machine=os.uname().machine,
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while not is_there(made, base_image(engine_settings)) and time.monotonic() < until:
            if service.poll() is not None:
                pytest.skip(f"podman's service does not run here: {words.read_text()[-300:]}")
            time.sleep(0.1)
        add_runner(made, base_image(engine_settings), lambda line: None)
        yield made
        ask(made.command("rmi", "-f", image))
    finally:
        service.terminate()
        service.wait()
