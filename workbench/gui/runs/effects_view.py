"""What a program touches in all, in a few rows below its effects, and how much there is to read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.code.code_view import ORDER
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import risk_word
from workbench.records import Effect, EffectKind, Finding, Flow, Risk, Verdict

_MOST = 12  # names in one row; how many more there are is said


def impact_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """A title and its words for each row; none for a verdict that knows nothing of it."""
    found = verdict.impact
    rows = [
        ("Changes", _names(found.changed)),
        ("Reads", _names(found.read)),
        ("Tries to contact", _names(found.networks)),
        ("Tries to run", _names(found.commands)),
        ("Tools that send", _names(found.tools.get("sends", ()))),
        ("Tools that change", _names(found.tools.get("changes", ()))),
        ("Tools that add", _names(found.tools.get("adds", ()))),
        ("Tools that read", _names(found.tools.get("reads", ()))),
        ("Cannot be undone", _count(found.lasting)),
        ("Known at run time only", _count(found.unnamed)),
        ("To read", _effort(verdict)),
    ]
    return [(title, words) for title, words in rows if words]


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _count(number: int) -> str:
    return "" if not number else "1 effect" if number == 1 else f"{number} effects"


def _effort(verdict: Verdict) -> str:
    """Says how long reading takes; it is no sign of risk."""
    if not verdict.lines:
        return ""
    lines = "1 line" if verdict.lines == 1 else f"{verdict.lines} lines"
    forks = "1 branch or loop" if verdict.forks == 1 else f"{verdict.forks} branches and loops"
    return f"{lines}, {forks}" if verdict.forks else lines


_Way = tuple[str, int, str, int]  # source, its line, where it goes, its line
_MOST_EFFECTS = 200  # rows of one group; how many more there are is said
_BESIDE = 70  # letters of width from which a remark stands beside its words, not below


class EffectsView(QScrollArea):
    """Each row leads to its line."""

    line_wanted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("What the program does")
        self._links: list[QPushButton] = []
        self._cells: list[QBoxLayout] = []  # words with a remark about them

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def wanted_height(self) -> int:
        """At which nothing of it has to be scrolled."""
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
        self._in_all(verdict)
        self._turn()
        self.setWidget(page)

    def links(self) -> tuple[QPushButton, ...]:
        """The buttons that lead to lines, top down."""
        return tuple(self._links)

    def _effects(self, title: str, effects: Sequence[Effect]) -> None:
        if not effects:
            return
        self._group(title, len(effects))
        for effect in sorted(effects, key=lambda e: (-ORDER.index(e.risk), e.line))[:_MOST_EFFECTS]:
            row = self._grid.rowCount()
            self._sign(row, effect.risk)
            self._cell(row, effect.text, self._way_back(effect))
            self._link(row, effect.line, effect.text)

    def _findings(self, verdict: Verdict) -> None:
        told = {(effect.line, effect.text) for effect in verdict.effects}
        rest = [finding for finding in verdict.findings if (finding.span.line, finding.message) not in told]
        if not rest:
            return
        self._group("Noticed", len(rest))
        for finding in sorted(rest, key=_worst_first)[:_MOST_EFFECTS]:
            row = self._grid.rowCount()
            self._sign(row, finding.risk)
            self._cell(row, finding.message)
            self._link(row, finding.span.line, finding.message)

    def _unknown(self, sentences: Sequence[str]) -> None:
        if not sentences:
            return
        self._group("Not assessed", len(sentences))
        for sentence in sentences[:_MOST_EFFECTS]:
            grid, row = self._grid, self._grid.rowCount()
            picture = QLabel()
            picture.setPixmap(pixmap("help", "warning", self._theme.unit * 4, self.devicePixelRatioF()))
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            words = ForeignLabel(sentence, breaks=True)
            mark(words, role="warning")
            grid.addWidget(words, row, 1, 1, 2)

    def _in_all(self, verdict: Verdict) -> None:
        if not (rows := impact_rows(verdict)):
            return
        self._group("In all", len(rows))
        for title, words in rows:
            self._grid.addWidget(ForeignLabel(f"{title}: {words}", breaks=True), self._grid.rowCount(), 1, 1, 2)

    def _flows(self, flows: Sequence[Flow]) -> None:
        """From one line to another: what outsiders can write weighs more than what is merely private."""
        told: dict[tuple[str, int, str, int], set[str]] = {}
        for flow in flows:
            told.setdefault((flow.source, flow.line, flow.sink, flow.sink_line), set()).add(flow.kind)
        if not told:
            return
        self._group("Data goes", len(_joined(told)))
        for (source, line, sink, sink_line), kinds in list(_joined(told).items())[:_MOST_EFFECTS]:
            row = self._grid.rowCount()
            self._sign(row, Risk.HIGH if "untrusted" in kinds else Risk.MEDIUM)
            place = f"line {line} {source}" if line else f"earlier: {source}"
            words = f"{place} → {f'line {sink_line} {sink}'}"
            self._cell(row, words, "outsiders' text" if "untrusted" in kinds else "private data")
            self._link(row, sink_line, words)

    def _cell(self, row: int, words: str, remark: str = "") -> None:
        """Words of one row, and a remark that gives way where there is little width."""
        cell = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        cell.setSpacing(self._theme.unit // 2)
        cell.addWidget(ForeignLabel(words, breaks=True), 1)
        if remark:
            beside = ForeignLabel(remark)
            beside.setWordWrap(False)
            mark(beside, role="muted")
            cell.addWidget(beside, 0, Qt.AlignmentFlag.AlignTop)
            self._cells.append(cell)
        self._grid.addLayout(cell, row, 1)

    def _turn(self) -> None:
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _BESIDE
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        for cell in self._cells:
            cell.setDirection(direction)

    def _group(self, title: str, count: int) -> None:
        more = f" (the first {_MOST_EFFECTS} of {count})" if count > _MOST_EFFECTS else ""
        heading = ForeignLabel(f"{title}{more}")
        heading.setContentsMargins(0, self._theme.unit * 2, 0, 0)
        mark(heading, role="section")
        self._grid.addWidget(heading, self._grid.rowCount(), 0, 1, 3)

    def _way_back(self, effect: Effect) -> str:
        if effect.risk is Risk.LOW and effect.reversible:
            return "changes nothing"
        return {True: "can be undone", False: "cannot be undone", None: ""}[effect.reversible]

    def _sign(self, row: int, risk: Risk) -> None:
        word = risk_word(risk)
        picture = QLabel()
        picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        picture.setToolTip(word.text)
        picture.setAccessibleName(word.text)
        self._grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)

    def _link(self, row: int, line: int, words: str) -> None:
        if line <= 0:
            return
        link = QPushButton(f"line {line}")
        link.setProperty("line", line)
        link.setAutoDefault(True)
        link.setAccessibleName(f"Go to line {line}: {words[:120]}")
        mark(link, kind="link")
        link.clicked.connect(self._go)
        self._grid.addWidget(link, row, 2, Qt.AlignmentFlag.AlignTop)
        self._links.append(link)

    def _go(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.line_wanted.emit(int(button.property("line")))


def _joined(told: dict[_Way, set[str]]) -> dict[_Way, set[str]]:
    """Arguments of one call that the same data goes to are one row."""
    sinks: dict[tuple[str, int, str, int, tuple[str, ...]], list[str]] = {}
    for (source, line, sink, sink_line), kinds in told.items():
        call, _, argument = sink.rpartition(".")
        call, argument = (call, argument) if "." in call else (sink, "")
        sinks.setdefault((source, line, call, sink_line, tuple(sorted(kinds))), []).append(argument)
    joined: dict[_Way, set[str]] = {}
    for (source, line, call, sink_line, kinds_of), arguments in sinks.items():
        named = ", ".join(f".{one}" for one in arguments if one)
        joined.setdefault((source, line, call + named, sink_line), set()).update(kinds_of)
    return joined


def _worst_first(finding: Finding) -> tuple[int, int]:
    return -ORDER.index(finding.risk), finding.span.line
