"""What is wrong with a text and where, and the strip above the editor that shows the assessment."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from functools import partial

from msgspec import Struct
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.files import parse_toml
from workbench.gui.code.code_view import ORDER
from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import Word, bounds_words, risk_word
from workbench.records import Finding, Risk, Verdict
from workbench.records.common_types import count_of

_TOML_PLACE = re.compile(r"\(at line (\d{1,9}), column (\d{1,9})\)")
_SYNTAX = "syntax"  # the rule of a finding that a text does not parse
_NOT_YET = Word("Cannot run yet", "pencil", "muted")
_FAILS = Word("Will fail", "alert", "warning")
_MAY_FAIL = Word("May fail", "alert", "warning")


class Problem(Struct, frozen=True):
    """A problem and its place: lines from 1, columns in code points from 0; the end column 0 is the end of the line."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    tone: str


def syntax_error(verdict: Verdict) -> Finding | None:
    """Why the program does not parse, if it does not."""
    return next((finding for finding in verdict.findings if finding.rule == _SYNTAX), None)


def problems_of_verdict(verdict: Verdict, failures: tuple[Finding, ...] = ()) -> tuple[Problem, ...]:
    """The findings that have a line and the calls that will fail, by place, then the highest risk first."""
    findings = sorted(verdict.findings, key=lambda finding: -ORDER.index(finding.risk))
    problems = [_problem(finding, _finding_label(finding)) for finding in findings if finding.span.line > 0]
    problems += [_problem(failure, _failure_label(failure)) for failure in failures if failure.span.line > 0]
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def _finding_label(finding: Finding) -> Word:
    """A text that is still being typed is no risk."""
    return _NOT_YET if finding.rule == _SYNTAX else risk_word(finding.risk)


def _failure_label(failure: Finding) -> Word:
    """The check of calls marks what is certain with medium risk and what is likely with low risk."""
    return _MAY_FAIL if failure.risk is Risk.LOW else _FAILS


def _problem(finding: Finding, word: Word) -> Problem:
    span, text = finding.span, f"{word.text}: {visible(finding.message)}"
    return Problem(span.line, span.column, span.end_line, span.end_column, text, word.tone)


def problems_of_text(text: str, language: str) -> tuple[Problem, ...]:
    """Where a JSON or TOML text does not parse."""
    if not text.strip():
        return ()
    try:
        if language == "json":
            json.loads(text)
        elif language == "toml":
            parse_toml(text)
    except json.JSONDecodeError as fault:
        return (_problem_at(fault.lineno, fault.colno, fault.msg, text),)
    except tomllib.TOMLDecodeError as fault:
        place = _TOML_PLACE.search(str(fault))
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, 1)
        message = _TOML_PLACE.sub("", str(fault)).replace("(at end of document)", "").strip()
        return (_problem_at(line, column, message, text),)
    except (ValueError, RecursionError) as fault:
        return (_problem_at(1, 1, str(fault), text),)
    return ()


def _problem_at(line: int, column: int, message: str, text: str) -> Problem:
    lines = text.split("\n")
    line = max(1, min(line, len(lines)))
    column = max(0, min(column - 1, len(lines[line - 1])))
    return Problem(line, column, line, column + 1, f"Line {line}, column {column + 1}: {visible(message)}.", "danger")


_VISIBLE_ROWS = 6
_FOLD_BELOW = 90  # letters of width; narrower, added widgets move below the sentence
_MAX_FINDINGS = 100  # in the list, highest risk first


