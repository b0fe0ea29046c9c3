"""Judges where private answers go: into tools that reach outside, and into output in a form that no masking finds.

A value that is made of a private answer, in whatever way, and given to a tool that reaches somebody else is of high
risk. Where reading cannot exclude it, the program asks once. What a number of rows or a sum tells the model is nobody's
secret; a single value spelled out by its characters, its length or its hash is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from workbench.permissions import tool_annotations
from workbench.policy.data_flow import Call, Flows, Follower
from workbench.policy.reader import Reader
from workbench.policy.report import Report, Use
from workbench.policy.value import Source
from workbench.policy.value_origins import DERIVED, PRIVATE, UNKNOWN, UNTRUSTED, WHEN, Origin
from workbench.records import EffectKind, Risk, Tool, Verdict

_OPAQUE = "code"  # the fact that text is run as code


def find_leaks(reader: Reader, tree: ast.Module) -> None:
    """Add what follows from the flow of values to the findings of a program that was read by names."""
    report = reader.report
    uses = list(report.uses.values())
    if not any(tool_annotations.private(use.tool) or tool_annotations.reaches_outside(use.tool) for use in uses):
        return
    flows = Follower(tree, reader.toolbook, _calls(reader)).follow()
    flows.complete = flows.complete and _OPAQUE not in report.facts and not report.dynamic
    private = [one for one in flows.sources if one.kind == PRIVATE]
    private += [_source(use) for use in uses if tool_annotations.private(use.tool) and not _among(use.tool, private)]
    for call in flows.calls.values():
        _judge_call(reader, call, flows, private)
    _judge_uncertain(reader, flows, uses, private)
    for node, origins in flows.outputs.items():
        _judge_output(reader, node, origins)


def _calls(reader: Reader) -> dict[ast.AST, Iterable[Tool]]:
    return {node: [tool for tool, _ in found.values()] for node, found in reader.tool_calls.items()}


def _source(use: Use) -> Origin:
    return Origin(PRIVATE, f"{use.tool.server}.{use.tool.name}", use.line, use.tool.server)


def _among(tool: Tool, origins: Iterable[Origin]) -> bool:
    return any(one.label == f"{tool.server}.{tool.name}" for one in origins)


# ── tools that reach outside ─────────────────────────────────────────────────────────────────────────
def _judge_call(reader: Reader, call: Call, flows: Flows, private: list[Origin]) -> None:
    tool, given = call.tool, call.arguments
    if not tool_annotations.reaches_outside(tool, given):
        return
    report, span, name = reader.report, reader.span(call.node), f"{tool.server}.{tool.name}"
    new = [one for one in private if tool_annotations.hears(tool, one.server, given)]
    for argument, origins in given.items():
        if source := _nearest(
            one for one in origins if one.kind == PRIVATE and tool_annotations.hears(tool, one.server, given)
        ):
            report.may_carry.add(name)
            report.flow(Source(PRIVATE, source.label, source.line), _sink(name, argument), span)
            words = _words(source, name, argument)
            report.add("flow.private", Risk.HIGH, words, span, subject=name, effect=EffectKind.MAY, reversible=False)
        elif unknown := _nearest(one for one in origins if one.kind == UNKNOWN):
            report.may_carry.add(name)
            if new:
                _add_unclear(report, reader, call.node, name, new, f"it may come through {unknown.label}")
        if new and tool_annotations.asks_anywhere(tool, given) and argument != WHEN:
            stranger = _nearest(one for one in origins if one.kind == UNTRUSTED)
            if stranger is not None:
                report.flow(Source(UNTRUSTED, stranger.label, stranger.line), _sink(name, argument), span)
                words = (
                    f"Where {name} goes is chosen by content from {stranger.label} (line {stranger.line}), and private"
                    f" data is read beside"
                )
                report.add("flow.destination", Risk.HIGH, words, span, subject=name, effect=EffectKind.MAY)


def _judge_uncertain(reader: Reader, flows: Flows, uses: list[Use], private: list[Origin]) -> None:
    """Calls that the flow of values says nothing of: text that is run, programs too large, names made at run time."""
    report = reader.report
    followed = {(call.tool.server, call.tool.name) for call in flows.calls.values()}
    for use in uses:
        tool = use.tool
        if not tool_annotations.reaches_outside(tool):
            continue
        blind = any(one.kind == UNKNOWN or one.kind == PRIVATE for one in flows.blind)
        if flows.complete and not blind and (tool.server, tool.name) in followed:
            continue
        name = f"{tool.server}.{tool.name}"
        report.may_carry.add(name)
        if new := [one for one in private if tool_annotations.hears(tool, one.server)]:
            nodes = [node for node, found in reader.tool_calls.items() if (tool.server, tool.name) in found]
            for node in nodes[:1]:
                _add_unclear(report, reader, node, name, new, "not every value of the program could be followed")


def _add_unclear(report: Report, reader: Reader, node: ast.AST, name: str, private: Iterable[Origin], why: str) -> None:
    source = _nearest(private)
    if source is None:
        return
    words = f"Whether data from {source.label} (line {source.line}) goes to {name} cannot be read: {why}"
    span = reader.span(node)
    report.flow(Source(PRIVATE, source.label, source.line), name, span)
    report.add("flow.unclear", Risk.HIGH, words, span, subject=name, effect=EffectKind.MAY, reversible=False)


def _nearest(origins: Iterable[Origin]) -> Origin | None:
    """Of several, one whose data goes on itself before one that only has a say in it; then the earliest."""
    return min(origins, key=lambda one: (one.form == DERIVED, one.line, one.label), default=None)


def _sink(name: str, argument: str) -> str:
    return f"{name}.{argument}" if argument.isidentifier() else name


def _words(source: Origin, name: str, argument: str) -> str:
    if argument == WHEN:
        return f"Data from {source.label} (line {source.line}) decides whether {name} is called"
    if source.form == DERIVED:
        return f"What {name} is asked depends on data from {source.label} (line {source.line})"
    place = f" ({argument})" if argument.isidentifier() else ""
    return f"Data from {source.label} (line {source.line}) goes to {name}{place}"


# ── output ───────────────────────────────────────────────────────────────────────────────────────────
def _judge_output(reader: Reader, node: ast.AST, origins: Iterable[Origin]) -> None:
    source = min(origins, key=lambda one: (one.line, one.label, one.how, one.key), default=None)
    if source is None:
        return
    what = f"“{source.key}” of {source.label}" if source.key else f"a value of {source.label}"
    words = f"Spells out {what} (line {source.line}) by {source.how or 'its parts'}, where masking does not find it"
    reader.report.add("flow.spelled", Risk.HIGH, words, reader.span(node), subject=source.label, effect=EffectKind.MAY)


# ── texts that run together ──────────────────────────────────────────────────────────────────────────
def find_leak_between(one: Verdict, other: Verdict, tools: Sequence[Tool]) -> tuple[str, str] | None:
    """The tool whose private answers one text reads, and the tool of the other text that may carry them outside: what a
    program and a kept skill hand each other is read in neither of them."""
    known = {(tool.server, tool.name): tool for tool in tools}
    for reading, asking in ((one, other), (other, one)):
        read = [
            tool
            for use in reading.tools
            if (tool := known.get((use.server, use.tool))) and tool_annotations.private(tool)
        ]
        reaching = [
            tool
            for use in asking.tools
            if (tool := known.get((use.server, use.tool))) and tool_annotations.reaches_outside(tool)
        ]
        for tool in reaching:
            source = next((found for found in read if tool_annotations.hears(tool, found.server)), None)
            if source is not None:
                return f"{source.server}.{source.name}", f"{tool.server}.{tool.name}"
    return None
