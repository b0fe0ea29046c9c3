"""Finds the tool answers that the arguments of each tool call hold, per argument: who gets what.

The program is evaluated once, in Python's order, with what each value holds (`HeldData`) instead of data. Functions of
the program are evaluated at each call, so a helper that is called with two answers does not mix them. An id that only
selects what another tool returns is no source of that answer. Conditions are no sources either: the answers that decide
whether a call is made are found by `value_tracker`, which excludes flows; this module explains those that exist.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

from msgspec import Struct, field, structs

from workbench.analysis.data_flow.answer_fields import AnswerFields
from workbench.analysis.data_flow.held_data import (
    NO_SOURCES,
    CallSource,
    CallSources,
    HeldData,
    LibraryName,
    LocalNames,
    OwnClass,
    OwnFunction,
    ToolName,
    all_sources,
    join,
    join_all,
    leaf,
)
from workbench.analysis.data_flow.held_data_calls import (
    call_library,
    call_method,
    make_object,
    percent_formatted,
)
from workbench.analysis.data_flow.names_and_attributes import READY_NAMES
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.records import Tool

MOST_WORK: Final = 40_000  # maximum number of evaluated expressions
MOST_NESTED: Final = 24  # maximum nesting of calls of the program's own functions
MOST_RECURSIVE: Final = 2  # of the same function
MOST_UNROLLED: Final = 8  # entries of a display that a loop's body is evaluated for, one by one
TURNS: Final = 2  # evaluations of a loop's body: the second one sees what the first one stored
_CALLERS: Final = ("call_", "getattr", "get_client")  # begin the names of functions that call a tool by its name
_PROPERTY: Final = "builtins.property"
_PROPERTIES: Final = (_PROPERTY, "functools.cached_property")


class Repetition(Struct, frozen=True):
    """A loop around a call: how often it runs, if that is known, and the answers that it runs over."""

    times: int | None = None
    over: CallSources = NO_SOURCES
    whole: bool = False  # it runs over an answer itself, and not over something made of one
    every: bool = False  # it certainly runs over all entries of a list in the answer


class SinkCall(Struct):
    """A place that calls a tool: the sources of each argument, and the loops around the call."""

    tool: Tool
    line: int
    arguments: dict[str, CallSources] = field(default_factory=dict)
    loops: tuple[Repetition, ...] = ()
    conditional: bool = False  # some turns of the loops, or the program, may not make the call
    selective: bool = False  # some turns of the innermost loop may not
    fields: dict[str, CallSources] = field(default_factory=dict)  # the sources of arguments that are certain fields
    plain: frozenset[str] = frozenset()  # arguments that are one field as it is


class WorkLimitReached(Exception):
    """Raised when a program is too large."""


def find_argument_sources(
    tree: ast.Module, tool_lookup: ToolLookup, known_calls: Mapping[ast.AST, Iterable[Tool]]
) -> tuple[dict[tuple[ast.AST, str, str], SinkCall], CallSources]:
    """Return the tool calls of a program, by node, server and tool, and the sources of all that it writes to files.

    `known_calls`: those that the interpreter found."""
    evaluator = SourceEvaluator(tool_lookup, known_calls, AnswerFields(tree, known_calls))
    with suppress(WorkLimitReached, RecursionError):  # what was found until then is true
        evaluator.run(tree)
    return evaluator.calls, _calls_of(evaluator.files.all_sources())


class SourceEvaluator:
    """State of one evaluation."""

    def __init__(
        self, tool_lookup: ToolLookup, known_calls: Mapping[ast.AST, Iterable[Tool]], fields: AnswerFields
    ) -> None:
        self.tool_lookup, self.known_calls, self.fields = tool_lookup, known_calls, fields
        self.calls: dict[tuple[ast.AST, str, str], SinkCall] = {}
        self.names = LocalNames(None)
        self.files = HeldData()  # everything that the program writes to files
        self.starred: list[str] = []  # modules whose names are all imported
        self.functions: list[OwnFunction] = []  # all definitions, to evaluate those that are never called
        self.entered: set[ast.AST] = set()
        self.stack: list[ast.AST] = []
        self.returned: list[HeldData] = []
        self.yielded: list[HeldData] = []
        self.loops: list[Repetition] = []
        self.raised = NO_SOURCES  # sources of the errors that the program raises
        self.branches = 0  # around the current line, in its function
        self.conditions = 0  # the same, in all functions that are being called
        self.outer_conditions: list[int] = []  # around each loop
        self.left_early = False  # an earlier line may have ended the turn of the loop
        self.work = 0

    def run(self, tree: ast.Module) -> None:
        self.returned.append(HeldData())
        self.yielded.append(HeldData())
        self.block(tree.body)
        for function in self.functions:  # grows: bodies define more functions
            if function.node not in self.entered:
                self.call_own(function, [], {})

    # ── Statements ──────────────────────────────────────────────────────────────────────────────────────
    def block(self, body: Iterable[ast.stmt]) -> bool:
        """Evaluate statements. Returns whether the block is left before its end: by return, raise, break or so."""
        for statement in body:
            self.spend()
            if act := _STATEMENTS.get(type(statement)):
                if act(self, statement):
                    return True
            else:
                for child in ast.iter_child_nodes(statement):
                    if isinstance(child, ast.expr):
                        self.value(child)
        return False

    def spend(self) -> None:
        self.work += 1
        if self.work > MOST_WORK:
            raise WorkLimitReached

    def bind(self, name: str, data: HeldData) -> None:
        scope = self.names.foreign.get(name, self.names)
        if scope is self.names:
            scope.names[name] = data
        else:
            scope.names[name] = join(scope.names.get(name, HeldData()), data)

    def assign(self, target: ast.expr, data: HeldData) -> None:
        match target:
            case ast.Name():
                self.bind(target.id, data)
            case ast.Tuple() | ast.List():
                self._unpack(target.elts, data)
            case ast.Starred():
                self.assign(target.value, HeldData(rest=data.element()))
            case ast.Attribute():
                self.value(target.value).add_entry(data, HeldData(constant=target.attr), surely=not self.branches)
            case ast.Subscript():
                owner, key = self.value(target.value), self.value(target.slice)
                if isinstance(target.slice, ast.Slice):
                    owner.absorb(data)
                else:
                    owner.add_entry(data, key, surely=not self.branches)

    def _unpack(self, targets: Sequence[ast.expr], data: HeldData) -> None:
        starred = any(isinstance(one, ast.Starred) for one in targets)
        for number, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                self.assign(target.value, HeldData(data.own, rest=data.iterated()))
            elif data.keys is not None:
                self.assign(target, data.iterated())
            else:
                self.assign(target, data.element() if starred and number else data.at(number))

    def branch(self, *bodies: Sequence[ast.stmt]) -> bool:
        """Evaluate alternative blocks. The names after it are those of the blocks that reach their end."""
        before, ends = dict(self.names.names), []
        self.branches, self.conditions = self.branches + 1, self.conditions + 1
        for body in bodies:
            self.names.names = dict(before)
            if not self.block(body):
                ends.append(self.names.names)
        self.branches, self.conditions = self.branches - 1, self.conditions - 1
        self.left_early = self.left_early or len(ends) < len(bodies)
        self.names.names = _joined_names(ends) if ends else before
        return not ends

    def loop(
        self,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        around: Repetition,
        turns: Iterable[Callable[[], object]],
    ) -> None:
        """Evaluate the body once for each of `turns`, which begin a turn."""
        self.loops.append(around)
        self.outer_conditions.append(self.conditions)
        left_early, self.left_early = self.left_early, False
        for begin in turns:
            before = dict(self.names.names)
            begin()
            self.block(body)
            self.names.names = _joined_names([self.names.names, before])
        self.loops.pop()
        self.outer_conditions.pop()
        self.left_early = left_early
        self.block(orelse)

    # ── Expressions ─────────────────────────────────────────────────────────────────────────────────────
    def value(self, node: ast.expr | None) -> HeldData:
        """Return what the value of an expression holds."""
        self.spend()
        act = _EXPRESSIONS.get(type(node))
        data = act(self, node) if act is not None else HeldData()
        if not isinstance(node, ast.Subscript | ast.Call) or len(data.own) != 1 or data.is_container:
            return data
        name = self.fields.field_of(node)
        return leaf(frozenset(one._replace(field=name) for one in data.own)) if name else data

    def values(self, nodes: Iterable[ast.expr]) -> list[HeldData]:
        return [self.value(node) for node in nodes]

    def name(self, name: str) -> HeldData:
        found = self.names.find(name)
        if found is not None:
            return found
        for module in self.starred:
            tool = self.reference(f"{module}.{name}")
            if any(isinstance(one, ToolName) for one in tool.callees):
                return tool
        return HeldData(callees=(LibraryName(READY_NAMES.get(name, f"builtins.{name}")),))

    def reference(self, full: str) -> HeldData:
        """Return the value of a dotted name: a tool, a module or a function of a module."""
        parts = full.split(".")
        if parts[0] == "servers" and len(parts) >= 3:
            tool = self.tool_lookup.find(parts[1], parts[2])
            return HeldData(callees=(ToolName(tool.server, tool.name),)) if isinstance(tool, Tool) else HeldData()
        return HeldData(callees=(LibraryName(full),))

    def attribute(self, owner: HeldData, name: str) -> HeldData:
        found = [self.reference(f"{one.name}.{name}") for one in owner.callees if isinstance(one, LibraryName)]
        for kind in owner.callees:
            if isinstance(kind, OwnClass) and name in kind.methods.entries:
                found.append(kind.methods.entries[name])
        if name in owner.entries:
            bound = _bound(owner.entries[name], owner)
            if LibraryName(_PROPERTY) in bound.callees:
                functions = [one for one in bound.callees if isinstance(one, OwnFunction)]
                found += [self.call_own(one, [], {}) for one in functions]
            else:
                found.append(bound)
        elif not found or owner.own:
            found.append(owner.at(name) if owner.own else owner if not owner.is_container else owner.element().at(name))
        return join_all(found)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> HeldData:
        outer, loops = self.names, len(self.loops)
        self.names = LocalNames(outer)
        self.names.foreign = outer.foreign
        made = HeldData(keys=HeldData()) if isinstance(node, ast.DictComp) else HeldData()
        first, *others = node.generators
        iterated = self.value(first.iter)
        self.loops.append(self.repetition(first.iter, iterated))
        self.outer_conditions.append(self.conditions)
        self.conditions += any(one.ifs for one in node.generators)
        turns = _turns(iterated)
        each = (
            not others and not first.ifs and len(turns) == len(iterated.entries) and not isinstance(node, ast.SetComp)
        )
        for number, data in enumerate(turns if each or len(turns) > TURNS else turns[:1]):
            self.assign(first.target, data)
            for condition in first.ifs:
                self.value(condition)
            for one in others:
                iterated = self.value(one.iter)
                self.loops.append(self.repetition(one.iter, iterated))
                self.assign(one.target, iterated.iterated())
                for condition in one.ifs:
                    self.value(condition)
            if isinstance(node, ast.DictComp):
                key, entry = self.value(node.key), self.value(node.value)
                made.add_entry(entry, key if each and key.constant is not None else leaf(key.all_sources()))
            else:
                made.add_entry(self.value(node.elt), HeldData(constant=number) if each else None)
            del self.loops[loops + 1 :]
        del self.loops[loops:]
        self.conditions = self.outer_conditions.pop()
        self.names = outer
        return made

    @contextmanager
    def condition(self) -> Iterator[None]:
        """Evaluate what may not run."""
        self.branches, self.conditions = self.branches + 1, self.conditions + 1
        yield
        self.branches, self.conditions = self.branches - 1, self.conditions - 1

    @contextmanager
    def repeated(self, iterated: HeldData) -> Iterator[None]:
        """Evaluate what runs once for each element of a value."""
        self.loops.append(_repetition_over(iterated))
        self.outer_conditions.append(self.conditions)
        yield
        self.outer_conditions.pop()
        self.loops.pop()

    def repetition(self, node: ast.expr, iterated: HeldData) -> Repetition:
        """Return how often a loop over this expression runs."""
        if isinstance(node, ast.Tuple | ast.List | ast.Set) and not any(isinstance(e, ast.Starred) for e in node.elts):
            return Repetition(len(node.elts))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "enumerate"):
            if node.func.id == "enumerate" and node.args:
                return self.repetition(node.args[0], iterated)
            numbers = [one.value for one in node.args if isinstance(one, ast.Constant) and type(one.value) is int]
            if node.args and len(numbers) == len(node.args):
                return Repetition(_length_of_range(*numbers[:3]))
        if isinstance(node, ast.Name) and iterated.entries and iterated.rest is None and not iterated.own:
            return Repetition(len(iterated.entries))
        return _repetition_over(iterated)

    # ── Calls ───────────────────────────────────────────────────────────────────────────────────────────
    def call_value(
        self, node: ast.AST, callee: HeldData, positional: Sequence[HeldData], named: Mapping[str, HeldData]
    ) -> HeldData:
        """Return the result of calling a value."""
        found = []
        for one in callee.callees:
            self.spend()
            if isinstance(one, ToolName):
                tool = self.tool_lookup.find(one.server, one.name)
                if isinstance(tool, Tool):
                    found.append(self.call_tool(node, tool, positional, named))
            elif isinstance(one, OwnFunction):
                found.append(self.call_own(one, positional, named))
            elif isinstance(one, OwnClass):
                found.append(make_object(self, one, positional, named))
            elif isinstance(one, LibraryName):
                found.append(call_library(self, node, one.name, positional, named))
            else:
                given = {**dict(one.named), **named}
                found.append(self.call_value(node, one.callee, (*one.positional, *positional), given))
        return join_all(found) if found else leaf(all_sources(callee, *positional, *named.values()))

    def call_tool(
        self, node: ast.AST, tool: Tool, positional: Sequence[HeldData], named: Mapping[str, HeldData]
    ) -> HeldData:
        """Record the sources of the arguments. The answer holds the tool's own data only."""
        line = getattr(node, "lineno", 1)
        place = (node, tool.server, tool.name)
        sink = self.calls.get(place)
        if sink is None:
            sink = self.calls[place] = SinkCall(tool, line, loops=tuple(self.loops))
        elif len(sink.loops) < len(self.loops):
            sink.loops = tuple(self.loops)
        sink.conditional = sink.conditional or self.conditions > 0 or self.left_early
        around = self.outer_conditions[-1] if self.outer_conditions else self.conditions
        sink.selective = sink.selective or self.conditions > around or (bool(self.loops) and self.left_early)
        sink.plain = self.fields.plain_arguments(node)
        for number, data in enumerate(positional):
            if data.keys is not None or (data.entries and all(isinstance(key, str) for key in data.entries)):
                self._note_arguments(sink, data)
            else:
                self._note(sink, _positional_name(tool, number), data)
        for name, data in named.items():
            if name.startswith("**"):
                self._note_arguments(sink, data)
            else:
                self._note(sink, name, data)
        name = f"{tool.server}.{tool.name}"
        return leaf(frozenset({CallSource(name, tool.server, line)}))

    def _note_arguments(self, sink: SinkCall, data: HeldData) -> None:
        """Record the entries of a mapping as arguments."""
        for key, entry in data.entries.items():
            self._note(sink, str(key), entry)
        rest = all_sources(*(part for part in (data.rest, data.keys) if part is not None)) | data.own
        if rest:
            sink.arguments[""] = sink.arguments.get("", NO_SOURCES) | _calls_of(rest)

    def _note(self, sink: SinkCall, name: str, data: HeldData) -> None:
        every = data.all_sources()
        sink.arguments[name] = sink.arguments.get(name, NO_SOURCES) | _calls_of(every)
        sink.fields[name] = sink.fields.get(name, NO_SOURCES) | every

    def call_own(
        self, function: OwnFunction, positional: Sequence[HeldData], named: Mapping[str, HeldData]
    ) -> HeldData:
        """Evaluate a function of the program with these arguments."""
        node = function.node
        if len(self.stack) >= MOST_NESTED or self.stack.count(node) >= MOST_RECURSIVE:
            return leaf(all_sources(*positional, *named.values()))
        self.entered.add(node)
        outer, self.names = self.names, LocalNames(function.scope)
        if function.receiver is not None:
            positional = [function.receiver, *positional]
        self._bind_parameters(function, positional, named)
        branches, self.branches = self.branches, 0
        left_early = self.left_early
        self.stack.append(node)
        self.returned.append(HeldData())
        self.yielded.append(HeldData())
        if isinstance(node, ast.Lambda):
            self.returned[-1] = self.value(node.body)
        else:
            self.block(node.body)
        self.stack.pop()
        found, given = self.returned.pop(), self.yielded.pop()
        self.names, self.branches, self.left_early = outer, branches, left_early
        return given if given else found

    def _bind_parameters(
        self, function: OwnFunction, positional: Sequence[HeldData], named: Mapping[str, HeldData]
    ) -> None:
        arguments, names = function.node.args, self.names.names
        places = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        scope, self.names = self.names, function.scope
        for name, default in zip(places[len(places) - len(arguments.defaults) :], arguments.defaults, strict=True):
            names[name] = self.value(default)
        for argument, only in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            names[argument.arg] = self.value(only) if only is not None else HeldData()
        self.names = scope
        for name in places:
            names.setdefault(name, HeldData())
        for number, data in enumerate(positional):
            if number < len(places):
                names[places[number]] = data
        if arguments.vararg:
            more = list(positional)[len(places) :]
            names[arguments.vararg.arg] = HeldData(entries=dict(enumerate(more)))
        every = {*places, *(one.arg for one in arguments.kwonlyargs)}
        extra = HeldData(keys=HeldData())
        for name, data in named.items():
            if name.startswith("**"):
                for place in every:
                    if place in data.entries or place not in names or not names[place]:
                        names[place] = data.at(place)
                extra.absorb(data)
            elif name in every:
                names[name] = data
            else:
                extra.entries[name] = data
        if arguments.kwarg:
            names[arguments.kwarg.arg] = extra


