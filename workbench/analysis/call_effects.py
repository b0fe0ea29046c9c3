"""Attributes the data flows of a program to the nearest tool answers, and describes each tool call as one effect."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from workbench.analysis.data_flow.argument_sources import SinkCall, find_argument_sources
from workbench.analysis.data_flow.held_data import CallSource
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.program_report import MAX_FLOWS, NotedFinding, ProgramReport
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.analysis.interpreter.values import ValueSource
from workbench.permissions.tool_annotations import facts_of
from workbench.records import Flow, Risk, Tool


def explain_calls(interpreter: Interpreter, tree: ast.Module) -> None:
    """Replace the flows of the report by those of the nearest answers, and correct the findings that name them."""
    report = interpreter.report
    if not any(
        facts_of(use.tool).risk is not Risk.LOW or facts_of(use.tool).reaches_outside for use in report.uses.values()
    ):
        return
    known = {node: [tool for tool, _ in found.values()] for node, found in interpreter.tool_calls.items()}
    calls = find_argument_sources(tree, interpreter.tool_lookup, known)
    kinds = _SourceKinds(interpreter.tool_lookup)
    sinks: dict[tuple[str, int], list[SinkCall]] = {}
    for call in calls.values():
        sinks.setdefault((f"{call.tool.server}.{call.tool.name}", call.line), []).append(call)
    followed = {node for node, _, _ in calls}
    unfollowed = {
        (f"{tool.server}.{tool.name}", interpreter.span(node).line)
        for node, tools in known.items()
        if node not in followed
        for tool in tools
    }
    _attribute_flows(report, sinks, unfollowed, kinds)
    for key, note in report.notes.items():
        if note.source is not None and (found := sinks.get((note.finding.subject, note.finding.span.line))):
            report.notes[key] = _named_source(note, found, kinds)


class _SourceKinds:
    """The kinds of an answer: private, untrusted, both or none."""

    def __init__(self, tool_lookup: ToolLookup) -> None:
        self._lookup = tool_lookup
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, source: CallSource) -> tuple[str, ...]:
        if (found := self._known.get(source.name)) is None:
            tool = self._lookup.find(source.server, source.name[len(source.server) + 1 :])
            found = self._known[source.name] = _kinds(tool) if isinstance(tool, Tool) else ()
        return found


def _kinds(tool: Tool) -> tuple[str, ...]:
    facts = facts_of(tool)
    return tuple(kind for kind, has in (("private", facts.private), ("untrusted", facts.outsiders)) if has)


def _attribute_flows(
    report: ProgramReport,
    sinks: dict[tuple[str, int], list[SinkCall]],
    unfollowed: set[tuple[str, int]],
    kinds: _SourceKinds,
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
    for (name, line), calls in sinks.items():
        for call in calls:
            for argument, sources in call.arguments.items():
                for source in sorted(sources, key=lambda one: (one.line, one.name)):
                    for kind in kinds.of(source):
                        if facts_of(call.tool).risk is not Risk.LOW or kind in noted.get((name, line), ()):
                            sink = f"{name}.{argument}" if argument.isidentifier() else name
                            flows[Flow(kind, source.name, source.line, sink, line)] = None
    report.flows = dict.fromkeys(list(flows)[:MAX_FLOWS])


def _named_source(note: NotedFinding, calls: list[SinkCall], kinds: _SourceKinds) -> NotedFinding:
    """Return the finding with the nearest answer as its source, in the same argument if that holds one."""
    source = note.source
    assert source is not None
    held = {
        argument: sorted((one for one in sources if source.kind in kinds.of(one)), key=lambda one: (one.line, one.name))
        for call in calls
        for argument, sources in call.arguments.items()
    }
    nearest = held.get(note.argument)
    if not nearest or any((one.name, one.line) == (source.label, source.line) for one in nearest):
        return note
    message = note.finding.message.replace(_place(source), _place(nearest[0]), 1)
    effect = replace(note.effect, text=message) if note.effect is not None else None
    named = ValueSource(source.kind, nearest[0].name, nearest[0].line)
    return replace(note, finding=replace(note.finding, message=message), effect=effect, source=named)


def _place(source: ValueSource | CallSource) -> str:
    label = source.label if isinstance(source, ValueSource) else source.name
    return f"{label} (line {source.line})"
