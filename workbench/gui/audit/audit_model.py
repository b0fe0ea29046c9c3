"""The audit as a table of any length: rows are known by number, and only the pages that are looked at are held.

It never asks the core: it emits `wants` for a page and `counts` for how many there are, and is given the answers. Live
entries are put on top in batches, and obey the same filter.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QIcon

from workbench.gui.kit.icons import icon
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import amount, clock, duration, risk_word
from workbench.records import Entry, EntryMarks, EntryPage, EntryQuery, Risk
from workbench.records.audit import EXACT_FILTERS, has_word, search_words

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
PAGE = 200
"""How many entries one page brings; `EntryMarks.every` is the same number."""
HELD = 30
"""Pages that are held; others are asked for again when somebody scrolls there."""
FRESH = 1_000
"""Live entries on top; then all are counted anew, and pages take them in."""
AT_ONCE = 2
"""Pages that are on their way: more would come all at once, for rows that somebody has passed by since."""
SETTLE_MS = 12
"""So long a row has to be in sight before its page is asked for: who drags the bar passes by many."""

SEQ, TIME, KIND, WHAT, WHO, TOOL, RISK, MS, TOKENS = range(9)
NUMBERS = (SEQ, MS, TOKENS)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class AuditModel(QAbstractTableModel):
    """Entries by falling number."""

    wants = Signal(object)
    """Carries the EntryQuery of a page."""
    counts = Signal(object)
    """Carries the EntryQuery whose entries are to be counted."""
    looked = Signal(int)
    """A first page is not full yet: everything from this number on was looked at. 0: it is."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._query = EntryQuery(brief=True, limit=PAGE)
        self._fresh: list[Entry] = []  # live ones above the pages, numbers falling
        self._pages: OrderedDict[int, tuple[Entry, ...]] = OrderedDict()
        self._starts: tuple[int, ...] = ()  # number of the first entry of each page
        self._count = 0  # entries of all pages
        self._asked: dict[int, int] = {}  # what was asked for `before` this number belongs to this page
        self._parts: dict[int, list[Entry]] = {}  # pages that came in part
        self._missing: dict[int, None] = {}  # pages that were in sight and are not held, the last one looked at last
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._ask_missing)

    # what Qt asks

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._fresh) + self._count

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else TOKENS + 1

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if way != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in NUMBERS:
            return RIGHT
        return headers()[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if index.column() in NUMBERS else None
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.DecorationRole,
        ):
            return None
        entry = self._at(index.row())
        if entry is None:
            return "…" if index.column() == WHAT and role != Qt.ItemDataRole.DecorationRole else None
        return sign(entry, index.column()) if role == Qt.ItemDataRole.DecorationRole else cell(entry, index.column())

    # what the pane asks

    @property
    def wanted(self) -> EntryQuery:
        """What is shown."""
        return self._query

    @property
    def filtered(self) -> bool:
        """Whether some entries may be left out."""
        return replace(self._query, brief=False, limit=0, before=0) != EntryQuery(limit=0)

    def entry(self, index: Index) -> Entry | None:
        return self._at(index.row()) if index.isValid() else None

    def query(self) -> EntryQuery:
        """The question for the first page of what is wanted now."""
        self._asked = {0: 0}
        self._parts.clear()
        return self._query

    def find(self, seq: int) -> QModelIndex:
        """The row of an entry that is held."""
        for row, entry in enumerate(self._fresh):
            if entry.seq == seq:
                return self.index(row, 0)
        page = bisect_left(self._starts, -seq, key=lambda start: -start)
        page -= page >= len(self._starts) or self._starts[page] != seq
        for offset, entry in enumerate(self._pages.get(page, ())):
            if entry.seq == seq:
                return self.index(len(self._fresh) + page * PAGE + offset, 0)
        return QModelIndex()

    @property
    def held(self) -> int:
        """How many entries are in memory."""
        return len(self._fresh) + sum(map(len, self._pages.values()))

    # what changes it

    def filter(self, query: EntryQuery) -> None:
        """Want other entries: what is known is sifted at once, the rest is asked for."""
        self._query = replace(query, brief=True, before=0, limit=PAGE)
        self.beginResetModel()
        kept = [entry for entry in (*self._fresh, *self._pages.get(0, ())) if self.fits(entry)]
        self._fresh, self._count, self._starts = kept, 0, ()
        self._pages.clear()
        self._missing.clear()
        self.endResetModel()
        self.wants.emit(self.query())

    def answer(self, query: EntryQuery, page: EntryPage) -> None:
        """The core's page for a query; one for a filter that is no longer wanted is dropped."""
        number = self._asked.get(query.before) if replace(query, before=0) == self._query else None
        if number is None:
            return
        self.lose(query)
        part = [*self._parts.pop(number, ()), *page.entries]
        due = min(PAGE, self._count - number * PAGE) if number else PAGE
        if len(part) < due and not page.complete:
            self._go_on(number, part, page.reached)
        if number == 0:
            self._show_first(part, going_on=0 in self._parts)
        elif number not in self._parts:
            self._hold(number, part)

    def lose(self, query: EntryQuery) -> None:
        """Nothing is on its way for this query any more; others may go."""
        if replace(query, before=0) == self._query:
            self._asked.pop(query.before, None)
        if self._missing and not self._settle.isActive():
            self._settle.start()

    def anchor(self, query: EntryQuery, marks: EntryMarks) -> None:
        """How many there are, and where pages begin."""
        if replace(query, before=0) != self._query:
            return
        fresh = [entry for entry in self._fresh if entry.seq > marks.newest]
        same = fresh == self._fresh and (not self._starts or self._starts[0] == (marks.marks or (0,))[0])
        if same and marks.total >= self._count > 0:
            self._starts = marks.marks
            if marks.total > self._count:
                self.beginInsertRows(QModelIndex(), self.rowCount(), len(fresh) + marks.total - 1)
                self._count = marks.total
                self.endInsertRows()
            return
        pages = dict(self._pages)
        self.beginResetModel()
        self._fresh, self._starts, self._count = fresh, marks.marks, marks.total
        self._pages = OrderedDict(
            (number, page)
            for number, page in pages.items()
            if page and marks.marks[number : number + 1] == (page[0].seq,)
        )
        self.endResetModel()

    def grow(self, entries: Sequence[Entry]) -> None:
        """Live entries, oldest first."""
        newest = self._fresh[0].seq if self._fresh else self._starts[0] if self._starts else 0
        fresh = [entry for entry in entries if entry.seq > newest and self.fits(entry)]
        if fresh:
            self.beginInsertRows(QModelIndex(), 0, len(fresh) - 1)
            self._fresh[:0] = sorted(fresh, key=lambda entry: entry.seq, reverse=True)
            self.endInsertRows()
        if len(self._fresh) > FRESH:
            self.counts.emit(self._query)

    def fits(self, entry: Entry) -> bool:
        note, query = entry.note, self._query
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
        whole = " ".join((note.summary, note.kind, note.actor, note.server, note.tool, note.run_id, detail))
        return all(has_word(whole, word) for word in words)

    def _go_on(self, number: int, part: list[Entry], before: int) -> None:
        self._parts[number] = part
        self._asked[before] = number
        self.wants.emit(replace(self._query, before=before))

    def _show_first(self, part: list[Entry], *, going_on: bool) -> None:
        """Live entries that arrived while the page was on its way stay on top."""
        newest = part[0].seq if part else 0
        fresh = [entry for entry in self._fresh if entry.seq > newest]
        if going_on and not part and not self._starts:
            fresh = self._fresh  # sifted ones are shown until the core has found some
        self.beginResetModel()
        self._fresh, self._pages = fresh, OrderedDict({0: tuple(part)} if part else {})
        self._starts, self._count = (newest,) if part else (), len(part)
        self.endResetModel()
        self.looked.emit(min(self._asked, default=0) if going_on else 0)
        if not going_on:
            self.counts.emit(self._query)

    def _at(self, row: int) -> Entry | None:
        if row < len(self._fresh):
            return self._fresh[row]
        number, offset = divmod(row - len(self._fresh), PAGE)
        page = self._pages.get(number)
        if page is None:
            self._missing.pop(number, None)
            self._missing[number] = None
            if not self._settle.isActive():
                self._settle.start()
            return None
        return page[offset] if offset < len(page) else None

    def _ask_missing(self) -> None:
        """The pages that were looked at last, as soon as others have come."""
        if len(self._asked) >= AT_ONCE:
            return
        on_the_way = set(self._asked.values())
        for number in list(self._missing)[-2:]:
            if number not in self._pages and number not in on_the_way and number < len(self._starts):
                self._asked[self._starts[number] + 1] = number
                self.wants.emit(replace(self._query, before=self._starts[number] + 1))
        self._missing.clear()

    def _hold(self, number: int, part: list[Entry]) -> None:
        self._pages[number] = tuple(part)
        while len(self._pages) > HELD:
            self._pages.pop(next(iter(self._pages)) if next(iter(self._pages)) else list(self._pages)[1])
        top = len(self._fresh) + number * PAGE
        self.dataChanged.emit(self.index(top, 0), self.index(min(top + PAGE, self.rowCount()) - 1, TOKENS))


def headers() -> tuple[str, ...]:
    return (
        "No.",
        "Time",
        "Kind",
        "What happened",
        "Who",
        "Tool",
        "Risk",
        "Took",
        "≈ Tokens",
    )


def sign(entry: Entry, column: int) -> QIcon | None:
    """The icon in a cell: what went wrong, and how risky it was."""
    if column == WHAT and not entry.note.ok:
        return icon("alert", "danger")
    if column == RISK and entry.note.risk in set(Risk):
        word = risk_word(Risk(entry.note.risk))
        return icon(word.icon, word.tone)
    return None


def cell(entry: Entry, column: int) -> str:
    """One cell as text; all of it is foreign."""
    note = entry.note
    match column:
        case 0:
            return str(entry.seq)
        case 1:
            return clock(entry.at)
        case 2:
            return one_line(note.kind, 60)
        case 3:
            return one_line(note.summary, 300)
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
