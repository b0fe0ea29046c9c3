"""What a person asks of the audit and the workspace."""

from __future__ import annotations

from typing import Protocol

from workbench.records import ChainReport, Entry, EntryQuery, FileInfo


class MemoryQuestions(Protocol):
    """What happened and what was written."""

    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]: ...

    async def verify_audit(self) -> ChainReport: ...

    async def files(self) -> tuple[FileInfo, ...]: ...

    async def read_file(self, path: str) -> str: ...