class AssessmentStrip(QFrame):
    """One line with the risk and a sentence; a button opens the list of findings below it.

    With `compact`, the sentence keeps to one line and the open list keeps its height, so that an editor below the strip
    does not move while its text is assessed again and again.
    """

    line_wanted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, compact: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._compact = compact
        unit = theme.unit
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._badge = QLabel(self)
        self._badge.setTextFormat(Qt.TextFormat.PlainText)
        mark(self._badge, role="badge", tone="muted")
        self._sentence = ForeignLabel(elide=compact)
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
        layout.addWidget(FoldingRow(_FOLD_BELOW, head, self._added, unit * 2))
        layout.addWidget(self._list)
        self._more.toggled.connect(self._list.setVisible)
        self.say("Nothing to assess yet.")
        if compact:
            self._keep_height()
            theme.changed.connect(self._keep_height)

    def add(self, widget: QWidget) -> None:
        """Add a widget at the end of the line."""
        self._added.addWidget(widget, 1)

    def say(self, sentence: str) -> None:
        """Show a sentence instead of an assessment."""
        self._show(None, sentence, ())

    def show_verdict(self, verdict: Verdict, failures: tuple[Finding, ...] = ()) -> None:
        """Show the risk; a text that does not parse, or a call that fails, is said before "Low risk"."""
        bounds = bounds_words(verdict).replace("\n", " ")
        sentence = f"{verdict.sentence} {bounds}".strip()
        findings = sorted(verdict.findings, key=lambda finding: (-ORDER.index(finding.risk), finding.span.line))
        entries = [(_finding_label(finding), finding) for finding in findings]
        failed = [(_failure_label(failure), failure) for failure in failures]
        if (error := syntax_error(verdict)) is not None:
            self._show(_NOT_YET, error.message, entries)
        elif failed and verdict.risk is Risk.LOW:
            self._show(failed[0][0], f"{failed[0][1].message} {sentence}", [*failed, *entries])
        else:
            self._show(risk_word(verdict.risk), sentence, [*entries, *failed])

    def sentence(self) -> str:
        return self._sentence.full_text()

    def badge(self) -> str:
        """The risk, or why the program cannot run; "" while there is no assessment."""
        return "" if self._badge.isHidden() else self._badge.text()

    def _show(self, word: Word | None, sentence: str, entries: Sequence[tuple[Word, Finding]]) -> None:
        self._picture.setVisible(word is not None)
        self._badge.setVisible(word is not None)
        if word is not None:
            self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
            mark(self._badge, role="badge", tone=word.tone)
            self._badge.setText(word.text)
        mark(self._sentence, role="muted" if word is None else "")
        self._sentence.setText(sentence)
        self._fill(sentence, entries[:_MAX_FINDINGS])
        self._more.setText(count_of(len(entries), "finding") if entries else "More")
        self._more.setVisible(bool(entries) or (self._compact and word is not None))
        if not self._compact and not entries:
            self._more.setChecked(False)

    def _fill(self, sentence: str, entries: Sequence[tuple[Word, Finding]]) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        if self._compact:
            column.addWidget(ForeignLabel(sentence))
        for word, finding in entries:
            column.addWidget(self._row(word, finding))
        column.addStretch(1)
        self._list.setWidget(page)
        if not self._compact:
            self._list.setFixedHeight(self._row_height() * min(len(entries), _VISIBLE_ROWS))

    def _keep_height(self) -> None:
        self._list.setFixedHeight(self._row_height() * _VISIBLE_ROWS)
        height = self.fontMetrics().lineSpacing() + self._theme.unit * 2
        for part in (self._sentence, self._badge, self._more):
            part.setFixedHeight(height)

    def _row_height(self) -> int:
        return self.fontMetrics().lineSpacing() + self._theme.unit * 2

    def _row(self, word: Word, finding: Finding) -> QWidget:
        unit, line = self._theme.unit, finding.span.line
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(unit * 2)
        picture = QLabel()
        picture.setPixmap(pixmap(word.icon, word.tone, unit * 4, self.devicePixelRatioF()))
        picture.setToolTip(word.text)
        link = QPushButton(f"line {line:,}")
        link.setAccessibleName(f"Go to line {line:,}")
        mark(link, kind="link")
        link.clicked.connect(partial(self._emit_line, line))
        layout.addWidget(picture)
        layout.addWidget(ForeignLabel(finding.message, elide=True), 1)
        layout.addWidget(link)
        return row

    def _emit_line(self, line: int, _checked: bool = False) -> None:
        self.line_wanted.emit(line)
