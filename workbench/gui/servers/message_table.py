"""The table of protocol messages: pairs of request and answer, filter, sorting, and the strip of filter controls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.lists import Strip, search_box
from workbench.gui.kit.table import Column, Table, TableModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import duration
from workbench.gui.shell.long_text import size_words
from workbench.records import Frame

_MOST_OPEN = 10_000  # unanswered requests that are remembered
_SEARCHED = 400  # characters of a message that the window searches; the core searches the rest
_OPPOSITE = {">": "<", "<": ">"}


@dataclass(slots=True, eq=False)
class MessageRow:
    """A protocol message with what is known from the other half of its pair."""

    frame: Frame
    method: str  # its own, or of the request that it answers
    about: str
    error: bool = False
    partner: MessageRow | None = None  # the answer of a request, the request of an answer
    ms: float = -1.0  # between request and answer; negative without a pair
    search: str = ""  # the text that the filter searches, in lower case
    key: str = ""

    @property
    def request(self) -> MessageRow | None:
        """The request of the pair, which may be this message."""
        return self if self.frame.kind == "request" else self.partner

    @property
    def noise(self) -> bool:
        """Whether it is a ping or a notification."""
        return self.frame.kind == "notice" or self.method == "ping"


class MessagePairs:
    """Finds the request of each answer in both directions. Messages are passed in the order of their arrival."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], MessageRow] = {}

    def add(self, frames: Iterable[Frame]) -> list[MessageRow]:
        rows = [self._pair(frame) for frame in frames]
        for row in rows:
            row.search = f"{row.method} {row.about} {row.frame.text[:_SEARCHED]}".lower()
            row.key = repr(row.frame.at)
        return rows

    def _pair(self, frame: Frame) -> MessageRow:
        message = MessageRow(frame, frame.method, frame.about, frame.kind == "error" or frame.direction == "!")
        if frame.direction == "·":
            self._open.clear()  # the server was restarted: ids start again
        elif frame.kind == "request":
            self._open[frame.direction, frame.id] = message
            if len(self._open) > _MOST_OPEN:
                del self._open[next(iter(self._open))]
        elif frame.kind in ("answer", "error") and frame.direction in _OPPOSITE:
            self._join(message, self._open.pop((_OPPOSITE[frame.direction], frame.id), None))
        return message

    def _join(self, answer: MessageRow, request: MessageRow | None) -> None:
        if request is None:
            return
        answer.partner, request.partner = request, answer
        answer.method, request.error = request.method, answer.error
        answer.about = answer.about or request.about
        answer.ms = request.ms = max(0.0, (answer.frame.at - request.frame.at) * 1000)


TIME, MESSAGE, ID, DURATION, SIZE = range(5)
MOST_MESSAGES = 100_000
"""Messages in the table; above it the oldest ones are dropped."""
_DROPPED_AT_ONCE = 10_000
_ICONS = {
    ">": ("arrow-right", "accent"),
    "<": ("arrow-left", "success"),
    "!": ("alert", "danger"),
    "·": ("info", "muted"),
}


class MessageFilter(Struct, frozen=True):
    """The conditions that a shown message meets."""

    words: tuple[str, ...] = ()  # in lower case; a message must contain all of them
    found: frozenset[float] = frozenset()  # times of the messages in which the core found the words
    direction: str = ""
    method: str = ""
    errors: bool = False
    hide_noise: bool = False

    def matches(self, row: MessageRow) -> bool:
        frame = row.frame
        if frame.direction == "·":
            return not (self.words or self.direction or self.method or self.errors)
        return (
            (not self.errors or row.error)
            and (not self.hide_noise or not row.noise)
            and (not self.direction or frame.direction in self.direction)
            and (not self.method or row.method == self.method)
            and (not self.words or frame.at in self.found or self._has_words(row.search))
        )

    def _has_words(self, text: str) -> bool:
        for word in self.words:  # noqa: SIM110  # twice as fast; runs 100,000 times for each key
            if word not in text:
                return False
        return True


def direction_text(direction: str) -> str:
    """The direction of a message in words."""
    return {
        ">": "to the server",
        "<": "from the server",
        "!": "not JSON-RPC",
        "·": "server event",
    }.get(direction, direction)


