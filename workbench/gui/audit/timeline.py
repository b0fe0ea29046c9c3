"""One audit entry in full: its facts, its detail as JSON, and its place in the chain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import clock, duration, run_word
from workbench.gui.results.token_chips import TokenChips
from workbench.gui.shell.context import Context
from workbench.records import Entry, EntryQuery, RunState


class EntryCard(QFrame):
    """Beside the table."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = self._theme = context.theme
        self._title = label("", "heading")
        self._title.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, ForeignLabel]] = []
        mark(self, kind="side")
        self._detail = PlainEdit()
        self._detail.setReadOnly(True)
        self._detail.setAccessibleName("Detail of the entry")
        mark(self._detail, kind="code")
        self._chips = TokenChips(self._detail, context)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*(theme.unit * 3,) * 4)
        column.setSpacing(theme.unit * 2)
        column.addWidget(self._title)
        column.addLayout(self._grid)
        self.road = QPushButton(icon("list"), "Timeline")
        column.addWidget(self.road, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._detail, 1000)
        column.addStretch(1)
        self._grid.setHorizontalSpacing(theme.unit * 3)
        self._grid.setVerticalSpacing(theme.unit // 2)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 0, 0, 0)
        outer.addWidget(area)
        self.setMinimumWidth(theme.unit * 55)
        self.hide()

    def show_entry(self, entry: Entry | None) -> None:
        self.setVisible(entry is not None)
        if entry is None:
            return
        self._title.setText(visible(entry.note.summary))
        self._chips.show_tokens_of(entry.note.session)
        self._fill([(name, word) for name, word in self._facts(entry) if word])
        detail = json.dumps(dict(entry.note.detail), indent=2, ensure_ascii=False, default=str)
        self.road.setVisible(bool(entry.note.run_id))
        self._detail.setVisible(bool(entry.note.detail))
        self._detail.setFont(self._theme.mono(-1))
        self._detail.setPlainText(visible(detail))

    def _facts(self, entry: Entry) -> list[tuple[str, str]]:
        note = entry.note
        return [
            ("Entry", f"{entry.seq} · {clock(entry.at)}"),
            ("Kind", note.kind),
            ("Who", note.actor),
            ("Session", note.session),
            ("Run", note.run_id),
            ("Tool", f"{note.server}.{note.tool}" if note.tool else note.server),
            ("Risk", note.risk),
            ("Took", duration(note.ms) if note.ms else ""),
            ("Outcome", "" if note.ok else "did not work, or was refused"),
            ("Chain", f"{entry.previous[:10]} → {entry.hash[:10]}"),
        ]

    def _fill(self, facts: list[tuple[str, str]]) -> None:
        while len(self._rows) < len(facts):
            pair = (label("", "muted"), ForeignLabel(elide=True))
            self._grid.addWidget(pair[0], len(self._rows), 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(pair[1], len(self._rows), 1)
            self._rows.append(pair)
        for place, (name, value) in enumerate(self._rows):
            shown = place < len(facts)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(facts[place][0])
                value.setText(facts[place][1])


ROAD = ("run.proposed", "run.checked", "run.waiting", "run.running")
ENDS = tuple(f"run.{state}" for state in (*list(RunState)[4:],))
INSIDE = (
    "call.", "connection.", "elicitation.", "resource.", "prompt.", "run.decided.",
)  # fmt: skip


@dataclass(slots=True)
class Step:
    """One thing on the road; a phase lasts until the next one begins."""

    entry: Entry
    at: float
    ms: float
    inside: list[Step] = field(default_factory=list)

    @property
    def phase(self) -> bool:
        return self.entry.note.kind in ROAD


def steps(entries: Iterable[Entry]) -> list[Step]:
    """From the first to the last; what happened while the program ran stands inside that phase."""
    ordered = sorted(entries, key=lambda entry: entry.seq)
    found: list[Step] = []
    running: Step | None = None
    for entry in _merged(ordered):
        kind, took = entry.note.kind, entry.note.ms
        if kind.startswith(INSIDE) and running is not None:
            running.inside.append(Step(entry, entry.at - took / 1000, took))
            continue
        found.append(Step(entry, entry.at, 0.0 if kind.startswith("run.") else took))
        running = found[-1] if kind == "run.running" else running
        if kind in ENDS:
            running = None
    _last(found)
    for step in found:
        step.inside.sort(key=lambda one: one.at)
    return found


def span(road: Sequence[Step]) -> tuple[float, float]:
    """When it began, and how many milliseconds it took."""
    if not road:
        return 0.0, 0.0
    began, ended = road[0].at, max(step.at + step.ms / 1000 for step in _every(road))
    return began, max(0.0, (ended - began) * 1000)


def code_of(road: Sequence[Step]) -> tuple[str, str]:
    """The program as it ran, and what its author said it is for; the audit's copy, in which personal data is masked."""
    code = purpose = ""
    for step in road:
        detail = step.entry.note.detail
        if step.entry.note.kind in ("run.proposed", "run.edited"):
            code, purpose = str(detail.get("code", code)), str(detail.get("purpose", purpose))
    return code, purpose


def _merged(ordered: Sequence[Entry]) -> list[Entry]:
    """Without the announcement of a call that is there with its answer too."""
    ended = {_call(entry) for entry in ordered if entry.note.kind != "call.sent"} - {""}
    return [entry for entry in ordered if entry.note.kind != "call.sent" or _call(entry) not in ended]


def _call(entry: Entry) -> str:
    return str(entry.note.detail.get("call", "")) if entry.note.kind.startswith("call.") else ""


def _last(road: Sequence[Step]) -> None:
    """Each phase lasts until the next thing that is one, or the end."""
    turns = [step for step in road if step.phase or step.entry.note.kind in ENDS]
    for step, following in pairwise(turns):
        step.ms = max(0.0, (following.at - step.at) * 1000)


def _every(road: Iterable[Step]) -> Iterable[Step]:
    for step in road:
        yield step
        yield from step.inside


WHAT, AFTER, TOOK, BAR = range(4)
_SPAN = Qt.ItemDataRole.UserRole  # share of the whole at which it began, share it took, tone
_ENTRY = Qt.ItemDataRole.UserRole + 1
SHOWN = 500
"""Nested calls that are drawn; the table beside has them all."""


class RoadView(QWidget):
    """Everything of one run that the audit knows."""

    code_wanted = Signal(str, str)
    """The program and its purpose."""
    result_wanted = Signal(str)
    """The id of the run."""
    entry_wanted = Signal(object)
    """The entry of the step that is looked at."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._road: Sequence[Step] = ()
        self._head = label("", "muted")
        self._head.setWordWrap(True)
        self.tree = QTreeWidget()
        self.tree.setColumnCount(4)
        self.tree.setHeaderLabels(["Step", "After", "Took", "When"])
        self.tree.setAccessibleName("Steps of the run")
        self.tree.setUniformRowHeights(True)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.tree.setItemDelegateForColumn(BAR, _Bar(theme, self))
        self.tree.setIndentation(theme.unit * 4)
        self.tree.currentItemChanged.connect(self._looked_at)
        self.code = QPushButton(icon("code"), "Open the code")
        self.result = QPushButton(icon("terminal"), "Show the result")
        self.code.clicked.connect(self._want_code)
        self.result.clicked.connect(self._want_result)
        self._lay_out(theme.unit)

    def show_road(self, road: Sequence[Step]) -> None:
        self._road = road
        began, whole = span(road)
        self.tree.clear()
        for step in road:
            item = self._item(step, began, whole)
            self.tree.addTopLevelItem(item)
            for inside in step.inside[:SHOWN]:
                item.addChild(self._item(inside, began, whole))
            if len(step.inside) > SHOWN:
                item.addChild(QTreeWidgetItem([f"and {len(step.inside) - SHOWN} more"]))
        self.tree.expandAll()
        calls = sum(len(step.inside) for step in road)
        words = "{0} from the first step to the last, with {1} calls and requests."
        self._head.setText(words.format(duration(whole), calls) if road else "The audit has no step of it.")
        self.code.setEnabled(bool(code_of(road)[0]))
        self.result.setEnabled(bool(road))

    def _lay_out(self, unit: int) -> None:
        head = self.tree.header()
        head.setStretchLastSection(True)
        head.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Interactive)
        head.setMinimumSectionSize(unit * 8)
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in ((WHAT, 34), (AFTER, 11), (TOOK, 11)):
            self.tree.setColumnWidth(column, letter * letters)
        row = QHBoxLayout()
        row.setSpacing(unit)
        row.addWidget(self.code)
        row.addWidget(self.result)
        row.addStretch(1)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(unit * 2)
        stack.addWidget(self._head)
        stack.addWidget(self.tree, 1)
        stack.addLayout(row)

    def _item(self, step: Step, began: float, whole: float) -> QTreeWidgetItem:
        after = max(0.0, (step.at - began) * 1000)
        words, symbol, tone = self._told(step)
        item = QTreeWidgetItem(
            [words, f"+{duration(after)}" if after >= 1 else "0", duration(step.ms) if step.ms else "", ""]
        )
        item.setIcon(WHAT, icon(symbol, tone))
        item.setToolTip(WHAT, plain_tip(one_line(step.entry.note.summary, 400)))
        item.setData(BAR, _SPAN, (after / whole if whole else 0.0, step.ms / whole if whole else 0.0, tone))
        item.setData(WHAT, _ENTRY, step.entry)
        for column in (AFTER, TOOK):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _told(self, step: Step) -> tuple[str, str, str]:
        """Words, icon and tone of a step."""
        note = step.entry.note
        state = note.kind.removeprefix("run.")
        if state in set(RunState):
            word = run_word(RunState(state))
            waited = "Waited for you" if step.phase and state == RunState.WAITING else word.text
            return waited, word.icon, word.tone
        tone = "danger" if not note.ok else "info" if note.kind.startswith("call.") else "muted"
        symbol = "alert" if not note.ok else "tool" if note.kind.startswith("call.") else "user"
        name = f"{note.server}.{note.tool}" if note.tool else note.summary
        return one_line(name, 120), symbol, tone

    def _looked_at(self, item: QTreeWidgetItem | None) -> None:
        entry = item.data(WHAT, _ENTRY) if item is not None else None
        if isinstance(entry, Entry):
            self.entry_wanted.emit(entry)

    def _want_code(self) -> None:
        self.code_wanted.emit(*code_of(self._road))

    def _want_result(self) -> None:
        if self._road:
            self.result_wanted.emit(self._road[0].entry.note.run_id)


class _Bar(QStyledItemDelegate):
    """When a step was, within the whole."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if (found := index.data(_SPAN)) is None:
            return
        start, share, tone = found
        place = QRectF(option.rect).adjusted(self._theme.unit, 0, -self._theme.unit, 0)
        high = max(4.0, place.height() * 0.34)
        wide = max(3.0, place.width() * share)
        left = min(place.left() + place.width() * start, place.right() - wide)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("border"))
        painter.drawRoundedRect(QRectF(place.left(), place.center().y() - 0.5, place.width(), 1.0), 0, 0)
        painter.setBrush(self._theme.colour(tone if tone != "muted" else "faint"))
        painter.drawRoundedRect(QRectF(left, place.center().y() - high / 2, wide, high), high / 2.5, high / 2.5)
        painter.restore()


MOST = 5_000
"""Entries of one run that its timeline is drawn from."""


class RoadDialog(QDialog):
    """Beside the window: nothing waits for it."""

    def __init__(self, context: Context, run_id: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Timeline of run {run_id}")
        self._context = context
        self._run_id = run_id
        self.road = RoadView(context.theme)
        self.card = EntryCard(context)
        self.road.entry_wanted.connect(self._look_at)
        for wanted in (self.road.code_wanted, self.road.result_wanted):
            wanted.connect(self.close)
        split = QSplitter()
        split.addWidget(self.road)
        split.addWidget(self.card)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        unit = context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 4,) * 4)
        column.addWidget(split)
        self.resize(unit * 260, unit * 150)

    def open_soon(self) -> None:
        """Show it, and fill it when the core has answered."""
        self.show()
        self.road.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        asked = self._context.api.entries(EntryQuery(run_id=self._run_id, limit=MOST))
        self._context.tasks.run("timeline of a run", asked, self._fill)

    def _fill(self, entries: tuple[Entry, ...]) -> None:
        self.road.show_road(steps(entries))
        if (first := self.road.tree.topLevelItem(0)) is not None:
            self.road.tree.setCurrentItem(first)

    def _look_at(self, entry: Entry) -> None:
        self.card.show_entry(entry)
        self.card.road.hide()
