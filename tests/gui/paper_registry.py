"""Fake core: changes of the entries in `.mcp.json`."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import ServerChanged, ServerRemoved, ServersArranged
from workbench.records import KnownServer, ServerConfig, ServerState

_OAUTH = {"clientId": "${keyring:slack client id}"}
KNOWN = (
    KnownServer(
        "GitHub, on this computer",
        ServerConfig("github", "docker", ("run", "x"), {"TOKEN": "${keyring:github token}"}, category="code"),
        "GitHub",
        "https://github.com/github/github-mcp-server",
        "MIT",
        "Docker, and a personal access token.",
    ),
    KnownServer(
        "Slack, at its address",
        ServerConfig("slack", url="https://mcp.slack.com/mcp", transport="http", oauth=_OAUTH),
        "Slack",
        "https://docs.slack.dev/ai/slack-mcp-server/",
        "hosted by Slack",
        "An internal Slack app of yours.",
    ),
)


class PaperRegistry:
    """Changes `server_states` as the core changes its file."""

    known = KNOWN

    async def edit_server(self: Any, server: str, config: ServerConfig, keep_secrets: bool) -> ServerState:
        self.note("edit_server", server, config, keep_secrets)
        if config.name == "demo":
            raise WorkbenchError("The name demo is taken by the built-in server.", "Choose another name.")
        if server and server != config.name:
            del self.server_states[server]
            self.bus.tell(ServerRemoved(server))
        answer: ServerState = self.put(ServerState(config))
        return answer

    async def known_servers(self: Any) -> tuple[KnownServer, ...]:
        return KNOWN

    async def duplicate_server(self: Any, server: str) -> ServerState:
        config = replace(self.server_states[server].config, name=f"{server}-2")
        answer: ServerState = self.put(ServerState(config))
        return answer

    async def switch_server(self: Any, server: str, disabled: bool) -> ServerState:
        state = self.server_states[server]
        answer: ServerState = self.put(replace(state, config=replace(state.config, disabled=disabled)))
        return answer

    async def move_server(self: Any, server: str, before: str) -> None:
        self.note("move_server", server, before)
        names = [name for name in self.server_states if name != server]
        names.insert(names.index(before) if before else len(names), server)
        self.server_states = {name: self.server_states[name] for name in names}
        self.bus.tell(ServersArranged(tuple(names)))

    async def restore_server(self: Any, server: str) -> ServerState:
        self.note("restore_server", server)
        state = ServerState(ServerConfig(server, "npx"))
        self.server_states[server] = state
        self.bus.tell(ServerChanged(state))
        return state