def _length_of_range(*numbers: int) -> int | None:
    try:
        return len(range(*numbers))
    except (ValueError, OverflowError):  # the step is 0, or the number of turns does not fit into a machine word
        return None


def _repetition_over(iterated: HeldData) -> Repetition:
    over = _calls_of(iterated.own or iterated.iterated().all_sources())
    return Repetition(over=over, whole=bool(iterated.own))


def _calls_of(sources: CallSources) -> CallSources:
    return frozenset(one.call for one in sources)


def _positional_name(tool: Tool, number: int) -> str:
    """Return the name of an argument that is passed by position, as the wrapper functions order them."""
    fields = tool.input_schema.get("properties")
    names = list(fields) if isinstance(fields, Mapping) else []
    return names[number] if number < len(names) else ""


def _joined_names(ends: Sequence[dict[str, HeldData]]) -> dict[str, HeldData]:
    first, *others = ends
    if not others:
        return first
    found = dict(first)
    for other in others:
        for name, data in other.items():
            old = found.get(name)
            if old is not data:
                found[name] = data if old is None else join(old, data)
    return found


def _bound(data: HeldData, receiver: HeldData) -> HeldData:
    """Return a method bound to its object."""
    if not any(isinstance(one, OwnFunction) and one.receiver is None for one in data.callees) or not isinstance(
        receiver.entries.get("__class__"), HeldData
    ):
        return data
    callees = tuple(
        one._replace(receiver=receiver) if isinstance(one, OwnFunction) and one.receiver is None else one
        for one in data.callees
    )
    return HeldData(data.own, data.rest, data.keys, data.entries, callees)


