"""Reports private tool answers that go into tools that reach outside, or into output in a form that masking misses.

Passing a value that is made of a private answer, in whatever way, to a tool that reaches outside is of high risk. If
the data flow cannot exclude it, the program needs approval once. A row count or a sum reveals no personal data to a
model; a single value spelled out by its characters, its length or its hash does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from workbench.analysis.data_flow.expressions import EXPRESSIONS
from workbench.analysis.data_flow.program_scopes import ProgramScopes
from workbench.analysis.data_flow.statements import STATEMENTS
from workbench.analysis.data_flow.value_origins import DERIVED, PRIVATE, UNKNOWN, UNTRUSTED, WHEN, AnswerOrigin
from workbench.analysis.data_flow.value_tracker import FlowSyntax, TrackedCall, TrackedFlows, ValueTracker
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.program_report import NotedToolUse, ProgramReport
from workbench.analysis.interpreter.values import ValueSource
from workbench.permissions import tool_annotations
from workbench.permissions.tool_annotations import facts_of
from workbench.records import EffectKind, Risk, Tool, Verdict

_OPAQUE = "code"  # name of the fact that text is run as code


def find_leaks(interpreter: Interpreter, tree: ast.Module) -> None:
    """Add the findings of the data-flow analysis to the report of an interpreted program."""
    report = interpreter.report
    uses = list(report.uses.values())
    if not any(facts_of(use.tool).private or facts_of(use.tool).reaches_outside for use in uses):
        return
    flows = follow_values(interpreter, tree)
    flows.complete = flows.complete and _OPAQUE not in report.facts and not report.dynamic
    private = _private_sources(flows, uses)
    for call in flows.calls.values():
        _judge_call(interpreter, call, flows, private)
    _judge_uncertain(interpreter, flows, uses, private)
    for node, origins in flows.outputs.items():
        _judge_output(interpreter, node, origins)


def follow_values(interpreter: Interpreter, tree: ast.Module) -> TrackedFlows:
    """Return the origins of the call arguments and the output of an interpreted program."""
    known = {node: [tool for tool, _ in found.values()] for node, found in interpreter.tool_calls.items()}
    try:
        scopes = ProgramScopes(tree)
    except RecursionError:
        return TrackedFlows(complete=False)
    return ValueTracker(tree, scopes, FlowSyntax(STATEMENTS, EXPRESSIONS), interpreter.tool_lookup, known).follow()


def _private_sources(flows: TrackedFlows, uses: Iterable[NotedToolUse]) -> dict[str, AnswerOrigin]:
    """Return the private answer to report of each server."""
    found = [one for one in flows.sources if one.kind == PRIVATE]
    followed = {one.label for one in found}
    others = (use for use in uses if facts_of(use.tool).private and use.full_name not in followed)
    found += [AnswerOrigin(PRIVATE, use.full_name, use.line, use.tool.server) for use in others]
    found.sort(key=_report_order, reverse=True)
    return {one.server: one for one in found}  # the last one stays, which is the nearest


# ── Tools that reach outside ────────────────────────────────────────────────────────────────────────────
def _judge_call(
    interpreter: Interpreter, call: TrackedCall, flows: TrackedFlows, private: Mapping[str, AnswerOrigin]
) -> None:
    tool, given = call.tool, call.arguments
    if not tool_annotations.reaches_outside(tool, given):
        return
    report, span, name = interpreter.report, interpreter.span(call.node), f"{tool.server}.{tool.name}"
    gets = {  # servers whose data gets a new recipient
        server: tool_annotations.reaches_new_recipient(tool, server, given)
        for server in private.keys() | {o.server for origins in given.values() for o in origins if o.kind == PRIVATE}
    }
    new = [one for server, one in private.items() if gets[server]]
    names_hosts = bool(new) and tool_annotations.reads_named_hosts(tool, given)
    for argument, origins in given.items():
        if source := _nearest(one for one in origins if one.kind == PRIVATE and gets[one.server]):
            report.may_carry.add(name)
            report.add_flow(ValueSource(PRIVATE, source.label, source.line), _sink(name, argument), span)
            words = _describe_leak(source, name, argument)
            report.add(
                "flow.private",
                Risk.HIGH,
                words,
                span,
                subject=name,
                effect=EffectKind.MAY,
                source=ValueSource(PRIVATE, source.label, source.line),
                argument=argument,
            )
        elif unknown := _nearest(one for one in origins if one.kind == UNKNOWN):
            report.may_carry.add(name)
            if new:
                _add_unclear(report, interpreter, call.node, name, new, f"it may come through {unknown.label}")
        if names_hosts and argument != WHEN:
            stranger = _nearest(one for one in origins if one.kind == UNTRUSTED)
            if stranger is not None:
                report.add_flow(ValueSource(UNTRUSTED, stranger.label, stranger.line), _sink(name, argument), span)
                words = (
                    f"The destination of {name} is chosen by content from {stranger.label} (line {stranger.line}), and"
                    f" the program also reads private data"
                )
                report.add(
                    "flow.destination",
                    Risk.HIGH,
                    words,
                    span,
                    subject=name,
                    effect=EffectKind.MAY,
                    source=ValueSource(UNTRUSTED, stranger.label, stranger.line),
                    argument=argument,
                )


def _judge_uncertain(
    interpreter: Interpreter, flows: TrackedFlows, uses: list[NotedToolUse], private: Mapping[str, AnswerOrigin]
) -> None:
    """Add findings for calls that the data flow does not cover.

    These are text run as code, large programs, and names made at run time."""
    report = interpreter.report
    followed = {(call.tool.server, call.tool.name) for call in flows.calls.values()}
    blind = any(one.kind == UNKNOWN or one.kind == PRIVATE for one in flows.blind)
    places = {key: node for node in reversed(interpreter.tool_calls) for key in interpreter.tool_calls[node]}
    for use in uses:
        tool = use.tool
        if not facts_of(tool).reaches_outside:
            continue
        if flows.complete and not blind and (tool.server, tool.name) in followed:
            continue
        name = use.full_name
        report.may_carry.add(name)
        new = [one for server, one in private.items() if tool_annotations.reaches_new_recipient(tool, server)]
        place = places.get((tool.server, tool.name))
        if new and place is not None:
            _add_unclear(report, interpreter, place, name, new, "not every value of the program could be followed")


def _add_unclear(
    report: ProgramReport, interpreter: Interpreter, node: ast.AST, name: str, private: Iterable[AnswerOrigin], why: str
) -> None:
    source = _nearest(private)
    if source is None:
        return
    words = f"Whether data from {source.label} (line {source.line}) goes to {name} cannot be determined: {why}"
    span = interpreter.span(node)
    report.add_flow(ValueSource(PRIVATE, source.label, source.line), name, span)
    report.add("flow.unclear", Risk.HIGH, words, span, subject=name, effect=EffectKind.MAY, reversible=False)


def _nearest(origins: Iterable[AnswerOrigin]) -> AnswerOrigin | None:
    """Return the best origin to report: passed-on data before data that is only derived, then the earliest line."""
    return min(origins, key=_report_order, default=None)


def _report_order(one: AnswerOrigin) -> tuple[bool, int, str]:
    return one.form == DERIVED, one.line, one.label


def _sink(name: str, argument: str) -> str:
    return f"{name}.{argument}" if argument.isidentifier() else name


def _describe_leak(source: AnswerOrigin, name: str, argument: str) -> str:
    if argument == WHEN:
        return f"Data from {source.label} (line {source.line}) decides whether {name} is called"
    if source.form == DERIVED:
        return f"What is sent to {name} depends on data from {source.label} (line {source.line})"
    place = f" ({argument})" if argument.isidentifier() else ""
    return f"Data from {source.label} (line {source.line}) goes to {name}{place}"


# ── Output ──────────────────────────────────────────────────────────────────────────────────────────────
def _judge_output(interpreter: Interpreter, node: ast.AST, origins: Iterable[AnswerOrigin]) -> None:
    source = min(origins, key=lambda one: (one.line, one.label, one.how, one.key), default=None)
    if source is None:
        return
    what = f"“{source.key}” of {source.label}" if source.key else f"a value of {source.label}"
    words = f"Outputs {what} (line {source.line}) by {source.how or 'its parts'}, where masking does not find it"
    interpreter.report.add(
        "flow.spelled", Risk.HIGH, words, interpreter.span(node), subject=source.label, effect=EffectKind.MAY
    )


# ── Programs that run together ──────────────────────────────────────────────────────────────────────────
def find_leak_between(one: Verdict, other: Verdict, tools: Sequence[Tool]) -> tuple[str, str] | None:
    """Return the tool whose private answers one program reads and the tool by which the other may send them outside.

    The data flow between a program and a saved skill is visible in neither text alone."""
    known = {(tool.server, tool.name): tool for tool in tools}
    for reading, asking in ((one, other), (other, one)):
        read = [tool for use in reading.tools if (tool := known.get((use.server, use.tool))) and facts_of(tool).private]
        reaching = [
            tool
            for use in asking.tools
            if (tool := known.get((use.server, use.tool))) and facts_of(tool).reaches_outside
        ]
        for tool in reaching:
            source = next((found for found in read if tool_annotations.reaches_new_recipient(tool, found.server)), None)
            if source is not None:
                return f"{source.server}.{source.name}", f"{tool.server}.{tool.name}"
    return None
