"""What the memory keeps: notes, chained entries, questions about them."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.records.ground import JsonObject


@dataclass(frozen=True, slots=True)
class Note:
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


@dataclass(frozen=True, slots=True)
class Entry:
    """A note as written: numbered, timed, and chained to the one before by hash."""

    seq: int
    at: float
    note: Note
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class EntryQuery:
    """Which entries to read, newest first; empty fields do not filter."""

    text: str = ""
    kind: str = ""  # a prefix: "run." gives all run entries
    session: str = ""
    run_id: str = ""
    server: str = ""
    tool: str = ""
    risk: str = ""
    before: int = 0  # only entries with a smaller number; for paging
    limit: int = 200


@dataclass(frozen=True, slots=True)
class ChainReport:
    """Whether the audit is whole."""

    whole: bool
    entries: int
    head: str
    broken_at: int = 0  # number of the first entry that does not fit
    reason: str = ""
