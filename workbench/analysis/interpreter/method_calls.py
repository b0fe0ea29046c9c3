"""Interprets methods of objects: paths, connections, archives, containers, text, and names with effects."""

from __future__ import annotations

import ast
import re

from msgspec.structs import replace

from workbench.analysis.interpreter import constant_folding
from workbench.analysis.interpreter.effects import FILE_ACTIONS, note, note_command, note_file, note_network
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.special_calls import SPECIALS, opening
from workbench.analysis.interpreter.statements import any_of, fill
from workbench.analysis.interpreter.text_evaluators import evaluate_method, note_format
from workbench.analysis.interpreter.values import (
    HOLE,
    NOTHING,
    Arguments,
    Value,
    ValueSource,
    each,
    join,
    known,
    readable,
    tainted,
    text_of,
)
from workbench.analysis.tables.dangerous_texts import CHANGING_SQL, DESTROYING_SQL
from workbench.analysis.tables.methods_and_attributes import (
    CALLING,
    CONNECTION_METHODS,
    FILLING,
    FOREIGN,
    LOADING,
    METHOD_ACTIONS,
    NETWORK_KINDS,
    PATH_KINDS,
    PATH_METHODS,
    RUNNERS,
    SQL_METHODS,
    WRITING_NAMED,
    WRITING_TARGET,
)
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.sql_statements import SqlKind, read_sql
from workbench.permissions.word_sets import names
from workbench.privacy.pii_tokens import is_token_shaped
from workbench.records import Risk

_FORMATTING = names("format format_map vformat get_field")
# Methods that look a value up, in which the sandbox compares the value of a PII token, and others, in which it does not
_COMPARING = names(
    """count endswith eq find get index isin ne partition pop remove removeprefix removesuffix replace rfind rindex
    rpartition rsplit split startswith difference intersection isdisjoint"""
)
_MATCHING = names("contains findall finditer fullmatch match search sub subn")
_NAMED_TARGET = WRITING_TARGET | {"extractall"}
_LONGEST_PATH = 300  # characters
_TARGETS = ("path", "path_or_buf", "fname", "file", "filename", "workbook", "fid")
_MARKUP = (".xml", ".html", ".svg", ".kml", ".gpx", ".xhtml")  # ends of files that `ElementTree.write` makes
_LEAVING_SQL = re.compile(r"\b(?:ATTACH|INTO\s+'|load_extension|writefile|readfile)\b", re.IGNORECASE)
_READING_SQL = re.compile(
    r"\s{0,40}(?:(?:SELECT|EXPLAIN)\b|PRAGMA\s{1,9}\w{1,40}\s{0,9}(?:\(\w{0,40}\))?;?$)", re.IGNORECASE
)
_RUNNING = names("run runctx")
_SAME_PATH = names("resolve absolute expanduser with_suffix with_name with_stem as_posix")


def call_method(
    interpreter: Interpreter, node: ast.Call, function: ast.Attribute, owner: Value, arguments: Arguments
) -> Value:
    """Interpret a method call: note its effects and return its result."""
    name = function.attr
    if name in _COMPARING or name in _MATCHING:
        interpreter.note_compared(node, *arguments.every, restores=name in _COMPARING)
        if isinstance(owner.const, str) and is_token_shaped(owner.const):
            interpreter.note_compared(node, owner, restores=False)
    if name in _FORMATTING:
        note_format(interpreter, node, owner, arguments)
    if name in CALLING and interpreter.stored_attribute(name) is None:
        return SPECIALS[CALLING[name]](interpreter, node, CALLING[name], arguments)
    if owner.kind in PATH_KINDS:
        return _on_path(interpreter, node, name, owner, arguments)
    if (
        interpreter.stored_attribute(name) is None
        and (evaluated := evaluate_method(interpreter, node, name, owner, arguments)) is not None
    ):
        return evaluated
    if owner.kind in RUNNERS and name in _RUNNING:
        return SPECIALS["builtins.exec"](interpreter, node, "builtins.exec", arguments)
    if owner.kind in NETWORK_KINDS:
        return _on_connection(interpreter, node, name, owner, arguments)
    folded = constant_folding.method(owner, name, arguments.positional, arguments.named)
    if folded is not None:
        return folded
    if name in SQL_METHODS:
        return _on_database(interpreter, node, owner, arguments)
    if owner.kind == "sqlite3.Connection" and (action := CONNECTION_METHODS.get(name)):
        note(interpreter, action, node, f".{name}()")
    if name in WRITING_NAMED or name == "write":
        _write_named(interpreter, node, name, arguments)
    if name in LOADING:
        _load(interpreter, node, arguments)
    if name in METHOD_ACTIONS and interpreter.stored_attribute(name) is None:
        return _call_other_method(interpreter, node, name, owner, arguments)
    return _on_container(interpreter, function, name, owner, arguments)


