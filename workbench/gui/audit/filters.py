"""Filters of the audit: typed as `server:demo`, shown as chips, stored as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QScrollArea, QWidget

from workbench.api.client_texts import parse_time
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import row
from workbench.gui.kit.text import one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import risk_word
from workbench.records import EntryQuery, Facet, Risk
from workbench.records.audit import current_kind

LABELS = {
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
"""The fields that can be typed before a colon, in the order of their chips, with their labels."""
_QUERY_FIELDS = {"run": "run_id"}  # fields of EntryQuery that have another name
_VALUE_LABELS = {
    "1h": "an hour ago",
    "today": "today",
    "7d": "7 days ago",
    "30d": "30 days ago",
    "ok": "succeeded",
    "failed": "failed or was refused",
}
MOST_SAVED = 8


class Filter(Struct, frozen=True):
    """A field and the value that entries must have."""

    field: str
    value: str  # as typed or chosen; a time is `7d`, `today`, `2026-11-05` or `2026-11-05T14:00`

    @property
    def label(self) -> str:
        named = self.field in ("since", "until", "outcome")
        value = _VALUE_LABELS.get(self.value, self.value) if named else self.value
        return f"{LABELS[self.field]}: {one_line(value, 40)}"

    @property
    def is_valid(self) -> bool:
        if self.field in ("since", "until"):
            return parse_time(self.value) is not None
        if self.field == "risk":
            return self.value in set(Risk)
        return self.field in LABELS and (self.field != "outcome" or self.value in ("ok", "failed"))


Filters = tuple[Filter, ...]


def parse_search(text: str) -> tuple[str, Filters]:
    """Split what the user typed into text and filters; a word such as `http://x` that is no valid filter stays text."""
    words, filters = [], list[Filter]()
    for word in text.split():
        field, colon, value = word.partition(":")
        candidate = Filter(field.casefold(), value)
        if colon and value and candidate.is_valid:
            filters.append(candidate)
        else:
            words.append(word)
    return " ".join(words), tuple(filters)


def replace_filter(filters: Filters, new: Filter) -> Filters:
    """The filters with this one in place of any other on its field."""
    others = [other for other in filters if other.field != new.field]
    return tuple(sorted((*others, new), key=lambda each: list(LABELS).index(each.field)))


def make_query(text: str, filters: Filters, now: float | None = None) -> EntryQuery:
    """The query for the core. Relative times count from now."""
    texts, times = dict[str, str](), dict[str, float]()
    for each in filters:
        if each.field in ("since", "until"):
            times[each.field] = parse_time(each.value, now) or 0.0
        else:
            value = current_kind(each.value) if each.field == "kind" else each.value
            texts[_QUERY_FIELDS.get(each.field, each.field)] = value
    return EntryQuery(text=text.strip(), **texts, **times)  # type: ignore[arg-type]  # texts and times, by their names


def serialize_filter(text: str, filters: Filters) -> str:
    """Filters and text as one string; tabs separate them, so that a value may contain spaces."""
    return "\t".join((*(f"{each.field}:{each.value}" for each in filters), text))


def parse_saved_filter(saved: str) -> tuple[str, Filters]:
    """The opposite of `serialize_filter`. Filters that this version does not know are dropped."""
    *parts, text = saved.split("\t")
    filters = (Filter(*part.split(":", 1)) for part in parts if ":" in part)
    return text, tuple(each for each in filters if each.is_valid)


class FilterMenu(QMenu):
    """Offers the values that occur in the audit; filled each time it is opened."""

    chosen = Signal(object)
    """Carries a Filter."""
    time_wanted = Signal(str)
    """The user wants to type a time; carries `since:` or `until:`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Add a filter")
        self.fill(())

    def fill(self, facets: Sequence[Facet]) -> None:
        self.clear()
        menu = self.addMenu("T&ime")
        for text, value in (("Last hour", "1h"), ("Today", "today"), ("Last 7 days", "7d"), ("Last 30 days", "30d")):
            self._add(menu, text, Filter("since", value))
        menu.addSeparator()
        for text, field in (("Since a date or time…", "since:"), ("Until a date or time…", "until:")):
            menu.addAction(text).triggered.connect(partial(_emit, self.time_wanted, field))
        for title, field in (("&Who", "actor"), ("&Session", "session"), ("Ser&ver", "server"), ("&Tool", "tool")):
            menu = self.addMenu(title)
            for facet in facets:
                if facet.field == field:
                    text = f"{one_line(facet.value, 60)}\t{facet.entries:,}".replace("&", "&&")
                    self._add(menu, text, Filter(field, facet.value))
            menu.setEnabled(not menu.isEmpty())
        menu = self.addMenu("&Risk")
        for risk in Risk:
            self._add(menu, risk_word(risk).text, Filter("risk", str(risk)))
        menu = self.addMenu("&Outcome")
        self._add(menu, "Succeeded", Filter("outcome", "ok"))
        self._add(menu, "Failed or was refused", Filter("outcome", "failed"))

    def _add(self, menu: QMenu, text: str, new: Filter) -> None:
        menu.addAction(text).triggered.connect(partial(_emit, self.chosen, new))


