"""Audit entries, queries and filters for them, renamed kinds, and the result of verifying the audit chain.

Entries keep the kind that they were written with, because the hash chain covers it. Readers get the current name.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from workbench.records.common_types import JsonObject


class Note(Struct, frozen=True):
    """An entry before it is written to the audit. Personal data is already masked."""

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
    """A written audit entry: numbered, with a time, and chained to the previous entry by hash."""

    seq: int
    at: float
    note: Note
    previous: str
    hash: str
    written_kind: str = ""  # the kind that the hash covers, if it was renamed later


class EntryQuery(Struct, frozen=True):
    """A query for entries, newest first. Empty fields do not filter."""

    text: str = ""
    kind: str = ""  # a prefix: "run." gives all run entries; a renamed kind or area works too
    session: str = ""
    run_id: str = ""
    server: str = ""
    tool: str = ""
    risk: str = ""
    before: int = 0  # only entries with a smaller number, for paging
    limit: int = 200
    actor: str = ""  # who did it: an agent's name, "you", or a server
    outcome: str = ""  # ok or failed
    since: float = 0.0  # seconds since 1970; 0: no bound
    until: float = 0.0  # exclusive; 0: no bound
    brief: bool = False  # omit `details`, which may be long; the API method `entry` returns them


EXACT_FILTERS: Final = ("session", "run_id", "server", "tool", "risk", "actor")
"""Fields of `EntryQuery` that an entry's field of the same name must equal."""


class EntryPage(Struct, frozen=True):
    """The entries that match a query, newest first, as far as the time limit allowed."""

    entries: tuple[Entry, ...]
    reached: int  # every entry from this number on was searched; pass it as `before` to continue
    complete: bool = False  # no older entry can match


class EntryMarks(Struct, frozen=True):
    """The number of entries that match a query, and where each page begins, so that a list can jump to any page."""

    total: int
    newest: int  # the highest number that was counted
    every: int  # entries per page
    marks: tuple[int, ...]  # number of the newest entry of each page, descending


class Facet(Struct, frozen=True):
    """A value that entries can be filtered by, such as a server's name."""

    field: str  # of EntryQuery: actor, session, server, tool
    value: str
    entries: int


class ChainReport(Struct, frozen=True):
    """Whether the hash chain of the audit is intact."""

    whole: bool
    entries: int
    head: str
    broken_at: int = 0  # number of the first entry whose hash does not match
    reason: str = ""


LONGEST: Final = 400
"""Maximum characters of a search that are used."""


def search_words(text: str) -> list[str]:
    """The words of a search. An entry matches when it contains all of them."""
    return text[:LONGEST].replace("\0", " ").split()


def lowered(text: str) -> str:
    """Lower-case a text letter by letter, as the word index does: a sigma becomes the same letter at any position."""
    return text.lower().replace("ς", "σ")


def has_word(text: str, word: str) -> bool:
    """Whether a text contains a word of a search."""
    if word.isascii():
        # `bytes.lower` changes ASCII letters only
        return word.encode().lower() in text.encode("utf-8", "surrogatepass").lower()
    return lowered(word) in lowered(text)


def entry_matches(entry: Entry, query: EntryQuery) -> bool:
    """Whether a complete entry matches a query, by the same rules as a search in the database; `before` and `limit` are
    ignored."""
    note = entry.note
    if not all(getattr(query, name) in ("", getattr(note, name)) for name in EXACT_FILTERS):
        return False
    if not note.kind.startswith(query.kind) or (query.outcome and note.ok != (query.outcome == "ok")):
        return False
    if entry.at < query.since or (query.until and entry.at >= query.until):
        return False
    words = search_words(query.text)
    if not words:
        return True
    detail = json.dumps(dict(note.detail), ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    text = " ".join((note.summary, note.kind, note.actor, note.server, note.tool, note.run_id, detail))
    return all(has_word(text, word) for word in words)


RENAMED_KINDS: Final = MappingProxyType({
    "agent.came": "agent.connected",
    "agent.left": "agent.disconnected",
    "ask.accept": "elicitation.accepted",
    "ask.arrived": "elicitation.requested",
    "ask.cancel": "elicitation.dismissed",
    "ask.decline": "elicitation.declined",
    "ask.given": "elicitation.values_sent",
    "ask.opened": "elicitation.page_opened",
    "ask.timed_out": "elicitation.timed_out",
    "ask.withdrawn": "elicitation.withdrawn",
    "call.held": "call.held_by_dry_run",
    "call.paused": "call.waiting",
    "door.closed": "http_endpoint.closed",
    "door.opened": "http_endpoint.opened",
    "file.taken": "file.copied_out",
    "files.decided": "file.held_changes_decided",
    "files.forgotten": "file.history_deleted",
    "files.undone": "file.changes_undone",
    "history.forgotten": "history.calls_deleted",
    "net.blocked": "connection.blocked",
    "net.closed": "connection.closed",
    "net.connect": "connection.opened",
    "net.volume": "connection.volume_exceeded",
    "permission.renewed": "rule.list_reset",
    "permission.restored": "rule.restored",
    "permission.revoked": "rule.revoked",
    "permission.set": "rule.set",
    "pin.cleared": "terminal_pin.removed",
    "pin.set": "terminal_pin.set",
    "resource.left": "resource.unsubscribed",
    "run.held": "run.changes_held",
    "run.planned": "run.plan_allowed",
    "run.rehearsed": "run.dry_run_started",
    "run.unforeseen": "run.unpredicted_effect",
    "run.voided": "run.approval_invalidated",
    "run.wrote": "run.files_changed",
    "server.doubted": "server.trust_withdrawn",
    "server.raw": "server.message_sent",
    "server.sign_in": "server.sign_in_started",
    "server.switched": "server.enabled_changed",
    "skill.accepted": "skill.recording_updated",
    "skill.back": "skill.restored",
    "skill.recorded": "skill.recording_added",
    "skill.unrecorded": "skill.recording_removed",
    "state.began": "repl_session.started",
    "state.ended": "repl_session.ended",
    "tool.said": "tool.annotation_changed",
})  # fmt: skip
_RENAMED_AREAS: Final = MappingProxyType({
    "ask.": "elicitation.",
    "door.": "http_endpoint.",
    "files.": "file.",
    "net.": "connection.",
    "permission.": "rule.",
    "pin.": "terminal_pin.",
    "state.": "repl_session.",
})  # fmt: skip


def current_kind(kind: str) -> str:
    """The current name of a kind, or of an area of kinds such as `net.`. Any other text is returned unchanged."""
    return RENAMED_KINDS.get(kind) or _RENAMED_AREAS.get(kind, kind)
