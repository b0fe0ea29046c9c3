"""What is wrong with a text and where, and the strip above the editor that shows the assessment."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence

from msgspec import Struct
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from workbench.files import parse_toml
from workbench.gui.code.code_view import ORDER
from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import RowsView, label, push_button
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import StateText, bounds_words, risk_word
from workbench.records import Finding, Risk, Verdict
from workbench.records.common_types import count_of

_TOML_PLACE = re.compile(r"\(at line (\d{1,9}), column (\d{1,9})\)")
_SYNTAX = "syntax"  # the rule of a finding that a text does not parse
_NOT_YET = StateText("Cannot run yet", "pencil", "muted")
_FAILS = StateText("Will fail", "alert", "warning")
_MAY_FAIL = StateText("May fail", "alert", "warning")


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


def _finding_label(finding: Finding) -> StateText:
    """A text that is still being typed is no risk."""
    return _NOT_YET if finding.rule == _SYNTAX else risk_word(finding.risk)


def _failure_label(failure: Finding) -> StateText:
    """The check of calls marks what is certain with medium risk and what is likely with low risk."""
    return _MAY_FAIL if failure.risk is Risk.LOW else _FAILS


def _problem(finding: Finding, word: StateText) -> Problem:
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

    def __init__(self, theme: Theme, *, compact: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._compact = compact
        unit = theme.unit
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._badge = label("", "badge", self)
        self._badge.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # the sentence may wrap
        self._sentence = ForeignLabel(elide=compact)
        self._more = push_button("", kind="link", checkable=True)
        parts = (self._picture, self._badge, self._sentence, self._more)
        head, self._added = row(None, *parts, spacing=unit * 2, grows=self._sentence), row(None, spacing=unit * 2)
        self._details = QWidget(self)
        self._full_sentence = ForeignLabel()
        self._full_sentence.setVisible(compact)
        self._findings = RowsModel(self)
        findings = RowsView(theme, "Findings")
        findings.setModel(self._findings)
        findings.chosen.connect(self._go_to_line)
        findings.clicked.connect(findings.doubleClicked)  # one click is enough
        column(self._details, self._full_sentence, findings, grows=findings)
        self._details.hide()
        first = FoldingRow(_FOLD_BELOW, head, self._added, unit * 2)
        column(self, first, self._details, margins=(unit * 3, unit) * 2, spacing=unit)
        self._more.toggled.connect(self._details.setVisible)
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

    def _show(self, word: StateText | None, sentence: str, entries: Sequence[tuple[StateText, Finding]]) -> None:
        self._picture.setVisible(word is not None)
        self._badge.setVisible(word is not None)
        if word is not None:
            self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
            mark(self._badge, tone=word.tone)
            self._badge.setText(word.text)
        mark(self._sentence, role="muted" if word is None else "")
        self._sentence.setText(sentence)
        self._full_sentence.setText(sentence)
        rows = [_finding_row(f"{number}", *entry) for number, entry in enumerate(entries[:_MAX_FINDINGS])]
        self._findings.show_rows(rows)
        if not self._compact:
            self._details.setFixedHeight(self._row_height() * min(len(rows), _VISIBLE_ROWS))
        self._more.setText(count_of(len(entries), "finding") if entries else "More")
        self._more.setVisible(bool(entries) or (self._compact and word is not None))
        if not self._compact and not entries:
            self._more.setChecked(False)

    def _keep_height(self) -> None:
        self._details.setFixedHeight(self._row_height() * _VISIBLE_ROWS)
        for part in (self._sentence, self._badge, self._more):
            part.setFixedHeight(self.fontMetrics().lineSpacing() + self._theme.unit * 2)

    def _row_height(self) -> int:
        return self.fontMetrics().lineSpacing() + self._theme.unit * 3

    def _go_to_line(self, key: str) -> None:
        if (line := int(key.partition(":")[2])) > 0:
            self.line_wanted.emit(line)


def _finding_row(key: str, word: StateText, finding: Finding) -> Row:
    line = finding.span.line
    return Row(
        f"{key}:{line}",
        visible(finding.message),
        aside=f"line {line:,}" if line > 0 else "",
        icon=word.icon,
        tone=word.tone,
        tip=f"{word.text}: {finding.message}",
    )