# ── Statements ──────────────────────────────────────────────────────────────────────────────────────────
def _expression(evaluator: SourceEvaluator, node: ast.Expr) -> None:
    evaluator.value(node.value)


def _assignment(evaluator: SourceEvaluator, node: ast.Assign) -> None:
    data = evaluator.value(node.value)
    for target in node.targets:
        evaluator.assign(target, data)


def _annotated_assignment(evaluator: SourceEvaluator, node: ast.AnnAssign) -> None:
    if node.value is not None:
        evaluator.assign(node.target, evaluator.value(node.value))


def _augmented_assignment(evaluator: SourceEvaluator, node: ast.AugAssign) -> None:
    target = node.target
    old = evaluator.value(_loaded(target))
    new = evaluator.value(node.value)
    if isinstance(node.op, ast.Add | ast.BitOr) and old.is_container and not isinstance(target, ast.Subscript):
        if old.keys is None:
            old.loosen()
            old.add_entry(new.iterated())
        else:
            old.absorb(new)
        return
    if isinstance(node.op, ast.Add) and new.is_container and not old.own:
        made = HeldData(rest=join(old.element(), new.iterated()))
    else:
        made = leaf(all_sources(old, new))
    evaluator.assign(target, made)


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name():
            return ast.copy_location(ast.Name(target.id, ast.Load()), target)
        case ast.Attribute():
            return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
        case ast.Subscript():
            return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    return target


