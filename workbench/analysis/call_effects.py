"""Attributes the data flows of a program to the nearest tool answers, and states each tool call as one effect.

The interpreter notes calls and flows while it reads; what a call gets is known only afterwards. A finding about a flow
that the sentence of a call already names is no effect of its own: each fact is said once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from math import prod
from typing import TypeAlias

from msgspec.structs import replace

from workbench.analysis.call_sentences import CallDescriber, CallText, SourceFacts, limit_of, objects_of, path_of
from workbench.analysis.data_flow.argument_sources import SinkCall, find_argument_sources
from workbench.analysis.data_flow.held_data import NO_SOURCES, CallSource, CallSources
from workbench.analysis.interpreter.certain_constants import CertainConstants
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.program_report import MAX_FLOWS, NotedFinding, ProgramReport
from workbench.analysis.interpreter.tool_calls import noted_texts
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.analysis.interpreter.values import NOTHING, SOME, UNKNOWN, Arguments, ValueSource
from workbench.analysis.sql_statements import SqlClass
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.tool_annotations import facts_of
from workbench.records import Flow, Risk, Span, Tool
from workbench.records.common_types import worst

CALL = "tool.call"
_ABOUT_ARGUMENTS = ("tool.sql", "tool.path", "tool.address")  # findings that the sentence of the call states
_ABOUT_FLOWS = ("flow.private", "flow.destination", "flow.decides")
MOST_TIMES = 100  # calls of a loop beyond which their number counts as unknown
_CallKey: TypeAlias = tuple[ast.AST, str, str]  # call, server and tool
_NoteKey: TypeAlias = tuple[str, Span, str]
_Sinks = dict[tuple[str, int], list[SinkCall]]  # by "server.tool" and line


def restrict_constants(interpreter: Interpreter, *, is_skill: bool = False) -> None:
    """Mark the arguments of the program's tool calls that may have other values than the interpreter has found."""
    every = interpreter.every_arguments
    if not any(value for arguments in every.values() for one in arguments for value in (*one.every, *one.keys)):
        return
    try:
        certain = CertainConstants(
            interpreter.nodes,
            interpreter.changed_values,
            lambda node, name: _has_constant(interpreter, node, name),
            is_skill,
        )
        _restrict_calls(interpreter, certain)
    except RecursionError:  # nothing is certain of a program that is too deeply nested
        _restrict_calls(interpreter, None)


def _restrict_calls(interpreter: Interpreter, certain: CertainConstants | None) -> None:
    for node, tools in interpreter.tool_calls.items():
        for place, (tool, arguments) in tools.items():
            tools[place] = tool, certain.restrict(node, arguments) if certain is not None else Arguments(loose=SOME)
    for (node, _, _), passes in interpreter.every_arguments.items():
        passes[:] = [certain.restrict(node, one) if certain is not None else Arguments(loose=SOME) for one in passes]


def _has_constant(interpreter: Interpreter, node: ast.AST, name: str) -> bool:
    value = interpreter.facts_of(node).parameters.get(name, NOTHING)
    return value.items is not None or bool(value.choices) or value.const is not UNKNOWN


def explain_calls(interpreter: Interpreter, tree: ast.Module) -> None:
    """State what each tool call does. Flows get the nearest answers as sources, and so do findings about them."""
    report = interpreter.report
    calls, written = _followed_calls(interpreter, tree)
    sinks: _Sinks = {}
    for call in calls.values():
        sinks.setdefault((_name(call.tool), call.line), []).append(call)
    facts = _source_facts(interpreter, calls.values(), written)
    if calls:
        _attribute_flows(report, sinks, _unfollowed_calls(interpreter, calls), facts)
    for key, note in report.notes.items():
        if note.source is not None and (found := sinks.get((note.finding.subject, note.finding.span.line))):
            report.notes[key] = _named_source(note, found, facts)
    describer = CallDescriber(facts)
    _name_written_data(report, describer, written)
    about = _findings_about_calls(report)
    looped = {(use.full_name, use.line) for use in report.uses.values() if use.looped}
    often = {(use.full_name, use.line) for use in report.uses.values() if use.often}
    for node, tools in interpreter.tool_calls.items():
        for tool, given in tools.values():
            place = (_name(tool), interpreter.span(node).line)
            texts = noted_texts(tool, interpreter.every_arguments.get((node, tool.server, tool.name), ()))
            sink = calls.get((node, tool.server, tool.name))
            said = describer.describe(tool, given, texts, sink, place in looped, place not in often)
            _state_call(report, interpreter.span(node), place[0], said, about)
    _count_calls(interpreter, calls)


