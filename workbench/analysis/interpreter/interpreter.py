"""The abstract interpreter: evaluates a program in Python's order, with what is known of its values instead of data.

Nothing is executed, imported or unpickled. Facts that functions learn from their callers count in the next pass: a
function body, or the module text, is read again only if a fact that it depends on has changed, and a bounded number of
times.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct, field

from workbench.analysis.interpreter.certain_constants import CertainConstants
from workbench.analysis.interpreter.changed_values import ChangedValues
from workbench.analysis.interpreter.program_report import ProgramReport
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.analysis.interpreter.values import (
    NOTHING,
    UNSAID,
    Arguments,
    Value,
    ValueSource,
    first_of_kind,
    join,
    texts_in,
)
from workbench.analysis.parsed_program import ParsedProgram, walk
from workbench.privacy.pii_tokens import names_kind, tokens_in
from workbench.records import Span, Tool

MAX_WORK = 50_000  # maximum number of evaluated expressions; about 100 ms
MAX_COMPARED = 200  # compared texts with PII tokens that are noted
BUDGET = 2.0  # seconds of thread CPU time, for programs whose single expressions are expensive
_LOOKS = 32  # expressions between two checks of the deadline
READINGS = 3
_NESTED = 3  # nesting of lists and dicts whose texts count
AHEAD = 6  # maximum nesting of bodies that are read early for their return value


class WorkLimitExceeded(Exception):
    """Raised when a program is too large to analyze completely; the user must decide."""


Key: TypeAlias = tuple[object, ...]


def key(value: Value) -> Key:
    """Return a non-empty key that changes when more is known of a value.

    Numbers are ignored, because joined numbers never converge."""
    text = value.const if isinstance(value.const, str | bytes) else ""
    return (value.refs, text, value.choices, value.kind, value.taint, value.functions, _inside(value))


def _inside(value: Value, depth: int = 0) -> Key | None:
    """Return what is known of the elements of a list or dict, without their order."""
    if value.items is None or depth > _NESTED:
        return None
    return (
        frozenset(
            (
                one.refs,
                one.functions,
                one.const if isinstance(one.const, str) else "",
                one.choices,
                _inside(one, depth + 1),
            )
            for one in value.items
        ),
    )


class NameScope(dict[str, Value]):
    """Names of a body with their current values. `all_values` holds all values of names that were bound more than
    once."""

    __slots__ = ("all_values",)

    def __init__(self, names: Mapping[str, Value] = MappingProxyType({})) -> None:
        super().__init__(names)
        self.all_values: dict[str, Value] = {}

    def bind(self, name: str, value: Value) -> None:
        old = self.get(name)
        if old is not None and old is not value:
            self.all_values[name] = join(self.all_values.get(name, old), value)
        self[name] = value


class FunctionFacts(Struct):
    """Parameters and return values of a function of the program, joined over all calls."""

    parameters: dict[str, Value] = field(default_factory=dict)
    answer: Value = UNSAID
    looped: bool = False
    read_with: Key = ()  # parameter keys of the last time the body was read

    def reading(self) -> None:
        """Record the parameters with which the body is read."""
        self.read_with = self._parameter_keys()

    def stale(self) -> bool:
        """Return whether more is known of the parameters than when the body was read."""
        return bool(self.read_with) and self.read_with != self._parameter_keys()

    def _parameter_keys(self) -> Key:
        return (self.looped, *((name, key(value)) for name, value in self.parameters.items()))


class BodyReading(Struct):
    """The last pass over a function body or the module text: its findings and the facts it depends on."""

    report: ProgramReport
    # attributes, and functions (for their return values)
    dependencies: dict[str | ast.AST, Value] = field(default_factory=dict)
    # Arguments of each tool call, which differ between the passes of a loop and the calls of a function
    passes: dict[tuple[ast.AST, str, str], list[Arguments]] = field(default_factory=dict)


class PendingBody(Struct):
    """A function body that is read after the enclosing text."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scopes: list[dict[str, Value]]


class ExecutedText(Struct):
    """Constant text passed to exec or eval: read as a separate program, reported at the place of the call."""

    text: str
    span: Span
    node: ast.Call


class SyntaxTable(Struct, frozen=True):
    """Handlers for each kind of node. Any: each handler accepts only the node type of its key."""

    statements: Mapping[type[ast.stmt], Callable[[Interpreter, Any], None]]
    expressions: Mapping[type[ast.expr], Callable[[Interpreter, Any], Value]]
    # the flag says whether the value is called
    naming: Mapping[type[ast.expr], Callable[[Interpreter, Any, bool], Value]]


