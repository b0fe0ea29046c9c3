"""Interprets tool calls: which tool, how risky, in a loop or not, and which data goes into it."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.analysis.interpreter.dangerous_tool_arguments import check_arguments
from workbench.analysis.interpreter.effects import first, flow_out
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.program_report import NotedToolUse
from workbench.analysis.interpreter.tool_lookup import UnknownTool
from workbench.analysis.interpreter.values import Arguments, Value, ValueSource
from workbench.permissions import tool_annotations, tool_verbs
from workbench.permissions.tool_annotations import contradicts, sends, tool_risk
from workbench.records import EffectKind, Risk, Span, Tool
from workbench.records.risk_levels import at_least, raised

_NO_ARGUMENTS = Arguments()


def is_tool(ref: str) -> bool:
    """Whether a dotted name is a wrapper function: `servers.demo.list_orders`."""
    return ref.startswith("servers.") and ref.count(".") >= 2


def note_tool(interpreter: Interpreter, node: ast.AST, ref: str, arguments: Arguments = _NO_ARGUMENTS) -> Value:
    """A wrapper function is called or handed on."""
    _, server, name, *_ = ref.split(".")
    interpreter.report.servers.add(server)
    return use_tool(interpreter, node, interpreter.toolbook.find(server, name), arguments)


def use_tool(interpreter: Interpreter, node: ast.AST, found: Tool | UnknownTool, arguments: Arguments) -> Value:
    """Note the use of a tool and say what its answer carries."""
    if isinstance(found, UnknownTool):
        return _unlisted(interpreter, node, found)
    span, looped = interpreter.span(node), interpreter.loops > 0
    calls = interpreter.tool_calls.setdefault(node, {})
    if arguments is not _NO_ARGUMENTS or (found.server, found.name) not in calls:
        calls[found.server, found.name] = found, arguments
    risk, words = _judged(found, looped)
    certainty = EffectKind.MAY if interpreter.branches > interpreter.loops else EffectKind.WILL
    name = f"{found.server}.{found.name}"
    interpreter.report.add("tool.call", risk, words, span, subject=name, effect=certainty, reversible=reversible(found))
    once = isinstance(node, ast.Call) and not looped and interpreter.current is None and interpreter.anchor is None
    interpreter.report.use(NotedToolUse(found, span.line, risk, looped, often=not once))
    check_arguments(interpreter, span, found, arguments)
    _check_flow(interpreter, node, found, arguments)
    asked = frozenset(source if source.indirect else replace(source, indirect=True) for source in arguments.taint)
    return Value(taint=_origin(found, span) | asked)


def _judged(tool: Tool, looped: bool) -> tuple[Risk, str]:
    """How risky one use is, and its words; sending in a loop weighs more."""
    risk = tool_risk(tool)
    if looped and risk is Risk.MEDIUM and sends(tool):
        risk = raised(risk)
    return risk, use_words(tool, looped and at_least(risk, Risk.MEDIUM))


def note_dynamic(interpreter: Interpreter, node: ast.AST) -> Value:
    """Which tool is called is decided at run time."""
    words = "Which tool is called is chosen at run time"
    interpreter.report.add("tool.dynamic", Risk.HIGH, words, interpreter.span(node), effect=EffectKind.MAY)
    interpreter.report.not_assessed[
        "Tools whose names are only known at run time; calls that could change something are refused."
    ] = None
    interpreter.report.dynamic = True
    return Value(taint=frozenset({ValueSource("untrusted", "a tool chosen at run time", interpreter.span(node).line)}))


def use_words(tool: Tool, looped: bool) -> str:
    """One use of a tool as a person reads it."""
    name = f"{tool.server}.{tool.name}"
    often = " in a loop" if looped else ""
    said = tool_verbs.phrase(tool.name)
    if contradicts(tool):
        return f"Calls {name}{often}, which claims to read only but whose name says otherwise"
    if tool_risk(tool) is Risk.LOW:
        return f"Reads with {name}"
    doubt = _doubt(tool)
    return f"{said} through {name}{often}{doubt}" if said else f"Calls {name}{often}, which may change data"


def _doubt(tool: Tool) -> str:
    """Why less is known of a tool than its server says of it."""
    if tool.hints.read_only is not None or tool.hints.destructive is not None:
        return ""
    claims = tool.claimed or tool.hints
    silent = claims.read_only is None and claims.destructive is None
    return ", which its server does not describe" if silent else ", by the word of a server you do not trust yet"


def reversible(tool: Tool) -> bool | None:
    """Reading leaves nothing behind; sending and destroying cannot be taken back."""
    if tool_risk(tool) is Risk.LOW:
        return True
    return False if sends(tool) or tool_verbs.destroys(tool.name) or tool.hints.destructive else None


def _unlisted(interpreter: Interpreter, node: ast.AST, found: UnknownTool) -> Value:
    """It may never be called, or be caught; what is certain to fail is told before a run, by those who know."""
    name = f"{found.server}.{found.tool}".strip(".")
    if found.tool[:1].isupper() or found.tool.startswith("_"):  # packages also hold types, and what Python keeps
        return Value()
    words = f"There is no tool {name}" if found.server_known else f"There is no tool {name}: no such server is known"
    if found.nearest:
        words += f"; the nearest is {', '.join(found.nearest)}"
    interpreter.report.add(
        "tool.unknown", Risk.MEDIUM, words, interpreter.span(node), subject=name, effect=EffectKind.MAY
    )
    return Value()


def _check_flow(interpreter: Interpreter, node: ast.AST, tool: Tool, arguments: Arguments) -> None:
    name = f"{tool.server}.{tool.name}"
    risk = tool_risk(tool)
    if sends(tool):
        interpreter.report.fact("out", interpreter.span(node))
        for key, value in _by_weight(arguments):
            taint = value.taint
            if tool_verbs.sends(tool.name):
                taint = frozenset(replace(source, server="") for source in taint)
            flow_out(interpreter, node, name, taint, tool.server, key)
    if risk is Risk.LOW:
        return
    _note_flows(interpreter, node, name, arguments)
    for key, value in arguments.by_name():
        source = first(value.taint, "untrusted")
        if source and key in tool_verbs.DESTINATIONS:
            words = f"Where {name} goes ({key}) is chosen by content from {source.label} (line {source.line})"
            interpreter.report.add(
                "flow.destination", Risk.HIGH, words, interpreter.span(node), subject=name, effect=EffectKind.MAY
            )
    decides = first(arguments.taint | frozenset(interpreter.control), "untrusted")
    if decides and (at_least(risk, Risk.HIGH) or (sends(tool) and first(frozenset(interpreter.control), "untrusted"))):
        words = f"What {name} does is decided by content from {decides.label} (line {decides.line})"
        interpreter.report.add(
            "flow.decides", Risk.HIGH, words, interpreter.span(node), subject=name, effect=EffectKind.MAY
        )


def _by_weight(arguments: Arguments) -> list[tuple[str, Value]]:
    """What is sent before whom it is sent to: of a message to a customer, the customer's own address says least."""
    named = sorted(arguments.by_name(), key=lambda one: one[0] in tool_verbs.DESTINATIONS)
    return [*named, *(("", value) for value in arguments.positional)]


def _note_flows(interpreter: Interpreter, node: ast.AST, name: str, arguments: Arguments) -> None:
    """What was read elsewhere goes into a tool that may change something: where from, and into which argument."""
    given = [(f"{name}.{key}", value) for key, value in arguments.by_name()]
    for sink, value in [*given, *((name, value) for value in arguments.positional)]:
        for kind in ("untrusted", "private"):
            if source := first(value.taint, kind):
                interpreter.report.flow(source, sink, interpreter.span(node))


def _origin(tool: Tool, span: Span) -> frozenset[ValueSource]:
    name = f"{tool.server}.{tool.name}"
    kinds = [
        kind
        for kind, has in (("private", tool_annotations.private(tool)), ("untrusted", tool_annotations.outsiders(tool)))
        if has
    ]
    return frozenset(ValueSource(kind, name, span.line, tool.server) for kind in kinds)
