"""Audit entries, the queries that find them, and the result of verifying the audit chain."""

from __future__ import annotations

from msgspec import Struct, field

from workbench.records.common_types import JsonObject


class Note(Struct, frozen=True):
    """An entry on its way into the audit; personal data is already masked."""

    kind: str  # "run.proposed", "call.done" …
    summary: str
    actor: str = ""
    session: str = ""
    run_id: str = ""
    server: str = ""
    tool: str = ""
    risk: str = ""
    ok: bool = True
    ms: float = 0.0
    tokens: int = 0
    detail: JsonObject = field(default_factory=dict)


class Entry(Struct, frozen=True):
    """A note as written: numbered, timed, and chained to the one before by hash."""

    seq: int
    at: float
    note: Note
    previous: str
    hash: str
    written_kind: str = ""  # the kind that the hash covers, where it has been renamed since


class EntryQuery(Struct, frozen=True):
    """Which entries to read, newest first; empty fields do not filter."""

    text: str = ""
    kind: str = ""  # a prefix: "run." gives all run entries; a renamed kind or area works too
    session: str = ""
    run_id: str = ""
    server: str = ""
    tool: str = ""
    risk: str = ""
    before: int = 0  # only entries with a smaller number; for paging
    limit: int = 200
    actor: str = ""  # who did it: an agent's name, "you", or a server
    outcome: str = ""  # ok or failed
    since: float = 0.0  # seconds since 1970; 0: no bound
    until: float = 0.0  # before this moment
    brief: bool = False  # without details, which may be long; `entry` has them


class EntryPage(Struct, frozen=True):
    """Entries of a query, newest first, as far as there was time to look."""

    entries: tuple[Entry, ...]
    reached: int  # everything from this number on was looked at; go on `before` it
    complete: bool = False  # nothing older can fit


class EntryMarks(Struct, frozen=True):
    """How many entries fit a query, and where each page of them begins, so that a list can jump anywhere."""

    total: int
    newest: int  # the number up to which entries were counted
    every: int  # entries of a page
    marks: tuple[int, ...]  # number of the newest entry of each page, falling


class Facet(Struct, frozen=True):
    """One word that entries can be filtered by, such as a server's name."""

    field: str  # of EntryQuery: actor, session, server, tool
    value: str
    entries: int


class ChainReport(Struct, frozen=True):
    """Whether the audit is whole."""

    whole: bool
    entries: int
    head: str
    broken_at: int = 0  # number of the first entry that does not fit
    reason: str = ""
