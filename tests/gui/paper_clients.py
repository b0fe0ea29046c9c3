"""Fake core: servers of other clients, and files of clients to write to."""

from __future__ import annotations

from typing import Any

from workbench.errors import WorkbenchError
from workbench.events import ServerChanged
from workbench.records import (
    ClientFile,
    Discovery,
    ExportPreview,
    ExportReport,
    Fault,
    FoundServer,
    ImportChoice,
    ImportConflict,
    ImportReport,
    ServerConfig,
    ServerState,
)

CURSOR = ClientFile("cursor:x", "Cursor", "/home/ada/.cursor/mcp.json", True)
GOOSE = ClientFile("goose:x", "goose", "/home/ada/.config/goose/config.yaml", False)


class PaperClients:
    """Tests change `found`, `faults` and `blocked`."""

    def __init__(self) -> None:
        hub = ServerConfig("hub", "npx", ("-y", "@acme/hub"), {"HUB_TOKEN": "••••••"})
        desktop, cursor = "~/.config/Claude/claude_desktop_config.json", "~/.cursor/mcp.json"
        files = ServerConfig("files", "uvx", ("files",))
        self.found = [
            FoundServer("k1", "Claude Desktop", desktop, hub, "s1", masked=("env HUB_TOKEN",)),
            FoundServer("k2", "Cursor", cursor, files, "s2", ImportConflict.CLASH),
            FoundServer("k3", "Cursor", cursor, ServerConfig("same", "x"), "s3", ImportConflict.HERE),
        ]
        self.faults: tuple[Fault, ...] = ()
        self.blocked: Fault | None = None

    async def found_servers(self) -> Discovery:
        return Discovery(tuple(self.found), self.faults)

    async def reveal_found_server(self: Any, key: str) -> dict[str, str]:
        self.note("reveal_found_server", key)
        return {"env HUB_TOKEN": "the-value"}

    async def import_servers(self: Any, choices: tuple[ImportChoice, ...]) -> ImportReport:
        self.note("import_servers", choices)
        faults = tuple(Fault(f"{one.name} changed.", "Look again.") for one in choices if one.name == "odd")
        for choice in choices:
            if choice.name != "odd":
                self.server_states[choice.name] = ServerState(ServerConfig(choice.name, "npx"))
                self.bus.tell(ServerChanged(self.server_states[choice.name]))
                self.found = [one for one in self.found if one.key != choice.key]
        return ImportReport(tuple(one.name for one in choices if one.name != "odd"), 0, faults)

    async def client_files(self) -> tuple[ClientFile, ...]:
        return (GOOSE, CURSOR)

    async def preview_export(self, client: str, names: tuple[str, ...], itself: bool) -> ExportPreview:
        file = CURSOR if client == CURSOR.id else GOOSE
        entries = ", ".join((*names, *(("workbench",) if itself else ())))
        diff = f'@@ -1,3 +1,6 @@\n {{\n   "mcpServers": {{\n+    "{entries}": {{"command": "npx"}}\n   }}'
        return ExportPreview(
            file, entries, "" if self.blocked else diff, "sha", ("Put the secret in by hand.",), self.blocked
        )

    async def export_servers(self: Any, client: str, names: tuple[str, ...], itself: bool, sha: str) -> ExportReport:
        self.note("export_servers", client, names, itself, sha)
        return ExportReport(CURSOR, names, "/home/ada/.cursor/mcp.json.before", sha)

    async def undo_export(self: Any, sha: str) -> ClientFile:
        self.note("undo_export", sha)
        if sha != "sha":
            raise WorkbenchError("That export can no longer be undone.")
        return CURSOR
