"""The effects, data flows and findings of a program as rows that lead to their lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.code.code_view import ORDER
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import risk_word
from workbench.records import Effect, EffectKind, Finding, Flow, Risk, Verdict

_FlowPath = tuple[str, int, str, int]  # source, its line, sink, its line
_MOST_ROWS = 200  # of one group; the heading says how many there are
_REMARK_WIDE = 70  # characters of width from which a remark is beside its text, not below it


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
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 3)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(unit * 2)
        self._grid.setVerticalSpacing(unit + unit // 2)
        self._grid.setColumnStretch(1, 1)
        column.addLayout(self._grid)
        column.addStretch(1)
        self._links, self._cells = [], []
        titles = {
            EffectKind.WILL: "Will happen",
            EffectKind.REFUSED: "The sandbox will refuse",
            EffectKind.MAY: "May happen",
        }
        for kind, title in titles.items():
            self._effects(title, [effect for effect in verdict.effects if effect.kind is kind])
        self._flows(verdict.flows)
        self._findings(verdict)
        self._unknown(verdict.not_assessed)
        self._arrange_remarks()
        self.setWidget(page)

    def links(self) -> tuple[QPushButton, ...]:
        """The buttons that lead to lines, from top to bottom."""
        return tuple(self._links)

    def _effects(self, title: str, effects: Sequence[Effect]) -> None:
        if not effects:
            return
        self._group(title, len(effects))
        for effect in sorted(effects, key=lambda effect: (-ORDER.index(effect.risk), effect.line))[:_MOST_ROWS]:
            row = self._grid.rowCount()
            self._risk_icon(row, effect.risk)
            self._add_text(row, effect.text, self._reversibility(effect))
            self._link(row, effect.line, effect.text)

    def _findings(self, verdict: Verdict) -> None:
        effects = {(effect.line, effect.text) for effect in verdict.effects}
        others = [finding for finding in verdict.findings if (finding.span.line, finding.message) not in effects]
        if not others:
            return
        self._group("Findings", len(others))
        for finding in sorted(others, key=_worst_first)[:_MOST_ROWS]:
            row = self._grid.rowCount()
            self._risk_icon(row, finding.risk)
            self._add_text(row, finding.message)
            self._link(row, finding.span.line, finding.message)

    def _unknown(self, sentences: Sequence[str]) -> None:
        if not sentences:
            return
        self._group("Not assessed", len(sentences))
        for sentence in sentences[:_MOST_ROWS]:
            grid, row = self._grid, self._grid.rowCount()
            picture = QLabel()
            picture.setPixmap(pixmap("help", "warning", self._theme.unit * 4, self.devicePixelRatioF()))
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            text = ForeignLabel(sentence, breaks=True)
            mark(text, role="warning")
            grid.addWidget(text, row, 1, 1, 2)

    def _flows(self, flows: Sequence[Flow]) -> None:
        """Text that outsiders can write is the greater risk; private data is shown as medium."""
        kinds_by_path: dict[_FlowPath, set[str]] = {}
        for flow in flows:
            kinds_by_path.setdefault((flow.source, flow.line, flow.sink, flow.sink_line), set()).add(flow.kind)
        if not kinds_by_path:
            return
        joined = _join_arguments(kinds_by_path)
        self._group("Data flows", len(joined))
        for (source, line, sink, sink_line), kinds in list(joined.items())[:_MOST_ROWS]:
            row = self._grid.rowCount()
            self._risk_icon(row, Risk.HIGH if "untrusted" in kinds else Risk.MEDIUM)
            place = f"line {line} {source}" if line else f"earlier: {source}"
            path = f"{place} → line {sink_line} {sink}"
            self._add_text(row, path, "text from outsiders" if "untrusted" in kinds else "private data")
            self._link(row, sink_line, path)

    def _add_text(self, row: int, text: str, remark: str = "") -> None:
        """The text of one row, and a remark that moves below it where it is narrow."""
        cell = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        cell.setSpacing(self._theme.unit // 2)
        cell.addWidget(ForeignLabel(text, breaks=True), 1)
        if remark:
            beside = ForeignLabel(remark)
            beside.setWordWrap(False)
            mark(beside, role="muted")
            cell.addWidget(beside, 0, Qt.AlignmentFlag.AlignTop)
            self._cells.append(cell)
        self._grid.addLayout(cell, row, 1)

    def _arrange_remarks(self) -> None:
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _REMARK_WIDE
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        for cell in self._cells:
            cell.setDirection(direction)

    def _group(self, title: str, count: int) -> None:
        more = f" (the first {_MOST_ROWS} of {count})" if count > _MOST_ROWS else ""
        heading = ForeignLabel(f"{title}{more}")
        heading.setContentsMargins(0, self._theme.unit * 2, 0, 0)
        mark(heading, role="section")
        self._grid.addWidget(heading, self._grid.rowCount(), 0, 1, 3)

    def _reversibility(self, effect: Effect) -> str:
        if effect.risk is Risk.LOW and effect.reversible:
            return "changes nothing"
        return {True: "can be undone", False: "cannot be undone", None: ""}[effect.reversible]

    def _risk_icon(self, row: int, risk: Risk) -> None:
        word = risk_word(risk)
        picture = QLabel()
        picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        picture.setToolTip(word.text)
        picture.setAccessibleName(word.text)
        self._grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)

    def _link(self, row: int, line: int, text: str) -> None:
        if line <= 0:
            return
        link = QPushButton(f"line {line}")
        link.setAutoDefault(True)
        link.setAccessibleName(f"Go to line {line}: {text[:120]}")
        mark(link, kind="link")
        link.clicked.connect(partial(self._go_to, line))
        self._grid.addWidget(link, row, 2, Qt.AlignmentFlag.AlignTop)
        self._links.append(link)

    def _go_to(self, line: int, _checked: bool = False) -> None:
        self.line_wanted.emit(line)


def _join_arguments(kinds_by_path: dict[_FlowPath, set[str]]) -> dict[_FlowPath, set[str]]:
    """Arguments of one call that the same data goes to are one row."""
    sinks: dict[tuple[str, int, str, int, tuple[str, ...]], list[str]] = {}
    for (source, line, sink, sink_line), kinds in kinds_by_path.items():
        call, _, argument = sink.rpartition(".")
        call, argument = (call, argument) if "." in call else (sink, "")
        sinks.setdefault((source, line, call, sink_line, tuple(sorted(kinds))), []).append(argument)
    joined: dict[_FlowPath, set[str]] = {}
    for (source, line, call, sink_line, all_kinds), arguments in sinks.items():
        names = ", ".join(f".{argument}" for argument in arguments if argument)
        joined.setdefault((source, line, call + names, sink_line), set()).update(all_kinds)
    return joined


def _worst_first(finding: Finding) -> tuple[int, int]:
    return -ORDER.index(finding.risk), finding.span.line