def _if(evaluator: SourceEvaluator, node: ast.If) -> bool:
    evaluator.value(node.test)
    return evaluator.branch(node.body, node.orelse)


def _for(evaluator: SourceEvaluator, node: ast.For | ast.AsyncFor) -> None:
    iterated = evaluator.value(node.iter)
    around = evaluator.repetition(node.iter, iterated)
    if around.whole and evaluator.fields.is_whole_list(node):
        around = structs.replace(around, every=True)
    turns = [partial(evaluator.assign, node.target, data) for data in _turns(iterated)]
    evaluator.loop(node.body, node.orelse, around, turns)


def _turns(iterated: HeldData) -> list[HeldData]:
    """Return what a loop's target is in each turn: each entry of a short display, or any entry."""
    display = iterated.rest is None and iterated.keys is None and not iterated.own
    if display and 0 < len(iterated.entries) <= MOST_UNROLLED:
        every = list(iterated.entries.values())
        return every * TURNS if len(every) == 1 else every
    return [iterated.iterated()] * TURNS


def _while(evaluator: SourceEvaluator, node: ast.While) -> None:
    evaluator.loop(node.body, node.orelse, Repetition(), [partial(evaluator.value, node.test)] * TURNS)


def _with(evaluator: SourceEvaluator, node: ast.With | ast.AsyncWith) -> bool:
    for item in node.items:
        data = evaluator.value(item.context_expr)
        if item.optional_vars is not None:
            evaluator.assign(item.optional_vars, data)
    return evaluator.block(node.body)


