"""Everything a person's door may ask the core, as one typed list.

The window and the command line call these methods on a remote `Questions`; the core answers with the same names.
One list serves both sides, so a question cannot drift from its answer.
"""

from __future__ import annotations

from typing import Protocol

from workbench.records import (
    ChainReport,
    CoreStatus,
    Decision,
    Entry,
    EntryQuery,
    FileInfo,
    Frame,
    JsonValue,
    Outcome,
    Run,
    SearchAnswer,
    ServerConfig,
    ServerState,
    Skill,
    Tool,
    ToolCall,
    ToolSummary,
    Verdict,
)
from workbench.settings import Settings


class Questions(Protocol):
    """The person's vocabulary. Each answer is a record, a text, or nothing; a fault arrives as WorkbenchError."""

    # the house
    async def status(self) -> CoreStatus: ...

    async def shut_down(self) -> None:
        """End the core and everything it started."""

    async def settings(self) -> Settings: ...

    async def change_setting(self, name: str, value: JsonValue) -> Settings: ...

    # servers and tools
    async def servers(self) -> tuple[ServerState, ...]: ...

    async def connect(self, server: str) -> ServerState:
        """Start a server; asking is a person's consent to run exactly this command."""

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

    # runs
    async def assess(self, code: str) -> Verdict: ...

    async def submit(self, code: str, purpose: str, skill: str) -> Run:
        """Run a person's own program; answers as soon as it is on its road."""

    async def runs(self) -> tuple[Run, ...]:
        """Runs of this core and the last ones before it, newest first."""

    async def run(self, run_id: str) -> Run: ...

    async def decide(self, decision: Decision) -> Run: ...

    async def edit(self, run_id: str, code: str) -> Run:
        """Replace the code of a waiting run; it is assessed again under a new sha."""

    async def stop_run(self, run_id: str) -> Run: ...

    async def start_example_agent(self) -> None:
        """Start a real MCP client that proposes a program, so that a newcomer can see an approval."""

    # skills
    async def skills(self) -> tuple[Skill, ...]: ...

    async def skill(self, name: str) -> Skill: ...

    async def draft_skill(self, name: str, description: str, code: str, run_id: str) -> Skill: ...

    async def keep_skill(self, name: str, sha: str) -> Skill:
        """Keep the draft with this sha as the next version."""

    async def retire_skill(self, name: str) -> Skill: ...

    # memory
    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]: ...

    async def verify_audit(self) -> ChainReport: ...

    # workspace and privacy
    async def files(self) -> tuple[FileInfo, ...]: ...

    async def read_file(self, path: str) -> str: ...

    async def reveal(self, session: str, token: str) -> str:
        """The value behind a token, for a person's eyes; noted in the audit."""


DECISIVE = frozenset(
    {
        "shut_down",
        "change_setting",
        "disconnect",
        "add_server",
        "remove_server",
        "reload_servers",
        "cancel_call",
        "submit",
        "decide",
        "edit",
        "stop_run",
        "start_example_agent",
        "draft_skill",
        "keep_skill",
        "retire_skill",
    }
)  # questions that run to their end even when the door that asked is gone: a decision is never half made
