"""Tracks values through a program: finds the tool answers that outgoing calls and outputs are made of.

The interpreter finds the tools that a program calls; the tracker finds the answers that an argument can be made of,
through arithmetic, containers, functions, attributes, closures and conditions. Unsupported constructs count as unknown,
never as harmless: a function that no table names, a file, text that runs as code. So "nothing private goes out" is
reported only if every value involved is a constant or a non-private answer.

`ValueTracker` holds the state; `statements.py` and `expressions.py` define the effect of each kind of node.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from msgspec import Struct, field

from workbench.analysis.data_flow.program_scopes import FunctionNode, ProgramScopes, Scope, Variable, argument_names
from workbench.analysis.data_flow.value_origins import (
    EMPTY,
    NOTHING,
    Origins,
    TrackedValue,
    change_each,
    compared,
    derived,
    merge_sets,
    spells_out_value,
    unknown_value,
)
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.records import Tool

MOST_ROUNDS: Final = 8  # maximum number of passes over the program until nothing new is learned
MOST_WORK: Final = 40_000  # maximum number of evaluated expressions; above it the flow counts as unknown
_CALLED_WITH_ARGUMENTS: Final = frozenset({"__init__", "__new__", "__post_init__", "__call__"})
ANY_ATTRIBUTE: Final = "*"  # key for attributes whose name is known only at run time


class TrackedCall(Struct):
    """A place that calls a tool, with the possible origins of each argument, by name, from all passes."""

    tool: Tool
    node: ast.AST
    arguments: dict[str, Origins]


class TrackedFlows(Struct):
    """Data flows of one program."""

    calls: dict[tuple[ast.AST, str, str], TrackedCall] = field(default_factory=dict)
    outputs: dict[ast.AST, Origins] = field(default_factory=dict)
    sources: Origins = NOTHING  # of all answers that the program reads
    complete: bool = True  # whether everything was analyzed; otherwise nothing is excluded
    blind: Origins = NOTHING  # what a call to an unknown tool may carry


class TrackingLimitExceeded(Exception):
    """Raised when a program is too large to track."""


class TrackingProgress:
    """Tracks the current statement, the statements to evaluate again, and the work done."""

    def __init__(self) -> None:
        self.statement: ast.stmt | None = None
        # statement → the statement that contained it in its last evaluation
        self.enclosing: dict[ast.stmt, ast.stmt | None] = {}
        self.stale: set[ast.stmt] = set()  # statements that depend on a changed fact
        self.learned = False  # whether this pass learned anything new
        self.work = 0

    def spend(self, work: int) -> None:
        self.work += work
        if self.work > MOST_WORK:
            raise TrackingLimitExceeded


class FactTable(dict[Any, TrackedValue]):  # Any: each table has its own key type
    """Facts of one kind that all passes learn, with the statements that depend on each of them."""

    __slots__ = ("_asked", "_progress", "read_again")

    def __init__(self, progress: TrackingProgress) -> None:
        super().__init__()
        self._progress = progress
        self._asked: defaultdict[Hashable, set[ast.stmt | None]] = defaultdict(set)
        self.read_again = True  # whether a new fact in this table requires another pass

    def ask(self, key: Hashable) -> TrackedValue:
        """Return the fact. The current statement is evaluated again when the fact changes."""
        self._asked[key].add(self._progress.statement)
        return self.get(key, EMPTY)

    def holds(self, key: Hashable) -> bool:
        """Return whether a fact exists. Records the dependency like `ask`."""
        self._asked[key].add(self._progress.statement)
        return key in self

    def learn(self, key: Hashable, data: TrackedValue) -> None:
        if not data.origins and not data.functions and not data.tools and not data.refs:
            return
        old = self.get(key, EMPTY)
        new = old | data
        if new is not old and new != old:
            self[key] = new
            self._progress.spend(
                (len(new.origins) + len(new.functions) + len(new.refs)) >> 4
            )  # large values cost more work
            self._progress.learned = self._progress.learned or self.read_again
            self.changed(key)

    def changed(self, key: Hashable) -> None:
        for node in self._asked.pop(key, ()):
            place = node
            while place is not None and place not in self._progress.stale:
                self._progress.stale.add(place)
                place = self._progress.enclosing[place]


class FlowSyntax(NamedTuple):
    """Handlers for each kind of node. Any: each handler accepts only the node type of its key."""

    statements: Mapping[type[ast.stmt], Callable[[ValueTracker, Any], None]]
    expressions: Mapping[type[ast.expr], Callable[[ValueTracker, Any], TrackedValue]]


class _StatementReading(NamedTuple):
    """Result of the last evaluation of a statement.

    Reused if the evaluation starts in the same state and no fact that the statement depends on has changed: it would
    end in the same state."""

    before: tuple[Any, ...]  # Any: values of the state have different types
    bound: dict[str, TrackedValue]  # names that got a different value
    leaving: Origins
    skipping: Origins
    touched: Origins
    work: int
    unresolved: bool

    def ends_like(self, other: _StatementReading) -> bool:
        """Return whether both evaluations change an equal state equally."""
        return (
            self.bound == other.bound
            and self.leaving == other.leaving
            and self.skipping == other.skipping
            and self.touched == other.touched
        )


class ValueTracker:
    """State of the data-flow analysis of one program."""

    def __init__(
        self,
        tree: ast.Module,
        scopes: ProgramScopes,
        syntax: FlowSyntax,
        tool_lookup: ToolLookup,
        known_calls: Mapping[ast.AST, Iterable[Tool]],
    ) -> None:
        """`known_calls`: the tool calls that the interpreter found, by node."""
        self.tree, self.scopes, self.tool_lookup, self.known_calls = tree, scopes, tool_lookup, known_calls
        self._statements, self._expressions = syntax
        self.found = TrackedFlows()
        # Facts that all passes learn.
        self.progress = TrackingProgress()
        self.variables = FactTable(self.progress)  # every value that a name ever has
        self.variables.read_again = bool(scopes.functions)
        self.contents = FactTable(self.progress)  # values put into the object of a variable
        self.parameters = FactTable(self.progress)
        self.answers = FactTable(self.progress)  # return values of functions
        self.raised = FactTable(self.progress)  # conditions under which a function is left early
        self.entry_conditions: dict[ast.AST, Origins] = {}  # conditions under which a function runs
        self.repeated_functions: set[ast.AST] = set()  # functions called in a loop inside a `try`
        self.attributes = FactTable(self.progress)
        self.assigned_attributes = FactTable(self.progress)  # names of attributes that the program assigns
        self.objects = FactTable(self.progress)  # values that objects of a class hold
        self.chance = FactTable(self.progress)  # values that random numbers depend on
        self.shared_objects: defaultdict[Variable, set[Variable]] = defaultdict(set)  # one may hold the other
        self.same_objects: defaultdict[Variable, set[Variable]] = defaultdict(set)
        self.linked: set[tuple[Variable, ast.expr]] = set()
        self.links = FactTable(self.progress)  # of a variable: changes when it is linked to another one
        self.strict = False  # whether a callee that is not known yet counts as unknown
        self.unresolved = False  # whether such a callee occurred
        self._last_readings: dict[ast.stmt, _StatementReading] = {}
        self._starts: dict[Scope, tuple[Any, ...]] = {}  # the state before the body of a function or module
        self._begin(None)

    def _begin(self, scope: Scope) -> None:
        """Reset the position to the beginning of the module or of a function."""
        self.scope = scope
        self.progress.statement = None
        self.names: dict[str, TrackedValue] = {}
        self.comprehension_names: list[dict[str, TrackedValue]] = []
        self.control: Origins = NOTHING  # conditions under which this line runs
        self.leaving: Origins = NOTHING  # conditions under which this function was not left yet
        self.skipping: list[Origins] = []  # the same for each enclosing loop
        self.touched: Origins = NOTHING  # values used in a `try` that may have raised an error
        self.loops = self.whiles = self.tries = 0

    # ── Passes ──────────────────────────────────────────────────────────────────────────────────────────
    def follow(self) -> TrackedFlows:
        """Repeat passes over the program until nothing new is learned."""
        try:
            self._learn_uncalled_functions()
            settled = self._settle()
            if settled and self.unresolved:  # now the unknown callees are certain
                self.strict = True
                self.progress.stale.update(node for node, last in self._last_readings.items() if last.unresolved)
                settled = self._settle()
        except (TrackingLimitExceeded, RecursionError):
            settled = False
        self.found.complete = self.found.complete and settled
        return self.found

    def _learn_uncalled_functions(self) -> None:
        """Give unknown arguments to functions that this text never names: other programs may call them."""
        for function in self.scopes.functions:
            name = getattr(function, "name", "__")  # lambdas and special methods are called in this text
            method = function in self.scopes.class_of
            special = method and name.startswith("__") and name not in _CALLED_WITH_ARGUMENTS
            if not special and (name in self.scopes.mentioned or name.startswith("__")):
                continue
            for place in argument_names(function.args)[1 if method else 0 :]:
                self.parameters.learn((function, place), unknown_value(function, f"an argument of {name}"))

    def _settle(self) -> bool:
        for _ in range(MOST_ROUNDS):
            self.progress.learned = self.unresolved = False
            self._begin(None)
            self._body(self.tree.body)
            if self.tree.body and isinstance(last := self.tree.body[-1], ast.Expr):
                self.add_output(last, self.value(last.value).origins)
            for function in self.scopes.functions:
                self._read_function(function)
            if not self.progress.learned:
                return True
        return False

    def _read_function(self, function: FunctionNode) -> None:
        self._begin(function)
        self.control = self.entry_conditions.get(function, NOTHING)
        for argument in argument_names(function.args):
            self.names[argument] = self.parameters.get((function, argument), EMPTY)
            self.variables.learn((function, argument), self.names[argument])
        self.loops = self.tries = 1 if function in self.repeated_functions else 0
        if isinstance(function, ast.Lambda):
            self.return_value(self.value(function.body))
        else:
            self._body(function.body)
        raised = self.raised.get(function, EMPTY).origins
        if not self.leaving <= raised:
            self.raised[function] = TrackedValue(raised | self.leaving)
            self.raised.changed(function)

    def _body(self, body: Iterable[ast.stmt]) -> None:
        """Evaluate the body of the module or of a function. As long as the state is that of the last pass, only
        statements that depend on a changed fact are evaluated, which is most of them in the first pass alone."""
        start = dict(self.names), self.control, self.loops, self.tries
        same = self._starts.get(self.scope) == start
        self._starts[self.scope] = start
        for node in body:
            last = self._last_readings.get(node)
            if same and last is not None and node not in self.progress.stale:
                self._reuse(last)
                continue
            self.statement(node)
            same = same and last is not None and last.ends_like(self._last_readings[node])

    def _reuse(self, last: _StatementReading) -> None:
        self.progress.work += last.work
        self.unresolved = self.unresolved or last.unresolved
        self.leaving, self.touched = last.leaving, last.touched
        if self.skipping:
            self.skipping[-1] = last.skipping
        self.names.update(last.bound)

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        names, held = self.scopes.statement_names[node], self.names
        before = (
            *map(held.get, names),
            self.control,
            self.leaving,
            self.touched,
            tuple(self.skipping),
            self.loops,
            self.whiles,
            self.tries,
        )
        progress, last = self.progress, self._last_readings.get(node)
        if last is not None and last.before == before and node not in progress.stale:
            self._reuse(last)
            return
        around, unresolved, work = progress.statement, self.unresolved, progress.work
        progress.enclosing[node] = around
        progress.statement, self.unresolved = node, False
        progress.stale.discard(node)
        if act := self._statements.get(type(node)):
            act(self, node)
        else:
            self._parts(node)
        skipping = self.skipping[-1] if self.skipping else NOTHING
        bound = {name: held[name] for name, old in zip(names, before, strict=False) if held.get(name) is not old}
        self._last_readings[node] = _StatementReading(
            before, bound, self.leaving, skipping, self.touched, progress.work - work, self.unresolved
        )
        progress.statement, self.unresolved = around, unresolved or self.unresolved

    def value(self, node: ast.expr) -> TrackedValue:
        self.progress.spend(1)
        act = self._expressions.get(type(node))
        data = act(self, node) if act is not None else self._parts(node)
        return self.touch(data) if self.tries else data

    def touch(self, data: TrackedValue) -> TrackedValue:
        """Inside a `try`, record the value: it may raise an error and so decides how the program continues."""
        if self.tries and data.origins:
            self.touched |= data.origins
        return data

    def _parts(self, node: ast.AST) -> TrackedValue:
        found = EMPTY
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                found |= self.value(child)
        return found

    # ── Names of the current scope, and conditions ──────────────────────────────────────────────────────
    def current_values(self, names: Iterable[str]) -> tuple[TrackedValue | None, ...]:
        return (*map(self.names.get, names),)

    def restore(self, names: Iterable[str], values: Iterable[TrackedValue | None]) -> None:
        """Reset names of this scope to earlier values."""
        for name, data in zip(names, values, strict=True):
            if data is not None:
                self.names[name] = data
            else:
                self.names.pop(name, None)

    def join(self, names: Iterable[str], values: Iterable[TrackedValue | None]) -> None:
        """Add alternative values to names of this scope."""
        for name, data in zip(names, values, strict=True):
            if data is not None:
                held = self.names.get(name)
                self.names[name] = data if held is None else held | data

    def conditions(self) -> Origins:
        """Return the conditions under which this line runs."""
        found = merge_sets(self.control, self.leaving)
        for skipped in self.skipping:
            found |= skipped
        if self.tries and self.loops:
            found |= self.touched
        return found

    def decide_by(self, decides: Origins) -> Origins:
        """Add a condition for what is evaluated next. Returns the conditions to restore after it."""
        outer = self.control
        if decides:
            self.control = merge_sets(outer, change_each(decides, compared))
        return outer

    # ── Results ─────────────────────────────────────────────────────────────────────────────────────────
    def add_output(self, node: ast.AST, origins: Origins) -> None:
        found = frozenset(filter(spells_out_value, origins | self.conditions()))
        if found:
            self.found.outputs[node] = self.found.outputs.get(node, NOTHING) | found

    def return_value(self, data: TrackedValue) -> None:
        """Add a return value to the current function. Does nothing at module level."""
        if self.scope is not None:
            now = change_each(self.conditions(), derived)
            self.add_answer(self.scope, data.made_of(data.origins | now))

    def add_answer(self, function: ast.AST, data: TrackedValue) -> None:
        self.answers.learn(function, data)
        kind = self.scopes.class_of.get(function)
        if kind is not None and getattr(function, "name", "").startswith("__"):  # called without being named
            self.objects.learn(kind, data)

    def variable(self, name: str) -> Variable | None:
        """Return the variable that a name refers to here, or None if the program never binds it."""
        return self.scopes.variable(self.scope, name)

    def tool(self, key: tuple[str, str]) -> Tool | None:
        """Return the tool for (server, name), or None."""
        found = self.tool_lookup.find(*key)
        return found if isinstance(found, Tool) else None

    def reference(self, full: str) -> TrackedValue:
        """Return the value of a dotted name: a tool, or a reference."""
        parts = full.split(".")
        if parts[0] != "servers" or len(parts) < 3:
            return TrackedValue(refs=frozenset({full}))
        tool = self.tool((parts[1], parts[2]))
        return TrackedValue(tools=frozenset({(tool.server, tool.name)})) if tool is not None else EMPTY
