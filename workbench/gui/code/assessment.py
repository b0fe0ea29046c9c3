"""What is wrong with a text, and where: findings of the analyzer, or what a reader of the language stumbles over."""

from __future__ import annotations

import json
import re
import tomllib

from msgspec import Struct
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.files import parse_toml
from workbench.gui.code.code_view import ORDER
from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import bounds_words, risk_word
from workbench.records import Finding, Risk, Verdict

_TOML_PLACE = re.compile(r"\(at line (\d{1,9}), column (\d{1,9})\)")


class Problem(Struct, frozen=True):
    """Lines from 1, columns from 0 in Python's counting; an end of 0 is the end of the line."""

    line: int
    column: int
    end_line: int
    end_column: int
    words: str
    tone: str


def of_verdict(verdict: Verdict, more: tuple[Finding, ...] = ()) -> tuple[Problem, ...]:
    """The findings in the order of their places, with the calls that fail; what has no line is told above the text."""
    risks = sorted(verdict.findings, key=lambda one: -ORDER.index(one.risk))
    found = [_found(one, risk_word(one.risk).text, risk_word(one.risk).tone) for one in risks if one.span.line > 0]
    found += [_failing(one) for one in more if one.span.line > 0]
    return tuple(sorted(found, key=lambda one: (one.line, one.column)))


def _failing(one: Finding) -> Problem:
    """A call that fails is no risk: the check before a run names it medium where it is certain, and low in doubt."""
    certain = one.risk is not Risk.LOW
    return _found(one, "Fails" if certain else "May fail", "danger" if certain else "warning")


def _found(one: Finding, what: str, tone: str) -> Problem:
    span = one.span
    return Problem(span.line, span.column, span.end_line, span.end_column, f"{what}: {visible(one.message)}", tone)


def of_text(text: str, language: str) -> tuple[Problem, ...]:
    """Of a text in a language that nobody runs: where reading it fails."""
    if not text.strip():
        return ()
    try:
        if language == "json":
            json.loads(text)
        elif language == "toml":
            parse_toml(text)
    except json.JSONDecodeError as fault:
        return (_at(fault.lineno, fault.colno, fault.msg, text),)
    except tomllib.TOMLDecodeError as fault:
        place = _TOML_PLACE.search(str(fault))
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, 1)
        return (_at(line, column, _TOML_PLACE.sub("", str(fault)).replace("(at end of document)", "").strip(), text),)
    except (ValueError, RecursionError) as fault:
        return (_at(1, 1, str(fault), text),)
    return ()


def _at(line: int, column: int, words: str, text: str) -> Problem:
    lines = text.split("\n")
    line = max(1, min(line, len(lines)))
    column = max(0, min(column - 1, len(lines[line - 1])))
    return Problem(line, column, line, column + 1, f"Line {line}, column {column + 1}: {visible(words)}.", "danger")


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
