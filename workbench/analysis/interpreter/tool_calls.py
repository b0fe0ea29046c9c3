"""Interprets tool calls: the tool, its risk, whether it is called in a loop, and the data passed to it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from workbench.analysis.interpreter.effects import host, note_outflow
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.path_places import PathPlace, place
from workbench.analysis.interpreter.program_report import NotedToolUse
from workbench.analysis.interpreter.tool_lookup import UnknownTool
from workbench.analysis.interpreter.values import (
    HOLE,
    SOME,
    Arguments,
    Value,
    ValueSource,
    each,
    first_of_kind,
    text_of,
)
from workbench.analysis.predicted_arguments import known_arguments
from workbench.analysis.sql_statements import SqlClass, describe_sql
from workbench.analysis.tables.dangerous_texts import CHANGING_SQL, INNER_ADDRESS, SHAPED_SQL
from workbench.analysis.visible_text import named, shorten
from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import facts_of, for_call, runs_sql
from workbench.permissions.word_sets import names
from workbench.records import EffectKind, Risk, Span, Standing, Tool, ToolGroup
from workbench.records.common_types import at_least, raised

MOST_PASSES = 40  # calls at one place whose arguments are kept; with more, they count as unknown
_NO_ARGUMENTS = Arguments()


def is_tool(ref: str) -> bool:
    """Return whether a dotted name is a wrapper function: `servers.demo.list_orders`."""
    return ref.startswith("servers.") and ref.count(".") >= 2


def note_tool(interpreter: Interpreter, node: ast.AST, ref: str, arguments: Arguments = _NO_ARGUMENTS) -> Value:
    """Note that a wrapper function is called or passed on."""
    _, server, name, *_ = ref.split(".")
    interpreter.report.servers.add(server)
    return use_tool(interpreter, node, interpreter.tool_lookup.find(server, name), arguments)


def use_tool(interpreter: Interpreter, node: ast.AST, found: Tool | UnknownTool, arguments: Arguments) -> Value:
    """Note the use of a tool and return its answer with its sources."""
    if isinstance(found, UnknownTool):
        return _note_unknown_tool(interpreter, node, found)
    if runs_sql(found):
        found = _as_used(found, interpreter.certain.restrict(node, arguments))
    span, looped = interpreter.span(node), interpreter.loops > 0
    calls = interpreter.tool_calls.setdefault(node, {})
    if arguments is not _NO_ARGUMENTS or (found.server, found.name) not in calls:
        calls[found.server, found.name] = found, arguments
        if len(every := interpreter.part.passes.setdefault((node, found.server, found.name), [])) < MOST_PASSES:
            every.append(arguments if len(every) < MOST_PASSES - 1 else Arguments(loose=SOME))
    risk = _judge_use(found, looped)
    certainty = EffectKind.MAY if interpreter.branches > interpreter.loops else EffectKind.WILL
    name = f"{found.server}.{found.name}"
    interpreter.report.add(
        "tool.call",
        risk,
        f"Calls {name}",  # replaced when all arguments are known: `call_effects`
        span,
        subject=name,
        effect=certainty,
        reversible=reversible(found),
        unverified=facts_of(found).unverified,
    )
    direct = isinstance(node, ast.Call) and interpreter.current is None and interpreter.anchor is None
    interpreter.report.add_use(
        NotedToolUse(found, span.line, risk, looped, often=looped or not direct, indirect=not direct)
    )
    check_arguments(interpreter, span, found, arguments)
    _check_flow(interpreter, node, found, arguments)
    asked = frozenset(source if source.indirect else replace(source, indirect=True) for source in arguments.taint)
    return Value(taint=_origin(found, span) | asked)


def _as_used(tool: Tool, arguments: Arguments) -> Tool:
    """Return a tool that runs SQL as this call uses it: it only reads if all its possible statements do, and changes
    something if one of them does."""
    used = [for_call(tool, one.values) for one in known_arguments(tool, (arguments,))]
    if facts_of(tool).only_reads and (changing := [one for one in used if one is not tool]):
        return changing[0]
    return used[0] if used and all(one is used[0] for one in used) else tool


MOST_TEXTS = 2_000  # constant texts of one argument that are noted


def argument_values(tool: Tool, arguments: Arguments) -> dict[str, Value]:
    """Return the arguments by name. Positional ones have the names of the schema, in its order."""
    fields = tool.input_schema.get("properties")
    order = list(fields) if isinstance(fields, Mapping) else []
    values = {
        order[number] if number < len(order) else f"argument {number + 1}": value
        for number, value in enumerate(arguments.positional)
        if value.keys is None
    }
    return values | dict(arguments.named or arguments.keys)


def constant_texts(value: Value) -> list[str]:
    """Return the constant texts of a value and of the elements of a list, with HOLE for unknown parts."""
    if value.items is not None and value.keys is None:
        return [text for item in value.items for text in constant_texts(item)]
    if isinstance(value.const, bool | int | float):
        return [str(value.const)]
    return [text_of(one) for one in each(value)]


def noted_texts(tool: Tool, every: Iterable[Arguments]) -> dict[str, tuple[str, ...]]:
    """Return the constant texts of each argument, in all of these calls; HOLE among them: it may be another one."""
    noted: dict[str, dict[str, None]] = {}
    for arguments in every:
        for name, value in argument_values(tool, arguments).items():
            noted.setdefault(name, {}).update(dict.fromkeys(constant_texts(value)))
    return {name: tuple(texts)[:MOST_TEXTS] for name, texts in noted.items()}


def _judge_use(tool: Tool, looped: bool) -> Risk:
    """Return the risk of one use. Sending in a loop has a higher risk."""
    risk = facts_of(tool).risk
    return raised(risk) if looped and risk is Risk.MEDIUM and facts_of(tool).sends else risk


def note_dynamic(interpreter: Interpreter, node: ast.AST) -> Value:
    """Note a call of a tool that is chosen at run time."""
    words = "Which tool is called is chosen at run time"
    interpreter.report.add("tool.dynamic", Risk.HIGH, words, interpreter.span(node), effect=EffectKind.MAY)
    interpreter.report.not_assessed[
        "Tools whose names are only known at run time; calls that could change something are refused."
    ] = None
    interpreter.report.dynamic = True
    return Value(taint=frozenset({ValueSource("untrusted", "a tool chosen at run time", interpreter.span(node).line)}))


def describe_doubt(tool: Tool) -> str:
    """Return that the user wants to be asked about a tool, as the end of a sentence. What is not known of its server is
    said once, by the headline."""
    facts = facts_of(tool)
    asks = facts.risk is not Risk.LOW and facts.unverified and tool.standing is Standing.ASKS
    return f", which asks because you decided so about {tool.server}" if asks else ""


def is_undescribed(tool: Tool) -> bool:
    """Return whether neither the server nor the user says whether a tool changes anything."""
    claims, facts = tool.claimed or tool.hints, facts_of(tool)
    decided = tool.hints.read_only is not None or tool.hints.destructive is not None
    silent = claims.read_only is None and claims.destructive is None
    return facts.risk is not Risk.LOW and not facts.unverified and not decided and silent


def reversible(tool: Tool) -> bool | None:
    """Return whether a call can be undone: reading changes nothing; sending and deleting cannot. None: not known.

    A tool that only adds to an open service, such as an issue, can be undone there."""
    facts = facts_of(tool)
    if facts.risk is Risk.LOW or tool.group is ToolGroup.READS:
        return True
    sends = tool_verbs.sends(tool.name) or "sends" in tool.said
    return False if sends or tool_verbs.destroys(tool.name) or tool.hints.destructive else None


def _note_unknown_tool(interpreter: Interpreter, node: ast.AST, found: UnknownTool) -> Value:
    """Note an unknown tool.

    The call may never be reached, or its error may be caught; calls that are certain to fail are reported by
    `certain_failures`."""
    name = f"{found.server}.{found.tool}".strip(".")
    if found.tool[:1].isupper() or found.tool.startswith("_"):  # packages also hold types and Python's own names
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
    risk = facts_of(tool).risk
    if facts_of(tool).sends:
        interpreter.report.add_fact("out", interpreter.span(node))
        for key, value in _by_severity(arguments):
            taint = value.taint
            if tool_verbs.sends(tool.name):
                taint = frozenset(replace(source, server="") for source in taint)
            note_outflow(interpreter, node, name, taint, tool.server, key)
    if risk is Risk.LOW:
        return
    _note_flows(interpreter, node, name, arguments)
    for key, value in arguments.by_name():
        source = first_of_kind(value.taint, "untrusted")
        if source and key in tool_verbs.DESTINATIONS:
            words = f"The destination of {name} ({key}) is chosen by content from {source.label} (line {source.line})"
            interpreter.report.add(
                "flow.destination",
                Risk.HIGH,
                words,
                interpreter.span(node),
                subject=name,
                effect=EffectKind.MAY,
                source=source,
                argument=key,
            )
    decides = first_of_kind(arguments.taint | frozenset(interpreter.control), "untrusted")
    if decides and (
        at_least(risk, Risk.HIGH)
        or (facts_of(tool).sends and first_of_kind(frozenset(interpreter.control), "untrusted"))
    ):
        words = f"What {name} does is decided by content from {decides.label} (line {decides.line})"
        interpreter.report.add(
            "flow.decides",
            Risk.HIGH,
            words,
            interpreter.span(node),
            subject=name,
            effect=EffectKind.MAY,
            source=decides,
        )


def _by_severity(arguments: Arguments) -> list[tuple[str, Value]]:
    """Return the arguments, content before destinations. A recipient's own address says least about the flow."""
    named = sorted(arguments.by_name(), key=lambda one: one[0] in tool_verbs.DESTINATIONS)
    return [*named, *(("", value) for value in arguments.positional)]


