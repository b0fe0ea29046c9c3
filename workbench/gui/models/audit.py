"""The audit as a table: newest first, older entries fetched page by page, live ones put on top in batches.

The core filters what it sends; the model filters once more, so that typing shows its effect at once and live entries
obey the same filter.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QIcon

from workbench.gui.icons import icon
from workbench.gui.text import one_line
from workbench.gui.words import amount, clock, duration, risk_word
from workbench.records import Entry, EntryQuery, Risk

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
translate = QCoreApplication.translate
PAGE = 200
"""How many entries one page brings."""

SEQ, TIME, KIND, WHAT, WHO, TOOL, RISK, MS, TOKENS = range(9)
NUMBERS = (SEQ, MS, TOKENS)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class AuditModel(QAbstractTableModel):
    """Entries by falling number. It never asks the core: it emits `wants` and is given pages."""

    wants = Signal(object)
    """Carries the EntryQuery of the next page."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._kind = ""
        self._entries: list[Entry] = []  # shown, numbers falling
        self._complete = True  # nothing older is known to exist
        self._asked = False

    # what Qt asks

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._entries)

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
        entry = self._entries[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell(entry, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in NUMBERS:
            return RIGHT
        if role == Qt.ItemDataRole.DecorationRole:
            return sign(entry, index.column())
        return None

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and not self._complete and not self._asked

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self._asked = True
            self.wants.emit(self.query(self._entries[-1].seq if self._entries else 0))

    # what the pane asks

    def entry(self, index: Index) -> Entry | None:
        return self._entries[index.row()] if index.isValid() else None

    def query(self, before: int = 0) -> EntryQuery:
        """The question for a page of what is wanted now."""
        return EntryQuery(text=self._text, kind=self._kind, before=before, limit=PAGE)

    def find(self, seq: int) -> QModelIndex:
        for row, entry in enumerate(self._entries):
            if entry.seq == seq:
                return self.index(row, 0)
        return QModelIndex()

    # what changes it

    def filter(self, text: str, kind: str) -> None:
        """Want other entries: what is known is sifted at once, the rest is asked for."""
        self._text, self._kind = text.strip(), kind
        self.beginResetModel()
        self._entries = [entry for entry in self._entries if self.fits(entry)]
        self._complete, self._asked = True, True
        self.endResetModel()
        self.wants.emit(self.query())

    def answer(self, query: EntryQuery, page: Sequence[Entry]) -> None:
        """The core's page for a query; one for a filter that is no longer wanted is dropped."""
        if (query.text, query.kind) != (self._text, self._kind):
            return
        self._asked = False
        self._complete = len(page) < query.limit
        if query.before:
            self._append([entry for entry in page if not self._entries or entry.seq < self._entries[-1].seq])
        else:
            self._replace(page)

    def grow(self, entries: Sequence[Entry]) -> None:
        """Live entries, oldest first."""
        newest = self._entries[0].seq if self._entries else 0
        fresh = [entry for entry in entries if entry.seq > newest and self.fits(entry)]
        if fresh:
            self.beginInsertRows(QModelIndex(), 0, len(fresh) - 1)
            self._entries[:0] = sorted(fresh, key=lambda entry: entry.seq, reverse=True)
            self.endInsertRows()

    def fits(self, entry: Entry) -> bool:
        note = entry.note
        if not note.kind.startswith(self._kind):
            return False
        text = " ".join((note.summary, note.kind, note.actor, note.server, note.tool, note.run_id)).casefold()
        return self._text.casefold() in text

    def _replace(self, page: Sequence[Entry]) -> None:
        """Live entries that arrived while the page was on its way stay on top."""
        newest = page[0].seq if page else 0
        ahead = [entry for entry in self._entries if entry.seq > newest]
        self.beginResetModel()
        self._entries = [*ahead, *page]
        self.endResetModel()

    def _append(self, older: Sequence[Entry]) -> None:
        if older:
            self.beginInsertRows(QModelIndex(), len(self._entries), len(self._entries) + len(older) - 1)
            self._entries.extend(older)
            self.endInsertRows()


def headers() -> tuple[str, ...]:
    return (
        translate("audit", "No."),
        translate("audit", "Time"),
        translate("audit", "Kind"),
        translate("audit", "What happened"),
        translate("audit", "Who"),
        translate("audit", "Tool"),
        translate("audit", "Risk"),
        translate("audit", "Took"),
        translate("audit", "≈ Tokens"),
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
