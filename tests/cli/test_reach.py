"""A command is shown whole before it runs; what was allowed before is started without a word."""

from __future__ import annotations

import pytest

from workbench.cli.reach import NotAllowed, command_line, reach
from workbench.records import ServerConfig, ServerState, ServerStatus


class Bench:
    def __init__(self, state: ServerState) -> None:
        self.state, self.connected = state, []

    async def servers(self):
        return (self.state,)

    async def connect(self, name):
        self.connected.append(name)
        return self.state


CONFIG = ServerConfig("files", "npx", ("-y", "two words"), {"KEY": "hidden"}, cwd="sub")


def test_the_command_line_is_what_a_shell_takes_without_the_values_of_variables():
    assert command_line(CONFIG) == "KEY=… npx -y 'two words'"
    assert command_line(ServerConfig("far", url="http://127.0.0.1:1/mcp")) == "http://127.0.0.1:1/mcp"


async def test_a_server_that_runs_is_left_alone(capsys):
    bench = Bench(ServerState(CONFIG, ServerStatus.READY))
    await reach(bench, "files", False)
    assert (bench.connected, capsys.readouterr().err) == ([], "")


async def test_one_that_was_allowed_before_is_connected():
    bench = Bench(ServerState(CONFIG, allowed=True))
    await reach(bench, "files", False)
    assert bench.connected == ["files"]


async def test_one_nobody_allowed_is_refused_with_its_command_and_its_folder():
    bench = Bench(ServerState(CONFIG))
    with pytest.raises(NotAllowed, match="in the folder sub: KEY=… npx -y 'two words'"):
        await reach(bench, "files", False)
    assert bench.connected == []


async def test_a_yes_on_the_command_line_is_told_and_counts(capsys):
    bench = Bench(ServerState(CONFIG))
    await reach(bench, "files", True)
    assert bench.connected == ["files"]
    assert "Allowed by --allow in the folder sub: KEY=…" in capsys.readouterr().err
