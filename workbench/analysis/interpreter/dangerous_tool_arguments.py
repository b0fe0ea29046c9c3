"""Checks the arguments of a tool call: texts that make even a reading tool change, reveal or execute something."""

from __future__ import annotations

from workbench.analysis.interpreter.effects import PathPlace, first, host, place
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.values import HOLE, Arguments, Value, each, text_of
from workbench.analysis.tables.patterns import CHANGING_SQL, INNER_ADDRESS, SHAPED_SQL
from workbench.analysis.tables.word_sets import names
from workbench.records import EffectKind, Risk, Span, Tool

_PATHS = names("path paths file filename file_path filepath uri source target directory folder")
_ADDRESSES = names("url uri urls link href endpoint address webhook image_url callback")
_SQL = names("sql statement statements command script")
_MAYBE_SQL = names("query q text")


def check_arguments(interpreter: Interpreter, span: Span, tool: Tool, arguments: Arguments) -> None:
    """Every named argument, in every text it may be."""
    for key, value in arguments.by_name():
        for choice in each(value):
            text = text_of(choice)
            _check_sql(interpreter, span, tool, key, text)
            if key in _PATHS:
                _check_path(interpreter, span, tool, text)
            if key in _ADDRESSES:
                _check_address(interpreter, span, tool, choice)


def _check_sql(interpreter: Interpreter, span: Span, tool: Tool, key: str, text: str) -> None:
    pattern = CHANGING_SQL if key in _SQL else SHAPED_SQL if key in _MAYBE_SQL else None
    if pattern and pattern.search(text):
        words = (
            f"Gives {_name(tool)} SQL that changes or reaches more than rows: {text[:80].strip().replace(HOLE, '…')}"
        )
        _add(interpreter, "tool.sql", Risk.HIGH, words, span, _name(tool))


def _check_path(interpreter: Interpreter, span: Span, tool: Tool, text: str) -> None:
    if place(text) is PathPlace.SENSITIVE:
        _add(interpreter, "tool.path", Risk.HIGH, f"Gives {_name(tool)} the sensitive path {_short(text)}", span, text)
        interpreter.report.fact("sensitive", span)
    elif text.startswith("../") or "/../../" in text:
        _add(
            interpreter, "tool.path", Risk.MEDIUM, f"Gives {_name(tool)} a path that climbs: {_short(text)}", span, text
        )


def _check_address(interpreter: Interpreter, span: Span, tool: Tool, value: Value) -> None:
    """An address inside the network is reached with the server's rights; data inside an address leaves with it."""
    text = text_of(value)
    if INNER_ADDRESS.match(text):
        words = f"Gives {_name(tool)} an address that only its machine should reach: {_short(text)}"
        _add(interpreter, "tool.address", Risk.HIGH, words, span, text)
    others = frozenset(source for source in value.taint if source.server != tool.server)
    source = first(others, "private")
    if source and text != HOLE and HOLE in text and "://" in text:
        words = f"Data from {source.label} (line {source.line}) goes to {host(text) or 'an address'} inside an address"
        _add(interpreter, "flow.private", Risk.HIGH, words, span, _name(tool))


def _add(interpreter: Interpreter, rule: str, risk: Risk, words: str, span: Span, subject: str) -> None:
    changes = rule in ("tool.sql", "flow.private")
    reversible = False if changes else None
    interpreter.report.add(rule, risk, words, span, subject=subject, effect=EffectKind.MAY, reversible=reversible)


def _short(text: str) -> str:
    return text[:80].replace(HOLE, "…")


def _name(tool: Tool) -> str:
    return f"{tool.server}.{tool.name}"
