"""Audit entries, queries and filters for them, renamed kinds, and the result of verifying the audit chain.

Entries keep the kind that they were written with, because the hash chain covers it. Readers get the current name.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

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


LONGEST: Final = 400
"""Characters of a search that are looked at."""


def search_words(text: str) -> list[str]:
    """The words of a search; an entry fits when it has all of them."""
    return text[:LONGEST].replace("\0", " ").split()


def lowered(text: str) -> str:
    """In lower case letter by letter, as the index of words has it: a sigma does not depend on where it stands."""
    return text.lower().replace("ς", "σ")


def has_word(text: str, word: str) -> bool:
    """Whether a text has a word of a search anywhere."""
    if word.isascii():
        return word.encode().lower() in text.encode("utf-8", "surrogatepass").lower()  # bytes lower only ASCII
    return lowered(word) in lowered(text)


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
    "call.allowed": "held_call.allowed",
    "call.denied": "held_call.denied",
    "call.held": "dry_run.call_held",
    "call.paused": "held_call.waiting",
    "call.removed": "saved_call.removed",
    "call.restored": "saved_call.restored",
    "call.saved": "saved_call.saved",
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
    "run.planned": "dry_run.plan_allowed",
    "run.rehearsed": "dry_run.started",
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
    """The current name of a kind, or of an area of kinds such as `net.`; any other text is returned as it is."""
    return RENAMED_KINDS.get(kind) or _RENAMED_AREAS.get(kind, kind)
