"""The effects, data flows and findings of a program as rows that lead to their lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QWidget

from workbench.gui.code.code_view import ORDER
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import column
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import UNVERIFIED, StateText, risk_word
from workbench.records import Effect, EffectKind, Finding, Flow, Risk, Verdict
from workbench.records.stated_facts import KIND_TEXTS, state_facts

_MOST_ROWS = 200  # of one group; the heading says how many there are
_REMARK_WIDE = 70  # characters of width from which a remark is beside its text, not below it
"""Kinds of data whose way through a program is followed."""
_TITLES = {
    EffectKind.WILL: "Will happen",
    EffectKind.REFUSED: "The sandbox will refuse",
    EffectKind.MAY: "May happen",
}


class _EffectRow(Struct, frozen=True):
    text: str
    risk: Risk | None = None  # None: it was not assessed
    remark: str = ""
    line: int = 0  # of the program; 0: none
    unverified: bool = False


class EffectsView(QScrollArea):
    """Every row has a link to its line."""

    line_wanted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("What the program does")
        self._links: list[QPushButton] = []
        self._cells: list[QBoxLayout] = []  # texts with a remark

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_remarks()

    def wanted_height(self) -> int:
        """The height at which nothing has to be scrolled."""
        page = self.widget()
        return page.heightForWidth(self.viewport().width()) if page is not None else 0

    def show_verdict(self, verdict: Verdict) -> None:
        unit = self._theme.unit
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(unit * 2)
        self._grid.setVerticalSpacing(unit + unit // 2)
        self._grid.setColumnStretch(1, 1)
        self._links, self._cells = [], []
        page = QWidget()
        column(page, self._grid, None, margins=(unit * 4, unit * 2, unit * 4, unit * 3), spacing=unit)
        groups = [(title, rows) for title, rows in _groups(verdict) if rows]
        for title, rows in groups:
            self._show_group(title, rows)
        self.setVisible(bool(groups))
        self._arrange_remarks()
        self.setWidget(page)

    def links(self) -> tuple[QPushButton, ...]:
        """The buttons that lead to lines, from top to bottom."""
        return tuple(self._links)

    def _show_group(self, title: str, rows: Sequence[_EffectRow]) -> None:
        more = f" (the first {_MOST_ROWS} of {len(rows)})" if len(rows) > _MOST_ROWS else ""
        heading = ForeignLabel(f"{title}{more}", role="section")
        heading.setContentsMargins(0, self._theme.unit * 2, 0, 0)
        self._grid.addWidget(heading, self._grid.rowCount(), 0, 1, 3)
        for row in rows[:_MOST_ROWS]:
            self._show_row(row, self._grid.rowCount())

    def _show_row(self, row: _EffectRow, place: int) -> None:
        word = risk_word(row.risk) if row.risk is not None else StateText("Not assessed", "help", "warning")
        word = UNVERIFIED if row.unverified else word
        picture = QLabel()
        picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        picture.setToolTip(word.text)
        picture.setAccessibleName(word.text)
        self._grid.addWidget(picture, place, 0, Qt.AlignmentFlag.AlignTop)
        text = ForeignLabel(row.text, role="" if row.risk is not None else "warning", breaks=True)
        self._grid.addLayout(self._text_cell(text, row.remark), place, 1, 1, 1 if row.line > 0 else 2)
        if row.line > 0:
            link = line_link(row.line, row.text, self.line_wanted)
            self._grid.addWidget(link, place, 2, Qt.AlignmentFlag.AlignTop)
            self._links.append(link)

    def _text_cell(self, text: QWidget, remark: str) -> QBoxLayout:
        """The text of one row, and a remark that moves below it where it is narrow."""
        cell = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        cell.setSpacing(self._theme.unit // 2)
        cell.addWidget(text, 1)
        if remark:
            beside = ForeignLabel(remark, role="muted")
            beside.setWordWrap(False)
            cell.addWidget(beside, 0, Qt.AlignmentFlag.AlignTop)
            self._cells.append(cell)
        return cell

    def _arrange_remarks(self) -> None:
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _REMARK_WIDE
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        for cell in self._cells:
            cell.setDirection(direction)


def line_link(line: int, text: str, wanted: SignalInstance) -> QPushButton:
    """A button that leads to a line of the program: it emits `wanted` with the number. `text` says what is there."""
    link = QPushButton(f"line {line}")
    link.setAutoDefault(True)
    link.setAccessibleName(f"Go to line {line}: {text[:120]}")
    mark(link, kind="link")
    link.clicked.connect(lambda: wanted.emit(line))
    return link


def _groups(verdict: Verdict) -> Iterator[tuple[str, list[_EffectRow]]]:
    """The headings with their rows, the worst row of each first."""
    told = effect_of_headline(verdict)
    effects = sorted(verdict.effects, key=lambda effect: (-ORDER.index(effect.risk), effect.line))
    for kind, title in _TITLES.items():
        shown = (effect for effect in effects if effect.kind is kind and effect is not told)
        yield title, [_effect_row(effect, verdict.flows) for effect in shown]
    untold = [flow for flow in verdict.flows if not any(_tells(effect, flow) for effect in effects)]
    yield "Data flows", _flow_rows(untold)
    yield "Findings", [_finding_row(finding) for finding in state_facts(verdict).findings]
    yield "Not assessed", [_EffectRow(sentence) for sentence in verdict.not_assessed]


def effect_of_headline(verdict: Verdict) -> Effect | None:
    """The only effect, if the summary says exactly that: it needs no row of its own."""
    parts = [part for part in verdict.headline if part.line]  # not: which servers are unverified
    if len(verdict.effects) != 1 or len(parts) != 1:
        return None
    (effect,), (part,) = verdict.effects, parts
    same = (part.line, part.subject, part.text.rstrip(".")) == (effect.line, effect.subject, effect.text.rstrip("."))
    return effect if same and effect.kind is EffectKind.WILL else None


def _effect_row(effect: Effect, flows: Sequence[Flow]) -> _EffectRow:
    return _EffectRow(effect.text, effect.risk, remark_on(effect, flows), effect.line, effect.unverified)


def remark_on(effect: Effect, flows: Sequence[Flow]) -> str:
    """Whether an effect can be undone; else, if it is a data flow, which kind of data it is."""
    kinds = dict.fromkeys(KIND_TEXTS.get(flow.kind, flow.kind) for flow in flows if _tells(effect, flow))
    return _reversibility(effect) or ", ".join(kinds)


def _tells(effect: Effect, flow: Flow) -> bool:
    """Whether the text of an effect says from where to where this data flows."""
    call = flow.sink.rpartition(".")[0] or flow.sink
    return effect.line == flow.sink_line and flow.source in effect.text and call in effect.text


def _finding_row(finding: Finding) -> _EffectRow:
    return _EffectRow(finding.message, finding.risk, "", finding.span.line, finding.unverified)


def _reversibility(effect: Effect) -> str:
    if effect.unverified or effect.kind is EffectKind.REFUSED:
        return ""  # not known, or nothing happens
    if effect.risk is Risk.LOW and effect.reversible:
        return "changes nothing"
    return {True: "can be undone", False: "cannot be undone", None: ""}[effect.reversible]


def _flow_rows(flows: Sequence[Flow]) -> list[_EffectRow]:
    """One row for all arguments of a call that the same data goes to.

    Text that outsiders can write is the greater risk; private data is shown as medium.
    """
    kinds_by_path: dict[tuple[str, int, str, int], set[str]] = {}
    for flow in flows:
        kinds_by_path.setdefault((flow.source, flow.line, flow.sink, flow.sink_line), set()).add(flow.kind)
    arguments: dict[tuple[str, int, str, int, bool], list[str]] = {}
    for (source, line, sink, sink_line), kinds in kinds_by_path.items():
        call, _, argument = sink.rpartition(".")
        call, argument = (call, f".{argument}") if "." in call else (sink, "")  # server.tool.argument or server.tool
        arguments.setdefault((source, line, call, sink_line, "untrusted" in kinds), []).append(argument)
    rows = []
    for (source, line, call, sink_line, untrusted), names in arguments.items():
        place = f"line {line} {source}" if line else f"earlier: {source}"
        path = f"{place} → line {sink_line} {call}{', '.join(name for name in names if name)}"
        kind, risk = ("untrusted", Risk.HIGH) if untrusted else ("private", Risk.MEDIUM)
        rows.append(_EffectRow(path, risk, KIND_TEXTS[kind], sink_line))
    return rows
