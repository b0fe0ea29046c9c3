"""Reads one program and says what it would do, how risky that is, and what happens next by the rules alone."""

from __future__ import annotations

import ast
import time
import warnings
from collections.abc import Callable, Sequence

from workbench.policy.canonical import Canonical, canonical
from workbench.policy.conclusions import conclude, look_at_text
from workbench.policy.expressions import EXPRESSIONS, NAMING
from workbench.policy.impact import impact
from workbench.policy.leaks import find_leaks
from workbench.policy.levels import at_least, worst
from workbench.policy.lookalikes import look_alikes
from workbench.policy.reach import open_up
from workbench.policy.reader import OverCap, Reader, Syntax
from workbench.policy.report import Noted, Report
from workbench.policy.sentence import sentence
from workbench.policy.statements import STATEMENTS
from workbench.policy.toolbook import Toolbook, toolbook
from workbench.records import EffectKind, Finding, Flow, Gate, HostRule, Risk, Span, Tool, ToolUse, Verdict
from workbench.syntax import parse
from workbench.uncollected import uncollected

RULES = "6"  # changes whenever a rule does; a verdict of other rules is no verdict of these
DEEPEST = 3  # texts inside texts given to exec
SYNTAX = Syntax(STATEMENTS, EXPRESSIONS, NAMING)


def assess(code: str, tools: Sequence[Tool] | None, reach: Sequence[HostRule] | None = None) -> Verdict:
    """The verdict on this text; without a list of tools, tools are judged by their names alone. `reach`: the places
    that rules open; None: nothing is open, and nobody could open anything."""
    return assess_shaped(code, tools, lambda tree: None, reach)


def assess_shaped(
    code: str,
    tools: Sequence[Tool] | None,
    shape: Callable[[ast.Module], None],
    reach: Sequence[HostRule] | None = None,
) -> Verdict:
    """The same, after `shape` changed the tree to what is known of how the text runs."""
    text = canonical(code)
    report = Report()
    for fault in text.faults:
        report.add(fault.rule, fault.risk, fault.message, fault.span, subject=fault.subject, blocks=True)
    with uncollected():
        return _verdict(text, report if text.faults else _read(text.text, toolbook(tools), shape, reach), tools)


def _read(
    text: str, toolbook: Toolbook, shape: Callable[[ast.Module], None], reach: Sequence[HostRule] | None
) -> Report:
    tree = _parse(text)
    if isinstance(tree, Finding):
        report = Report()
        blocks = tree.rule == "syntax"
        report.add(
            tree.rule, tree.risk, tree.message, tree.span, blocks=blocks, effect=None if blocks else EffectKind.MAY
        )
        return report
    shape(tree)
    reader = Reader(text, toolbook, SYNTAX)
    _run(reader, tree)
    find_leaks(reader, tree)
    look_at_text(reader.report, text)
    look_alikes(reader.report, text, tree)
    _read_inner(reader.report, reader, 1)
    if reach is not None:
        open_up(reader.report, reach)
    conclude(reader.report)
    return reader.report


def _run(reader: Reader, tree: ast.Module) -> None:
    try:
        reader.read(tree)
    except OverCap:
        _incomplete(reader.report, "The program is too large to be read completely")
    except RecursionError:
        _incomplete(reader.report, "The program is too deeply nested to be read completely")


def _incomplete(report: Report, words: str) -> None:
    report.not_assessed[f"{words}."] = None
    report.add("cap", Risk.HIGH, words, Span(1, 0, 1, 0), effect=EffectKind.MAY)


def _parse(text: str) -> ast.Module | Finding:
    """The tree, or why there is none. `await` and `return` at the top level parse, and the runner takes them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is no news to a reviewer
            return parse(text)
    except SyntaxError as fault:
        words = f"Line {fault.lineno or 1} does not parse: {fault.msg}"
        column = max((fault.offset or 1) - 1, 0)
        line = fault.lineno or 1
        return Finding("syntax", Risk.HIGH, words, Span(line, column, line, column + 1))
    except ValueError as fault:
        return Finding("syntax", Risk.HIGH, f"Does not parse: {fault}", Span(1, 0, 1, 0))
    except (RecursionError, MemoryError):
        return Finding("cap", Risk.HIGH, "The program is too deeply nested to be read", Span(1, 0, 1, 0))


def _read_inner(report: Report, outer: Reader, depth: int) -> None:
    """Constant text given to exec is a program too; it is told at the place of the call."""
    for inner in outer.inner.values():
        if time.thread_time() > outer.deadline:
            _incomplete(report, "Its texts that are run as code are too many to be read completely")
            break
        tree = _parse(inner.text)
        if isinstance(tree, Finding):
            continue
        reader = Reader(inner.text, outer.toolbook, SYNTAX, inner.span, outer.deadline)
        _run(reader, tree)
        if depth < DEEPEST:
            _read_inner(reader.report, reader, depth + 1)
        report.take(reader.report)


def _verdict(text: Canonical, report: Report, tools: Sequence[Tool] | None) -> Verdict:
    findings = report.findings()
    risk = worst(finding.risk for finding in findings)
    if tools is None and report.uses:
        report.not_assessed["What the tools really do: they were judged by their names alone."] = None
    return Verdict(
        sha=text.sha,
        risk=risk,
        gate=_gate(report, risk),
        sentence=sentence(report),
        findings=findings,
        effects=report.effects(),
        tools=tuple(ToolUse(use.tool.server, use.tool.name, use.line, use.often) for use in report.uses.values()),
        not_assessed=tuple(report.not_assessed),
        rules=RULES,
        hosts=tuple(report.wanted),
        flows=_flows(report),
        impact=impact(report),
        lines=sum(1 for line in text.text.split("\n") if line.strip()),
        forks=report.forks,
        may_carry=tuple(sorted(report.may_carry)),
        definitions={f"{use.tool.server}.{use.tool.name}": use.tool.hash for use in report.uses.values()},
        skills=dict(sorted(report.skills.items(), key=lambda item: item[1])),
        any_skill=report.any_skill,
    )


def _flows(report: Report) -> tuple[Flow, ...]:
    """Each once: where the argument is known, the flow into the tool as a whole says nothing more."""
    into = {(flow.source, flow.line, flow.sink.rpartition(".")[0], flow.sink_line) for flow in report.flows}
    every = (one for one in report.flows if (one.source, one.line, one.sink, one.sink_line) not in into)
    return tuple(sorted(every, key=lambda one: (one.sink_line, one.line, one.sink)))


def _gate(report: Report, risk: Risk) -> Gate:
    if any(note.blocks for note in report.notes.values()):
        return Gate.BLOCKED
    if risk is Risk.LOW:
        return Gate.AUTO
    risky = [note for note in report.notes.values() if at_least(note.finding.risk, Risk.MEDIUM)]
    return Gate.REFUSED if all(map(_is_refused, risky)) else Gate.ASK


def _is_refused(note: Noted) -> bool:
    return note.effect is not None and note.effect.kind is EffectKind.REFUSED
