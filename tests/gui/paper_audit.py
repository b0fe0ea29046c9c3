"""The audit of the bench on paper: entries in a list, and the questions a window asks of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.gui.models.audit import PAGE
from workbench.records import Entry, EntryMarks, EntryPage, EntryQuery, Facet


class PaperAudit:
    """`entry_list` may be changed by a test; `slow` makes a page come in parts of so many entries looked at."""

    entry_list: list[Entry]
    note: Any
    slow = 0

    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        self.note("entries", query)
        return tuple(self._fitting(query)[: query.limit])

    async def entry_page(self, query: EntryQuery) -> EntryPage:
        self.note("entry_page", query)
        newest = max((entry.seq for entry in self.entry_list), default=0)
        low = (query.before or newest + 1) - self.slow if self.slow else 1
        found = [entry for entry in self._fitting(query) if entry.seq >= low][: query.limit]
        full = len(found) >= query.limit
        reached = found[-1].seq if full else max(1, low)
        return EntryPage(
            tuple(map(self._brief, found)) if query.brief else tuple(found),
            reached,
            reached <= 1 or not (full or self.slow),
        )

    async def entry_marks(self, query: EntryQuery) -> EntryMarks:
        self.note("entry_marks", query)
        found = [entry.seq for entry in self._fitting(query)]
        newest = max((entry.seq for entry in self.entry_list), default=0)
        return EntryMarks(len(found), newest, PAGE, tuple(found[::PAGE]))

    async def entry(self, seq: int) -> Entry:
        for entry in self.entry_list:
            if entry.seq == seq:
                return entry
        raise WorkbenchError(f"There is no entry {seq}.")

    async def facets(self) -> tuple[Facet, ...]:
        return (Facet("actor", "claude-code", 12), Facet("server", "demo & co", 3))

    async def export_entries(self, query: EntryQuery, file: str, form: str) -> int:
        self.note("export_entries", query, file, form)
        found = self._fitting(query)
        Path(file).write_text(str(len(found)))
        return len(found)

    def _fitting(self, query: EntryQuery) -> list[Entry]:
        text = query.text.casefold()
        named = ("session", "run_id", "server", "tool", "risk", "actor")
        return [
            entry
            for entry in sorted(self.entry_list, key=lambda entry: -entry.seq)
            if (not query.before or entry.seq < query.before)
            and entry.note.kind.startswith(query.kind)
            and all(getattr(query, name) in ("", getattr(entry.note, name)) for name in named)
            and (not query.outcome or entry.note.ok == (query.outcome == "ok"))
            and entry.at >= query.since
            and text in f"{entry.note.summary} {entry.note.kind}".casefold()
        ]

    def _brief(self, entry: Entry) -> Entry:
        return replace(entry, note=replace(entry.note, detail={}))