def exact_time(at: float) -> str:
    """The time of day with milliseconds."""
    return f"{time.strftime('%H:%M:%S', time.localtime(at))}.{int(at * 1000) % 1000:03d}"


def title(row: MessageRow) -> str:
    """The text of a message in one line of the table."""
    frame = row.frame
    if frame.direction == "·":
        return one_line(frame.text, 200)
    if frame.direction == "!":
        return f"not JSON-RPC: {one_line(frame.text, 160)}"
    if frame.kind == "batch":
        return f"batch of {frame.about}"
    text = " ".join(part for part in (one_line(row.method, 80), one_line(row.about, 120)) if part)
    if frame.kind in ("answer", "error"):
        prefix = "error:" if frame.kind == "error" else "answer to"
        return f"{prefix} {text or 'an unknown request'}"
    return text or one_line(frame.text, 160)


def size_text(frame: Frame) -> str:
    return size_words(frame.bytes) if frame.direction != "·" else ""


def _icon(row: MessageRow) -> tuple[str, str]:
    return ("alert", "danger") if row.error else _ICONS.get(row.frame.direction, ("dot", "muted"))


def _tone(row: MessageRow) -> str:
    return "danger" if row.error else "muted" if row.noise or row.frame.direction == "·" else ""


def _number(
    name: str,
    text: Callable[[MessageRow], str],
    sort: Callable[[MessageRow], tuple[object, ...]],
    letters: int,
    rank: int,
) -> Column[MessageRow]:
    return Column(name, text, sort, tone=lambda _row: "muted", right=True, letters=letters, rank=rank)


COLUMNS: tuple[Column[MessageRow], ...] = (
    Column("Time", lambda row: exact_time(row.frame.at), tone=lambda _row: "muted", letters=13, rank=1),
    Column(
        "Message",
        lambda row: title(row),
        sort=lambda row: (row.method, row.about, row.frame.at),
        icon=_icon,
        tone=_tone,
        accessible=lambda row: f"{direction_text(row.frame.direction)}: {title(row)}",
        letters=34,
    ),
    _number("Id", lambda row: one_line(row.frame.id, 24), lambda row: (len(row.frame.id), row.frame.id), 8, 4),
    _number("Duration", lambda row: duration(row.ms) if row.ms >= 0 else "", lambda row: (row.ms,), 9, 2),
    _number("Size", lambda row: size_text(row.frame), lambda row: (row.frame.bytes,), 9, 3),
)


class MessagesModel(TableModel[MessageRow]):
    """Oldest first until the user sorts by a column."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, attrgetter("key"), MOST_MESSAGES, parent, theme, _DROPPED_AT_ONCE)
        self._pairs = MessagePairs()
        self._filter = MessageFilter()
        self.last = 0.0  # time of the newest message, kept when the table is cleared
        self.dropped = 0  # older messages that are not in the table

    def add(self, frames: Sequence[Frame]) -> None:
        """Add new messages in the order of their arrival."""
        fresh = self._pairs.add(frames)
        if not fresh:
            return
        if not self._all and not self.last:
            self.dropped = max(0, fresh[0].frame.number - 1)
        self.last = fresh[-1].frame.at
        if self._shown:  # answers change the rows of their requests
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, SIZE))
        before = self.total()
        self.append(fresh)
        self.dropped += before + len(fresh) - self.total()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By time upwards is the order in which messages arrive."""
        super().sort(-1 if (column, order) == (TIME, Qt.SortOrder.AscendingOrder) else column, order)

    def set_filter(self, message_filter: MessageFilter) -> None:
        self._filter = message_filter
        self.keep(message_filter.matches if message_filter != MessageFilter() else None)

    def add_found(self, found: frozenset[float]) -> None:
        """The core found the words in messages that arrive next."""
        self._filter = replace(self._filter, found=found)
        self._keep = self._filter.matches

    def clear(self) -> None:
        """Empty the table; new messages are shown."""
        super().clear()
        self.dropped = 0

    def newest(self, fits: Callable[[MessageRow], bool]) -> MessageRow | None:
        """The newest message that fits, also if the filter hides it."""
        return next((row for row in reversed(self._all.values()) if fits(row)), None)

    def methods(self) -> list[str]:
        return sorted({row.method for row in self._all.values() if row.method})