def _on_path(interpreter: Interpreter, node: ast.Call, name: str, owner: Value, arguments: Arguments) -> Value:
    if name == "open":
        note_file(interpreter, opening(arguments.get(0, "mode")), node, owner)
        return Value(kind="file", taint=owner.taint)
    if action := PATH_METHODS.get(name):
        return _path_action(interpreter, node, name, action, owner, arguments)
    if name == "joinpath":
        return constant_folding.join_path(owner, *arguments.positional)
    if name in _SAME_PATH:
        return owner
    return Value(taint=owner.taint | arguments.taint)


def _path_action(
    interpreter: Interpreter, node: ast.Call, name: str, action: ProgramAction, owner: Value, arguments: Arguments
) -> Value:
    found = note_file(interpreter, action, node, owner)
    if action is ProgramAction.MOVE:
        note_file(interpreter, ProgramAction.WRITE, node, arguments.get(0, "target"))
    if action is ProgramAction.LIST:
        inside = constant_folding.join_path(owner, NOTHING)
        return Value(items=(inside,), kind="paths", taint=owner.taint)
    if action is ProgramAction.READ and found.name != "SENSITIVE":
        return Value(kind=FOREIGN, taint=owner.taint)
    if action is ProgramAction.READ:
        return Value(
            taint=owner.taint | {ValueSource("private", f"the file {readable(owner)}", interpreter.span(node).line)}
        )
    return Value(taint=owner.taint)


_READING = names("read readline readlines")
_TALKING = names(
    """get post put delete patch head options request send sendall sendto sendmail send_message connect login
    storbinary retrbinary exec_command open urlopen bind listen connect_ex stream ws_connect write starttls"""
)

_ONWARD = names("send sendall sendto sendmail send_message login storbinary retrbinary bind listen write starttls")


def _on_connection(interpreter: Interpreter, node: ast.Call, name: str, owner: Value, arguments: Arguments) -> Value:
    if name in _TALKING:
        address = arguments.get(0, "url", "address")
        note_network(interpreter, node, NOTHING if name in _ONWARD else address, arguments.taint)
    if name in ("recv", "recvfrom", "read", "makefile", "get", "post", "request", "stream", "urlopen"):
        return Value(taint=frozenset({ValueSource("untrusted", "the network", interpreter.span(node).line)}))
    return Value(kind=owner.kind if name == "__enter__" else "", taint=arguments.taint)


def _write_named(interpreter: Interpreter, node: ast.Call, name: str, arguments: Arguments) -> None:
    """Note a file that a method writes, if its argument certainly names one."""
    target = arguments.get(0, *_TARGETS, "fp", "path_or_buf", "buf", "coverdir")
    for choice in each(target):
        text = known(choice) or ""
        markup = not interpreter.modules.isdisjoint(("xml", "lxml")) and text.endswith(_MARKUP)
        named = choice.kind in PATH_KINDS or (text and "\n" not in text and len(text) < _LONGEST_PATH)
        if named and (markup or name != "write") and interpreter.stored_attribute(name) is None:
            note_file(interpreter, ProgramAction.WRITE, node, choice)


def _load(interpreter: Interpreter, node: ast.Call, arguments: Arguments) -> None:
    """Note the path of a reader for a data format, if it is outside the workspace."""
    path = arguments.get(0)
    for target in path.items or (path,):
        text = known(target) or ""
        if len(text) < 300 and "\n" not in text and text.startswith(("/", "~", "../")):
            note_file(interpreter, ProgramAction.READ, node, target)


