"""What the audit is filtered by: typed as `server:demo`, shown as chips, kept as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPushButton, QScrollArea, QWidget

from workbench.api.client_texts import parse_time
from workbench.gui.kit.icons import icon
from workbench.gui.kit.text import one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import risk_word
from workbench.records import EntryQuery, Facet, Risk
from workbench.records.audit import current_kind

FIELDS = ("since", "until", "actor", "session", "run", "server", "tool", "risk", "outcome", "kind")
"""In the order in which chips stand; these are the words that can be typed before a colon."""
_NAMES = {"run": "run_id"}  # of EntryQuery, where they differ


class Filter(Struct, frozen=True):
    """One chip."""

    field: str
    value: str  # as it was typed or chosen: of a time `7d`, `today`, `2026-11-05`, `2026-11-05T14:00`


Filters = tuple[Filter, ...]


def typed(text: str) -> tuple[str, Filters]:
    """The words of a line, and the filters that stand among them as `field:value`; what cannot be one stays a word."""
    words, found = [], list[Filter]()
    for word in text.split():
        field, colon, value = word.partition(":")
        one = Filter(field.casefold(), value)
        if colon and value and usable(one):
            found.append(one)
        else:
            words.append(word)
    return " ".join(words), tuple(found)


def usable(one: Filter) -> bool:
    if one.field in ("since", "until"):
        return parse_time(one.value) is not None
    if one.field == "risk":
        return one.value in set(Risk)
    return one.field in FIELDS and (one.field != "outcome" or one.value in ("ok", "failed"))


def put(filters: Filters, new: Filter) -> Filters:
    """With this one, in the place of another of its field."""
    kept = [one for one in filters if one.field != new.field]
    return tuple(sorted((*kept, new), key=lambda one: FIELDS.index(one.field)))


def query_of(text: str, filters: Filters, now: float | None = None) -> EntryQuery:
    """What the core is asked; spans of time count from now."""
    words, times = dict[str, str](), dict[str, float]()
    for one in filters:
        if one.field in ("since", "until"):
            times[one.field] = parse_time(one.value, now) or 0.0
        else:
            words[_NAMES.get(one.field, one.field)] = current_kind(one.value) if one.field == "kind" else one.value
    return EntryQuery(text=text.strip(), **words, **times)  # type: ignore[arg-type]  # texts and times, by their names


def told(one: Filter) -> str:
    """A chip's words."""
    names = {
        "since": "Since",
        "until": "Until",
        "actor": "Who",
        "session": "Session",
        "run": "Run",
        "server": "Server",
        "tool": "Tool",
        "risk": "Risk",
        "outcome": "Outcome",
        "kind": "Kind",
    }
    return f"{names[one.field]}: {one_line(spoken(one), 40)}"


def spoken(one: Filter) -> str:
    """A value in words."""
    spans = {
        "1h": "an hour ago",
        "today": "today",
        "7d": "7 days ago",
        "30d": "30 days ago",
        "ok": "worked",
        "failed": "did not work",
    }
    return spans.get(one.value, one.value) if one.field in ("since", "until", "outcome") else one.value


def line(text: str, filters: Filters) -> str:
    """One line that `typed` reads back, where no value holds a blank; with a tab between, so that any value may."""
    return "\t".join((*(f"{one.field}:{one.value}" for one in filters), text))


def read(kept: str) -> tuple[str, Filters]:
    """What `line` made; of a newer version's filters those that are known here."""
    *parts, text = kept.split("\t")
    found = (Filter(*part.split(":", 1)) for part in parts if ":" in part)
    return text, tuple(one for one in found if usable(one))


