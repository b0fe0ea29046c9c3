"""Finds tool calls of a program that are certain to fail before the program runs, and names what would be valid.

Only certain failures are reported. A call may work if it is in a branch that may not be taken, in a `try` that catches,
on a name that may be rebound, or has values known only at run time: no program that would work is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from weakref import WeakKeyDictionary

from workbench.analysis.literal_values import UNSURE, fits_shape, literal_value
from workbench.analysis.parsed_program import UNREADABLE, NameBindings, ParsedProgram
from workbench.analysis.reading import Reading
from workbench.analysis.tables.modules import STANDARD
from workbench.analysis.unconditional_steps import ProgramStep, StepWalker
from workbench.identifiers import package_name, parameter_names
from workbench.records import Finding, JsonValue, Risk, Span, Tool
from workbench.similar_names import did_you_mean
from workbench.tool_names import ToolNames, tool_names
from workbench.wrappers.compact_signatures import type_words
from workbench.wrappers.python_source import wrapper_source
from workbench.wrappers.schema_reader import read_definition
from workbench.wrappers.type_shapes import RecordField, ToolShapes

WAITING = "server.waiting"  # the rule of a finding about a server that the user has not allowed to start
FAILED = "server.failed"  # the rule of a finding about a server that does not start and whose tools nobody knows
MISSING = "package.missing"  # the rule of a finding about a package that programs do not have
_SHOWN = 20  # names listed in a message
_GIVEN = frozenset(("servers", "skills", "client", "runtime", "workspace", "mcp_content", "tool_discovery", "__main__"))
_CHANGING_PATH = frozenset(("meta_path", "path_hooks", "addsitedir", "addpackage", "modules", "__path__"))
_BRANCHING = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
)
# Shapes of tool arguments, read when a program first calls the tool. An entry lives as long as its list of tools.
_definitions: WeakKeyDictionary[ToolNames, dict[tuple[str, str], ToolShapes | None]] = WeakKeyDictionary()


def find_certain_failures(
    reading: Reading,
    tools: Sequence[Tool],
    servers: Sequence[str] = (),
    waiting: Sequence[str] = (),
    failed: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """Return the calls of a program that are certain to fail.

    Returns nothing for text that does not parse; the syntax error is reported elsewhere. `servers`: all servers, if
    known. `waiting`: servers that the user has not allowed to start. `failed`: servers that could not be started and
    whose tools are not known."""
    check = _Check(tools, servers, waiting, failed)
    found = check.read(reading.program, reading.earlier_nodes) if reading.complete else []
    return tuple(finding for finding, certain in found if certain)


def check_draft(program: ParsedProgram, tools: Sequence[Tool], servers: Sequence[str]) -> tuple[Finding, ...]:
    """Return the certain failures of a draft, then the failures of calls that may not be reached.

    The second group is shown as a hint and is never a reason to refuse."""
    sure = tuple(finding for finding, certain in _Check(tools, servers).read(program) if certain)
    return (*sure, *(finding for finding, certain in _Check(tools).read(program) if not certain))


def find_missing_packages(
    reading: Reading, available: Callable[[str], bool], installed: Sequence[str]
) -> tuple[Finding, ...]:
    """Return the imports of packages that programs do not have. An import in a branch or a `try`, and one after a
    change of the search path, may work. `available`: returns whether programs can import a top-level module."""
    words = reading.mentioned_words
    if reading.tree is None or reading.earlier or not _CHANGING_PATH.isdisjoint(words) or {"sys", "path"} <= words:
        return ()
    found: dict[str, Finding] = {}

    def look(step: ProgramStep) -> None:
        if isinstance(step.node, ast.Call) or not step.is_certain:
            return
        plain = isinstance(step.node, ast.Import)
        source = "" if isinstance(step.node, ast.Import) or step.node.level else step.node.module or ""
        for name in [alias.name for alias in step.node.names] if plain else [source]:
            top = name.partition(".")[0]
            if top and top not in STANDARD and top not in _GIVEN and not available(top):
                listed = ", ".join(("the standard library", *installed))
                message = f"The package {top[:80]} is not available to programs. Available: {listed}."
                span = Span(step.node.lineno, step.node.col_offset, step.node.lineno, 0)
                found.setdefault(top, Finding(MISSING, Risk.MEDIUM, message, span, top))

    try:
        StepWalker(reading.program.bindings, look).walk(reading.tree)
    except UNREADABLE:
        return ()
    return tuple(found.values())


@dataclass(slots=True)
class _SentArguments:
    """The known arguments of one call."""

    values: dict[str, JsonValue] = field(default_factory=dict)
    is_whole: bool = True  # whether `values` holds all keys


class _Check:
    """Checks the calls of one program against the tools."""

    def __init__(
        self,
        tools: Sequence[Tool],
        servers: Sequence[str] = (),
        waiting: Sequence[str] = (),
        failed: Sequence[str] = (),
    ) -> None:
        self._names = tool_names(tools)
        self._listed = servers
        self._waiting = {spelling: name for name in waiting for spelling in (name, package_name(name))}
        self._failed = {spelling: name for name in failed for spelling in (name, package_name(name))}
        self._found: dict[tuple[int, int, str, str], tuple[Finding, bool]] = {}
        self._bindings = ParsedProgram("", python=False).bindings

    @cached_property
    def _servers(self) -> frozenset[str]:
        """All servers, by their names and by the names of their packages."""
        return frozenset((*self._listed, *map(package_name, self._listed)))

    def read(self, program: ParsedProgram, before: Sequence[ast.AST] = ()) -> list[tuple[Finding, bool]]:
        """Return findings in the order of the text, each with whether it is certain.

        `before`: the nodes of earlier programs of the REPL session, whose names the program can use."""
        if program.tree is None:
            return []
        try:
            self._bindings = NameBindings(program.tree, program.nodes, before) if before else program.bindings
            StepWalker(self._bindings, self._step).walk(program.tree)
        except UNREADABLE:
            return []
        return [self._found[key] for key in sorted(self._found)]

    def _step(self, step: ProgramStep) -> None:
        if isinstance(step.node, ast.Import):
            for alias in step.node.names if self._bindings.is_clear else ():
                top, _, package = alias.name.partition(".")
                if top == "servers" and package:
                    self._is_server(package.split(".")[0], step, step.is_certain)
            return
        if isinstance(step.node, ast.ImportFrom):
            self._import(step.node, step)
            return
        match self._bindings.meaning(step.node.func).split("."):
            case ["servers", package, function]:
                self._function(package, function, step.node, step)
            case ["client", "call_tool"]:
                server, tool, arguments = _arguments_by_name(step.node, ("server", "tool", "arguments"))
                self._named_call(self._constant(server), self._constant(tool), arguments, step)
            case ["client", "call_mcp_tool"]:
                identifier, arguments = _arguments_by_name(step.node, ("id", "arguments"))
                self._named_call(*self._split_identifier(self._constant(identifier)), arguments, step)
            case _:
                pass

    def _import(self, node: ast.ImportFrom, step: ProgramStep) -> None:
        top, _, package = (node.module or "").partition(".")
        if node.level or top != "servers" or not self._bindings.is_clear:
            return
        for alias in node.names:
            if not package:
                self._is_server(alias.name, step, step.is_certain)
            elif self._is_server(package.split(".")[0], step, step.is_certain) and "." not in package:
                self._imported_tool(package, alias.name, step)

    def _is_server(self, name: str, step: ProgramStep, certain: bool) -> bool:
        """Return whether a name may be a server.

        Adds a finding for an unknown server, if all servers are known, and for one that waits to be connected or does
        not start."""
        if (waiting := self._waiting.get(name)) is not None:
            words = f"The user has not allowed this server to start yet: {waiting[:100]}."
            self._add_finding(WAITING, words, waiting, step, certain)
            return False
        if (failed := self._failed.get(name)) is not None:
            words = f"The server {failed[:100]} could not be started, so it has no tools."
            self._add_finding(FAILED, words, failed, step, certain)
            return False
        if not self._listed or name.startswith("_") or name == "*" or self._names.server_of_package(name) is not None:
            return True
        if name in self._servers:
            return True
        if isinstance(step.node, ast.Call) and self._names.servers(name):
            return True  # a call by name may use a different spelling
        hint = did_you_mean(name, self._servers) or f"There are: {_names(sorted(self._servers))}."
        self._add_finding("tool.unknown", f"There is no server {name[:80]}. {hint}", name, step, certain)
        return False

    def _imported_tool(self, package: str, name: str, step: ProgramStep) -> Tool | None:
        """Return the tool of an imported name. Adds a finding if the server has no such tool.

        The file of a function can be imported too, and may have a different suffix."""
        server = self._names.server_of_package(package)
        if server is None or name.startswith("_") or name == "*":
            return None
        found = self._names.find_exact(server, name)
        if found is None and not self._names.candidates(server, name):
            self._unknown_tool(server, name, step, step.is_certain)
        return found

    def _unknown_tool(self, server: str, name: str, step: ProgramStep, certain: bool) -> None:
        close = [self._names.function(tool) for tool in self._names.similar(name, server)]
        hint = f"Did you mean {', '.join(close)}?" if close else "search_tools finds the right name."
        self._add_finding("tool.unknown", f"The server {server} has no tool {name}. {hint}", name, step, certain)

    def _function(self, package: str, function: str, call: ast.Call, step: ProgramStep) -> None:
        if package in self._waiting:
            self._is_server(package, step, step.is_certain)
            return
        if (found := self._imported_tool(package, function, step)) and (definition := self._definition(found)):
            keywords = _keywords_of(definition)
            if self._positional(found, definition, keywords, call, step):
                return
            self._keywords(found, definition, keywords, call, step)
            sent = self._sent_arguments(call, {word: key for key, word in keywords.items()})
            self._check_schema(found, definition, sent, keywords, step)

    def _positional(
        self, tool: Tool, definition: ToolShapes, keywords: Mapping[str, str], call: ast.Call, step: ProgramStep
    ) -> bool:
        """Return whether the call passes several positional arguments, which raises an error when the call is made."""
        if len(call.args) < 2 or any(isinstance(part, ast.Starred) for part in call.args):
            return False
        listing = _listing(definition, keywords)
        function = self._names.function(tool)
        words = f"{_title(tool)} takes its arguments by name, as in {function}(name=value). {listing}"
        self._add_finding("parameter.positional", words, function, step, step.is_certain)
        return True

    def _keywords(
        self, tool: Tool, definition: ToolShapes, keywords: Mapping[str, str], call: ast.Call, step: ProgramStep
    ) -> None:
        """Add a finding for each unknown keyword. Such a call raises an error even if it is not awaited."""
        for one in call.keywords if definition.more is None else []:
            if one.arg is not None and one.arg not in keywords.values():
                self._unknown_parameter(tool, one.arg, list(keywords.values()), step, step.is_certain)

    def _named_call(self, server: JsonValue, name: JsonValue, arguments: ast.expr | None, step: ProgramStep) -> None:
        if not (isinstance(server, str) and isinstance(name, str)):
            return
        certain = step.is_certain and step.is_awaited
        if not self._is_server(server, step, certain) or not self._names.servers(server):
            return
        found = self._names.find(server, name)
        if found is None:
            self._unknown_tool(server, name, step, certain)
        elif definition := self._definition(found):
            sent = _SentArguments()
            self._add(sent, arguments)
            names = {one.key: one.key for one in definition.fields}
            self._check_schema(found, definition, sent, names, step)

    def _check_schema(
        self, tool: Tool, definition: ToolShapes, sent: _SentArguments, names: Mapping[str, str], step: ProgramStep
    ) -> None:
        """Add findings for arguments that the tool's schema refuses.

        Schemas with alternatives at the top level are skipped: they need full validation."""
        if not _BRANCHING.isdisjoint(tool.input_schema):
            return
        certain = step.is_certain and step.is_awaited
        for one in definition.fields:
            if one.key in sent.values:
                self._value(tool, definition, one, sent.values[one.key], names, step, certain)
            elif one.required and sent.is_whole and not one.has_default:  # the server uses the default
                words = f"{_title(tool)} needs {names[one.key]}. {_listing(definition, names)}"
                self._add_finding("parameter.missing", words, one.key, step, certain)
        closed = tool.input_schema.get("additionalProperties") is False
        for key in sent.values if closed else ():
            if key not in names:
                self._unknown_parameter(tool, key, list(names.values()), step, certain)

    def _constant(self, node: ast.expr | None) -> JsonValue:
        return literal_value(node, self._bindings.resolve)

    def _sent_arguments(self, call: ast.Call, keys: Mapping[str, str]) -> _SentArguments:
        """Return the arguments: a first positional dict, then keywords, as the generated function combines them."""
        sent = _SentArguments(is_whole=len(call.args) <= 1)
        for part in call.args[:1]:
            self._add(sent, part)
        for one in call.keywords:
            if one.arg is None:
                sent = _SentArguments(dict.fromkeys(sent.values, UNSURE), is_whole=False)
            else:
                sent.values[keys.get(one.arg, one.arg)] = self._constant(one.value)
        return sent

    def _add(self, sent: _SentArguments, arguments: ast.expr | None) -> None:
        """Add the keys of a dict literal. No argument or None adds none; any other expression may hold any key."""
        value = {} if arguments is None else self._constant(arguments)
        if value is None:
            return
        if isinstance(value, dict):
            sent.values.update(value)
        else:
            sent.is_whole = False

    def _split_identifier(self, identifier: JsonValue) -> tuple[JsonValue, JsonValue]:
        """Split an identifier into server and tool.

        Both may contain the separator, so the first existing pair is used."""
        if not isinstance(identifier, str) or "__" not in identifier:
            return UNSURE, UNSURE
        if (tool := self._names.find_id(identifier)) is not None:
            return tool.server, tool.name
        parts = identifier.removeprefix("mcp__").split("__")
        cuts = [("__".join(parts[:at]), "__".join(parts[at:])) for at in range(1, len(parts))]
        silent = [(server, name) for server, name in cuts if server in self._servers]
        return next(iter([*self._names.splits(identifier), *silent, *cuts]), (UNSURE, UNSURE))

    def _definition(self, tool: Tool) -> ToolShapes | None:
        known = _definitions.setdefault(self._names, {})
        key = tool.server, tool.name
        if key not in known:
            known[key] = _read(tool, self._names.function(tool))
        return known[key]

    def _unknown_parameter(self, tool: Tool, name: str, known: list[str], step: ProgramStep, certain: bool) -> None:
        hint = f"{did_you_mean(name, known)} ".lstrip()
        words = f"{_title(tool)} has no parameter {name[:80]}. {hint}{_valid(known)}"
        self._add_finding("parameter.unknown", words, name, step, certain)

    def _value(
        self,
        tool: Tool,
        definition: ToolShapes,
        one: RecordField,
        value: JsonValue,
        names: Mapping[str, str],
        step: ProgramStep,
        certain: bool,
    ) -> None:
        absent = value is None and (
            one.has_default or not one.required
        )  # many servers accept null for an omitted argument without declaring it
        named = {shape.name: shape for shape in definition.given}
        if absent or fits_shape(value, one.shape, named):
            return
        wanted = type_words(one.shape, definition)
        words = f"{names[one.key]} of {_title(tool)} is {wanted}, not {_excerpt(value)}."
        certain = certain and not fits_shape(value, one.shape, named, loose=True)
        self._add_finding("parameter.value", words, one.key, step, certain)

    def _add_finding(self, rule: str, message: str, subject: str, step: ProgramStep, certain: bool) -> None:
        node = step.node
        span = Span(node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)
        key = (span.line, span.column, rule, subject)
        before = self._found.get(key)
        if before is None or not before[1]:
            risk = Risk.MEDIUM if certain else Risk.LOW
            self._found[key] = (Finding(rule, risk, message, span, subject), certain)


@lru_cache(maxsize=256)
def _keyword_names(keys: tuple[str, ...]) -> Mapping[str, str]:
    return parameter_names(keys)


def _keywords_of(definition: ToolShapes) -> Mapping[str, str]:
    """Return JSON key → keyword of the generated function."""
    return _keyword_names(tuple(one.key for one in definition.fields))


def _read(tool: Tool, function: str) -> ToolShapes | None:
    """Return the shapes of a tool's arguments.

    None if no wrapper could be generated; such a tool accepts anything."""
    try:
        compile(wrapper_source(tool, function), function, "exec")
        return read_definition(tool, function)
    except (ValueError, TypeError, RecursionError, SyntaxError, MemoryError, UnicodeError):
        return None


def _arguments_by_name(call: ast.Call, names: tuple[str, ...]) -> list[ast.expr | None]:
    """Return the arguments of a call by parameter name. An argument is unknown if a star hides it."""
    unknown = ast.Name("unknown")
    if any(isinstance(part, ast.Starred) for part in call.args) or any(one.arg is None for one in call.keywords):
        return [unknown for _ in names]
    by_name = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
    return [by_name.get(name) for name in names]


def _title(tool: Tool) -> str:
    return f"{tool.server}.{tool.name}"


def _listing(definition: ToolShapes, names: Mapping[str, str]) -> str:
    ordered = sorted(definition.fields, key=lambda one: not one.required)
    return _valid([f"{names[one.key]} (required)" if one.required else names[one.key] for one in ordered])


def _valid(names: Sequence[str]) -> str:
    return f"Valid: {_names(names)}." if names else "It takes no parameters."


def _names(names: Sequence[str]) -> str:
    more = f" … and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _excerpt(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
