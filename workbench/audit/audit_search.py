"""Searches the audit in pages with a time limit, so that a search in a million entries does not block other work.

A page reads the newest entries first and stops at its limit or when its time is over. It reports the entry number it
reached, where the next page continues. Each search opens its own read-only connection, so any thread may search.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.audit.audit_database import DAMAGE, open_to_read, refusal
from workbench.audit.hash_chain import entry_of
from workbench.audit.search_index import FACETS, HOUR, POSTINGS, TERMS, attach
from workbench.audit.search_queries import CandidateRange, fields_of, match_of, plain, select_marks, select_span
from workbench.errors import WorkbenchError
from workbench.records import Entry, EntryMarks, EntryPage, EntryQuery, Facet
from workbench.records.audit import current_kind

PATIENCE = 0.15  # seconds a page may take; checked after each step
PAGE = 200  # entries of a page that a list jumps to
MOST = 5_000  # entries of one answer
SHOWN = 60  # values of one facet: those that occurred last
_FIRST, _LARGEST = 4_096, 262_144  # entries of the first step, and of the largest
_INDEXED = 1 << 21  # entries of a step that only searches the index, which starts again with each step
_STEP = 0.03  # seconds a step should take

_BOUNDS = "SELECT min(first), max(last) FROM words.hours WHERE hour >= ? AND hour <= ?"
_FACETS = "SELECT field, value, entries FROM words.terms WHERE field = ? ORDER BY last DESC LIMIT ?"
_TERM = "SELECT id, entries FROM words.terms WHERE field = ? AND value = ?"
_KINDS = "SELECT id, entries FROM words.terms WHERE field = 'kind' AND substr(value, 1, ?) = ? LIMIT 2"
_FEW = 2_000  # a value with at most so many entries is looked up instead of trigrams
_FOREVER = 2**62 // HOUR


@dataclass(slots=True)
class _Reader:
    """The connection of one search."""

    store: sqlite3.Connection
    indexed: int  # number of the last entry in the search index
    last: int


class AuditSearch:
    """Reads the audit; the journal writes it."""

    def __init__(self, audit: Path, index: Path) -> None:
        self._audit = audit
        self._index = index

    def page(self, query: EntryQuery, patience: float = PATIENCE) -> EntryPage:
        """The newest entries that match the query, as many as the time limit allows."""
        query = replace(query, kind=current_kind(query.kind))
        with self._reading() as reader:
            limit = max(0, min(query.limit, MOST))
            end, found = time.monotonic() + patience, list[Entry]()  # at least one step is made
            low, high = _bounds(reader, query)
            for span in _spans(reader, query, low, high):
                if span.high < high and time.monotonic() > end:
                    return EntryPage(tuple(found), span.high)
                statement, values = select_span(query, span, limit - len(found))
                found += map(entry_of, reader.store.execute(statement, values))
                if len(found) >= limit:
                    return EntryPage(tuple(found), found[-1].seq if found else high)
            return EntryPage(tuple(found), low, complete=True)

    def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        """All entries that match, up to the limit of the query, without a time limit."""
        return self.page(query, patience=float("inf")).entries

    @api(in_thread=True)
    def entry(self, seq: int) -> Entry:
        found = self.entries(EntryQuery(before=seq + 1, limit=1))
        if not found or found[0].seq != seq:
            raise WorkbenchError(f"There is no entry {seq}.", "Verify the audit: the entry may have been removed.")
        return found[0]

    def marks(self, query: EntryQuery, over: Callable[[], bool] = lambda: False) -> EntryMarks:
        """Number of matching entries, and the numbers of those that begin a page. Stops when `over` returns True."""
        query = replace(query, before=0, kind=current_kind(query.kind))
        with self._reading() as reader:
            low, high = _bounds(reader, query)
            if plain(query) and _unbroken(reader):
                marks = tuple(range(reader.last, 0, -PAGE))
                return EntryMarks(reader.last, reader.last, PAGE, marks)
            total, found = 0, list[int]()
            for span in _spans(reader, query, low, high):
                if over():
                    break
                statement, values = select_marks(query, span, total % PAGE, PAGE)
                count, marked = reader.store.execute(statement, values).fetchone()
                total += count
                found += sorted(map(int, marked.split(",")), reverse=True) if marked else []
            return EntryMarks(total, reader.last, PAGE, tuple(found))

    @api(in_thread=True)
    def facets(self) -> tuple[Facet, ...]:
        """Values to filter by, the latest first; empty while there is no index."""
        with self._reading() as reader:
            if not reader.indexed:
                return ()
            rows = (row for field in FACETS for row in reader.store.execute(_FACETS, (field, SHOWN)))
            return tuple(Facet(*row) for row in rows)

    @contextmanager
    def time_range(self, since: float, until: float) -> Iterator[tuple[sqlite3.Connection, int, int]]:
        """A connection for queries about a time range, with the first and last entry number in it. It has the tables
        `terms` and `postings`, which are empty without an index, and the function `indexed`."""
        with self._reading() as reader:
            if not reader.indexed:
                for table in (TERMS, POSTINGS):
                    reader.store.execute(table.replace("CREATE TABLE", "CREATE TEMP TABLE"))
            reader.store.create_function("indexed", 0, lambda: reader.indexed, deterministic=True)
            low, high = _bounds(reader, EntryQuery(since=since, until=until))
            yield reader.store, low, high - 1

    @contextmanager
    def _reading(self) -> Iterator[_Reader]:
        try:
            with closing(open_to_read(self._audit)) as store:
                indexed = attach(store, self._index)
                (last,) = store.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
                yield _Reader(store, indexed, last)
        except DAMAGE as fault:
            raise refusal(self._audit, str(fault)) from fault


def _bounds(reader: _Reader, query: EntryQuery) -> tuple[int, int]:
    """Range of entry numbers for the times of a query, end exclusive. Looked up by hour, as clocks may be set back."""
    high = min(query.before, reader.last + 1) if query.before > 0 else reader.last + 1
    if not (query.since or query.until) or not reader.indexed:
        return 1, high
    hours = int(query.since // HOUR), int(query.until // HOUR) if query.until else _FOREVER
    first, last = reader.store.execute(_BOUNDS, hours).fetchone()
    if first is None:
        return reader.indexed + 1, high
    unknown = reader.last > reader.indexed  # entries that are not indexed yet may have any time
    return int(first), high if unknown else min(high, int(last) + 1)


def _spans(reader: _Reader, query: EntryQuery, low: int, high: int) -> Iterator[CandidateRange]:
    """Ranges of entry numbers from the newest down, sized so that each takes about the time of a step."""
    match, size = match_of(query.text), _FIRST
    leads = _leading_terms(reader, query) if reader.indexed else ()
    term, entries = min(leads, key=lambda one: one[1], default=(0, 0))
    if leads and (not match or entries <= _FEW):
        match = ""
    else:
        term = 0
    words_only = plain(replace(query, text=""))
    alone = (
        bool(term)
        and len(fields_of(query)) == 1
        and not query.text
        and query.kind in ("", fields_of(query).get("area"))
    )
    alone = alone and not (query.since or query.until) and query.outcome in ("", "failed")
    while high > low:
        indexed = bool(match or leads) and high <= reader.indexed + 1
        if indexed and leads and not entries:
            return  # no indexed entry has this value
        step = (_INDEXED if words_only or term else _LARGEST) if indexed else size
        bottom = max(low, high - step, reader.indexed + 1 if (match or leads) and not indexed else 0)
        began = time.monotonic()
        yield CandidateRange(bottom, high, match, term, alone) if indexed else CandidateRange(bottom, high)
        took = max(1e-4, time.monotonic() - began)
        size = int(min(_LARGEST, max(1_000, size * min(8.0, _STEP / took))))
        high = bottom


def _leading_terms(reader: _Reader, query: EntryQuery) -> tuple[tuple[int, int], ...]:
    """Index terms that every matching entry has, each with its number of entries; (0, 0) for a term without entries."""
    found = [reader.store.execute(_TERM, asked).fetchone() or (0, 0) for asked in fields_of(query).items()]
    if "." in query.kind:
        kinds = reader.store.execute(_KINDS, (len(query.kind), query.kind)).fetchall()
        found += kinds[:1] if len(kinds) == 1 else [(0, 0)] if not kinds else []
    return tuple(found)


def _unbroken(reader: _Reader) -> bool:
    """Whether no entry number is missing, so that pages can be computed instead of read."""
    known = reader.store.execute("SELECT entries FROM words.reached").fetchone() if reader.indexed else None
    (newer,) = reader.store.execute("SELECT count(*) FROM entries WHERE seq > ?", (reader.indexed,)).fetchone()
    (least,) = reader.store.execute("SELECT coalesce(min(seq), 1) FROM entries").fetchone()
    return bool((known[0] if known else 0) + newer == reader.last and least == 1)