class Interpreter:
    """State of one analysis. The syntax tables define the effect of each kind of node."""

    def __init__(
        self,
        program: ParsedProgram,
        tool_lookup: ToolLookup,
        syntax: SyntaxTable,
        anchor: Span | None = None,
        deadline: float = 0.0,
    ) -> None:
        self._statements, self._expressions, self._naming = syntax.statements, syntax.expressions, syntax.naming
        self.tool_lookup = tool_lookup
        self.report = ProgramReport()
        self.anchor = anchor  # if set, all findings are reported at this place
        self.scopes: list[dict[str, Value]] = [NameScope()]
        self.own = 0  # index of the first scope of the body that is read
        self.shared: set[str] = set()  # names that bodies bind outside themselves: `global`, `nonlocal`
        self._shares_more = False
        self.attributes: dict[str, Value] = {}
        self.facts: dict[str, Span] = {}
        self.parts: dict[ast.AST | None, BodyReading] = {}
        self.part = BodyReading(self.report)
        self.bodies: dict[ast.AST, PendingBody] = {}
        self.read_bodies: set[ast.AST] = set()  # functions whose body was read at least once, including early
        self.early_depth = 0
        self.learned: dict[ast.AST, FunctionFacts] = {}
        self.later: list[PendingBody] = []
        self.inner: dict[str, ExecutedText] = {}
        self.modules: set[str] = set()
        # Tools that each call may mean, with their arguments.
        self.tool_calls: dict[ast.AST, dict[tuple[str, str], tuple[Tool, Arguments]]] = {}
        # all arguments of each of these calls; known when the program was read
        self.every_arguments: dict[tuple[ast.AST, str, str], list[Arguments]] = {}
        # Texts with PII tokens that are compared or looked up, with the place; whether that compares the token's value.
        self.compared: dict[tuple[str, Span], bool] = {}
        self.control: list[ValueSource] = []  # untrusted content that decides whether the current line runs
        self.branches = 0
        self.loops = 0
        self.follows = False  # the current name is only bound to a different name, which is followed
        self.again = 0  # nesting of loops whose body is read again
        self._assigned: dict[ast.AST, tuple[str, ...]] = {}
        self.annotates = True  # annotations are evaluated here; they are not in the body of a function
        self.lazy = False  # the program postpones the evaluation of annotations
        self.current: ast.AST | None = None
        self._place: tuple[ast.AST, Span] | None = None
        self._program = program
        self.names_tokens = names_kind(program.text)
        self._programs: dict[str, ParsedProgram] = {}
        self.work = 0
        self.deadline = deadline or time.thread_time() + BUDGET

    def read(self) -> None:
        """Repeat passes over the program until nothing new is learned."""
        tree = self._program.tree or ast.Module([], [])
        self._record_methods(tree.body)
        self.lazy = any(map(_postpones, tree.body))
        try:
            for _ in range(READINGS):
                self._read_once(tree.body)
                if self._reread_stale():
                    return
        finally:  # after an aborted pass, too, so that its findings are reported
            self.report = ProgramReport()
            for part in self.parts.values():
                self.report.merge(part.report)
                for call, passes in part.passes.items():
                    self.every_arguments.setdefault(call, []).extend(passes)

    @cached_property
    def certain(self) -> CertainConstants:
        """Which constants are certain even before all calls of the program's functions are known."""
        return CertainConstants(self.nodes, self.changed_values, lambda function, name: True)

    @cached_property
    def changed_values(self) -> ChangedValues:
        """Which objects of the program may be changed unseen."""
        return ChangedValues(self.nodes)

    @property
    def nodes(self) -> Sequence[ast.AST]:
        """All nodes of the program, the whole tree first."""
        return self._program.nodes

    def bound_once(self, name: str) -> ast.expr | None:
        """Return the expression of a name that the whole program binds exactly once, at the top level."""
        return self._program.bindings.bound_once(name)

    def mentions(self, words: Set[str]) -> bool:
        """Return whether the program contains one of these words, as a name or in a string."""
        return not words.isdisjoint(self._program.mentioned_words)

    def program(self, text: str) -> ParsedProgram:
        """Return a constant text of the program, parsed. The same text gives the same object."""
        if text not in self._programs:
            self._programs[text] = ParsedProgram(text)
        return self._programs[text]

    def examples(self) -> tuple[str, ...]:
        """Return the docstring examples of the text, as programs.

        Includes one example that does not parse if docstrings are made at run time."""
        return self._program.docstring_examples

    def _record_methods(self, body: Iterable[ast.stmt]) -> None:
        """Record all methods in advance.

        Otherwise each class with a method named like an earlier one would cause another pass."""
        for statement in body:
            for member in statement.body if isinstance(statement, ast.ClassDef) else ():
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
                    self.add_attribute(member.name, Value(functions=(member,)))

    def _reread_stale(self) -> bool:
        """Read bodies again whose facts have changed. Returns whether the module text would give nothing new."""
        for _ in range(READINGS - 1):
            if self._stale(None) or self._shares_more:
                return False
            self.later = [later for later in self.bodies.values() if self._stale(later.node)]
            for later in self.later:  # grows during the loop: bodies define more functions
                self._read_body(later)
        return not self._stale(None) and not self._shares_more

    def _stale(self, node: ast.AST | None) -> bool:
        part = self.parts.get(node)
        if part is None:
            return False
        if node is not None and self.facts_of(node).stale():
            return True
        return any(
            (now := self._known_value(what)) is not known and key(now) != key(known)
            for what, known in part.dependencies.items()
        )

    def run(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            if act := self._statements.get(type(statement)):
                act(self, statement)

    def value(self, node: ast.expr | None, *, called: bool = False) -> Value:
        """Return the possible values of an expression. `called`: the value is about to be called and not passed on."""
        if node is None:
            return NOTHING
        self.work += 1
        if self.work > MAX_WORK or (self.work % _LOOKS == 0 and time.thread_time() > self.deadline):
            raise WorkLimitExceeded
        kind = type(node)
        if act := self._expressions.get(kind):
            return act(self, node)
        if naming := self._naming.get(kind):
            return naming(self, node, called)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return NOTHING

    def call(self, function: ast.expr, *arguments: Value) -> Value:
        """Return the result of a call that Python makes without call syntax."""
        given = {f"<argument {number}>": value for number, value in enumerate(arguments)}
        names = [ast.copy_location(ast.Name(name, ast.Load()), function) for name in given]
        with self.scope(given):
            return self.value(ast.copy_location(ast.Call(function, [*names], []), function))

    def note_compared(self, node: ast.AST, *values: Value, restores: bool = True) -> None:
        """Note texts that are compared or looked up. `restores`: whether the sandbox does it with a token's value."""
        if not self.names_tokens:
            return
        for text in texts_in(values):
            if "_" in text and len(self.compared) < MAX_COMPARED and next(tokens_in(text), ""):
                place = text, self.span(node)
                self.compared[place] = self.compared.get(place, True) and restores

    def span(self, node: ast.AST) -> Span:
        """Return the span of a node. The last one is cached, because one action often causes several findings."""
        if self.anchor:
            return self.anchor
        if self._place is None or self._place[0] is not node:
            self._place = node, self._program.span(node)
        return self._place[1]

    def find_name(self, name: str) -> Value | None:
        """Return the value of a name here, or None if the program has not bound it."""
        for number in range(len(self.scopes) - 1, -1, -1):
            scope = self.scopes[number]
            if (found := scope.get(name)) is not None:
                if number < self.own and type(scope) is NameScope and name in scope.all_values:
                    found = join(scope.all_values[name], found)  # the body may run at any time
                return join(found, self.stored_attribute(_shared(name)) or UNSAID) if name in self.shared else found
        return self.stored_attribute(_shared(name)) if name in self.shared else None

    def share(self, names: Iterable[str]) -> None:
        """Handle `global` and `nonlocal`: a value bound to one of these names here is possible everywhere."""
        for name in names:
            if name not in self.shared:
                self.shared.add(name)
                self._shares_more = True

    def bind(self, name: str, value: Value) -> None:
        """Bind a name. Inside a branch, the old value stays possible."""
        scope = self.scopes[-1]
        made = join(scope[name], value) if self.branches and name in scope else value
        if type(scope) is NameScope:
            scope.bind(name, made)
        else:
            scope[name] = made
        if name in self.shared:
            self.add_attribute(_shared(name), value)

    def forget(self, name: str) -> None:
        """Unbind a name in the current scope."""
        scope = self.scopes[-1]
        if (old := scope.pop(name, None)) is not None and type(scope) is NameScope:
            scope.all_values[name] = join(scope.all_values.get(name, UNSAID), old)

    def assigned(self, node: ast.AST) -> tuple[str, ...]:
        """Return the names that a statement binds anywhere inside it."""
        if (found := self._assigned.get(node)) is None:
            stored = (part.id for part in walk(node) if type(part) is ast.Name and type(part.ctx) is ast.Store)
            found = self._assigned[node] = tuple(dict.fromkeys(stored))
        return found

    def add_attribute(self, attribute: str, value: Value) -> None:
        """Record the value of an attribute, whatever the object."""
        self.attributes[attribute] = join(self.attributes.get(attribute, UNSAID), value)

    def stored_attribute(self, attribute: str) -> Value | None:
        """Return the values that the program assigned to attributes of this name, or None if it assigned none."""
        if attribute not in self.part.dependencies:
            self.part.dependencies[attribute] = self._known_value(attribute)
        return self.attributes.get(attribute)

    def _known_value(self, what: str | ast.AST) -> Value:
        """Return the known values of an attribute or of a function's return value.

        An attribute set to an unknown value counts as unset."""
        return self.attributes.get(what, UNSAID) if isinstance(what, str) else self.facts_of(what).answer

    def facts_of(self, node: ast.AST) -> FunctionFacts:
        """Return the facts known of a function of this program."""
        return self.learned.setdefault(node, FunctionFacts()) if node not in self.learned else self.learned[node]

    def define(self, later: PendingBody) -> None:
        """Schedule a function body, to be read after the enclosing text."""
        self.later.append(later)
        self.bodies[later.node] = later

    def answer(self, node: ast.AST) -> Value:
        """Return the return value of a function of this program. The body is read early if it was not read before."""
        later = self.bodies.get(node)
        if later and node not in self.read_bodies and self.early_depth < AHEAD:
            self._read_early(later)
        if node not in self.part.dependencies:
            self.part.dependencies[node] = self._known_value(node)
        answer = self.facts_of(node).answer
        return NOTHING if answer is UNSAID else answer

    def _read_early(self, later: PendingBody) -> None:
        """Read a body early for its return value.

        Its findings are dropped and collected later, when its parameters are known."""
        kept = self.part, self.later, self.inner, self.branches, self.loops, self.control, self.current
        annotates = self.annotates
        self.later, self.inner, self.early_depth = [], {}, self.early_depth + 1
        try:
            self._read_body(later)
        finally:
            self.part, self.later, self.inner, self.branches, self.loops, self.control, self.current = kept
            self.report, self.early_depth, self.annotates = self.part.report, self.early_depth - 1, annotates
            del self.parts[later.node]

    @contextmanager
    def branch(self, condition: Value = NOTHING, *, loop: bool = False) -> Iterator[None]:
        """Enter a branch or loop body, which may run any number of times."""
        decides = first_of_kind(condition.taint, "untrusted")
        self.branches, self.loops = self.branches + 1, self.loops + loop
        self.report.forks += not self.again
        if decides is not None:
            self.control.append(decides)
        yield
        if decides is not None:
            self.control.pop()
        self.branches, self.loops = self.branches - 1, self.loops - loop

    @contextmanager
    def scope(self, names: dict[str, Value], around: Sequence[dict[str, Value]] | None = None) -> Iterator[None]:
        """Enter a body with its own names."""
        kept = self.scopes, self.own
        self.scopes = [*(self.scopes if around is None else around), names]
        if around is not None:
            self.own = len(around)
        yield
        self.scopes, self.own = kept

    @contextmanager
    def report_at(self, span: Span) -> Iterator[None]:
        """Report everything inside at one place."""
        kept, self.anchor = self.anchor, self.anchor or span
        yield
        self.anchor = kept

    def _read_once(self, body: list[ast.stmt]) -> None:
        self.later, self.inner, self.bodies, self.parts, self.facts = [], {}, {}, {}, {}
        self.read_bodies.clear()
        self._shares_more = False
        self._begin(None)
        self.scopes, self.own, self.branches, self.loops, self.control, self.current = [NameScope()], 0, 0, 0, [], None
        self.annotates = True
        self.run(body)
        for later in self.later:  # grows during the loop: bodies define more functions
            self._read_body(later)

    def _begin(self, node: ast.AST | None) -> None:
        """Start collecting findings for a function, or for the module text if `node` is None."""
        self.part = self.parts[node] = BodyReading(ProgramReport(facts=self.facts))
        self.report = self.part.report

    def _read_body(self, later: PendingBody) -> None:
        known = self.facts_of(later.node)
        self.read_bodies.add(later.node)
        self._begin(later.node)
        self.branches, self.loops, self.control = 0, int(known.looped), []
        self.current, self.annotates = later.node, False
        known.reading()
        names = dict.fromkeys(_parameters(later.node.args), NOTHING) | known.parameters
        with self.scope(NameScope(names), later.scopes):
            if isinstance(later.node, ast.Lambda):
                known.answer = join(known.answer, self.value(later.node.body))
            else:
                self.run(later.node.body)


def _shared(name: str) -> str:
    """Return the attribute name that stores a shared name. No real attribute contains a space."""
    return f"global {name}"


def _postpones(statement: ast.stmt) -> bool:
    """Return whether a statement is `from __future__ import annotations`."""
    if not isinstance(statement, ast.ImportFrom) or statement.module != "__future__":
        return False
    return any(alias.name == "annotations" for alias in statement.names)


def _parameters(arguments: ast.arguments) -> list[str]:
    for_names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for_names += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return [argument.arg for argument in for_names]


SpecialCall: TypeAlias = Callable[[Interpreter, ast.Call, str, Arguments], Value]


def for_names(names: str, special: SpecialCall) -> dict[str, SpecialCall]:
    """Map all these dotted names to the same handler."""
    return dict.fromkeys(names.split(), special)