class FilterMenu(QMenu):
    """Filled before it is shown."""

    chosen = Signal(object)
    """Carries one Filter."""
    asked = Signal(str)
    """A time is to be typed: `since:` or `until:`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Add a filter")
        self.fill(())

    def fill(self, facets: Sequence[Facet]) -> None:
        """With what occurs; times, risks and outcomes are always there."""
        self.clear()
        self._times()
        for name, field in (("&Who", "actor"), ("&Session", "session"), ("Ser&ver", "server"), ("&Tool", "tool")):
            menu = self.addMenu(name)
            for one in (facet for facet in facets if facet.field == field):
                words = f"{one_line(one.value, 60)}\t{one.entries:,}".replace("&", "&&")
                self._add(menu, words, Filter(field, one.value))
            menu.setEnabled(not menu.isEmpty())
        menu = self.addMenu("&Risk")
        for risk in Risk:
            self._add(menu, risk_word(risk).text, Filter("risk", str(risk)))
        menu = self.addMenu("&Outcome")
        self._add(menu, "It worked", Filter("outcome", "ok"))
        self._add(menu, "It did not work, or was refused", Filter("outcome", "failed"))

    def _times(self) -> None:
        menu = self.addMenu("T&ime")
        for words, value in (
            ("Last hour", "1h"),
            ("Today", "today"),
            ("Last 7 days", "7d"),
            ("Last 30 days", "30d"),
        ):
            self._add(menu, words, Filter("since", value))
        menu.addSeparator()
        for words, field in (
            ("Since a day or time…", "since:"),
            ("Until a day or time…", "until:"),
        ):
            menu.addAction(words).triggered.connect(partial(self._ask, field))

    def _add(self, menu: QMenu, words: str, one: Filter) -> None:
        menu.addAction(words).triggered.connect(partial(self._choose, one))

    def _choose(self, one: Filter, checked: bool = False) -> None:
        self.chosen.emit(one)

    def _ask(self, field: str, checked: bool = False) -> None:
        self.asked.emit(field)


class ChipRow(QScrollArea):
    """Hidden while there is nothing in it. A chip goes by a click, by Enter, or by Delete."""

    changed = Signal()
    """Other filters."""
    recalled = Signal(str)
    """A kept filter was chosen: its text and its chips, as `filters.line` writes them."""
    kept_changed = Signal(object)
    """Carries all kept filters, as texts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.filters: Filters = ()
        self.kept: tuple[str, ...] = ()
        self._line: Callable[[], str] = str  # what would be kept now
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedHeight(self.fontMetrics().height() + theme.unit * 4)
        self.hide()

    def bind(self, line: Callable[[], str]) -> None:
        """Where the text to be kept with the chips comes from."""
        self._line = line

    def show_chips(self, filters: Filters, kept: tuple[str, ...] | None = None) -> None:
        """Others than before; nothing is told."""
        had = self._focused()
        self.filters, self.kept = filters, self.kept if kept is None else kept
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(self._theme.unit * 2, 0, self._theme.unit * 2, self._theme.unit)
        row.setSpacing(self._theme.unit)
        for one in filters:
            row.addWidget(self._chip(told(one), partial(self._drop, one.field), "Remove the filter {}", "close"))
        if filters and self._line() not in self.kept:
            row.addWidget(self._quiet("Keep this filter", self._keep))
        for text in self.kept:
            if text != self._line():
                row.addWidget(self._kept_chip(text))
        row.addStretch(1)
        self.setWidget(page)
        self.setVisible(bool(filters or self.kept))
        if had and (first := page.findChild(QPushButton)) is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def add(self, filters: Filters) -> None:
        for one in filters:
            self.filters = put(self.filters, one)
        self.show_chips(self.filters)
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and isinstance(watched, QPushButton):
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                if text := watched.property("kept"):
                    self._forget(str(text))
                else:
                    watched.click()
                return True
            if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                self.focusNextPrevChild(event.key() == Qt.Key.Key_Right)
                return True
        return super().eventFilter(watched, event)

    def _chip(self, text: str, deed: Callable[[], None], name: str, symbol: str) -> QPushButton:
        chip = QPushButton(text)
        mark(chip, kind="chip")
        chip.setCheckable(True)
        chip.setChecked(True)
        chip.setIcon(icon(symbol, "accent"))
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross stands behind the words
        chip.setAccessibleName(name.format(text))
        chip.setToolTip(plain_tip(name.format(text)))
        chip.installEventFilter(self)
        chip.clicked.connect(deed)
        return chip

    def _kept_chip(self, kept: str) -> QPushButton:
        text, filters = read(kept)
        words = ", ".join(filter(None, (text, *map(told, filters))))
        chip = self._chip(one_line(words, 60), partial(self.recalled.emit, kept), "Use the kept filter {}", "bookmark")
        chip.setCheckable(False)
        chip.setIcon(icon("bookmark", "muted"))
        chip.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        chip.setProperty("kept", kept)
        chip.setToolTip("Use this kept filter. Delete forgets it.")
        return chip

    def _quiet(self, text: str, deed: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        mark(button, kind="quiet")
        button.clicked.connect(deed)
        return button

    def _drop(self, field: str) -> None:
        self.show_chips(tuple(one for one in self.filters if one.field != field))
        self.changed.emit()

    def _keep(self) -> None:
        self.kept = (*self.kept, self._line())[-8:]
        self.show_chips(self.filters)
        self.kept_changed.emit(self.kept)

    def _forget(self, kept: str) -> None:
        self.kept = tuple(one for one in self.kept if one != kept)
        self.show_chips(self.filters)
        self.kept_changed.emit(self.kept)

    def _focused(self) -> bool:
        page, focus = self.widget(), self.window().focusWidget()
        return page is not None and focus is not None and page.isAncestorOf(focus)