def _try(evaluator: SourceEvaluator, node: ast.Try) -> bool:
    before = dict(evaluator.names.names)
    evaluator.branches += 1
    left = evaluator.block(node.body)
    evaluator.branches -= 1
    after = evaluator.names.names
    ends = []
    if not left and not evaluator.block(node.orelse):
        ends.append(evaluator.names.names)
    for handler in node.handlers:
        evaluator.names.names = _joined_names([dict(after), before])
        if handler.name:
            evaluator.bind(handler.name, leaf(evaluator.raised))
        with evaluator.condition():
            if not evaluator.block(handler.body):
                ends.append(evaluator.names.names)
    evaluator.names.names = _joined_names(ends) if ends else after
    return evaluator.block(node.finalbody) or not ends


def _match(evaluator: SourceEvaluator, node: ast.Match) -> None:
    subject = evaluator.value(node.subject)
    before, ends = dict(evaluator.names.names), [dict(evaluator.names.names)]
    for case in node.cases:
        evaluator.names.names = dict(before)
        with evaluator.condition():
            _bind_pattern(evaluator, case.pattern, subject)
            if case.guard is not None:
                evaluator.value(case.guard)
            if not evaluator.block(case.body):
                ends.append(evaluator.names.names)
    evaluator.names.names = _joined_names(ends)


