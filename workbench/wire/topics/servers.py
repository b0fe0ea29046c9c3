"""What a person asks of servers and their tools."""

from __future__ import annotations

from typing import Protocol

from workbench.records import (
    Consent,
    Frame,
    JsonValue,
    Outcome,
    SearchAnswer,
    ServerConfig,
    ServerState,
    Tool,
    ToolCall,
    ToolSummary,
)


class ServerQuestions(Protocol):
    """Servers, tools and calls."""

    async def servers(self) -> tuple[ServerState, ...]: ...

    async def consent(self, server: str) -> Consent:
        """What a person is shown before they connect a server that they have not allowed yet."""

    async def connect(self, server: str, sha: str = "") -> ServerState:
        """Start a server; asking is a person's consent to run exactly this command. With `sha`, it is refused when the
        entry is not the one any more that the consent of this hash was about."""

    async def disconnect(self, server: str) -> ServerState: ...

    async def add_server(self, config: ServerConfig) -> ServerState:
        """Write a server into the bench's `.mcp.json`, replacing one of the same name."""

    async def remove_server(self, server: str) -> None: ...

    async def reload_servers(self) -> tuple[ServerState, ...]:
        """Read `.mcp.json` again."""

    async def tools(self) -> tuple[ToolSummary, ...]:
        """Every known tool, also of servers that do not run now."""

    async def tool(self, server: str, name: str) -> Tool: ...

    async def wrapper(self, server: str, name: str) -> str:
        """The Python source an agent imports for this tool."""

    async def search(self, query: str, depth: str, limit: int) -> SearchAnswer: ...

    async def frames(self, server: str, after: float) -> tuple[Frame, ...]: ...

    async def stderr(self, server: str) -> tuple[str, ...]: ...

    async def call(self, call: ToolCall) -> Outcome: ...

    async def cancel_call(self, call_id: str) -> None: ...

    async def call_as_code(self, server: str, tool: str, arguments: JsonValue) -> str:
        """A program that makes the same call."""
