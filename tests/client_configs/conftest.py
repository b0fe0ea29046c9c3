"""A home in which eight other clients have been used, written as they write their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.paths import Paths, apps_folder, home_folder

TOKEN = "ghp_" + "a1B2" * 9  # looks like one, opens nothing
CLINE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
VS_CODE = """{
  // kept by hand
  "inputs": [{"type": "promptString", "id": "perplexity-key", "password": true}],
  "servers": {
    "perplexity": {
      "type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask"],
      "env": {"PERPLEXITY_API_KEY": "${input:perplexity-key}", "EDITOR": "${env:EDITOR}"}, /* asked for */
    },
    "fetch": {"type": "http", "url": "https://example.org/mcp"}, // remote
  },
}
"""
GOOSE = """# my goose
GOOSE_MODEL: some-model
extensions:
  developer:
    enabled: true
    type: builtin
    name: developer
  fetch:   # reads pages
    enabled: false
    type: stdio
    name: fetch
    cmd: uvx
    args:
    - mcp-server-fetch
    envs:
      LIMIT: 5
    env_keys: [FETCH_KEY]
    timeout: 300
  far:
    enabled: true
    type: streamable_http
    name: far
    uri: https://far.example/mcp
    headers:
      Authorization: Bearer """ + f"{TOKEN}\n    timeout: 60\n# the end\n"  # fmt: skip


class Homes:
    """The files of one person."""

    token = TOKEN

    def __init__(self) -> None:
        self.home, self.apps = home_folder(), apps_folder()

    def write(self, file: str, content: Any, *, app: bool = False) -> Path:
        path = (self.apps if app else self.home) / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), encoding="utf-8")
        return path

    def write_all(self, project: str) -> None:
        git = {"command": "uvx", "args": ["mcp-server-git"]}
        github = {"command": "npx", "args": ["-y", "@acme/github"], "env": {"GITHUB_TOKEN": TOKEN}}
        self.write("Claude/claude_desktop_config.json", {"mcpServers": {"github": github}, "theme": "dark"}, app=True)
        own = {"mcpServers": {"git": {"type": "stdio", **git, "env": {}}}}
        self.write(".claude.json", {"numStartups": 4, **own, "projects": {project: {"mcpServers": {"local": git}}}})
        there = "${workspaceFolder}/x"
        self.write(".cursor/mcp.json", {"mcpServers": {"files": {"command": "npx", "args": ["files", there]}}})
        self.write("Code/User/mcp.json", VS_CODE, app=True)
        self.write(".codeium/windsurf/mcp_config.json", {"mcpServers": {"w": {"serverUrl": "https://w.example/mcp"}}})
        cline = {"url": "https://c.example", "type": "streamableHttp", "disabled": True, "timeout": 3600}
        self.write(CLINE, {"mcpServers": {"c": {**cline, "autoApprove": ["read"]}}}, app=True)
        self.write(".lmstudio/mcp.json", {"mcpServers": {"hf": {"url": "https://h.example/mcp?token=" + TOKEN}}})
        self.write("goose/config.yaml", GOOSE, app=True)


@pytest.fixture
def homes(paths: Paths) -> Homes:
    return Homes()
