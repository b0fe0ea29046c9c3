"""What is wrong with a text, and where: findings of the analyzer, or what a reader of the language stumbles over."""

from __future__ import annotations

import json
import re
import tomllib

from msgspec import Struct

from workbench.files import parse_toml
from workbench.gui.code_view import ORDER
from workbench.gui.text import visible
from workbench.gui.words import risk_word
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
