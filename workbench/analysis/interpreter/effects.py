"""Turns actions on files, hosts, commands and the environment into findings and effects."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from workbench.analysis.host_rule_findings import named_place
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.path_places import PathPlace, certain, place, within
from workbench.analysis.interpreter.values import (
    HOLE,
    NOTHING,
    Value,
    ValueSource,
    each,
    first_of_kind,
    known,
    readable,
    text_of,
)
from workbench.analysis.shell.command_places import ClientPlaces
from workbench.analysis.shell.command_reader import CommandReading, lower_first, read_arguments
from workbench.analysis.tables.dangerous_texts import DESTRUCTIVE_COMMAND, HOST, POWERFUL_VARIABLE, SECRET_NAME
from workbench.analysis.tables.program_actions import WORDS, ProgramAction
from workbench.records import EffectKind, Risk
from workbench.records.common_types import raised, rank

FILE_ACTIONS = frozenset(
    {
        ProgramAction.READ,
        ProgramAction.LIST,
        ProgramAction.WRITE,
        ProgramAction.FOLDER,
        ProgramAction.COPY,
        ProgramAction.MOVE,
        ProgramAction.DELETE,
        ProgramAction.META,
        ProgramAction.LINK,
    }
)
MOST_FILES = 8  # of a list of paths; the rest is seldom different
SANDBOX = ClientPlaces(
    ("/bench", "/workspace"), ("/bench",), "/root", follow_links=False
)  # where programs run commands
_LOOKING = frozenset({ProgramAction.READ, ProgramAction.LIST})
_HARD = frozenset({ProgramAction.MOVE, ProgramAction.DELETE, ProgramAction.META, ProgramAction.LINK})


def note(
    interpreter: Interpreter,
    action: ProgramAction,
    node: ast.AST,
    subject: str = "",
    *,
    risk: Risk | None = None,
    rule: str = "",
    words: str = "",
    certainty: EffectKind | None = None,
) -> None:
    """Add a finding for an action at this place, with the sentence of its table entry unless `words` are given."""
    table = WORDS[action]
    told = words or (table.named.format(subject) if subject else table.plain)
    span = interpreter.span(node)
    interpreter.report.add(
        rule or action.value,
        risk or table.risk,
        told,
        span,
        subject=subject,
        effect=certainty or table.certainty,
        reversible=table.reversible,
    )
    if action is ProgramAction.NETWORK:
        interpreter.report.add_fact("out", span)
        interpreter.report.add_fact("network", span)
    if action is ProgramAction.CODE:
        interpreter.report.add_fact("code", span)


def note_file(interpreter: Interpreter, action: ProgramAction, node: ast.AST, target: Value) -> PathPlace:
    """Note an action on a file or folder. The risk depends on the kind of place."""
    texts = [item for item in (target.items or ())[:MOST_FILES] if known(item)] or [target]
    places = [_note_one_file(interpreter, action, node, choice) for text in texts for choice in each(text)]
    return PathPlace.SENSITIVE if PathPlace.SENSITIVE in places else places[-1]


def _note_one_file(interpreter: Interpreter, action: ProgramAction, node: ast.AST, target: Value) -> PathPlace:
    path = text_of(target)
    found = _place(interpreter, path)
    name = _name(path, found)
    span = interpreter.span(node)
    certainty = _certainty(action, found, path, target)
    words = WORDS[action].named.format(name) if name else WORDS[action].plain
    if found in (PathPlace.OUTSIDE, PathPlace.SENSITIVE) or (found is PathPlace.BESIDE and action not in _LOOKING):
        words += f" ({found})"
    note(interpreter, action, node, name or "?", risk=_file_risk(action, found), words=words, certainty=certainty)
    if found is PathPlace.SENSITIVE and action in (ProgramAction.READ, ProgramAction.COPY, ProgramAction.LIST):
        interpreter.report.add_fact("sensitive", span)
    _note_chooser(interpreter, action, node, target, name)
    return found


def _place(interpreter: Interpreter, path: str) -> PathPlace:
    """Return the kind of place of a path. After `os.chdir`, relative paths count as workspace paths."""
    found = place(path)
    return PathPlace.WORKSPACE if found is PathPlace.BESIDE and "moved" in interpreter.report.facts else found


def _certainty(action: ProgramAction, found: PathPlace, path: str, target: Value) -> EffectKind:
    if certain(found, path) or (found is PathPlace.BESIDE and action not in _LOOKING):
        return EffectKind.REFUSED
    return EffectKind.WILL if known(target) else EffectKind.MAY


def _file_risk(action: ProgramAction, found: PathPlace) -> Risk:
    risk = WORDS[action].risk
    if found is PathPlace.SENSITIVE:
        return (
            Risk.CRITICAL
            if action in _HARD or action in (ProgramAction.WRITE, ProgramAction.FOLDER)
            else Risk.MEDIUM
            if action is ProgramAction.LIST
            else Risk.HIGH
        )
    if found is PathPlace.OUTSIDE:
        return raised(risk)
    if found is PathPlace.SCRATCH:
        return Risk.LOW if action is not ProgramAction.LINK else risk
    return risk


def _name(path: str, found: PathPlace) -> str:
    if path.strip(HOLE + "/") == "":
        return ""
    return within(path) if found is PathPlace.WORKSPACE else path.replace(HOLE, "…")[:120]


def _note_chooser(interpreter: Interpreter, action: ProgramAction, node: ast.AST, target: Value, name: str) -> None:
    source = first_of_kind(target.taint, "untrusted")
    if source and action is not ProgramAction.READ:
        interpreter.report.add_flow(source, name or "a file", interpreter.span(node))
        words = f"Which file is used is decided by content from {source.label} (line {source.line})"
        interpreter.report.add(
            "flow.target", Risk.HIGH, words, interpreter.span(node), subject=name, effect=EffectKind.MAY
        )


def note_command(
    interpreter: Interpreter,
    node: ast.AST,
    parts: Sequence[Value],
    taint: frozenset[ValueSource],
    *,
    shell: bool,
) -> None:
    """Note that another program is run. `parts`: the program with its arguments, or one text for a shell."""
    command = " ".join(filter(None, map(readable, parts)))
    readings = _read_command(parts, shell=shell) if command else []
    source = first_of_kind(taint, "untrusted")
    critical = any(one.risk is Risk.CRITICAL for one in readings) or DESTRUCTIVE_COMMAND.search(command)
    worst_one = max(readings, key=lambda one: rank(one.risk), default=None)
    words = ""
    if worst_one is not None:
        does = lower_first(worst_one.sentence.removesuffix(".")) if worst_one.effects else "it only reads"
        words = f"{WORDS[ProgramAction.PROCESS].named.format(command)} ({does})"
    note(interpreter, ProgramAction.PROCESS, node, command, risk=Risk.CRITICAL if source or critical else Risk.HIGH,
         words=words)  # fmt: skip


def _read_command(parts: Sequence[Value], *, shell: bool) -> list[CommandReading]:
    """Return what a command does, for each text that it may be."""
    if not shell:
        return [read_arguments([HOLE if part.choices else text_of(part) for part in parts], SANDBOX)]
    return [read_arguments(["sh", "-c", text_of(choice)], SANDBOX) for choice in each(parts[0])]


def note_network(interpreter: Interpreter, node: ast.AST, address: Value, taint: frozenset[ValueSource]) -> None:
    """Note a connection to a host, and a flow if private data is sent."""
    for choice in each(address):
        _note_one_host(interpreter, node, choice)
    note_outflow(interpreter, node, "the network", taint, "")


def _note_one_host(interpreter: Interpreter, node: ast.AST, address: Value) -> None:
    text = text_of(address.items[0]) if address.items else text_of(address)
    if text.startswith("file:"):
        note_file(interpreter, ProgramAction.READ, node, Value(const=text.removeprefix("file://") or "/"))
        return
    name, span = host(text), interpreter.span(node)
    note(interpreter, ProgramAction.NETWORK, node, name)
    if where := name and named_place(text, node, address):
        interpreter.report.places[span, name] = where
    if not name and (address is NOTHING or known(address)):
        interpreter.report.onward.add(span)


def host(text: str) -> str:
    """Return the host of an address; empty if it is known only at run time."""
    match = HOST.match(text)
    found = match.group(1) if match else text if "." in text and not set(text) & set("/ \n") else ""
    return "" if found.strip(HOLE) == "" else found.replace(HOLE, "…")


def note_outflow(
    interpreter: Interpreter, node: ast.AST, sink: str, taint: frozenset[ValueSource], server: str, argument: str = ""
) -> None:
    """Note a flow of private data from a different server into this argument of the sink."""
    source = first_of_kind(frozenset(item for item in taint if not server or item.server != server), "private")
    if source is None:
        return
    interpreter.report.add_flow(
        source, f"{sink}.{argument}" if argument.isidentifier() else sink, interpreter.span(node)
    )
    risk = Risk.CRITICAL if source.label.startswith("the file") else Risk.HIGH
    place = f" ({argument})" if argument.isidentifier() else ""
    interpreter.report.add(
        "flow.private",
        risk,
        f"Data from {source.label} (line {source.line}) goes to {sink}{place}",
        interpreter.span(node),
        subject=sink,
        effect=EffectKind.MAY,
        source=source,
        argument=argument,
    )


def note_environment(interpreter: Interpreter, node: ast.AST, key: Value) -> Value:
    """Note the reading of an environment variable. Variables whose name suggests a secret have a higher risk."""
    name = readable(key)
    secret = bool(SECRET_NAME.search(name)) or not name
    if secret:
        interpreter.report.add_fact("sensitive", interpreter.span(node))
        note(interpreter, ProgramAction.ENVIRONMENT, node, name, risk=Risk.HIGH if name else Risk.MEDIUM)
        return Value(
            taint=frozenset({ValueSource("private", f"the environment variable {name}", interpreter.span(node).line)})
        )
    return Value()


def sets_only_itself(key: Value, value: Value) -> bool:
    """Return whether setting this variable affects only what the program itself reads: a constant under a name that no
    loader, interpreter, command or network library looks at."""
    name, text = known(key), known(value)
    return bool(name) and text is not None and not value.taint and not POWERFUL_VARIABLE.search(str(name))
