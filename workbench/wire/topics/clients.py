"""What a person asks of the settings of other MCP clients: servers to import, and servers to write there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from workbench.records import (
    ClientFile,
    Discovery,
    ExportPreview,
    ExportReport,
    ImportChoice,
    ImportReport,
)


class ClientQuestions(Protocol):
    """Servers in other apps."""

    async def found_servers(self) -> Discovery:
        """Servers configured in other apps, secrets masked. Looking runs nothing."""

    async def reveal_found(self, key: str) -> Mapping[str, str]:
        """Where a found server's values are masked, and the values, for a person's eyes; noted in the audit."""

    async def import_servers(self, choices: tuple[ImportChoice, ...]) -> ImportReport:
        """Write found servers into `.mcp.json`; none starts before a person connects it."""

    async def client_files(self) -> tuple[ClientFile, ...]:
        """The settings files that servers can be written to."""

    async def preview_export(self, client: str, names: tuple[str, ...], itself: bool) -> ExportPreview:
        """What writing these servers there would change; with `itself`, the workbench as a server too."""

    async def export_servers(self, client: str, names: tuple[str, ...], itself: bool, sha: str) -> ExportReport:
        """Write them, if the outcome is the one that was previewed."""

    async def undo_export(self, sha: str) -> ClientFile:
        """Put the file back as it was before the export that wrote this."""
