"""The command line in this process: above rooms on paper, and above a real core with a real server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.api import core_launcher
from workbench.api.client import connect
from workbench.api.core_lock import lock_holder
from workbench.cli.main import main
from workbench.paths import OVERRIDE, Paths, paths_of

Words = tuple[int, str, str]  # exit code, stdout, stderr
FAKE = (sys.executable, str(Path(__file__).parents[1] / "api" / "fake_core.py"))


@pytest.fixture
def run(paths, monkeypatch, capsys) -> Iterator[Callable[..., Words]]:
    """Run a command against rooms on paper; whatever core it started is gone afterwards."""
    monkeypatch.setattr(core_launcher, "COMMAND", FAKE)

    def command(*arguments: str) -> Words:
        code = main([*arguments, "--project", str(paths.project)])
        words = capsys.readouterr()
        return code, words.out, words.err

    yield command
    deadline = time.monotonic() + 60
    while (pid := lock_holder(paths.lock)) and time.monotonic() < deadline:
        os.kill(pid, signal.SIGTERM)
        time.sleep(0.02)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paths]:
    """A project with a real core, the demo server connected, and a server nobody has allowed."""
    folder = tmp_path_factory.mktemp("cli")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OVERRIDE, str(folder / "home"))
        paths = paths_of(folder / "project")
        paths.project.mkdir()
        strange = {"command": sys.executable, "args": ["-m", "nobody.knows"], "env": {"TOKEN": "x"}}
        paths.servers_file.write_text(json.dumps({"mcpServers": {"strange": strange}}))
        paths.user_settings.parent.mkdir(parents=True)
        paths.user_settings.write_text("[core]\nlinger_seconds = 120\n")
        asyncio.run(_begin(paths))
        yield paths
        asyncio.run(_end(paths))


@pytest.fixture
def command(project: Paths, capsys: pytest.CaptureFixture[str]) -> Callable[..., Words]:
    """Run a command on the real project."""

    def command(*arguments: str) -> Words:
        code = main([*arguments, "--project", str(project.project)])
        assert isinstance(code, int)
        words = capsys.readouterr()
        return code, words.out, words.err

    return command


async def _begin(paths: Paths) -> None:
    connection = await connect(paths)
    await connection.api.connect("demo")
    await connection.close()


async def _end(paths: Paths) -> None:
    connection = await connect(paths, start=False)
    await connection.api.shut_down()
    await asyncio.wait_for(connection.closed.wait(), 60)
    await connection.close()
    while lock_holder(paths.lock):
        await asyncio.sleep(0.02)
