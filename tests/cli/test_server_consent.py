"""A command is shown whole before it runs; what was allowed before is started without a word."""

from __future__ import annotations

import pytest

from workbench.cli.consents import NotAllowed, command_line, connect_server
from workbench.records import ServerConfig, ServerState, ServerStatus
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.configuration.launch_consents import consent


class Project:
    def __init__(self, state: ServerState) -> None:
        self.state, self.connected = state, []

    async def servers(self):
        return (self.state,)

    async def consent(self, name):
        return consent(self.state.config)

    async def connect(self, name, sha=""):
        self.connected.append(name)
        self.sha = sha
        return self.state


CONFIG = ServerConfig("files", "npx", ("-y", "two words"), {"KEY": "hidden"}, cwd="sub")


def test_the_command_line_is_what_a_shell_takes_without_the_values_of_variables():
    assert command_line(CONFIG) == "KEY=… npx -y 'two words'"
    assert command_line(ServerConfig("far", url="http://127.0.0.1:1/mcp")) == "http://127.0.0.1:1/mcp"


async def test_a_server_that_runs_is_left_alone(capsys):
    project = Project(ServerState(CONFIG, ServerStatus.READY))
    await connect_server(project, "files", False)
    assert (project.connected, capsys.readouterr().err) == ([], "")


async def test_one_that_was_allowed_before_is_connected():
    project = Project(ServerState(CONFIG, allowed=True))
    await connect_server(project, "files", False)
    assert project.connected == ["files"]


async def test_one_nobody_allowed_is_refused_with_its_command_and_its_folder():
    project = Project(ServerState(CONFIG))
    with pytest.raises(NotAllowed, match=r"KEY=•••••• npx -y 'two words' It runs in the folder sub\."):
        await connect_server(project, "files", False)
    assert project.connected == []


async def test_a_yes_on_the_command_line_is_told_and_counts(capsys):
    project = Project(ServerState(CONFIG))
    await connect_server(project, "files", True)
    assert project.connected == ["files"]
    assert "Allowed by --allow: KEY=••••••" in capsys.readouterr().err
    assert project.sha == fingerprint(CONFIG)


async def test_nobody_is_sent_a_secret_by_a_command_before_a_person_allowed_it():
    far = ServerConfig("far", url="http://evil.example/mcp", headers={"X-Key": "${keyring:github}"})
    project = Project(ServerState(far))
    with pytest.raises(NotAllowed, match=r"Your stored secret “github” is sent to evil\.example"):
        await connect_server(project, "far", False)
    assert project.connected == []
