"""What a reviewer reads first: one plain sentence, the risk, who asks, and what the author claims it is for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.gui.icons import pixmap
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.verdict_words import bounds_words
from workbench.gui.words import language_word, risk_word
from workbench.records import Origin, Risk, Run


class ApprovalHead(QFrame):
    """The claim stands apart and is called one, because its author may be wrong or lie."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._sentence = ForeignLabel()
        mark(self._sentence, role="title")
        self._badge = QLabel(self)
        self._badge.setTextFormat(Qt.TextFormat.PlainText)
        mark(self._badge, role="badge", tone="muted")
        self._author = ForeignLabel(elide=True)
        mark(self._author, role="muted")
        self._tag = QLabel("claimed")
        mark(self._tag, role="badge", tone="muted")
        self._claim = ForeignLabel()
        mark(self._claim, role="muted")
        self._isolation = ForeignLabel()
        mark(self._isolation, role="warning")
        self._bounds = ForeignLabel()
        mark(self._bounds, role="muted")
        self._lay_out(theme.unit)

    def _lay_out(self, unit: int) -> None:
        words = QVBoxLayout()
        words.setSpacing(unit + unit // 2)
        words.addWidget(self._sentence)
        words.addLayout(_beside(self._badge, self._author, unit))
        words.addLayout(_beside(self._tag, self._claim, unit))
        words.addWidget(self._isolation)
        words.addWidget(self._bounds)
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 4, unit * 4, unit * 4, unit * 3)
        row.setSpacing(unit * 3)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    def show_run(self, run: Run) -> None:
        verdict = run.verdict
        word = risk_word(verdict.risk if verdict else Risk.HIGH)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 7, self.devicePixelRatioF()))
        self._sentence.setText(verdict.sentence if verdict else "This program was not assessed yet.")
        mark(self._badge, role="badge", tone=word.tone)
        self._badge.setText(word.text if verdict else "Not assessed")
        self._author.setText(self._who(run))
        purpose = "" if run.proposal.origin is Origin.PERSON else run.proposal.purpose  # a person claims nothing
        self._claim.setText(f"“{purpose}”" if purpose else "")
        self._tag.setVisible(bool(purpose))
        self._claim.setVisible(bool(purpose))
        bounds = bounds_words(verdict) if verdict else ""
        self._bounds.setText(bounds)
        self._bounds.setVisible(bool(bounds))
        self._isolation.setText(run.isolation)
        self._isolation.setVisible(bool(run.isolation))

    def _who(self, run: Run) -> str:
        language, state = run.proposal.language, run.proposal.state
        kind = "this program" if language == "python" else "this {0} program"
        what = kind.format(language_word(language))
        where = f" It goes on in the REPL session “{state}”." if state else ""
        if run.proposal.origin is Origin.PERSON:
            return f"You want to run {what}." + where
        return f"The agent “{run.proposal.author}” wants to run {what}." + where


def _beside(badge: QLabel, words: ForeignLabel, unit: int) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(unit * 2)
    row.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(words, 1)
    return row