def _bind_pattern(evaluator: SourceEvaluator, pattern: ast.pattern, subject: HeldData) -> None:
    match pattern:
        case ast.MatchAs():
            if pattern.pattern is not None:
                _bind_pattern(evaluator, pattern.pattern, subject)
            if pattern.name:
                evaluator.bind(pattern.name, subject)
        case ast.MatchStar(name=str(name)):
            evaluator.bind(name, HeldData(rest=subject))
        case ast.MatchMapping():
            for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
                constant = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str | int) else None
                _bind_pattern(evaluator, inner, subject.at(constant))
            if pattern.rest:
                evaluator.bind(pattern.rest, subject)
        case ast.MatchSequence():
            for number, inner in enumerate(pattern.patterns):
                _bind_pattern(evaluator, inner, subject.at(number))
        case ast.MatchClass():
            for attribute, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
                _bind_pattern(evaluator, inner, subject.at(attribute))
            for inner in pattern.patterns:
                _bind_pattern(evaluator, inner, subject)
        case ast.MatchOr():
            for inner in pattern.patterns:
                _bind_pattern(evaluator, inner, subject)


def _return(evaluator: SourceEvaluator, node: ast.Return) -> bool:
    if node.value is not None:
        evaluator.returned[-1] = join(evaluator.returned[-1], evaluator.value(node.value))
    return True


def _raise(evaluator: SourceEvaluator, node: ast.Raise) -> bool:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            data = evaluator.value(child)
            evaluator.raised |= data.all_sources()
    return True


def _leave_turn(evaluator: SourceEvaluator, node: ast.Break | ast.Continue) -> bool:
    evaluator.left_early = True
    return False  # what the turn bound before it is used after it


