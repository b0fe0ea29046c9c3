"""The audit as a table model of any length. Rows have a number from the start; only pages near the view are loaded.

The model never asks the core: it emits `page_needed` and `count_needed`, and its owner passes the answers in. Live
entries are added on top in batches and must match the same query.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QIcon

from workbench.gui.kit.icons import icon
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

SEQ, TIME, KIND, SUMMARY, ACTOR, TOOL, RISK, MS, TOKENS = range(9)
HEADERS = ("No.", "Time", "Kind", "What happened", "Who", "Tool", "Risk", "Took", "≈ Tokens")
NUMBERS = (SEQ, MS, TOKENS)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_TEXT_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


class AuditModel(QAbstractTableModel):
    """Entries, newest first."""

    page_needed = Signal(object)
    """Carries the EntryQuery of a page."""
    count_needed = Signal(object)
    """Carries the EntryQuery whose entries are to be counted."""
    search_progress = Signal(int)
    """The first page is not full yet; everything from this entry on was searched. 0: the page is complete."""

    def __init__(self, run_title: RunTitle = lambda _: "", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run_title = run_title
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

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if way != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in NUMBERS:
            return _RIGHT
        return HEADERS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() in NUMBERS else None
        if role not in (*_TEXT_ROLES, Qt.ItemDataRole.DecorationRole):
            return None
        entry = self._at(index.row())
        if role == Qt.ItemDataRole.DecorationRole:
            return _cell_icon(entry, index.column()) if entry is not None else None
        if entry is None:
            return "…" if index.column() == SUMMARY else None
        return _cell_text(entry, index.column(), self._run_title)

    # what the pane reads

    @property
    def query(self) -> EntryQuery:
        """The query whose entries are shown."""
        return self._query

    @property
    def is_filtered(self) -> bool:
        return replace(self._query, brief=False, limit=0, before=0) != EntryQuery(limit=0)

    @property
    def held(self) -> int:
        """How many entries are in memory."""
        return len(self._live) + sum(map(len, self._pages.values()))

    def entry(self, index: Index) -> Entry | None:
        return self._at(index.row()) if index.isValid() else None

    def find(self, seq: int) -> QModelIndex:
        """The row of an entry, if it is in memory."""
        for row, entry in enumerate(self._live):
            if entry.seq == seq:
                return self.index(row, 0)
        page = bisect_left(self._page_starts, -seq, key=lambda start: -start)
        page -= page >= len(self._page_starts) or self._page_starts[page] != seq
        for offset, entry in enumerate(self._pages.get(page, ())):
            if entry.seq == seq:
                return self.index(len(self._live) + page * PAGE + offset, 0)
        return QModelIndex()

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
        self.dataChanged.emit(self.index(top, 0), self.index(min(top + PAGE, self.rowCount()) - 1, TOKENS))


def sentence_of(entry: Entry, run_title: RunTitle) -> str:
    """What happened, with its subject: the core's summary of a step of a run does not name the run."""
    note = entry.note
    if not note.kind.startswith("run.") or not note.run_id or not note.summary[:1].islower():
        return note.summary
    if note.actor and note.summary.startswith(note.actor):
        return note.summary
    title = run_title(note.run_id)
    if note.actor in ("", "you"):
        subject = f"Your program “{title}”" if title else f"Your program (run {note.run_id[:8]})"
    else:
        subject = f"“{title}” of {note.actor}" if title else f"A program of {note.actor}"
    return f"{subject} {note.summary}"


def _cell_icon(entry: Entry, column: int) -> QIcon | None:
    """A failure and a risk have an icon beside the text."""
    if column == SUMMARY and not entry.note.ok:
        return icon("alert", "danger")
    if column == RISK and entry.note.risk in set(Risk):
        word = risk_word(Risk(entry.note.risk))
        return icon(word.icon, word.tone)
    return None


def _cell_text(entry: Entry, column: int, run_title: RunTitle) -> str:
    """The text of a cell; all of it may come from servers and agents."""
    note = entry.note
    match column:
        case 0:
            return str(entry.seq)
        case 1:
            return clock(entry.at)
        case 2:
            return one_line(note.kind, 60)
        case 3:
            return one_line(sentence_of(entry, run_title), 300)
        case 4:
            return one_line(note.actor, 60)
        case 5:
            return one_line(f"{note.server}.{note.tool}" if note.tool else note.server, 120)
        case 6:
            return one_line(note.risk, 20)
        case 7:
            return duration(note.ms) if note.ms else ""
        case _:
            return amount(note.tokens) if note.tokens else ""
