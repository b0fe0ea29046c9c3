"""The audit as a table model of any length. Rows have a number from the start; only pages near the view are loaded.

The model never asks the core: it emits `page_needed` and `count_needed`, and its owner passes the answers in. Live
entries are added on top in batches and must match the same query.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from workbench.gui.kit.table import Column, ColumnsModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import amount, clock, duration, risk_word
from workbench.records import Entry, EntryMarks, EntryPage, EntryQuery, Risk
from workbench.records.audit import entry_matches

Index = QModelIndex | QPersistentModelIndex
RunTitle = Callable[[str], str]
"""The title of the run with this id; empty where it is not known."""
_ROOT = QModelIndex()
PAGE = 200  # entries of a page; `EntryMarks.every` is the same number
MOST_PAGES = 30  # pages that are held; others are loaded again when they come into view
MOST_LIVE = 1_000  # live entries above the pages; then everything is counted again and pages include them
MOST_REQUESTS = 2  # pages requested at the same time; more would come for rows that are no longer in view
SETTLE_MS = 12  # how long a row is in view before its page is requested: dragging the scroll bar passes many

SUMMARY, RISK = 3, 6  # numbers of columns


_DECISION = re.compile(r"was (allowed|denied) by (.+?)( after .+)?", re.DOTALL)
"""The core's summary of a decision: which it was, by whom, and after which time if that was too short to read."""


def _columns(run_title: RunTitle) -> tuple[Column[Entry], ...]:
    """All texts may come from servers and agents. The entry's card shows what is hidden where it is narrow."""

    def tool(entry: Entry) -> str:
        note = entry.note
        return one_line(f"{note.server}.{note.tool}" if note.tool else note.server, 120)

    def took(entry: Entry) -> str:
        return duration(entry.note.ms) if entry.note.ms else ""

    def tokens(entry: Entry) -> str:
        return amount(entry.note.tokens) if entry.note.tokens else ""

    def outcome(entry: Entry) -> tuple[str, str]:
        if (decision := _decision(entry)) is not None:
            return ("check", "success") if decision[1] == "allowed" else ("x", "danger")
        return ("", "") if entry.note.ok else ("alert", "danger")

    def risk(entry: Entry) -> tuple[str, str]:
        word = risk_word(Risk(entry.note.risk)) if entry.note.risk in set(Risk) else None
        return (word.icon, word.tone) if word is not None else ("", "")

    return (
        Column("No.", lambda entry: str(entry.seq), right=True, letters=9, rank=5),
        Column("Time", lambda entry: clock(entry.at), letters=10),
        Column("Kind", lambda entry: one_line(entry.note.kind, 60), letters=14, rank=4),
        Column("What happened", lambda entry: one_line(sentence_of(entry, run_title)), icon=outcome, letters=28),
        Column("Who", lambda entry: one_line(actor_of(entry), 60), letters=15, rank=1),
        Column("Tool", tool, letters=20, rank=3),
        Column("Risk", lambda entry: one_line(entry.note.risk, 20), icon=risk, letters=11, rank=2),
        Column("Took", took, right=True, letters=8, rank=6),
        Column("≈ Tokens", tokens, right=True, letters=8, rank=7),
    )