def _note_flows(interpreter: Interpreter, node: ast.AST, name: str, arguments: Arguments) -> None:
    """Note the flow of data from other tools into a tool that may change something: source and argument."""
    given = [(f"{name}.{key}", value) for key, value in arguments.by_name()]
    for sink, value in [*given, *((name, value) for value in arguments.positional)]:
        for kind in ("untrusted", "private"):
            if source := first_of_kind(value.taint, kind):
                interpreter.report.add_flow(source, sink, interpreter.span(node))


def _origin(tool: Tool, span: Span) -> frozenset[ValueSource]:
    name = f"{tool.server}.{tool.name}"
    kinds = [
        kind for kind, has in (("private", facts_of(tool).private), ("untrusted", facts_of(tool).outsiders)) if has
    ]
    return frozenset(ValueSource(kind, name, span.line, tool.server) for kind in kinds)


# ── Arguments that make even a reading tool change, reveal or execute something ─────────────────────────
_PATHS = names("path paths file filename file_path filepath uri source target directory folder")
_ADDRESSES = names("url uri urls link href endpoint address webhook image_url callback")
_SQL = names("sql statement statements command script")
_MAYBE_SQL = names("query q text")
SQL_ARGUMENTS = _SQL | _MAYBE_SQL


def check_arguments(interpreter: Interpreter, span: Span, tool: Tool, arguments: Arguments) -> None:
    """Check every text that a named argument may be."""
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
        effects = "; ".join(one.text for one in describe_sql(text) if one.kind is not SqlClass.READS)
        words = f"SQL for {_name(tool)}: {effects or shorten(text, 80)}"
        _add(interpreter, "tool.sql", Risk.HIGH, words, span, _name(tool))


