"""Tracks values through a program: which tool answers each argument of an outgoing call, and each output, is made of.

The interpreter says which tools a program calls; the tracker says which answers an argument can be made of, through
arithmetic, containers, functions, attributes, closures and conditions. What it does not know counts as unknown and
never as harmless: a function that no table names, a file, text that runs as code. So "nothing private goes out" is
said only where every value on the way is a constant, or an answer that is not private.

`ValueTracker` holds what is known and where the reading is; `statements.py` and `expressions.py` say what each piece of
the program does to it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
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
    tells,
    unknown_value,
)
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.records import Tool

MOST_ROUNDS: Final = 8  # readings of the whole program until nothing new is learned
MOST_WORK: Final = 40_000  # expressions looked at; past that the flow counts as unknown
_CALLED_WITH_ARGUMENTS: Final = frozenset({"__init__", "__new__", "__post_init__", "__call__"})
ANY_ATTRIBUTE: Final = "*"  # stands for an attribute whose name is only known at run time


class TrackedCall(Struct):
    """One place where a tool is called, over all readings: what its arguments may be made of, each by its name."""

    tool: Tool
    node: ast.AST
    arguments: dict[str, Origins]


class TrackedFlows(Struct):
    """What was found of one program."""

    calls: dict[tuple[ast.AST, str, str], TrackedCall] = field(default_factory=dict)
    outputs: dict[ast.AST, Origins] = field(default_factory=dict)
    sources: Origins = NOTHING  # of all answers that the program reads
    complete: bool = True  # whether everything was read; otherwise nothing is excluded
    blind: Origins = NOTHING  # what a call may carry whose tool is not known


class TrackingLimitExceeded(Exception):
    """The program is too large to be followed."""


class TrackingProgress:
    """Which statement is read now, which have to be read again, and how much work was done."""

    def __init__(self) -> None:
        self.statement: ast.stmt | None = None
        self.enclosing: dict[ast.stmt, ast.stmt | None] = {}  # the statement that each one was last read in
        self.stale: set[ast.stmt] = set()  # what they asked for has changed since
        self.learned = False  # whether this reading of the program learned anything
        self.work = 0

    def spend(self, work: int) -> None:
        self.work += work
        if self.work > MOST_WORK:
            raise TrackingLimitExceeded


class FactTable(dict[Any, TrackedValue]):  # Any: each table has keys of its own
    """What is learned of one kind of key over all readings, and which statements asked for it."""

    __slots__ = ("_asked", "_progress", "read_again")

    def __init__(self, progress: TrackingProgress) -> None:
        super().__init__()
        self._progress = progress
        self._asked: defaultdict[Hashable, set[ast.stmt | None]] = defaultdict(set)
        self.read_again = True  # whether the program is read once more after something new is learned here

    def ask(self, key: Hashable) -> TrackedValue:
        """What is known. The statement that is read now will be read again when that changes."""
        self._asked[key].add(self._progress.statement)
        return self.get(key, EMPTY)

    def holds(self, key: Hashable) -> bool:
        """Whether anything is known; asked as above."""
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
            )  # large ones cost as much
            self._progress.learned = self._progress.learned or self.read_again
            self.changed(key)

    def changed(self, key: Hashable) -> None:
        for node in self._asked.pop(key, ()):
            place = node
            while place is not None and place not in self._progress.stale:
                self._progress.stale.add(place)
                place = self._progress.enclosing[place]


class FlowSyntax(NamedTuple):
    """What each kind of node does to the data flow. Any: every entry takes the one kind of node it stands under."""

    statements: Mapping[type[ast.stmt], Callable[[ValueTracker, Any], None]]
    expressions: Mapping[type[ast.expr], Callable[[ValueTracker, Any], TrackedValue]]


class _StatementReading(NamedTuple):
    """The last reading of a statement. One that begins in the same state, while nothing that the statement asked for
    has changed, would find nothing new and end in the same state."""

    before: tuple[Any, ...]  # Any: the state of the reading is of many kinds
    bound: dict[str, TrackedValue]  # the names that got another value
    leaving: Origins
    skipping: Origins
    touched: Origins
    work: int
    unresolved: bool


class ValueTracker:
    """State of one reading of a program's values."""

    def __init__(
        self,
        tree: ast.Module,
        scopes: ProgramScopes,
        syntax: FlowSyntax,
        tool_lookup: ToolLookup,
        known_calls: Mapping[ast.AST, Iterable[Tool]],
    ) -> None:
        """`known_calls`: the calls of tools that the interpreter knows, by their nodes."""
        self.tree, self.scopes, self.tool_lookup, self.known_calls = tree, scopes, tool_lookup, known_calls
        self._statements, self._expressions = syntax
        self.found = TrackedFlows()
        # What is learned over all readings.
        self.progress = TrackingProgress()
        self.variables = FactTable(self.progress)  # every value that a name ever has
        self.variables.read_again = bool(scopes.functions)
        self.contents = FactTable(self.progress)  # what is put into the object of a variable
        self.parameters = FactTable(self.progress)
        self.answers = FactTable(self.progress)  # of functions
        self.raised = FactTable(self.progress)  # what decides whether a function is left early
        self.entry_conditions: dict[ast.AST, Origins] = {}  # what decides whether a function runs
        self.repeated_functions: set[ast.AST] = set()  # called in a loop, inside a `try`
        self.attributes = FactTable(self.progress)
        self.assigned_attributes = FactTable(self.progress)  # names of attributes that the program assigns
        self.objects = FactTable(self.progress)  # what objects of a class hold
        self.chance = FactTable(self.progress)  # what random numbers were made to depend on
        self.shared_objects: defaultdict[Variable, set[Variable]] = defaultdict(set)  # one may hold the other
        self.same_objects: defaultdict[Variable, set[Variable]] = defaultdict(set)
        self.linked: set[tuple[Variable, ast.expr]] = set()
        self.links = FactTable(self.progress)  # of a variable: changes when it is linked to a further one
        self.strict = False  # whether a callee that is not known yet counts as one that nobody can tell
        self.unresolved = False  # whether such a callee was met
        self._last_readings: dict[ast.stmt, _StatementReading] = {}
        self._begin(None)

    def _begin(self, scope: Scope) -> None:
        """Where the reading is now: at the beginning of the module, or of a function."""
        self.scope = scope
        self.progress.statement = None
        self.names: dict[str, TrackedValue] = {}
        self.comprehension_names: list[dict[str, TrackedValue]] = []
        self.control: Origins = NOTHING  # what decides whether this line runs
        self.leaving: Origins = NOTHING  # what decided whether this function went on
        self.skipping: list[Origins] = []  # the same of each loop around
        self.touched: Origins = NOTHING  # what was looked at, and may have failed
        self.loops = self.whiles = self.tries = 0

    # ── the readings ─────────────────────────────────────────────────────────────────────────────
    def follow(self) -> TrackedFlows:
        """Read until nothing new is learned."""
        try:
            self._learn_uncalled_functions()
            settled = self._settle()
            if settled and self.unresolved:  # by now it is certain which callees nobody can tell
                self.strict = True
                self._last_readings = {node: last for node, last in self._last_readings.items() if not last.unresolved}
                settled = self._settle()
        except (TrackingLimitExceeded, RecursionError):
            settled = False
        self.found.complete = self.found.complete and settled
        return self.found

    def _learn_uncalled_functions(self) -> None:
        """A function that this text never names is called by another one, with whatever that has."""
        for function in self.scopes.functions:
            name = getattr(function, "name", "__")  # a lambda, and what Python itself calls, is called here
            method = function in self.scopes.class_of
            special = method and name.startswith("__") and name not in _CALLED_WITH_ARGUMENTS
            if not special and (name in self.scopes.mentioned or name.startswith("__")):
                continue
            for place in argument_names(function.args)[1 if method else 0 :]:
                self.parameters.learn((function, place), unknown_value(function, f"what {name} is called with"))

    def _settle(self) -> bool:
        for _ in range(MOST_ROUNDS):
            self.progress.learned = self.unresolved = False
            self._begin(None)
            self.block(self.tree.body)
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
            self.block(function.body)
        raised = self.raised.get(function, EMPTY).origins
        if not self.leaving <= raised:
            self.raised[function] = TrackedValue(raised | self.leaving)
            self.raised.changed(function)

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
            progress.work += last.work
            self.unresolved = self.unresolved or last.unresolved
            self.leaving, self.touched = last.leaving, last.touched
            if self.skipping:
                self.skipping[-1] = last.skipping
            held.update(last.bound)
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
        """Inside a `try`, whatever is looked at may fail, and decides how the program goes on."""
        if self.tries and data.origins:
            self.touched |= data.origins
        return data

    def _parts(self, node: ast.AST) -> TrackedValue:
        found = EMPTY
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                found |= self.value(child)
        return found

    # ── names of the scope that is read, and what decides ────────────────────────────────────────
    def current_values(self, names: Iterable[str]) -> tuple[TrackedValue | None, ...]:
        return (*map(self.names.get, names),)

    def restore(self, names: Iterable[str], values: Iterable[TrackedValue | None]) -> None:
        """Give names of this scope the values that they had once."""
        for name, data in zip(names, values, strict=True):
            if data is not None:
                self.names[name] = data
            else:
                self.names.pop(name, None)

    def join(self, names: Iterable[str], values: Iterable[TrackedValue | None]) -> None:
        """Names of this scope may also have these values."""
        for name, data in zip(names, values, strict=True):
            if data is not None:
                held = self.names.get(name)
                self.names[name] = data if held is None else held | data

    def conditions(self) -> Origins:
        """What decides whether this line runs."""
        found = self.control | self.leaving
        for skipped in self.skipping:
            found |= skipped
        if self.tries and self.loops:
            found |= self.touched
        return found

    @contextmanager
    def under(self, decides: Origins) -> Iterator[None]:
        """What runs meanwhile depends on this."""
        kept = self.control
        self.control |= change_each(decides, compared)
        yield
        self.control = kept

    # ── what is found ────────────────────────────────────────────────────────────────────────────
    def add_output(self, node: ast.AST, origins: Origins) -> None:
        found = frozenset(filter(tells, origins | self.conditions()))
        if found:
            self.found.outputs[node] = self.found.outputs.get(node, NOTHING) | found

    def return_value(self, data: TrackedValue) -> None:
        """The function that is read gives this back; at the top of the program it is output."""
        if self.scope is not None:
            now = change_each(self.conditions(), derived)
            self.add_answer(self.scope, data.made_of(data.origins | now))

    def add_answer(self, function: ast.AST, data: TrackedValue) -> None:
        self.answers.learn(function, data)
        kind = self.scopes.class_of.get(function)
        if kind is not None and getattr(function, "name", "").startswith("__"):  # called without being named
            self.objects.learn(kind, data)

    def variable(self, name: str) -> Variable | None:
        """The variable that a name means here; None for one that the program never binds."""
        return self.scopes.variable(self.scope, name)

    def tool(self, key: tuple[str, str]) -> Tool | None:
        """The tool of this server and name."""
        found = self.tool_lookup.find(*key)
        return found if isinstance(found, Tool) else None

    def reference(self, full: str) -> TrackedValue:
        """What is imported under this name."""
        parts = full.split(".")
        if parts[0] != "servers" or len(parts) < 3:
            return TrackedValue(refs=frozenset({full}))
        tool = self.tool((parts[1], parts[2]))
        return TrackedValue(tools=frozenset({(tool.server, tool.name)})) if tool is not None else EMPTY