def _on_database(interpreter: Interpreter, node: ast.Call, owner: Value, arguments: Arguments) -> Value:
    statement = text_of(arguments.get(0, "sql"))
    if owner.kind == "sqlite3.memory" and not _LEAVING_SQL.search(statement):
        return replace(owner, taint=owner.taint | arguments.taint)
    if CHANGING_SQL.search(statement) or (_is_file(interpreter, owner) and not _reads_rows(statement, node)):
        short = " ".join(statement.replace(HOLE, "…").split())[:80]
        risk = Risk.HIGH if DESTROYING_SQL.search(statement) else Risk.MEDIUM
        note(interpreter, ProgramAction.DATABASE, node, short, risk=risk)
    return Value(kind=owner.kind, taint=owner.taint | arguments.taint)


def _reads_rows(statement: str, node: ast.Call) -> bool:
    """Return whether SQLite takes the text for statements that only read. Values that are put into a SELECT cannot
    make it change anything, because `execute` runs one statement."""
    if HOLE in statement and isinstance(node.func, ast.Attribute) and node.func.attr == "executescript":
        return False
    if HOLE in statement or not (read := read_sql(statement)):
        return bool(_READING_SQL.match(statement))
    return all(one.kind is SqlKind.READ or (one.kind is SqlKind.UNKNOWN and one.verb == "SELECT") for one in read)


def _is_file(interpreter: Interpreter, owner: Value) -> bool:
    """Return whether a database is a file, so that changes persist.

    A cursor of unknown source may belong to a file."""
    return owner.kind == "sqlite3.Connection" or (not owner.kind and "database" in interpreter.report.facts)


def _call_other_method(
    interpreter: Interpreter, node: ast.Call, name: str, owner: Value, arguments: Arguments
) -> Value:
    action, taint = METHOD_ACTIONS[name], owner.taint | arguments.taint
    if action in FILE_ACTIONS:
        target = arguments.get(0, *_TARGETS) if name in _NAMED_TARGET else owner
        if name in _NAMED_TARGET and (target is NOTHING or target.const is None or target.kind.startswith("io.")):
            if name == "extractall":
                note_file(interpreter, action, node, Value(const="."))
            return Value(taint=taint)  # without a target the method returns text
        note_file(interpreter, action, node, target)
    elif action is ProgramAction.NETWORK:
        note_network(interpreter, node, arguments.get(0), arguments.taint)
    elif action is ProgramAction.PROCESS:
        note_command(interpreter, node, [arguments.get(0)], arguments.taint, shell=True)
    else:
        note(interpreter, action, node, f".{name}()")
    return Value(taint=taint)


def _any_value(owner: Value) -> Value:
    """Return any value of a table, or an unknown value that the analysis did not see."""
    return join(any_of(owner, owner.items), NOTHING)


def _entry(owner: Value, key: Value) -> Value | None:
    """Return the value of a key of a dict whose keys are all known; None if that is not certain."""
    keys = [one.const for one in owner.keys or ()]
    if owner.unordered or not isinstance(key.const, str) or not all(isinstance(one, str) for one in keys):
        return None
    if key.const not in keys or any(HOLE in str(one) for one in keys) or len(keys) != len(owner.items or ()):
        return None
    found = (owner.items or ())[len(keys) - 1 - keys[::-1].index(key.const)]
    return tainted(found, owner.taint)


def _on_container(
    interpreter: Interpreter, function: ast.Attribute, name: str, owner: Value, arguments: Arguments
) -> Value:
    if name in FILLING:
        for value in arguments.every:
            fill(interpreter, function.value, value)
    if owner.items and name in ("get", "pop", "values", "copy", "popleft"):
        if name == "copy":
            return owner
        if name == "get" and (entry := _entry(owner, arguments.get(0))) is not None:
            return entry
        return replace(owner, keys=None) if name == "values" else _any_value(owner)
    if owner.keys is not None and name in ("keys", "items"):
        pairs = zip(owner.keys, owner.items or (), strict=False)
        inside = owner.keys if name == "keys" else tuple(Value(items=pair) for pair in pairs)
        return Value(items=inside, taint=owner.taint, unordered=owner.unordered)
    if owner.kind == "file" and name in _READING:
        return Value(kind=FOREIGN, taint=owner.taint)
    kind = owner.kind if name in ("decode", "encode", "strip", "cursor", "__enter__") else ""
    return Value(kind=kind, taint=owner.taint | arguments.taint)
