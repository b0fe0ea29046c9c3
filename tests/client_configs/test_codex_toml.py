"""Codex and Gemini CLI: what they write is understood, and what is written there keeps every other line."""

from __future__ import annotations

import contextlib
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client_configs import codex_toml
from workbench.client_configs.client_table import ConfigFile
from workbench.client_configs.config_discovery import find
from workbench.client_configs.config_export import draft, show, targets, write
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig

CODEX = """# mine
model = "gpt"   # the best

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env_vars = ["HOME_TOKEN", { name = "FAR_TOKEN", source = "remote" }]
startup_timeout_sec = 20
tool_timeout_sec = 45.5

# of docs
[mcp_servers.docs.env]
LEVEL = "2"

# the remote one
[mcp_servers."far away"]
url = "https://far.example/mcp"
bearer_token_env_var = "FAR_TOKEN"
http_headers = { "X-Team" = "blue" }
env_http_headers = { "X-Region" = "REGION" }
enabled = false

[profiles.fast]
model = "small"
"""
GEMINI = """{
  // theirs
  "mcpServers": {
    "old": {"url": "https://old.example/sse", "headers": {"Authorization": "Bearer $OLD_TOKEN"}, "trust": true},
    "new": {"httpUrl": "https://new.example/mcp", "timeout": 30000},
    "local": {"command": "uvx", "args": ["x"], "env": {"KEY": "$MY_KEY", "TWO": "${SECOND}"}, "cwd": "./here"}
  },
  "theme": "dark"
}
"""


def place(paths: Any, client: str) -> ConfigFile:
    return next(place for place in targets(paths.project) if place.client.id == client)


def found(paths: Any, client: str) -> dict[str, ServerConfig]:
    return {one.config.name: one.config for one in find(paths.project)[0] if one.place.client.id == client}


def test_what_codex_writes_is_understood(homes, paths) -> None:
    homes.write(".codex/config.toml", CODEX)
    there = found(paths, "codex")
    docs, far = there["docs"], there["far away"]
    assert (docs.command, docs.args, docs.timeout_seconds) == ("npx", ("-y", "docs"), 46)
    assert docs.env == {"HOME_TOKEN": "${HOME_TOKEN}", "FAR_TOKEN": "${FAR_TOKEN}", "LEVEL": "2"}
    assert (far.url, far.transport, far.disabled) == ("https://far.example/mcp", "http", True)
    assert far.headers == {"X-Team": "blue", "X-Region": "${REGION}", "Authorization": "Bearer ${FAR_TOKEN}"}


def test_what_gemini_writes_is_understood(homes, paths) -> None:
    homes.write(".gemini/settings.json", GEMINI)
    there = found(paths, "gemini")
    assert (there["old"].transport, there["new"].transport, there["new"].timeout_seconds) == ("sse", "http", 30)
    assert there["old"].headers == {"Authorization": "Bearer ${OLD_TOKEN}"}
    assert there["local"].env == {"KEY": "${MY_KEY}", "TWO": "${SECOND}"}


@pytest.mark.parametrize(
    ("client", "file", "text"),
    [("codex", ".codex/config.toml", CODEX), ("gemini", ".gemini/settings.json", GEMINI)],
)
def test_what_was_read_is_written_and_read_again(homes, paths, client: str, file: str, text: str) -> None:
    homes.write(file, text)
    before = found(paths, client)
    made = draft(place(paths, client), tuple(before.values()))
    assert made.blocked is None
    if made.after != made.before:
        write(made)
    again = found(paths, client)
    for name, config in before.items():
        assert (again[name].env, again[name].headers, again[name].url) == (config.env, config.headers, config.url)
        assert (again[name].transport, again[name].timeout_seconds) == (config.transport, config.timeout_seconds)