def _function(evaluator: SourceEvaluator, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    function = OwnFunction(node, evaluator.names)
    evaluator.functions.append(function)
    data = HeldData(callees=(function,))
    for decorator in reversed(node.decorator_list):
        made = evaluator.value(decorator)
        if any(isinstance(one, OwnFunction) for one in made.callees):
            data = join(evaluator.call_value(node, made, [data], {}), data)
        elif any(isinstance(one, LibraryName) and one.name in _PROPERTIES for one in made.callees):
            data = HeldData(callees=(function, LibraryName(_PROPERTY)))
        elif isinstance(decorator, ast.Name) and decorator.id == "staticmethod":
            data = HeldData(callees=(function._replace(receiver=None), LibraryName("builtins.staticmethod")))
    evaluator.bind(node.name, data)


def _class(evaluator: SourceEvaluator, node: ast.ClassDef) -> None:
    outer = evaluator.names
    evaluator.names = LocalNames(outer)
    evaluator.block(node.body)
    members, evaluator.names = evaluator.names.names, outer
    fields = [one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    for base in evaluator.values(node.bases):
        for kind in base.callees:
            if isinstance(kind, OwnClass):
                members = {**{str(key): one for key, one in kind.methods.entries.items()}, **members}
                fields = [*kind.fields, *fields]
    for member in members.values():  # functions of a class see the names around it
        for one in member.callees:
            if isinstance(one, OwnFunction) and one.scope.outer is outer:
                one.scope.names = {}
    methods = HeldData(keys=HeldData())
    methods.entries.update(members)
    kind = OwnClass(methods, tuple(fields))
    evaluator.bind(node.name, HeldData(callees=(kind,)))


def _global(evaluator: SourceEvaluator, node: ast.Global | ast.Nonlocal) -> None:
    for name in node.names:
        scope = evaluator.names.outer
        while (
            scope is not None and scope.outer is not None and (isinstance(node, ast.Global) or name not in scope.names)
        ):
            scope = scope.outer
        if scope is not None:
            evaluator.names.foreign[name] = scope


def _import(evaluator: SourceEvaluator, node: ast.Import) -> None:
    for alias in node.names:
        full = alias.name if alias.asname else alias.name.split(".")[0]
        evaluator.bind(alias.asname or full, evaluator.reference(full))


def _import_from(evaluator: SourceEvaluator, node: ast.ImportFrom) -> None:
    for alias in node.names:
        if alias.name == "*":
            evaluator.starred.append(node.module or "")
        else:
            full = f"{'.' * node.level}{node.module or ''}.{alias.name}"
            evaluator.bind(alias.asname or alias.name, evaluator.reference(full))


# Any: each handler accepts only the node type of its key.
_STATEMENTS: Final[Mapping[type[ast.stmt], Callable[[SourceEvaluator, Any], bool | None]]] = {
    ast.Expr: _expression,
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated_assignment,
    ast.AugAssign: _augmented_assignment,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _leave_turn,
    ast.Continue: _leave_turn,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Global: _global,
    ast.Nonlocal: _global,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}


# ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────
def _constant(evaluator: SourceEvaluator, node: ast.Constant) -> HeldData:
    return HeldData(constant=node.value) if isinstance(node.value, str | int) else HeldData()


def _subscript(evaluator: SourceEvaluator, node: ast.Subscript) -> HeldData:
    owner = evaluator.value(node.value)
    if isinstance(node.slice, ast.Slice):
        return owner if owner.own or not owner.entries else HeldData(rest=owner.element())
    key = evaluator.value(node.slice)
    constant = _number(node.slice) if key.constant is None else key.constant
    if isinstance(constant, str) and owner.keys is None and not owner.own and constant not in owner.entries:
        return owner.element().at(constant)  # a column of a table
    if constant is None and owner.keys is None and isinstance(node.slice, ast.Compare | ast.List):
        return owner  # rows of a table
    if owner.grows and constant is None:
        owner.keys = leaf(all_sources(key, *(() if owner.keys is None else (owner.keys,))))
    return owner.at(constant)


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if type(node.operand.value) is int else None
    return None


def _binary(evaluator: SourceEvaluator, node: ast.BinOp) -> HeldData:
    left, right = evaluator.value(node.left), evaluator.value(node.right)
    if isinstance(node.op, ast.Add | ast.BitOr | ast.Sub | ast.BitAnd):
        if left.keys is not None and right.keys is not None:
            made = HeldData(keys=HeldData())
            made.absorb(left)
            made.entries.update(right.entries)
            made.absorb(HeldData(right.own, right.rest, right.keys))
            return made
        if (left.is_container and not left.own) or (right.is_container and not right.own):
            if isinstance(node.op, ast.Sub | ast.BitAnd):
                return HeldData(rest=left.iterated())
            return HeldData(rest=join_all([one.iterated() for one in (left, right) if one]))
    if isinstance(node.op, ast.Mod) and isinstance(left.constant, str):
        return percent_formatted(left.constant, right)
    if isinstance(node.op, ast.Mult) and left.is_container and not left.own:
        return left
    return leaf(all_sources(left, right))


def _text_of_parts(evaluator: SourceEvaluator, node: ast.JoinedStr) -> HeldData:
    return leaf(all_sources(*evaluator.values(node.values)))


def _formatted(evaluator: SourceEvaluator, node: ast.FormattedValue) -> HeldData:
    return evaluator.value(node.value)


def _boolean(evaluator: SourceEvaluator, node: ast.BoolOp) -> HeldData:
    every = [evaluator.value(node.values[0])]
    with evaluator.condition():
        every += evaluator.values(node.values[1:])
    return every[-1] if isinstance(node.op, ast.And) else join_all(every)


def _conditional(evaluator: SourceEvaluator, node: ast.IfExp) -> HeldData:
    evaluator.value(node.test)
    with evaluator.condition():
        return join(evaluator.value(node.body), evaluator.value(node.orelse))


def _sequence(evaluator: SourceEvaluator, node: ast.List | ast.Tuple | ast.Set) -> HeldData:
    made = HeldData()
    for number, one in enumerate(node.elts):
        if isinstance(one, ast.Starred):
            made.loosen()
            made.absorb(HeldData(rest=evaluator.value(one.value).iterated()))
        else:
            data = evaluator.value(one)
            if made.rest is not None or number >= 32 or isinstance(node, ast.Set):
                made.add_entry(data)
            else:
                made.entries[number] = data
    return made


def _dictionary(evaluator: SourceEvaluator, node: ast.Dict) -> HeldData:
    made = HeldData(keys=HeldData())
    for key, value in zip(node.keys, node.values, strict=True):
        data = evaluator.value(value)
        if key is None:
            made.entries.update(data.entries)
            made.absorb(HeldData(data.own, data.rest, data.keys))
        else:
            named = evaluator.value(key)
            made.add_entry(data, named if named.constant is not None else leaf(named.all_sources()))
    return made


def _comparison(evaluator: SourceEvaluator, node: ast.Compare) -> HeldData:
    evaluator.values((node.left, *node.comparators))
    return HeldData()


def _unary(evaluator: SourceEvaluator, node: ast.UnaryOp) -> HeldData:
    data = evaluator.value(node.operand)
    return HeldData() if isinstance(node.op, ast.Not) else data


def _named_expression(evaluator: SourceEvaluator, node: ast.NamedExpr) -> HeldData:
    data = evaluator.value(node.value)
    evaluator.assign(node.target, data)
    return data


def _lambda(evaluator: SourceEvaluator, node: ast.Lambda) -> HeldData:
    return HeldData(callees=(OwnFunction(node, evaluator.names),))


def _yield(evaluator: SourceEvaluator, node: ast.Yield) -> HeldData:
    if node.value is not None:
        evaluator.yielded[-1].add_entry(evaluator.value(node.value))
    return HeldData()


def _yield_from(evaluator: SourceEvaluator, node: ast.YieldFrom) -> HeldData:
    evaluator.yielded[-1].add_entry(evaluator.value(node.value).iterated())
    return HeldData()


def _call(evaluator: SourceEvaluator, node: ast.Call) -> HeldData:
    receiver: HeldData | None = None
    if isinstance(node.func, ast.Attribute):
        receiver = evaluator.value(node.func.value)
        callee = evaluator.attribute(receiver, node.func.attr) if _names_callee(receiver, node.func.attr) else None
    else:
        callee = evaluator.value(node.func)
    positional: list[HeldData] = []
    for one in node.args:
        data = evaluator.value(one.value if isinstance(one, ast.Starred) else one)
        if isinstance(one, ast.Starred):
            parts = list(data.entries.values()) if data.entries and data.rest is None and not data.own else []
            positional += parts or [data.iterated()] * (1 if data.is_container or data.own else 0)
        else:
            positional.append(data)
    named = {word.arg or f"**{n}": evaluator.value(word.value) for n, word in enumerate(node.keywords)}
    known = [tool for tool in evaluator.known_calls.get(node, ()) if not _passes_on(callee)]
    if callee is not None and callee.callees:
        if known and not any(isinstance(one, ToolName) for one in callee.callees):
            return _call_known(evaluator, node, known, callee, positional, named)
        return evaluator.call_value(node, callee, positional, named)
    if known:
        return _call_known(evaluator, node, known, callee, positional, named)
    if receiver is not None and isinstance(node.func, ast.Attribute):
        return call_method(evaluator, node, node.func.attr, receiver, positional, named)
    return leaf(all_sources(*(one for one in (callee,) if one is not None), *positional, *named.values()))


def _passes_on(callee: HeldData | None) -> bool:
    """Return whether a call only passes a tool on, such as `map(tool, rows)`."""
    for one in callee.callees if callee is not None else ():
        if isinstance(one, OwnFunction | OwnClass):
            return True
        if isinstance(one, LibraryName) and not one.name.rpartition(".")[2].startswith(
            ("call_", "getattr", "get_client")
        ):
            return True
    return False


def _call_known(
    evaluator: SourceEvaluator,
    node: ast.Call,
    known: Sequence[Tool],
    callee: HeldData | None,
    positional: Sequence[HeldData],
    named: Mapping[str, HeldData],
) -> HeldData:
    """Call the tools that the interpreter found here: `call_tool("server", "tool", {…})`, names made at run time."""
    given = dict(named)
    if any(isinstance(one, LibraryName) for one in callee.callees if callee is not None) if callee else True:
        for word in ("server", "tool", "name", "server_name", "tool_name"):
            given.pop(word, None)
        passed = given.pop("arguments", None) or given.pop("args", None)
        mappings = [one for one in positional if one.keys is not None or one.own]
        positional = [passed] if passed is not None else mappings[-1:] if mappings else []
    return join_all([evaluator.call_tool(node, tool, positional, given) for tool in known])


def _names_callee(receiver: HeldData, name: str) -> bool:
    """Return whether an attribute is a known function: of a module, of an object of the program, or a stored one."""
    if any(isinstance(one, LibraryName | OwnClass) for one in receiver.callees):
        return True
    entry = receiver.entries.get(name)
    return entry is not None and bool(entry.callees)


# Any: each handler accepts only the node type of its key.
_EXPRESSIONS: Final[Mapping[type[ast.expr] | type[None], Callable[[SourceEvaluator, Any], HeldData]]] = {
    ast.Constant: _constant,
    ast.Name: lambda evaluator, node: evaluator.name(node.id),
    ast.Attribute: lambda evaluator, node: evaluator.attribute(evaluator.value(node.value), node.attr),
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _conditional,
    ast.JoinedStr: _text_of_parts,
    ast.FormattedValue: _formatted,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dictionary,
    ast.ListComp: SourceEvaluator.comprehension,
    ast.SetComp: SourceEvaluator.comprehension,
    ast.GeneratorExp: SourceEvaluator.comprehension,
    ast.DictComp: SourceEvaluator.comprehension,
    ast.NamedExpr: _named_expression,
    ast.Lambda: _lambda,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Await: lambda evaluator, node: evaluator.value(node.value),
    ast.Starred: lambda evaluator, node: evaluator.value(node.value),
}
