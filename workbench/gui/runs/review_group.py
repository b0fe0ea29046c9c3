"""The table of waiting programs of the same form: the values in which they differ, ticked and decided together."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from itertools import takewhile

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QPushButton, QTreeWidget, QTreeWidgetItem, QWidget

from workbench.gui.kit.controls import AllowButton
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.tick_delegate import TickDelegate
from workbench.gui.kit.wording import verdict_word
from workbench.gui.runs.decision_dialog import is_high
from workbench.records import Gate, GroupColumn, GroupRow, RequestGroup, Run

_MOST_ROWS = 6  # that are visible without scrolling
_MOST_COLUMNS = 50  # the core shows no more values than that
_VALUE = 80  # characters of a value that are shown; its tooltip has the rest
_STRETCHED = 4  # columns that share the width; of more, each keeps its own
_LONG_START = 8  # characters at the beginning of all values that are left out
_UNSEEN = "Scroll to the end to allow them together."
_RUN = int(Qt.ItemDataRole.UserRole)


class GroupPanel(QFrame):
    """Shown above the page of one of the programs. The rows that were not ticked wait on."""

    member_selected = Signal(str)
    """Carries the id of the run whose page shall be shown."""
    allow_wanted = Signal()
    deny_wanted = Signal()
    """For the runs that are ticked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._group: RequestGroup | None = None
        self._runs: Mapping[str, Run] = {}
        self._seen: set[str] = set()
        self._shown_at = time.monotonic()
        mark(self, kind="strip")
        self._title = ForeignLabel(role="section", elide=True)
        self._count = self._marked = ""
        self.table = QTreeWidget()
        self.table.setAccessibleName("Programs of the same form, and the values in which they differ")
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setItemDelegateForColumn(0, TickDelegate(theme, self.table))
        self.table.currentItemChanged.connect(self._select)
        self.table.itemChanged.connect(self._ticked)
        self.table.verticalScrollBar().valueChanged.connect(self._note_seen)
        self.deny_button = QPushButton(icon("x", "muted"), "Deny")
        self.deny_button.clicked.connect(lambda: self.deny_wanted.emit())
        self.allow_button = AllowButton("Allow")
        self.allow_button.allowed.connect(self.allow_wanted)
        mark(self.allow_button, kind="primary")
        for button in (self.deny_button, self.allow_button):
            button.setAutoDefault(False)
        unit = theme.unit
        top = row(None, self._title, self.deny_button, self.allow_button, spacing=unit * 2, grows=self._title)
        column(self, top, self.table, margins=(unit * 4, unit * 2, unit * 4, unit * 2), spacing=unit * 2)
        self.hide()

    def show_group(self, group: RequestGroup | None, runs: Mapping[str, Run], current: str) -> None:
        """Show a group, or nothing. The ticks of programs that were shown before stay."""
        self._runs = runs
        if group != self._group:  # the core sends equal groups again whenever another program is decided
            self._fill(group)
            self._group = group
        self.update_buttons()
        self.setVisible(group is not None and len(group.rows) > 1)
        self.select(current)

    def seconds_shown(self) -> float:
        """How long these programs have been shown."""
        return time.monotonic() - self._shown_at

    def ticked(self) -> tuple[Run, ...]:
        """The programs that are ticked and still wait."""
        ids = (str(item.data(0, _RUN)) for item in self._items() if item.checkState(0) is Qt.CheckState.Checked)
        return tuple(self._runs[run_id] for run_id in ids if run_id in self._runs)

    def select(self, run_id: str) -> None:
        """Select a row without asking for its page."""
        for item in self._items():
            if item.data(0, _RUN) == run_id and item is not self.table.currentItem():
                self.table.blockSignals(True)
                self.table.setCurrentItem(item)
                self.table.blockSignals(False)

    def obstacle(self) -> str:
        """Why the ticked programs cannot be allowed together; empty where they can."""
        ticked, group = self.ticked(), self._group
        if group is None or not ticked:
            return "Tick a program first."
        if any(run.verdict is None or is_high(run.verdict.risk) for run in ticked):
            return "Programs of high risk are allowed one by one."
        if any(run.verdict is not None and run.verdict.gate is Gate.BLOCKED for run in ticked):
            return "One of these programs cannot run."
        values = [value for one in group.rows for value in one.values]
        if len(group.columns) >= _MOST_COLUMNS or any(len(value) > _VALUE for value in values):
            return "These values are too long to compare here: allow the programs one by one."
        if any(run.id not in self._seen for run in ticked):
            return _UNSEEN
        return ""

    def show_more(self) -> bool:
        """Scroll to the first of the ticked rows that were not on the screen yet, if there are any."""
        if self.obstacle() != _UNSEEN:
            return False
        ticked = {run.id for run in self.ticked()} - self._seen
        unseen = next(item for item in self._items() if item.data(0, _RUN) in ticked)
        self.table.scrollToItem(unseen, QTreeWidget.ScrollHint.PositionAtTop)
        self._note_seen()
        return True

    def update_buttons(self) -> None:
        count = len(self.ticked())
        self.deny_button.setText(f"Deny {count:,}")
        self.deny_button.setEnabled(count > 0)
        self.allow_button.setText(f"Allow {count:,}")
        obstacle = self.obstacle()
        if obstacle:
            self._leave_allow()
        self.allow_button.set_obstacle(obstacle)
        self._title.setText(f"{self._count} {obstacle or self._marked}".strip())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._note_seen()

    def restart_settling(self) -> None:
        """Something else is shown: no key that was meant for what was there before decides about it."""
        self._leave_allow()
        self._shown_at = time.monotonic()
        self.allow_button.restart_settling()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.restart_settling()
        self._note_seen()

    # private

    def _leave_allow(self) -> None:
        """Qt would give the keyboard of a disabled button to whatever is next."""
        if self.window().focusWidget() is self.allow_button:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _items(self) -> list[QTreeWidgetItem]:
        items = [self.table.topLevelItem(place) for place in range(self.table.topLevelItemCount())]
        return [item for item in items if item is not None and item.data(0, _RUN)]

    def _fill(self, group: RequestGroup | None) -> None:
        before = {str(item.data(0, _RUN)): item.checkState(0) for item in self._items()}
        self._seen &= frozenset(group.ids) if group is not None else frozenset()
        self.table.blockSignals(True)
        self.table.clear()
        if group is not None:
            starts = [_common_start(group, place) for place in range(len(group.columns))]
            self._show_columns(group.columns, starts)
            if any(one.last for one in group.columns):
                self.table.addTopLevelItem(self._last_allowed(group.columns, starts))
            for one in sorted_rows(group.rows, tuple(before)):
                item = self._item(one, group.columns, starts)
                item.setCheckState(0, before.get(one.run_id, item.checkState(0)))
                self.table.addTopLevelItem(item)
            count = len(group.rows)
            self._count = f"{count:,} programs of the same form."
            marked = any(map(_is_new, group.rows))
            self._marked = "Marked: a destination that differs from what you allowed last." * marked
            self._fit(self.table.topLevelItemCount())
        self.table.blockSignals(False)
        self.restart_settling()
        self._note_seen()

    def _show_columns(self, columns: Sequence[GroupColumn], starts: Sequence[str]) -> None:
        """What all values of a column begin with is said once, in its heading."""
        names = [one_line(one.name, 40) or f"line {one.line}" for one in columns]
        names = [
            f"{name}: {one_line(start, _VALUE)}…" if start else name for name, start in zip(names, starts, strict=True)
        ]
        self.table.setColumnCount(len(columns) + 1)
        self.table.setHeaderLabels(["Program", *names])
        for place, name in enumerate(names, 1):
            self.table.headerItem().setToolTip(place, plain_tip(name))
        header = self.table.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        letter = self.fontMetrics().averageCharWidth()
        header.resizeSection(0, letter * 24)
        for place in range(1, len(columns) + 1):
            header.resizeSection(place, letter * 22)
            if len(columns) <= _STRETCHED:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)

    def _last_allowed(self, columns: Sequence[GroupColumn], starts: Sequence[str]) -> QTreeWidgetItem:
        """The values of the program of this form that the user allowed last."""
        values = (_shortened(one.last, start) for one, start in zip(columns, starts, strict=True))
        item = QTreeWidgetItem(["Allowed last", *values])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setIcon(0, icon("history", "muted"))
        for place in range(len(columns) + 1):
            item.setForeground(place, QBrush(self._theme.colour("muted")))
        return item

    def _item(self, one: GroupRow, columns: Sequence[GroupColumn], starts: Sequence[str]) -> QTreeWidgetItem:
        run = self._runs.get(one.run_id)
        author = one_line(run.proposal.author, 40) if run is not None else ""
        values = (_shortened(value, start) for value, start in zip(one.values, starts, strict=True))
        item = QTreeWidgetItem([author, *values])
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
        item.setFlags(flags)
        item.setCheckState(0, Qt.CheckState.Unchecked if _is_new(one) else Qt.CheckState.Checked)
        item.setData(0, _RUN, one.run_id)
        if run is not None and run.verdict is not None:
            word = verdict_word(run.verdict)
            item.setIcon(0, icon(word.icon, word.tone))
        said = [author]
        for place, (value, new, column_) in enumerate(zip(one.values, one.new, columns, strict=True), 1):
            item.setToolTip(place, plain_tip(value))
            said.append(f"{column_.name} {one_line(value, _VALUE)}{', a new destination' if new else ''}")
            if new:
                item.setIcon(place, icon("alert", "warning"))
                item.setForeground(place, QBrush(self._theme.colour("warning")))
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, ", ".join(said))
        return item

    def _fit(self, rows: int) -> None:
        line = self.table.fontMetrics().height() + self._theme.unit * 2
        shown = max(2, min(rows, _MOST_ROWS))
        self.table.setFixedHeight(line * (shown + 1) + self._theme.unit * 3)

    def _select(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and (run_id := item.data(0, _RUN)):
            self.member_selected.emit(str(run_id))

    def _ticked(self) -> None:
        self.update_buttons()

    def _note_seen(self) -> None:
        """Remember which rows have been on the screen."""
        if self.isVisible():
            port = self.table.viewport().rect()
            self._seen |= {
                str(item.data(0, _RUN))
                for item in self._items()
                if port.contains(self.table.visualItemRect(item).center())
                or port.contains(self.table.visualItemRect(item).topLeft())
            }
        self.update_buttons()


def _common_start(group: RequestGroup, place: int) -> str:
    """What all values of a column begin with, up to the last separator, if that is worth leaving out."""
    values = [one.values[place] for one in group.rows]
    last = group.columns[place].last
    values += [last] if last else []
    pairs = zip(min(values), max(values), strict=False)
    start = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    end = max(start.rfind(mark_) for mark_ in "/\\ ") + 1
    return start[:end] if end >= _LONG_START and len(set(values)) > 1 else ""


def _shortened(value: str, start: str) -> str:
    return one_line(f"…{value[len(start) :]}" if start and value else value, _VALUE)


def sorted_rows(rows: Sequence[GroupRow], before: Sequence[str] = ()) -> list[GroupRow]:
    """Rows that were shown before in their order, then the others by their values."""
    places = {run_id: place for place, run_id in enumerate(before)}
    return sorted(
        rows, key=lambda one: (places.get(one.run_id, len(places)), [_natural(value) for value in one.values])
    )


def _natural(value: str) -> list[tuple[int, str]]:
    """A key that sorts "9" before "10"."""
    return [(int(part[:18]), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", value)]


def _is_new(one: GroupRow) -> bool:
    return any(one.new)
