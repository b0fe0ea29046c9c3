"""The audit of the project on paper: entries in a list, and the questions a window asks of them."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.gui.audit.audit_model import PAGE
from workbench.records import (
    DayFigures,
    Entry,
    EntryMarks,
    EntryPage,
    EntryQuery,
    Facet,
    Figures,
    ReviewFigures,
    RunTally,
    ServerFigures,
    Tally,
    TokenReleaseCount,
)


class PaperAudit:
    """`entry_list` may be changed by a test; `slow` makes a page come in parts of so many entries looked at."""

    entry_list: list[Entry]
    note: Any
    slow = 0
    figures_now: Figures | None = None  # nothing happened yet

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

    async def audit_figures(self, since: float, until: float) -> Figures:
        self.note("figures", since, until)
        return self.figures_now or Figures(since, until)

    async def audit_report(self, since: float, until: float, form: str) -> str:
        self.note("report", since, until, form)
        return f"<!doctype {form}>"

    def fill_figures(self) -> None:
        self.figures_now = figures_of()

    def _fitting(self, query: EntryQuery) -> list[Entry]:
        text = query.text.casefold()
        names = ("session", "run_id", "server", "tool", "risk", "actor")
        wanted = [(name, value) for name in names if (value := getattr(query, name))]
        return [
            entry
            for entry in sorted(self.entry_list, key=lambda entry: -entry.seq)
            if (not query.before or entry.seq < query.before)
            and entry.note.kind.startswith(query.kind)
            and all(getattr(entry.note, name) == value for name, value in wanted)
            and (not query.outcome or entry.note.ok == (query.outcome == "ok"))
            and entry.at >= query.since
            and (not text or text in f"{entry.note.summary} {entry.note.kind}".casefold())
        ]

    def _brief(self, entry: Entry) -> Entry:
        return replace(entry, note=replace(entry.note, detail={}))


def figures_of(days: int = 14) -> Figures:
    """A fortnight of work."""
    found = tuple(
        DayFigures((date(2026, 11, 5) + timedelta(days=day)).isoformat(), 4, 1, 30_000 + day * 2_100, 4_000 + day * 150)
        for day in range(days)
    )
    runs = (
        RunTally("low", "done", 41), RunTally("low", "failed", 3), RunTally("medium", "done", 12),
        RunTally("medium", "refused", 4), RunTally("high", "done", 3), RunTally("high", "refused", 6),
        RunTally("critical", "refused", 2), RunTally("", "stopped", 1),
    )  # fmt: skip
    servers = (
        ServerFigures("demo", 812, 9, 24.0, 88.0), ServerFigures("github", 240, 14, 310.0, 1_240.0),
        ServerFigures("postgres", 96, 0, 61.0, 180.0),
    )  # fmt: skip
    hidden = (Tally("EMAIL", 412), Tally("PHONE", 133), Tally("NAME", 260), Tally("IBAN", 18), Tally("CARD", 4))
    return Figures(
        0.0, 0.0, 12_480, runs, 1_840.0, 69_000, sum(day.direct for day in found), found, servers, (), hidden, (),
        (TokenReleaseCount("EMAIL", "crm", "gmail.send", 9),), ReviewFigures(27, 21, 6.4, 2), cents_per_million=300,
    )  # fmt: skip
