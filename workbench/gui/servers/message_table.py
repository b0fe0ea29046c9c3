"""Finds for each answer the request it belongs to, in both directions, whatever a server does with its ids."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTableView, QWidget

from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import Strip, search_box
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import duration
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.records import Frame

_OPEN = 10_000  # unanswered requests that are remembered
_SEARCHED = 400  # characters
_OTHER = {">": "<", "<": ">"}


@dataclass(slots=True, eq=False)
class Exchange:
    """One message as a row, with what is known of it from its other half."""

    frame: Frame
    method: str  # its own, or that of the request it answers
    about: str
    error: bool = False
    partner: Exchange | None = None
    ms: float = -1.0  # between the two; below zero: there is no other half
    search: str = ""  # what it can be found by at once, in small letters; the core looks through the rest

    @property
    def request(self) -> Exchange | None:
        """The request of the pair."""
        return self if self.frame.kind == "request" else self.partner

    @property
    def noise(self) -> bool:
        """What passes without anybody's doing: pings and notifications."""
        return self.frame.kind == "notice" or self.method == "ping"


class Pairs:
    """Sees the messages in the order they passed."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Exchange] = {}

    def take(self, frames: Iterable[Frame]) -> list[Exchange]:
        rows = [self._take(frame) for frame in frames]
        for row in rows:
            row.search = f"{row.method} {row.about} {row.frame.text[:_SEARCHED]}".lower()
        return rows

    def _take(self, frame: Frame) -> Exchange:
        made = Exchange(frame, frame.method, frame.about, frame.kind == "error" or frame.direction == "!")
        if frame.direction == "·":
            self._open.clear()  # another life of the server: its ids begin anew
        elif frame.kind == "request":
            self._open[frame.direction, frame.id] = made
            if len(self._open) > _OPEN:
                del self._open[next(iter(self._open))]
        elif frame.kind in ("answer", "error") and frame.direction in _OTHER:
            self._join(made, self._open.pop((_OTHER[frame.direction], frame.id), None))
        return made

    def _join(self, answer: Exchange, request: Exchange | None) -> None:
        if request is None:
            return
        answer.partner, request.partner = request, answer
        answer.method, request.error = request.method, answer.error
        answer.about = answer.about or request.about
        answer.ms = request.ms = max(0.0, (answer.frame.at - request.frame.at) * 1000)


Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
TIME, WHAT, ID, TOOK, SIZE = range(5)
MOST = 100_000
"""Messages in one table; then the oldest go, some at a time."""
_DROP = 10_000
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_SIGNS = {
    ">": ("arrow-right", "accent"),
    "<": ("arrow-left", "success"),
    "!": ("alert", "danger"),
    "·": ("info", "muted"),
}


class Sieve(Struct, frozen=True):
    """Which messages to show."""

    words: tuple[str, ...] = ()  # all of them somewhere in the message, in small letters
    found: frozenset[float] = frozenset()  # messages in whose whole text the core found them
    direction: str = ""
    method: str = ""
    errors: bool = False
    quiet: bool = False  # without pings and notifications

    def lets(self, row: Exchange) -> bool:
        frame = row.frame
        if frame.direction == "·":
            return not (self.words or self.direction or self.method or self.errors)
        return (
            (not self.errors or row.error)
            and (not self.quiet or not row.noise)
            and (not self.direction or frame.direction in self.direction)
            and (not self.method or row.method == self.method)
            and (not self.words or frame.at in self.found or self._has_words(row.search))
        )

    def _has_words(self, text: str) -> bool:
        for word in self.words:  # noqa: SIM110  # twice as fast, a hundred thousand times while somebody types
            if word not in text:
                return False
        return True


class FramesModel(QAbstractTableModel):
    """Oldest first, unless somebody sorts otherwise."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pairs = Pairs()
        self._all: list[Exchange] = []
        self._shown: list[Exchange] = []
        self._sieve = Sieve()
        self._column, self._order = TIME, Qt.SortOrder.AscendingOrder
        self.last = 0.0  # time of the newest message, also after the view was cleared
        self.gone = 0  # messages before the first one that was seen, and those that went since

    # what Qt asks

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else SIZE + 1

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if way != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section > WHAT:
            return _RIGHT
        return _headers()[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        row, column = self._shown[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{way_words(row.frame.direction)}: {_cell(row, WHAT)}" if column == WHAT else _cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column > WHAT:
            return _RIGHT
        if role == Qt.ItemDataRole.DecorationRole and column == WHAT:
            return icon("alert", "danger") if row.error else icon(*_SIGNS.get(row.frame.direction, ("dot", "muted")))
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(row, column)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._order = column, order
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        rows = [self._shown[index.row()] for index in before]
        self._arrange()
        places = {id(row): place for place, row in enumerate(self._shown)} if rows else {}
        after = [self.index(places[id(row)], index.column()) for row, index in zip(rows, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    # what the page asks

    def row_at(self, index: Index) -> Exchange | None:
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def find(self, row: Exchange) -> QModelIndex:
        for place in range(len(self._shown) - 1, -1, -1):
            if self._shown[place] is row:
                return self.index(place, 0)
        return QModelIndex()

    def newest(self, fits: Callable[[Exchange], bool]) -> Exchange | None:
        """The newest message that fits, shown or not."""
        return next((row for row in reversed(self._all) if fits(row)), None)

    def methods(self) -> list[str]:
        return sorted({row.method for row in self._all if row.method})

    @property
    def total(self) -> int:
        return len(self._all)

    # what changes it

    def add(self, frames: Sequence[Frame]) -> None:
        """The next messages, in the order they passed."""
        fresh = self._pairs.take(frames)
        if not fresh:
            return
        if not self._all and not self.last:
            self.gone = max(0, fresh[0].frame.number - 1)
        self.last = fresh[-1].frame.at
        self._all += fresh
        self._insert([row for row in fresh if self._sieve.lets(row)])
        if len(self._all) > MOST:
            self._drop(len(self._all) - MOST + _DROP)

    def sift(self, sieve: Sieve) -> None:
        self.beginResetModel()
        self._sieve = sieve
        self._shown = [row for row in self._all if sieve.lets(row)]
        if not self._in_order:
            self._arrange()
        self.endResetModel()

    def widen(self, found: frozenset[float]) -> None:
        """The core found the words in more messages, which are still to come."""
        self._sieve = replace(self._sieve, found=found)

    def clear(self) -> None:
        """An empty table; what comes from now on is shown."""
        self.beginResetModel()
        self._all, self._shown, self.gone = [], [], 0
        self.endResetModel()

    # inside

    def _insert(self, rows: list[Exchange]) -> None:
        if self._shown:  # answers that came changed what their requests say
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, SIZE))
        if not rows:
            return
        self.beginInsertRows(QModelIndex(), len(self._shown), len(self._shown) + len(rows) - 1)
        self._shown += rows
        self.endInsertRows()
        if not self._in_order:
            self.sort(self._column, self._order)

    def _drop(self, count: int) -> None:
        going, self._all = {id(row) for row in self._all[:count]}, self._all[count:]
        self.gone += count
        if not self._in_order:
            self.sift(self._sieve)
            return
        shown = sum(1 for row in self._shown[:count] if id(row) in going)
        if shown:
            self.beginRemoveRows(QModelIndex(), 0, shown - 1)
            del self._shown[:shown]
            self.endRemoveRows()

    @property
    def _in_order(self) -> bool:
        return self._column == TIME and self._order == Qt.SortOrder.AscendingOrder

    def _arrange(self) -> None:
        self._shown.sort(key=_KEYS[self._column], reverse=self._order == Qt.SortOrder.DescendingOrder)

    def _colour(self, row: Exchange, column: int) -> QColor | None:
        if row.error and column == WHAT:
            return self._theme.colour("danger")
        quiet = column != WHAT or row.noise or row.frame.direction == "·"
        return self._theme.colour("muted") if quiet else None


_KEYS: dict[int, Callable[[Exchange], tuple[object, ...]]] = {
    TIME: lambda row: (row.frame.at,),
    WHAT: lambda row: (row.method, row.about, row.frame.at),
    ID: lambda row: (len(row.frame.id), row.frame.id, row.frame.at),
    TOOK: lambda row: (row.ms, row.frame.at),
    SIZE: lambda row: (row.frame.bytes, row.frame.at),
}


def way_words(direction: str) -> str:
    """Where a message went."""
    return {
        ">": "to the server",
        "<": "from the server",
        "!": "not JSON-RPC",
        "·": "the server itself",
    }.get(direction, direction)


def exact_time(at: float) -> str:
    """The time of day with milliseconds."""
    return f"{time.strftime('%H:%M:%S', time.localtime(at))}.{int(at * 1000) % 1000:03d}"


def title(row: Exchange) -> str:
    """What a message is, in one line."""
    frame = row.frame
    if frame.direction == "·":
        return one_line(frame.text, 200)
    if frame.direction == "!":
        return f"not JSON-RPC: {one_line(frame.text, 160)}"
    if frame.kind == "batch":
        return f"a batch of {frame.about}"
    words = " ".join(part for part in (one_line(row.method, 80), one_line(row.about, 120)) if part)
    if frame.kind in ("answer", "error"):
        pattern = "error: {}" if frame.kind == "error" else "answer to {}"
        return pattern.format(words or "nothing that was asked")
    return words or one_line(frame.text, 160)


def _cell(row: Exchange, column: int) -> str:
    frame = row.frame
    if column == TIME:
        return exact_time(frame.at)
    if column == WHAT:
        return title(row)
    if column == ID:
        return one_line(frame.id, 24)
    if column == TOOK:
        return duration(row.ms) if row.ms >= 0 else ""
    return size_words(frame.bytes) if frame.direction != "·" else ""


def _headers() -> tuple[str, ...]:
    return (
        "Time",
        "Message",
        "Id",
        "Took",
        "Size",
    )


_LETTERS = {TIME: 15, ID: 6, TOOK: 10, SIZE: 10}
_LEAST_TELLING = (ID, SIZE, TOOK, TIME)
_ROOM = 34  # letters a message's words should have


class FrameTable(QTableView):
    """Enter on a row opens it; End goes to the newest message and stays there."""

    chosen = Signal()
    followed = Signal(bool)
    """Whether new messages are to stay in sight."""

    def __init__(self, context: Context, model: FramesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.following = True
        self.setModel(model)
        self.setAccessibleName("Messages of the server")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.sortByColumn(TIME, Qt.SortOrder.AscendingOrder)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Stretch)
        head.sortIndicatorChanged.connect(self._sorted)
        self.verticalScrollBar().actionTriggered.connect(self._scrolled)
        self.verticalScrollBar().rangeChanged.connect(self.keep_up)
        self.doubleClicked.connect(self.chosen)
        self.installEventFilter(self)
        self._dress()
        context.theme.changed.connect(self._dress)

    def follow(self, on: bool) -> None:
        if on != self.following:
            self.following = on
            self.followed.emit(on)
        self.keep_up()

    def keep_up(self) -> None:
        """After messages came."""
        if self.following:
            self.scrollToBottom()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self and event.type() == QEvent.Type.Resize:
            self._fit_columns()
            self.keep_up()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.chosen.emit()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Home):
            self.follow(False)
        super().keyPressEvent(event)
        if event.key() == Qt.Key.Key_End:
            self.follow(True)

    def _scrolled(self, _action: int) -> None:
        """A person moved the bar: at the end it follows, elsewhere it stays. The place is the one it will have."""
        bar = self.verticalScrollBar()
        self.follow(bar.sliderPosition() >= bar.maximum())

    def _sorted(self, column: int, order: Qt.SortOrder) -> None:
        if (column, order) != (TIME, Qt.SortOrder.AscendingOrder):
            self.follow(False)

    def _fit_columns(self) -> None:
        """Where it is narrow the least telling columns go first; the detail below has them all."""
        room = self.width() // max(1, self.fontMetrics().averageCharWidth())
        wanted = sum(_LETTERS.values()) + _ROOM
        for column in _LEAST_TELLING:
            self.setColumnHidden(column, wanted > room)
            wanted -= _LETTERS[column] if wanted > room else 0

    def _dress(self) -> None:
        unit = self._context.theme.unit
        self.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit + 2)
        width = self.fontMetrics().averageCharWidth()
        for column, letters in _LETTERS.items():
            self.setColumnWidth(column, width * letters)