def _count_calls(interpreter: Interpreter, calls: Mapping[_CallKey, SinkCall]) -> None:
    """Note how often a line calls a tool, if its loops run over what the text shows and no answer of a tool goes in."""
    times: dict[tuple[str, int], int] = {}
    for node, tools in interpreter.tool_calls.items():
        for tool, _ in tools.values():
            place = _name(tool), interpreter.span(node).line
            times[place] = times.get(place, 0) + _most_calls(calls.get((node, tool.server, tool.name)))
    for use in interpreter.report.uses.values():
        known = times.get((use.full_name, use.line), MOST_TIMES)
        if use.often and not use.indirect and known < MOST_TIMES:
            use.often, use.times = False, max(1, known)


def _most_calls(call: SinkCall | None) -> int:
    """Return how often the loops around a call repeat it; MOST_TIMES if that is not known."""
    if call is None or not call.loops or any(call.arguments.values()):
        return MOST_TIMES
    return prod(MOST_TIMES if one.times is None or one.over else one.times for one in call.loops)


def _name_written_data(report: ProgramReport, describer: CallDescriber, written: CallSources) -> None:
    """Say which answers the written file holds, if the program writes only one."""
    notes = [(key, note) for key, note in report.notes.items() if note.finding.rule == ProgramAction.WRITE.value]
    if not written or len(notes) != 1:
        return
    key, note = notes[0]
    text = f"{note.finding.message} with {describer.data_of(written)}"
    effect = replace(note.effect, text=text) if note.effect is not None else None
    report.notes[key] = replace(note, finding=replace(note.finding, message=text), effect=effect)


def _followed_calls(interpreter: Interpreter, tree: ast.Module) -> tuple[dict[_CallKey, SinkCall], CallSources]:
    """Return the calls with the sources of their arguments, and the sources of what is written to files, unless nothing
    can be passed on."""
    facts = [facts_of(use.tool) for use in interpreter.report.uses.values()]
    writes = bool(facts) and any(
        one.finding.rule == ProgramAction.WRITE.value for one in interpreter.report.notes.values()
    )
    passes_on = writes or any(one.risk is not Risk.LOW or one.reaches_outside for one in facts)
    if interpreter.anchor is not None or not passes_on:
        return {}, NO_SOURCES
    known = {node: [tool for tool, _ in found.values()] for node, found in interpreter.tool_calls.items()}
    return find_argument_sources(tree, interpreter.tool_lookup, known)


def _unfollowed_calls(interpreter: Interpreter, calls: Iterable[tuple[ast.AST, str, str]]) -> set[tuple[str, int]]:
    followed = {node for node, _, _ in calls}
    return {
        (_name(tool), interpreter.span(node).line)
        for node, tools in interpreter.tool_calls.items()
        if node not in followed
        for tool, _ in tools.values()
    }


def _source_facts(
    interpreter: Interpreter, calls: Iterable[SinkCall], written: CallSources
) -> dict[CallSource, SourceFacts]:
    """Return what is known of each answer that an argument or a file holds or that a loop runs over."""
    calls = tuple(calls)
    sources = {source for call in calls for held in call.arguments.values() for source in held}
    sources |= {source for call in calls for loop in call.loops for source in loop.over}
    sources |= written
    limits: dict[tuple[str, int], int | None] = {}
    paths: dict[tuple[str, int], set[str]] = {}
    objects: dict[tuple[str, int], set[tuple[str, str]]] = {}
    for node, tools in interpreter.tool_calls.items():
        for tool, given in tools.values():
            place = (_name(tool), interpreter.span(node).line)
            limits[place] = limit_of(given)
            every = interpreter.every_arguments.get((node, tool.server, tool.name), (given,))
            paths.setdefault(place, set()).update(path_of(tool, one) for one in every)
            objects.setdefault(place, set()).update(objects_of(tool, one) for one in every)
    found = {}
    for source in sources:
        tool = _tool_of(interpreter.tool_lookup, source)
        facts, limit = facts_of(tool), limits.get((source.name, source.line))
        read = paths.get((source.name, source.line), ())
        path = next(iter(read)) if len(read) == 1 else ""
        about = objects.get((source.name, source.line), ())
        object_id, where = next(iter(about)) if len(about) == 1 else ("", "")
        found[source] = SourceFacts(tool, facts.private, facts.outsiders, limit, path, object_id, where)
    return found


def _tool_of(tool_lookup: ToolLookup, source: CallSource) -> Tool:
    name = source.name[len(source.server) + 1 :]
    found = tool_lookup.find(source.server, name)
    return found if isinstance(found, Tool) else Tool(source.server, name)


def _name(tool: Tool) -> str:
    return f"{tool.server}.{tool.name}"