def _emit(signal: SignalInstance, value: object, _checked: bool = False) -> None:
    signal.emit(value)


class ChipRow(QScrollArea):
    """The active filters and the saved ones as chips; hidden when there are none. A click, Enter or Delete removes an
    active filter."""

    changed = Signal()
    """`filters` changed."""
    saved_chosen = Signal(str)
    """Carries a saved filter, as `serialize_filter` writes it."""
    saved_changed = Signal(object)
    """Carries all saved filters."""

    def __init__(self, theme: Theme, current: Callable[[], str], parent: QWidget | None = None) -> None:
        """`current` returns what “Save filter” would save."""
        super().__init__(parent)
        self._theme = theme
        self._current = current
        self.filters: Filters = ()
        self.saved: tuple[str, ...] = ()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedHeight(self.fontMetrics().height() + theme.unit * 4)
        self.hide()

    def show_chips(self, filters: Filters, saved: tuple[str, ...] | None = None) -> None:
        """Replace the filters without emitting `changed`."""
        had_focus = self._has_focus()
        self.filters, self.saved = filters, self.saved if saved is None else saved
        page, unit = QWidget(), self._theme.unit
        chips = row(page, margins=(unit * 2, 0, unit * 2, unit), spacing=unit)
        for each in filters:
            chip = self._chip(each.label, f"Remove the filter {each.label}", "close", partial(self._drop, each.field))
            chip.setCheckable(True)
            chip.setChecked(True)
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross is right of the text
            chips.addWidget(chip)
        current = self._current()
        if filters and current not in self.saved:
            save = QPushButton("Save filter")
            mark(save, kind="quiet")
            save.clicked.connect(self._save)
            chips.addWidget(save)
        for text in self.saved:
            if text != current:
                chips.addWidget(self._saved_chip(text))
        chips.addStretch(1)
        self.setWidget(page)
        self.setVisible(bool(filters or self.saved))
        if had_focus and (first := page.findChild(QPushButton)) is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def add(self, filters: Filters) -> None:
        for each in filters:
            self.filters = replace_filter(self.filters, each)
        self.show_chips(self.filters)
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and isinstance(watched, QPushButton):
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                if saved := watched.property("saved"):
                    self._set_saved(tuple(other for other in self.saved if other != str(saved)))
                else:
                    watched.click()
                return True
            if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                self.focusNextPrevChild(event.key() == Qt.Key.Key_Right)
                return True
        return super().eventFilter(watched, event)

    def _chip(self, text: str, name: str, symbol: str, work: Callable[[], object]) -> QPushButton:
        chip = QPushButton(text)
        mark(chip, kind="chip")
        chip.setIcon(icon(symbol, "accent" if symbol == "close" else "muted"))
        chip.setAccessibleName(name)
        chip.setToolTip(plain_tip(name))
        chip.installEventFilter(self)
        chip.clicked.connect(work)
        return chip

    def _saved_chip(self, saved: str) -> QPushButton:
        text, filters = parse_saved_filter(saved)
        shown = one_line(", ".join(part for part in (text, *(each.label for each in filters)) if part), 60)
        chip = self._chip(shown, f"Use the saved filter {shown}", "bookmark", partial(self.saved_chosen.emit, saved))
        chip.setProperty("saved", saved)
        chip.setToolTip("Use this saved filter. Press Delete to remove it.")
        return chip

    def _drop(self, field: str, _checked: bool = False) -> None:
        self.show_chips(tuple(each for each in self.filters if each.field != field))
        self.changed.emit()

    def _save(self) -> None:
        self._set_saved((*self.saved, self._current())[-MOST_SAVED:])

    def _set_saved(self, saved: tuple[str, ...]) -> None:
        self.show_chips(self.filters, saved)
        self.saved_changed.emit(saved)

    def _has_focus(self) -> bool:
        page, focus = self.widget(), self.window().focusWidget()
        return page is not None and focus is not None and page.isAncestorOf(focus)
