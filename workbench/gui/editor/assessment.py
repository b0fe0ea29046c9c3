"""What policy says of the program in the editor: the risk word, one sentence, and each finding with its line."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.code_view import ORDER
from workbench.gui.folding_row import FoldingRow
from workbench.gui.icons import pixmap
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.verdict_words import bounds_words
from workbench.gui.words import risk_word
from workbench.records import Finding, Verdict

_ROWS = 6  # findings one sees without scrolling
_FOLDED = 90  # letters of width below which what was added stands under the sentence
_MOST = 100  # findings listed; the worst come first


class AssessmentStrip(QFrame):
    """A line that opens into the list of findings."""

    line_wanted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        unit = theme.unit
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._badge = QLabel(self)
        self._badge.setTextFormat(Qt.TextFormat.PlainText)
        mark(self._badge, role="badge", tone="muted")
        self._sentence = ForeignLabel()
        self._more = QPushButton(self)
        self._more.setCheckable(True)
        mark(self._more, kind="link")
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        for part in (self._picture, self._badge):
            head.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self._sentence, 1)
        head.addWidget(self._more, 0, Qt.AlignmentFlag.AlignVCenter)
        self._added = QHBoxLayout()
        self._added.setSpacing(unit * 2)
        self._list = QScrollArea(self)
        self._list.setWidgetResizable(True)
        self._list.setAccessibleName("Findings")
        self._list.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(unit * 3, unit, unit * 3, unit)
        layout.setSpacing(unit)
        layout.addWidget(FoldingRow(_FOLDED, head, self._added, unit * 2))
        layout.addWidget(self._list)
        self._more.toggled.connect(self._list.setVisible)
        self.say("Nothing to assess yet.")

    def add(self, widget: QWidget) -> None:
        """Put something at the end of the line."""
        self._added.addWidget(widget, 1)

    def say(self, sentence: str) -> None:
        """There is no verdict, and why."""
        self._picture.hide()
        self._badge.hide()
        self._more.setChecked(False)
        self._more.hide()
        self._sentence.setText(sentence)
        mark(self._sentence, role="muted")

    def show_verdict(self, verdict: Verdict) -> None:
        word = risk_word(verdict.risk)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._picture.show()
        mark(self._badge, role="badge", tone=word.tone)
        self._badge.setText(word.text)
        self._badge.show()
        more = bounds_words(verdict).replace("\n", " ")
        self._sentence.setText(f"{verdict.sentence} {more}".strip())
        mark(self._sentence, role="")
        self._fill(verdict)

    def sentence(self) -> str:
        return self._sentence.full_text()

    def _fill(self, verdict: Verdict) -> None:
        found = sorted(verdict.findings, key=lambda f: (-ORDER.index(f.risk), f.span.line))[:_MOST]
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for finding in found:
            column.addWidget(self._row(finding))
        column.addStretch(1)
        self._list.setWidget(page)
        row = self.fontMetrics().lineSpacing() + self._theme.unit * 2
        self._list.setFixedHeight(row * min(len(found), _ROWS))
        self._more.setVisible(bool(found))
        count = len(verdict.findings)
        self._more.setText("1 finding" if count == 1 else f"{count} findings")

    def _row(self, finding: Finding) -> QWidget:
        unit = self._theme.unit
        word = risk_word(finding.risk)
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(unit * 2)
        picture = QLabel()
        picture.setPixmap(pixmap(word.icon, word.tone, unit * 4, self.devicePixelRatioF()))
        picture.setToolTip(word.text)
        link = QPushButton(f"line {finding.span.line}")
        link.setProperty("line", finding.span.line)
        link.setAccessibleName(f"Go to line {finding.span.line}")
        mark(link, kind="link")
        link.clicked.connect(self._go)
        line.addWidget(picture)
        line.addWidget(ForeignLabel(finding.message, elide=True), 1)
        line.addWidget(link)
        return row

    def _go(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.line_wanted.emit(int(button.property("line")))