class AuditModel(ColumnsModel[Entry]):
    """The entries of the audit, newest first."""

    page_needed = Signal(object)
    """Carries the EntryQuery of a page."""
    count_needed = Signal(object)
    """Carries the EntryQuery whose entries are to be counted."""
    search_progress = Signal(int)
    """The first page is not full yet; everything from this entry on was searched. 0: the page is complete."""

    def __init__(self, run_title: RunTitle = lambda _: "", parent: QObject | None = None) -> None:
        super().__init__(_columns(run_title), lambda entry: str(entry.seq), parent)
        self._query = EntryQuery(brief=True, limit=PAGE)
        self._live: list[Entry] = []  # above the pages, newest first
        self._pages: OrderedDict[int, tuple[Entry, ...]] = OrderedDict()
        self._page_starts: tuple[int, ...] = ()  # number of the first entry of each page
        self._count = 0  # entries of all pages
        self._requests: dict[int, int] = {}  # page number by the `before` of its request
        self._parts: dict[int, list[Entry]] = {}  # pages of which a part has come
        self._missing: dict[int, None] = {}  # pages that came into view and are not held, the latest last
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.request_missing)

    # what Qt reads

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._live) + self._count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self.record(index) is not None:
            return super().data(index, role)
        is_text = role == Qt.ItemDataRole.DisplayRole and index.isValid() and index.column() == SUMMARY
        return "…" if is_text else None

    # what the pane reads

    @property
    def query(self) -> EntryQuery:
        """The query whose entries are shown."""
        return self._query

    @property
    def is_filtered(self) -> bool:
        return replace(self._query, brief=False, limit=0, before=0) != EntryQuery(limit=0)

    @property
    def loaded_count(self) -> int:
        """How many entries are in memory."""
        return len(self._live) + sum(map(len, self._pages.values()))

    def record(self, index: Index) -> Entry | None:
        return self._at(index.row()) if index.isValid() else None

    def row_of(self, key: str) -> int:
        """The row of an entry, if it is in memory, or -1."""
        for row, entry in enumerate(self._live):
            if entry.seq == int(key):
                return row
        page = bisect_left(self._page_starts, -int(key), key=lambda start: -start)
        page -= page >= len(self._page_starts) or self._page_starts[page] != int(key)
        for offset, entry in enumerate(self._pages.get(page, ())):
            if entry.seq == int(key):
                return len(self._live) + page * PAGE + offset
        return -1

    # what changes it

    def reload(self) -> None:
        """Request the first page again."""
        self._requests = {0: 0}
        self._parts.clear()
        self.page_needed.emit(self._query)

    def set_query(self, query: EntryQuery) -> None:
        """Show the entries of a query: those in memory that match at once, then what the core finds."""
        self._query = replace(query, brief=True, before=0, limit=PAGE)
        self.beginResetModel()
        known = (*self._live, *self._pages.get(0, ()))
        self._live = [entry for entry in known if entry_matches(entry, self._query)]
        self._count, self._page_starts = 0, ()
        self._pages.clear()
        self._missing.clear()
        self.endResetModel()
        self.reload()

    def add_page(self, query: EntryQuery, page: EntryPage) -> None:
        """The core's answer to `page_needed`; an answer to an older query is dropped."""
        number = self._requests.get(query.before) if replace(query, before=0) == self._query else None
        if number is None:
            return
        self.request_ended(query)
        part = [*self._parts.pop(number, ()), *page.entries]
        due = min(PAGE, self._count - number * PAGE) if number else PAGE
        if len(part) < due and not page.complete:
            self._continue(number, part, page.reached)
        if number == 0:
            self._show_first_page(part, is_part=0 in self._parts)
        elif number not in self._parts:
            self._hold_page(number, part)

    def request_ended(self, query: EntryQuery) -> None:
        """The request for this query was answered or failed, so another page may be requested."""
        if replace(query, before=0) == self._query:
            self._requests.pop(query.before, None)
        if self._missing and not self._settle.isActive():
            self._settle.start()

    def set_marks(self, query: EntryQuery, marks: EntryMarks) -> None:
        """The core's answer to `count_needed`: the number of entries, and where each page begins."""
        if replace(query, before=0) != self._query:
            return
        live = [entry for entry in self._live if entry.seq > marks.newest]
        first = marks.marks[:1]
        unchanged = live == self._live and (not self._page_starts or self._page_starts[:1] == (first or (0,)))
        if unchanged and marks.total >= self._count > 0:
            self._page_starts = marks.marks
            if marks.total > self._count:
                self.beginInsertRows(QModelIndex(), self.rowCount(), len(live) + marks.total - 1)
                self._count = marks.total
                self.endInsertRows()
            return
        self.beginResetModel()
        self._live, self._page_starts, self._count = live, marks.marks, marks.total
        self._pages = OrderedDict(
            (number, page)
            for number, page in self._pages.items()
            if page and marks.marks[number : number + 1] == (page[0].seq,)
        )
        self.endResetModel()

    def add_live(self, entries: Sequence[Entry]) -> None:
        """Add entries that were written just now, oldest first."""
        newest = self._live[0].seq if self._live else self._page_starts[0] if self._page_starts else 0
        matching = [entry for entry in entries if entry.seq > newest and entry_matches(entry, self._query)]
        if matching:
            self.beginInsertRows(QModelIndex(), 0, len(matching) - 1)
            self._live[:0] = sorted(matching, key=lambda entry: entry.seq, reverse=True)
            self.endInsertRows()
        if len(self._live) > MOST_LIVE:
            self.count_needed.emit(self._query)

    def _continue(self, number: int, part: list[Entry], before: int) -> None:
        self._parts[number] = part
        self._requests[before] = number
        self.page_needed.emit(replace(self._query, before=before))

    def _show_first_page(self, part: list[Entry], *, is_part: bool) -> None:
        """Live entries that arrived after the page was requested stay on top."""
        newest = part[0].seq if part else 0
        live = [entry for entry in self._live if entry.seq > newest]
        if is_part and not part and not self._page_starts:
            live = self._live  # entries from memory stay until the core has found some
        self.beginResetModel()
        self._live, self._pages = live, OrderedDict({0: tuple(part)} if part else {})
        self._page_starts, self._count = (newest,) if part else (), len(part)
        self.endResetModel()
        self.search_progress.emit(min(self._requests, default=0) if is_part else 0)
        if not is_part:
            self.count_needed.emit(self._query)

    def _at(self, row: int) -> Entry | None:
        if row < len(self._live):
            return self._live[row]
        number, offset = divmod(row - len(self._live), PAGE)
        page = self._pages.get(number)
        if page is None:
            self._missing.pop(number, None)
            self._missing[number] = None
            if not self._settle.isActive():
                self._settle.start()
            return None
        return page[offset] if offset < len(page) else None

    def request_missing(self) -> None:
        """Request the pages that came into view last."""
        if len(self._requests) >= MOST_REQUESTS:
            return
        requested = set(self._requests.values())
        for number in list(self._missing)[-2:]:
            if number not in self._pages and number not in requested and number < len(self._page_starts):
                self._requests[self._page_starts[number] + 1] = number
                self.page_needed.emit(replace(self._query, before=self._page_starts[number] + 1))
        self._missing.clear()

    def _hold_page(self, number: int, part: list[Entry]) -> None:
        self._pages[number] = tuple(part)
        while len(self._pages) > MOST_PAGES:  # the first page stays
            self._pages.pop(next(iter(self._pages)) if next(iter(self._pages)) else list(self._pages)[1])
        top = len(self._live) + number * PAGE
        self.dataChanged.emit(
            self.index(top, 0), self.index(min(top + PAGE, self.rowCount()) - 1, len(self.columns) - 1)
        )


