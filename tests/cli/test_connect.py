"""The workbench is put into an agent's settings from the command line, with every line shown and a way back."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib

import pytest

from workbench.agent.tool_definitions import TOOLS
from workbench.api.client_texts import agent_title
from workbench.cli.connect import _wait
from workbench.events import AgentsChanged
from workbench.paths import apps_folder, home_folder
from workbench.records import AgentInfo


@pytest.fixture
def home(project, monkeypatch, tmp_path):
    """The settings of other apps stand in the private home of the project."""
    return home_folder()


def test_the_known_clients_are_listed_with_their_files(command, home):
    code, out, _ = command("connect")
    assert code == 0
    for name in ("claude-desktop", "claude-code", "cursor", "vscode", "codex", "gemini", "goose"):
        assert any(line.startswith(f"{name} ") for line in out.splitlines()), name
    assert {"client", "title", "file", "installed"} == set(json.loads(command("connect", "--json")[1])[0])


@pytest.mark.parametrize("client", ["claude-code", "claude-desktop", "cursor", "vscode", "gemini"])
def test_the_entry_is_printed_and_nothing_is_written(command, home, client):
    code, out, err = command("connect", client, "--print")
    assert code == 0
    (servers,) = [value for key, value in json.loads(out).items() if key in ("mcpServers", "servers")]
    assert servers["workbench"]["args"][:3] == ["-m", "workbench", "serve"]
    assert "--write makes this change in" in err
    assert not (home / ".cursor" / "mcp.json").exists()


def test_codex_is_written_with_a_copy_and_the_printed_command_leads_back(command, home):
    file = home / ".codex" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('model = "x" # mine\n')
    code, out, err = command("connect", "Codex", "--write")
    assert code == 0, err
    assert "+[mcp_servers.workbench]" in err
    assert tomllib.loads(file.read_text())["mcp_servers"]["workbench"]["command"] == sys.executable
    assert "already" in command("connect", "codex", "--write")[2]
    subprocess.run(shlex.split(out), check=True)
    assert file.read_text() == 'model = "x" # mine\n'


def test_goose_is_written_where_there_was_nothing(command, home):
    code, out, _ = command("connect", "goose", "--write")
    assert code == 0
    assert "workbench:" in (apps_folder() / "goose" / "config.yaml").read_text()
    assert out.startswith("rm ")


def test_a_file_of_the_project_is_meant_by_here(command, project):
    code, _, err = command("connect", "cursor", "--here")
    assert code == 0
    assert str(project.project / ".cursor" / "mcp.json") in err
    assert command("connect", "goose", "--here")[0] == 2


def test_a_client_that_nobody_knows_is_wrong_usage(command):
    code, _, err = command("connect", "clippy")
    assert code == 2
    assert "Known clients: claude-desktop, claude-code" in err


def test_the_words_for_an_agent_name_tools_that_there_are(command):
    code, out, _ = command("connect", "--prompt")
    assert code == 0
    named = {tool.name for tool in TOOLS if f"`{tool.name}" in out}
    assert named >= {"search_tools", "execute_code", "list_skills", "save_skill"}


async def test_waiting_ends_when_an_agent_says_its_name(capsys):
    class Status:
        agents = ()

    class Questions:
        async def status(self):
            return Status()

    class Connection:
        api = Questions()

        class closed:
            is_set = staticmethod(lambda: False)

        def listen(self, hear):
            hear(AgentsChanged((AgentInfo("s", "an agent", "", 0.0),)))
            hear(AgentsChanged((AgentInfo("s", "gemini-cli-mcp-client", "1.0", 0.0),)))
            return lambda: None

    await _wait(Connection())
    assert capsys.readouterr().out == "Gemini CLI is connected.\n"


@pytest.mark.parametrize(("name", "title"), [("claude-ai", "Claude Desktop"), ("Codex", "Codex"), ("my own", "my own")])
def test_agents_are_told_by_the_names_people_know(name, title):
    assert agent_title(name) == title
