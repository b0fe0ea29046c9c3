"""What a person asks of the audit, the workspace and the vault."""

from __future__ import annotations

from typing import Protocol

from workbench.records import ChainReport, Entry, EntryQuery, FileInfo


class MemoryQuestions(Protocol):
    """What happened, what was written, what is hidden."""

    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]: ...

    async def verify_audit(self) -> ChainReport: ...

    async def files(self) -> tuple[FileInfo, ...]: ...

    async def read_file(self, path: str) -> str: ...

    async def reveal(self, session: str, token: str) -> str:
        """The value behind a token, for a person's eyes; noted in the audit."""