_PAUSE = 150  # milliseconds without a key before the list is sifted


class FrameFilter(Strip):
    """`sieve()` is what is wished now."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self.changed)
        self.finder = search_box("Search messages", "Filter messages by any words in them")
        self.finder.textChanged.connect(self._pause.start)
        self.direction = self._combo("Direction")
        for text, way in (
            ("Both ways", ""),
            ("To the server", ">"),
            ("From the server", "<!"),
        ):
            self.direction.addItem(text, way)
        self.method = self._combo("Method")
        self.method.addItem("Every method", "")
        self.errors = self._chip("Errors", "Show only errors and what is not JSON-RPC")
        self.quiet = self._chip("Hide noise", "Hide pings and notifications")
        self.row.addWidget(self.finder, 1)
        for part in (self.direction, self.method, self.errors, self.quiet):
            self.row.addWidget(part)

    def sieve(self, found: frozenset[float] = frozenset()) -> Sieve:
        return Sieve(
            tuple(self.finder.text().lower().split()),
            found,
            str(self.direction.currentData()),
            str(self.method.currentData() or ""),
            self.errors.isChecked(),
            self.quiet.isChecked(),
        )

    def clear(self) -> None:
        """Show everything."""
        self.finder.clear()
        for combo in (self.direction, self.method):
            combo.setCurrentIndex(0)
        for chip in (self.errors, self.quiet):
            chip.setChecked(False)

    def offer_methods(self, methods: Sequence[str]) -> None:
        """Methods that were seen; the chosen one stays chosen."""
        known = {self.method.itemData(place) for place in range(self.method.count())}
        for method in methods:
            if method not in known:
                self.method.addItem(one_line(method, 60), method)

    def _combo(self, name: str) -> CalmCombo:
        combo = CalmCombo()
        combo.setAccessibleName(name)
        combo.currentIndexChanged.connect(self._now)
        return combo

    def _chip(self, text: str, tip: str) -> QPushButton:
        chip = QPushButton(text)
        chip.setCheckable(True)
        chip.setToolTip(tip)
        mark(chip, kind="chip")
        chip.toggled.connect(self._now)
        return chip

    def _now(self) -> None:
        self._pause.stop()
        self.changed.emit()