def test_one_server_of_codex_is_replaced_in_its_place_and_every_other_line_stays(homes, paths) -> None:
    homes.write(".codex/config.toml", CODEX)
    made = draft(place(paths, "codex"), (ServerConfig("docs", "uvx", ("docs",)), ServerConfig("new", "x")))
    assert made.blocked is None
    assert made.replaced == ["docs"]
    for line in ("# mine", 'model = "gpt"   # the best', "# the remote one", '[mcp_servers."far away"]', "# of docs"):
        assert line in made.after.splitlines()
    document = tomllib.loads(made.after)
    assert document["mcp_servers"]["docs"]["command"] == "uvx"
    assert document["mcp_servers"]["docs"]["startup_timeout_sec"] == 20
    assert "env" not in document["mcp_servers"]["docs"]
    assert document["profiles"] == {"fast": {"model": "small"}}
    assert "[mcp_servers.new]" in show(made).entries


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('mcp_servers = { docs = { command = "npx" } }\n', "new"),
        ('mcp_servers = { docs = { command = "npx" } }\n', "docs"),
        ('mcp_servers.docs.command = "npx"\n', "docs"),
        ('[mcp_servers]\ndocs = { command = "npx" } # here\n[z]\nk = 1\n', "docs"),
        ('[mcp_servers.docs]\r\ncommand = "npx"\r\n[other]\r\nb = 1 # x\r\n[mcp_servers.far]\r\nurl = "y"\r\n', "new"),
        ("# only\n", "new"),
    ],
)
def test_every_way_to_write_it_is_changed_or_left_alone(homes, paths, text: str, name: str) -> None:
    homes.write(".codex/config.toml", text)
    wanted = ServerConfig(name, "x", ("--at", "once"), {"LEVEL": "2"})
    made = draft(place(paths, "codex"), (wanted,))
    assert made.blocked is None, made.blocked
    before, after = tomllib.loads(text), tomllib.loads(made.after)
    assert after["mcp_servers"].pop(name) == {"command": "x", "args": ["--at", "once"], "env": {"LEVEL": "2"}}
    before.setdefault("mcp_servers", {}).pop(name, None)
    assert after == before
    for line in text.splitlines():
        assert "#" not in line or line.partition("#")[2] in made.after


def test_a_file_that_is_too_large_is_left_alone_and_the_entry_can_be_pasted(homes, paths) -> None:
    homes.write(".codex/config.toml", f"# {'x' * codex_toml.LARGEST}\n")
    made = draft(place(paths, "codex"), (ServerConfig("new", "x"),))
    assert made.blocked is not None
    assert made.after == made.before
    assert "[mcp_servers.new]" in show(made).entries


def test_what_codex_cannot_do_is_said(homes, paths) -> None:
    made = draft(place(paths, "codex"), (ServerConfig("s", url="https://s.example", transport="sse"),))
    assert made.entries == {}
    assert "does not support HTTP with SSE" in made.notes[0]
    secret = ServerConfig("k", "x", env={"KEY": "${keyring:k/KEY}", "SAME": "${SAME}"})
    made = draft(place(paths, "codex"), (secret,))
    assert made.entries["k"]["env"] == {"KEY": "<k/KEY>"}
    assert made.entries["k"]["env_vars"] == ["SAME"]


@given(st.text(max_size=200))
def test_no_text_whatever_breaks_it(text: str) -> None:
    try:
        document = tomllib.loads(text)
    except ValueError:
        with contextlib.suppress(WorkbenchError):
            codex_toml.set_table(text, ("mcp_servers", "x"), {"command": text})
        return
    after = codex_toml.parse(codex_toml.set_table(text, ("mcp_servers", "x"), {"command": text}), "f")
    assert after.pop("mcp_servers")["x"] == {"command": text}
    assert after == {key: value for key, value in document.items() if key != "mcp_servers"}


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=30), max_size=4))
def test_any_entry_is_put_as_it_is(env: dict[str, str]) -> None:
    text = codex_toml.set_table(CODEX, ("mcp_servers", "x y"), {"command": "c", "env": env})
    assert codex_toml.parse(text, "f")["mcp_servers"]["x y"] == {"command": "c", "env": env}
