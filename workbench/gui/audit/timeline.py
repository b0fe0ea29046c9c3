"""The timeline of a run: each step with its duration, and the calls in it, drawn as bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from workbench.gui.audit.audit_model import RunTitle
from workbench.gui.audit.entry_card import EntryCard
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import paragraph
from workbench.gui.kit.text import one_line, plain_tip
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import clock, duration, run_word
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowCode, ShowRun
from workbench.records import Entry, EntryQuery, RunState
from workbench.records.runs import ENDS

PHASE_KINDS = ("run.proposed", "run.checked", "run.waiting", "run.running")
END_KINDS = tuple(f"run.{state}" for state in ENDS)
NESTED_KINDS = ("call.", "connection.", "elicitation.", "resource.", "prompt.", "run.decided.")
MOST_ENTRIES = 5_000  # entries that a timeline is made from
MOST_NESTED = 500  # calls that are listed per step; the audit lists all


@dataclass(slots=True)
class Step:
    """A step of a run. A phase lasts until the next phase or the end begins."""

    entry: Entry
    at: float
    ms: float
    nested: list[Step] = field(default_factory=list)

    @property
    def is_phase(self) -> bool:
        return self.entry.note.kind in PHASE_KINDS


def make_steps(entries: Iterable[Entry]) -> list[Step]:
    """The steps in order; calls and requests of the running program are nested in the phase “running”."""
    steps: list[Step] = []
    running: Step | None = None
    for entry in _without_sent_calls(sorted(entries, key=lambda entry: entry.seq)):
        kind, took = entry.note.kind, entry.note.ms
        if kind.startswith(NESTED_KINDS) and running is not None:
            running.nested.append(Step(entry, entry.at - took / 1000, took))
            continue
        steps.append(Step(entry, entry.at, 0.0 if kind.startswith("run.") else took))
        running = steps[-1] if kind == "run.running" else running
        if kind in END_KINDS:
            running = None
    phases = [step for step in steps if step.is_phase or step.entry.note.kind in END_KINDS]
    for step, following in pairwise(phases):
        step.ms = max(0.0, (following.at - step.at) * 1000)
    for step in steps:
        step.nested.sort(key=lambda nested: nested.at)
    return steps


def time_span(steps: Sequence[Step]) -> tuple[float, float]:
    """When the first step began, and the milliseconds until the last one ended."""
    if not steps:
        return 0.0, 0.0
    began = steps[0].at
    ended = max(each.at + each.ms / 1000 for step in steps for each in (step, *step.nested))
    return began, max(0.0, (ended - began) * 1000)


def program_of(steps: Sequence[Step]) -> tuple[str, str]:
    """The program as it ran, and its stated purpose; from the audit, where personal data is masked."""
    code = purpose = ""
    for step in steps:
        detail = step.entry.note.detail
        if step.entry.note.kind in ("run.proposed", "run.edited"):
            code, purpose = str(detail.get("code", code)), str(detail.get("purpose", purpose))
    return code, purpose


def _without_sent_calls(entries: Sequence[Entry]) -> list[Entry]:
    """Drop `call.sent` where the answer of the call is there too."""
    answered = {_call_id(entry) for entry in entries if entry.note.kind != "call.sent"} - {""}
    return [entry for entry in entries if entry.note.kind != "call.sent" or _call_id(entry) not in answered]


def _call_id(entry: Entry) -> str:
    return str(entry.note.detail.get("call", "")) if entry.note.kind.startswith("call.") else ""


_NO_STEPS = "The audit has no entries of this run."
STEP, AFTER, TOOK, BAR = range(4)
_BAR_ROLE = Qt.ItemDataRole.UserRole  # share of the time before the step, share of the step, tone
_ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1


class TimelineView(QWidget):
    """The steps of one run as a tree, with a bar for the time of each step."""

    entry_selected = Signal(object)
    """Carries the Entry of the selected step."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.steps: Sequence[Step] = ()
        self._summary = paragraph("", "muted")
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels(["Step", "After", "Took", "When"])
        self.tree.setAccessibleName("Steps of the run")
        self.tree.setUniformRowHeights(True)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.tree.setItemDelegateForColumn(BAR, _BarDelegate(theme, self))
        self.tree.setIndentation(theme.unit * 4)
        self.tree.currentItemChanged.connect(self._item_selected)
        header = self.tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(STEP, QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(theme.unit * 8)
        for number, letters in ((STEP, 34), (AFTER, 11), (TOOK, 11)):
            self.tree.setColumnWidth(number, self.fontMetrics().averageCharWidth() * letters)
        column(self, self._summary, self.tree, grows=self.tree, spacing=theme.unit * 2)

    def show_steps(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        began, total = time_span(steps)
        self.tree.clear()
        for step in steps:
            item = self._item(step, began, total)
            self.tree.addTopLevelItem(item)
            item.addChildren([self._item(nested, began, total) for nested in step.nested[:MOST_NESTED]])
            if len(step.nested) > MOST_NESTED:
                item.addChild(QTreeWidgetItem([f"and {len(step.nested) - MOST_NESTED:,} more"]))
        self.tree.expandAll()
        nested = sum(len(step.nested) for step in steps)
        self._summary.setText(f"Total time: {duration(total)}. Calls and requests: {nested:,}." if steps else _NO_STEPS)
        if (first := self.tree.topLevelItem(0)) is not None:
            self.tree.setCurrentItem(first)

    def _item(self, step: Step, began: float, total: float) -> QTreeWidgetItem:
        after = max(0.0, (step.at - began) * 1000)
        text, symbol, tone = _step_label(step)
        took = duration(step.ms) if step.ms else ""
        item = QTreeWidgetItem([text, f"+{duration(after)}" if after >= 1 else "0", took, ""])
        item.setIcon(STEP, icon(symbol, tone))
        item.setToolTip(STEP, plain_tip(one_line(step.entry.note.summary, 400)))
        item.setData(BAR, _BAR_ROLE, (after / total if total else 0.0, step.ms / total if total else 0.0, tone))
        item.setToolTip(BAR, clock(step.at))
        item.setData(STEP, _ENTRY_ROLE, step.entry)
        for number in (AFTER, TOOK):
            item.setTextAlignment(number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _item_selected(self, item: QTreeWidgetItem | None) -> None:
        entry = item.data(STEP, _ENTRY_ROLE) if item is not None else None
        if isinstance(entry, Entry):
            self.entry_selected.emit(entry)


def _step_label(step: Step) -> tuple[str, str, str]:
    """Text, icon and tone of a step."""
    note = step.entry.note
    state = note.kind.removeprefix("run.")
    if state in set(RunState):
        word = run_word(RunState(state))
        return "Waited for you" if state == RunState.WAITING else word.text, word.icon, word.tone
    is_call = note.kind.startswith("call.")
    tone = "danger" if not note.ok else "info" if is_call else "muted"
    symbol = "alert" if not note.ok else "tool" if is_call else "user"
    text = f"{note.server}.{note.tool}" if note.tool else note.summary[:1].upper() + note.summary[1:]
    return one_line(text, 120), symbol, tone


class _BarDelegate(QStyledItemDelegate):
    """Paints when a step was, as a bar within the time of the run."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if (bar := index.data(_BAR_ROLE)) is None:
            return
        start, share, tone = bar
        place = QRectF(option.rect).adjusted(self._theme.unit, 0, -self._theme.unit, 0)
        height = max(4.0, place.height() * 0.34)
        width = max(3.0, place.width() * share)
        left = min(place.left() + place.width() * start, place.right() - width)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("border"))
        painter.drawRect(QRectF(place.left(), place.center().y() - 0.5, place.width(), 1.0))
        painter.setBrush(self._theme.colour(tone if tone != "muted" else "faint"))
        bar_rect = QRectF(left, place.center().y() - height / 2, width, height)
        painter.drawRoundedRect(bar_rect, height / 2.5, height / 2.5)
        painter.restore()


class TimelineDialog(Dialog):
    """A window of its own; the main window stays usable."""

    def __init__(self, context: Context, run_id: str, run_title: RunTitle, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, f"Timeline of run {run_id}", run_title(run_id), parent)
        self._context, self._run_id = context, run_id
        self.timeline = TimelineView(context.theme)
        self.card = EntryCard(context, run_title)
        self.timeline.entry_selected.connect(self._show_entry)
        self.body.addWidget(AdaptiveSplit(120, (3, 2), self.timeline, self.card), 1)
        self._code = self.add_button("Open the code", self._open_code, left=True)
        self._code.setIcon(icon("code"))
        self._run = self.add_button("Show the result", self._open_run, left=True)
        self._run.setIcon(icon("terminal"))
        self.add_close()
        self.resize(context.theme.unit * 260, context.theme.unit * 150)

    def load_and_show(self) -> None:
        self.show()
        self.timeline.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        query = EntryQuery(run_id=self._run_id, limit=MOST_ENTRIES)
        self._context.tasks.run("timeline of a run", self._context.api.entries(query), self._show_entries)

    def _show_entries(self, entries: tuple[Entry, ...]) -> None:
        self.timeline.show_steps(make_steps(entries))
        self._code.setEnabled(bool(program_of(self.timeline.steps)[0]))
        self._run.setEnabled(bool(entries))

    def _show_entry(self, entry: Entry) -> None:
        self.card.show_entry(entry)
        self.card.timeline.hide()

    def _open_code(self) -> None:
        self._context.go(ShowCode(*program_of(self.timeline.steps)))
        self.close()

    def _open_run(self) -> None:
        self._context.go(ShowRun(self._run_id))
        self.close()