# ── Flows ───────────────────────────────────────────────────────────────────────────────────────────────
def _attribute_flows(
    report: ProgramReport,
    sinks: _Sinks,
    unfollowed: set[tuple[str, int]],
    facts: Mapping[CallSource, SourceFacts],
) -> None:
    """Replace the flows into calls whose arguments were followed. Flows into other calls stay as they were found."""
    flows: dict[Flow, None] = {}
    noted: dict[tuple[str, int], set[str]] = {}
    used = {use.full_name for use in report.uses.values()}
    for flow in report.flows:
        name = flow.sink if flow.sink in used else flow.sink.rpartition(".")[0]
        place = (name, flow.sink_line)
        if name not in used or (place in unfollowed and place not in sinks):
            flows[flow] = None
        else:
            noted.setdefault(place, set()).add(flow.kind)
    for place, calls in sinks.items():
        for call in calls:
            changes = facts_of(call.tool).risk is not Risk.LOW
            for flow in _flows_into(call, facts):
                if changes or flow.kind in noted.get(place, ()):
                    flows[flow] = None
    report.flows = dict.fromkeys(list(flows)[:MAX_FLOWS])


def _flows_into(call: SinkCall, facts: Mapping[CallSource, SourceFacts]) -> Iterable[Flow]:
    name = _name(call.tool)
    for argument, sources in call.arguments.items():
        sink = f"{name}.{argument}" if argument.isidentifier() else name
        for source in sorted(sources, key=lambda one: (one.line, one.name)):
            for kind, has in (("private", facts[source].private), ("untrusted", facts[source].untrusted)):
                if has:
                    yield Flow(kind, source.name, source.line, sink, call.line)


def _named_source(note: NotedFinding, calls: list[SinkCall], facts: Mapping[CallSource, SourceFacts]) -> NotedFinding:
    """Return the finding with the nearest answer as its source, if the same argument holds one of this kind."""
    source = note.source
    assert source is not None
    held = {one for call in calls for one in call.arguments.get(note.argument, ())}
    private = source.kind == "private"
    nearest = [one for one in held if (facts[one].private if private else facts[one].untrusted)]
    if not nearest or any((one.name, one.line) == (source.label, source.line) for one in nearest):
        return note
    first = min(nearest, key=lambda one: (one.line, one.name))
    message = note.finding.message.replace(_place(source.label, source.line), _place(first.name, first.line), 1)
    effect = replace(note.effect, text=message) if note.effect is not None else None
    named = ValueSource(source.kind, first.name, first.line)
    return replace(note, finding=replace(note.finding, message=message), effect=effect, source=named)


def _place(label: str, line: int) -> str:
    return f"{label} (line {line})"


# ── Sentences ───────────────────────────────────────────────────────────────────────────────────────────
def _findings_about_calls(report: ProgramReport) -> dict[Span, list[_NoteKey]]:
    """Return the findings that the sentence of a call may state, by place."""
    found: dict[Span, list[_NoteKey]] = {}
    for key in report.notes:
        if key[0] in _ABOUT_ARGUMENTS or key[0] in _ABOUT_FLOWS:
            found.setdefault(key[1], []).append(key)
    return found


def _state_call(
    report: ProgramReport, span: Span, name: str, said: CallText, about: Mapping[Span, list[_NoteKey]]
) -> None:
    """Replace the sentence of a call, and take findings that it states off the list of effects."""
    note = report.notes.get((CALL, span, name))
    if note is None or note.effect is None:
        return
    linked = [(key, one) for key in about.get(span, ()) if _is_linked(one := report.notes[key], name)]
    text = said.text + "".join(dict.fromkeys(_unsaid(one, said) for _, one in linked))
    risk = worst((note.finding.risk, *(one.finding.risk for _, one in linked)))
    risk = Risk.CRITICAL if said.secret else risk
    reversible = False if said.sends else note.effect.reversible
    if said.sql is not None:
        reversible = {SqlClass.READS: True, SqlClass.ADDS: None, SqlClass.UNKNOWN: None}.get(said.sql, False)
    unverified = note.effect.unverified and risk is note.finding.risk  # not if something else makes it as risky
    effect = replace(note.effect, text=text, risk=risk, reversible=reversible, unverified=unverified)
    finding = replace(note.finding, message=text, risk=risk if said.secret else note.finding.risk)
    report.notes[CALL, span, name] = replace(note, finding=finding, effect=effect)
    for key, one in linked:
        if one.finding.rule != "tool.sql" or said.sql is not None:
            report.notes[key] = replace(one, effect=None)


def _is_linked(note: NotedFinding, name: str) -> bool:
    """Return whether a finding at the place of a call is about that call."""
    finding = note.finding
    about_flow = finding.rule in _ABOUT_FLOWS and finding.subject == name
    return about_flow or (finding.rule in _ABOUT_ARGUMENTS and name in finding.message)


def _unsaid(note: NotedFinding, said: CallText) -> str:
    """Return what a finding about a flow says and the sentence of the call does not, as the end of that sentence."""
    source = note.source
    if source is None or (source.label, source.line) in said.sources:
        return ""
    place = f"({source.label}, line {source.line})"
    if note.finding.rule == "flow.destination":
        return f", to a destination chosen by outsiders' text {place}"
    if note.finding.rule == "flow.decides":
        return f", decided by outsiders' text {place}"
    return f", depending on private data {place}"