def _check_path(interpreter: Interpreter, span: Span, tool: Tool, text: str) -> None:
    if place(text) is PathPlace.SENSITIVE:
        _add(interpreter, "tool.path", Risk.HIGH, f"Gives {_name(tool)} the sensitive path {_short(text)}", span, text)
        interpreter.report.add_fact("sensitive", span)
    elif text.startswith("../") or "/../../" in text:
        _add(
            interpreter,
            "tool.path",
            Risk.MEDIUM,
            f"Gives {_name(tool)} a path that leads to a parent folder: {_short(text)}",
            span,
            text,
        )


def _check_address(interpreter: Interpreter, span: Span, tool: Tool, value: Value) -> None:
    """Check an address argument.

    An internal address is reached with the server's rights. Data inside an address is sent to its host."""
    text = text_of(value)
    if INNER_ADDRESS.match(text):
        words = f"Gives {_name(tool)} an internal address that only its machine should reach: {_short(text)}"
        _add(interpreter, "tool.address", Risk.HIGH, words, span, text)
    others = frozenset(source for source in value.taint if source.server != tool.server)
    source = first_of_kind(others, "private")
    if source and text != HOLE and HOLE in text and "://" in text:
        words = f"Data from {source.label} (line {source.line}) goes to {host(text) or 'an address'} inside an address"
        _add(interpreter, "flow.private", Risk.HIGH, words, span, _name(tool))


def _add(interpreter: Interpreter, rule: str, risk: Risk, words: str, span: Span, subject: str) -> None:
    changes = rule in ("tool.sql", "flow.private")
    reversible = False if changes else None
    interpreter.report.add(rule, risk, words, span, subject=subject, effect=EffectKind.MAY, reversible=reversible)


def _short(text: str) -> str:
    return named(text, 80)


def _name(tool: Tool) -> str:
    return f"{tool.server}.{tool.name}"