class MessagesTable(Table[MessageRow]):
    """End goes to the newest message and turns auto-scroll on; moving up turns it off."""

    auto_scroll_changed = Signal(bool)

    def __init__(self, theme: Theme, model: MessagesModel, parent: QWidget | None = None) -> None:
        self.auto_scroll = True
        super().__init__(theme, "Messages of the server", model, parent, MESSAGE)
        self._theme = theme
        self.setSelectionMode(self.SelectionMode.SingleSelection)
        self.sortByColumn(TIME, Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().sortIndicatorChanged.connect(self._sorted)
        self.verticalScrollBar().actionTriggered.connect(self._scrolled)
        self.verticalScrollBar().rangeChanged.connect(self.scroll_to_newest)
        self._apply_style()
        theme.changed.connect(self._apply_style)

    def set_auto_scroll(self, on: bool) -> None:
        if on != self.auto_scroll:
            self.auto_scroll = on
            self.auto_scroll_changed.emit(on)
        self.scroll_to_newest()

    def scroll_to_newest(self) -> None:
        """Show the newest message if auto-scroll is on."""
        if self.auto_scroll:
            self.scrollToBottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scroll_to_newest()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Home):
            self.set_auto_scroll(False)
        super().keyPressEvent(event)
        if event.key() == Qt.Key.Key_End:
            self.set_auto_scroll(True)

    def _scrolled(self, _action: int) -> None:
        """The user moved the scroll bar: auto-scroll is on at its end. `sliderPosition` is the new position."""
        bar = self.verticalScrollBar()
        self.set_auto_scroll(bar.sliderPosition() >= bar.maximum())

    def _sorted(self, column: int, order: Qt.SortOrder) -> None:
        if (column, order) != (TIME, Qt.SortOrder.AscendingOrder):
            self.set_auto_scroll(False)

    def _apply_style(self) -> None:
        unit = self._theme.unit
        self.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit + 2)


_FILTER_MS = 150  # after the last key


class FilterStrip(Strip):
    """The controls of the filter; `message_filter()` returns it."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pause = QTimer(self, singleShot=True, interval=_FILTER_MS)
        self._pause.timeout.connect(self.changed)
        self.finder = search_box("Filter messages", "Filter messages by any text in them")
        self.finder.textChanged.connect(self._pause.start)
        self.direction = self._combo("Direction")
        self.direction.setMinimumContentsLength(14)
        for text, direction in (("Both directions", ""), ("To the server", ">"), ("From the server", "<!")):
            self.direction.addItem(text, direction)
        self.method = self._combo("Method")
        self.method.addItem("All methods", "")
        self.errors = self._chip("Errors", "Show only errors and lines that are not JSON-RPC")
        self.hide_noise = self._chip("Hide noise", "Hide pings and notifications")
        self.row.addWidget(self.finder, 1)
        for part in (self.direction, self.method, self.errors, self.hide_noise):
            self.row.addWidget(part)

    def message_filter(self, found: frozenset[float] = frozenset()) -> MessageFilter:
        return MessageFilter(
            tuple(self.finder.text().lower().split()),
            found,
            str(self.direction.currentData()),
            str(self.method.currentData() or ""),
            self.errors.isChecked(),
            self.hide_noise.isChecked(),
        )

    def clear(self) -> None:
        """Reset all controls, so that every message is shown."""
        self.finder.clear()
        for combo in (self.direction, self.method):
            combo.setCurrentIndex(0)
        for chip in (self.errors, self.hide_noise):
            chip.setChecked(False)

    def offer_methods(self, methods: Sequence[str]) -> None:
        """Add methods to the list; the selected one stays selected."""
        known = {self.method.itemData(number) for number in range(self.method.count())}
        for method in methods:
            if method not in known:
                self.method.addItem(one_line(method, 60), method)

    def _combo(self, name: str) -> CalmCombo:
        combo = CalmCombo()
        combo.setAccessibleName(name)
        combo.currentIndexChanged.connect(self._apply_now)
        return combo

    def _chip(self, text: str, tip: str) -> QPushButton:
        chip = QPushButton(text)
        chip.setCheckable(True)
        chip.setToolTip(tip)
        mark(chip, kind="chip")
        chip.toggled.connect(self._apply_now)
        return chip

    def _apply_now(self) -> None:
        self._pause.stop()
        self.changed.emit()