def sentence_of(entry: Entry, run_title: RunTitle) -> str:
    """What happened, with its subject: the core's summary of a step of a run does not name the run."""
    note = entry.note
    if not note.kind.startswith("run.") or not note.run_id or not note.summary[:1].islower():
        return note.summary
    if note.actor and note.summary.startswith(note.actor):
        return f"You{note.summary[3:]}" if note.actor == "you" else note.summary
    title, is_users, decision = run_title(note.run_id), note.actor in ("", "you"), _decision(entry)
    if is_users:
        subject = f"Your program “{title}”" if title else f"Your program (run {note.run_id[:8]})"
    else:
        subject = f"“{title}” of {note.actor}" if title else f"A program of {note.actor}"
    if decision is not None:
        who = decision[2]
        return f"{who[0].upper()}{who[1:]} {decision[1]} {subject[0].lower()}{subject[1:]}{decision[3] or ''}"
    return f"{subject} {note.summary}"


def actor_of(entry: Entry) -> str:
    """Who did it; a decision about a run was made by the user or a rule, though the entry names the run's agent."""
    decision = _decision(entry)
    return entry.note.actor if decision is None else decision[2]


def _decision(entry: Entry) -> re.Match[str] | None:
    return _DECISION.fullmatch(entry.note.summary) if entry.note.kind == "run.decided" else None
