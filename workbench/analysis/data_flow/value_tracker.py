"""Tracks values through a program: which tool answers each argument of an outgoing call, and each output, is made of.

The interpreter says which tools a program calls; the tracker says which answers an argument can be made of, through
arithmetic, containers, functions, attributes, closures and conditions. What it does not know counts as unknown and
never as harmless: a function that no table names, a file, text that runs as code. So "nothing private goes out" is
said only where every value on the way is a constant, or an answer that is not private.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from workbench.analysis.data_flow.value_origins import (
    ANY,
    BYTES,
    EMPTY,
    NOTHING,
    PIECES,
    PLAIN,
    PRIVATE,
    TABLE,
    TEXT,
    UNKNOWN,
    UNTRUSTED,
    WHEN,
    AnswerOrigin,
    Origins,
    TrackedValue,
    altered,
    as_text,
    at_unknown_key,
    change_each,
    compared,
    computed,
    cuts_text,
    derived,
    element,
    encoded,
    field_named,
    field_of,
    hashed,
    is_settled,
    length,
    merge_sets,
    one_of_many,
    origins_of,
    part,
    pieces,
    questioned,
    split_pieces,
    summed,
    tells,
    under,
    without_details,
    wrapped,
)
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.analysis.tables import function_data_flow as table
from workbench.analysis.tables.modules import CLIENT
from workbench.permissions import tool_annotations
from workbench.records import Tool

MOST_ROUNDS: Final = 8  # readings of the whole program until nothing new is learned
MOST_TURNS: Final = 4  # readings of a loop's body
MOST_WORK: Final = 40_000  # expressions looked at; past that the flow counts as unknown
SMALL: Final = 8  # characters of a value that are a part of it, and no shortened text
_BUILTINS = frozenset(dir(builtins))
_READY: Final = {name: name for name in ("asyncio", "datetime", "json", "math", "re")} | {
    name: f"client.{name}" for name in (*CLIENT, "ToolError", "Image", "tool_discovery")
}  # what a program finds without importing it
_UNFOLLOWED: Final = "a function that reading cannot follow"
_HANDLERS: Final = ("emit", "handle", "format", "formatMessage", "filter", "write")  # of logging, and of streams
_CHANCE: Final = ("random.", "time.", "datetime.", "asyncio.sleep")  # chance, and the clock
_DRIVING: Final = ("random.seed", "random.setstate", "time.sleep", "asyncio.sleep")  # decides what those say next
_GIVEN: Final = frozenset({"__init__", "__new__", "__post_init__", "__call__"})  # get what their call is given
_ANY_NAME: Final = "*"  # stands for an attribute whose name is only known at run time
_Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Scope: TypeAlias = ast.AST | None
_Variable: TypeAlias = tuple[_Scope, str]


@dataclass(slots=True)
class TrackedCall:
    """One place where a tool is called, over all readings: what its arguments may be made of, each by its name."""

    tool: Tool
    node: ast.AST
    arguments: dict[str, Origins]


@dataclass(slots=True)
class TrackedFlows:
    """What was found of one program."""

    calls: dict[tuple[ast.AST, str, str], TrackedCall]
    outputs: dict[ast.AST, Origins]
    sources: Origins  # of all answers that the program reads
    complete: bool  # whether everything was read; otherwise nothing is excluded
    blind: Origins  # what a call that nobody can tell may carry


class TrackingLimitExceeded(Exception):
    """The program is too large to be followed."""


# ── the reading ──────────────────────────────────────────────────────────────────────────────────────
class _Store(dict[Any, Any]):  # Any: each store has keys and values of its own
    """What is learned over all readings, and which statements asked for what of it."""

    __slots__ = ("asked",)

    def __init__(self) -> None:
        super().__init__()
        self.asked: defaultdict[Any, set[ast.stmt | None]] = defaultdict(set)


class _Reading(NamedTuple):
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
    """One reading of a program's values."""

    def __init__(self, tree: ast.Module, toolbook: ToolLookup, calls: Mapping[ast.AST, Iterable[Tool]]) -> None:
        """`calls`: the calls of tools that the reading by names knows, by their nodes."""
        self._tree = tree
        self._toolbook = toolbook
        self._known_calls = calls
        self._bound: dict[_Scope, frozenset[str]] = {}
        self._outer: dict[ast.AST, _Scope] = {}
        self._class_of: dict[ast.AST, ast.ClassDef] = {}
        self._methods: defaultdict[str, set[ast.AST]] = defaultdict(set)
        self._functions: list[_Function] = []
        self._of_module: set[str] = set()  # names that functions bind there
        self._mentioned: set[str] = set()  # names and attributes that are read anywhere
        self._names: dict[ast.stmt, tuple[str, ...]] = {}  # what a statement reads or binds in its own scope
        # What is learned over all readings; `_news` says whether the last one learned anything.
        self._ever = _Store()
        self._spoiled = _Store()
        self._links: defaultdict[_Variable, set[_Variable]] = defaultdict(set)
        self._linked: set[tuple[_Variable, ast.expr]] = set()
        self._same: defaultdict[_Variable, set[_Variable]] = defaultdict(set)
        self._near = _Store()  # of a variable, whether it got a further link
        self._parameters = _Store()
        self._answers = _Store()
        self._attributes = _Store()
        self._stored = _Store()  # names of attributes that the program sets
        self._objects = _Store()
        self._chance = _Store()  # what the random numbers were made to depend on
        self._entry: dict[ast.AST, Origins] = {}
        self._repeated: set[ast.AST] = set()
        self._raised = _Store()
        self._readings: dict[ast.stmt, _Reading] = {}
        self._around: dict[ast.stmt, ast.stmt | None] = {}  # the statement that each one was last read in
        self._stale: set[ast.stmt] = set()  # what they asked for has changed since
        self._news = False
        self._strict = False  # whether a callee that is not known yet counts as one that nobody can tell
        self._unresolved = False
        self.found = TrackedFlows({}, {}, NOTHING, True, NOTHING)
        # Where the reading is now.
        self._scope: _Scope = None
        self._reading: ast.stmt | None = None
        self._env: dict[str, TrackedValue] = {}
        self._inner: list[dict[str, TrackedValue]] = []  # names of comprehensions
        self._control: Origins = NOTHING  # what decides whether this line runs
        self._leaving: Origins = NOTHING  # what decided whether this function went on
        self._skipping: list[Origins] = []  # the same of each loop around
        self._touched: Origins = NOTHING  # what was looked at, and may have failed
        self._loops = self._whiles = 0
        self._tries = 0
        self._work = 0

    def follow(self) -> TrackedFlows:
        """Read until nothing new is learned."""
        names: set[str] = set()
        try:
            self._foresee(self._tree.body, None, None, names, set())
            names |= self._of_module
            self._bound[None] = frozenset(name.lstrip(_FOREIGN) for name in names)
            self._open_up()
            settled = self._settle()
            if settled and self._unresolved:  # by now it is certain which callees nobody can tell
                self._strict = True
                self._readings = {node: last for node, last in self._readings.items() if not last.unresolved}
                settled = self._settle()
        except (TrackingLimitExceeded, RecursionError):
            settled = False
        self.found.complete = self.found.complete and settled
        return self.found

    def _open_up(self) -> None:
        """A function that this text never names is called by another one, with whatever that has."""
        for function in self._functions:
            name = getattr(function, "name", "__")  # a lambda, and what Python itself calls, is called here
            special = function in self._class_of and name.startswith("__") and name not in _GIVEN
            if not special and (name in self._mentioned or name.startswith("__")):
                continue
            for place in _arguments(function.args)[1 if function in self._class_of else 0 :]:
                self._learn(self._parameters, (function, place), self._unknown(function, f"what {name} is called with"))

    def _settle(self) -> bool:
        for _ in range(MOST_ROUNDS):
            self._news = self._unresolved = False
            self._read(self._tree.body, None)
            for function in self._functions:
                self._read_function(function)
            if not self._news:
                return True
        return False

    def _foresee(
        self, nodes: Iterable[ast.AST], scope: _Scope, owner: ast.ClassDef | None, names: set[str], inside: set[str]
    ) -> None:
        """Every function and class of the program, which names are bound where, and which stand in each statement."""
        for node in nodes:
            kind = type(node)
            if kind is ast.Global:
                self._of_module.update(node.names)  # type: ignore[attr-defined]  # its kind was looked at
            if kind is ast.Name:
                bound = names if type(node.ctx) is ast.Store else self._mentioned  # type: ignore[attr-defined]
                bound.add(node.id)  # type: ignore[attr-defined]  # its kind was looked at
                inside.add(node.id)  # type: ignore[attr-defined]  # as above
                continue
            if kind is ast.Constant:
                continue
            if not isinstance(node, ast.stmt):
                if isinstance(node, ast.Lambda):
                    self._foresee_function(node, scope, None, names, inside)
                    continue
                if kind is ast.Attribute:
                    self._mentioned.add(node.attr)  # type: ignore[attr-defined]  # as above
                elif kind in _BINDING:
                    inside.update(_bound_here(node, names))
                self._foresee(_children(node), scope, None, names, inside)
                continue
            own: set[str] = set()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own.add(node.name)
                self._foresee_function(node, scope, owner, names, own)
            elif isinstance(node, ast.ClassDef):
                own.add(node.name)
                names.add(node.name)
                self._foresee([*node.decorator_list, *node.bases, *node.keywords], scope, None, names, own)
                self._foresee(node.body, scope, node, set(), own)
            else:
                if kind in _BINDING:
                    own.update(_bound_here(node, names))
                self._foresee(_children(node), scope, owner, names, own)
            self._names[node] = tuple(own)
            inside |= own

    def _foresee_function(
        self, node: _Function, scope: _Scope, owner: ast.ClassDef | None, names: set[str], inside: set[str]
    ) -> None:
        self._functions.append(node)
        self._outer[node] = scope
        own = set(_arguments(node.args))
        if isinstance(node, ast.Lambda):
            self._foresee([node.args], scope, None, names, inside)
            self._foresee([node.body], node, None, own, set())
        else:
            names.add(node.name)
            around = [*node.decorator_list, node.args, *([node.returns] if node.returns is not None else [])]
            self._foresee(around, scope, None, names, inside)
            self._foresee(node.body, node, None, own, set())
            if owner is not None:
                self._class_of[node] = owner
                self._methods[node.name].add(node)
        self._bound[node] = _without_foreign(own)

    def _read(self, body: list[ast.stmt], scope: _Scope, control: Origins = NOTHING) -> None:
        self._scope, self._env, self._inner, self._control, self._reading = scope, {}, [], control, None
        self._leaving, self._skipping, self._touched, self._loops, self._tries = NOTHING, [], NOTHING, 0, 0
        self._whiles = 0
        self._block(body)
        if scope is None and body and isinstance(body[-1], ast.Expr):
            self._output(body[-1], self._value(body[-1].value).origins)

    def _read_function(self, function: _Function) -> None:
        entry = self._entry.get(function, NOTHING)
        self._read([], function)
        for argument in _arguments(function.args):
            self._env[argument] = self._parameters.get((function, argument), EMPTY)
            self._learn(self._ever, (function, argument), self._env[argument])
        self._control = entry
        self._loops = self._tries = 1 if function in self._repeated else 0
        if isinstance(function, ast.Lambda):
            self._give_back(self._value(function.body))
        else:
            self._block(function.body)
        raised = self._raised.get(function, NOTHING)
        if not self._leaving <= raised:
            self._raised[function] = raised | self._leaving
            self._changed(self._raised, function)

    # ── what is learned ──────────────────────────────────────────────────────────────────────────
    def _ask(self, store: _Store, key: Any) -> Any:  # Any: each store has keys and values of its own
        """What is known; None when nothing is. The statement that is read now will be read again when that changes."""
        store.asked[key].add(self._reading)
        return store.get(key)

    def _changed(self, store: _Store, key: Any) -> None:  # Any: as above
        for node in store.asked.pop(key, ()):
            place = node
            while place is not None and place not in self._stale:
                self._stale.add(place)
                place = self._around[place]

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > MOST_WORK:
            raise TrackingLimitExceeded

    def _learn(self, store: _Store, key: Any, data: TrackedValue) -> None:  # Any: as above
        if not data.origins and not data.functions and not data.tools and not data.refs:
            return
        old = store.get(key, EMPTY)
        new = old | data
        if new is not old and new != old:
            store[key] = new
            self._spend((len(new.origins) + len(new.functions) + len(new.refs)) >> 4)  # large values cost as much
            self._news = self._news or store is not self._ever or bool(self._functions)
            self._changed(store, key)

    def _spoil(self, variable: _Variable, data: TrackedValue) -> None:
        """A container took something in, and so did every other name it may be known by."""
        self._learn(self._spoiled, variable, data)
        for other in self._others(variable, self._same):
            self._learn(self._spoiled, other, data)
        if data.origins or data.tools:
            vague = without_details(data)
            for other in self._others(variable, self._links):
                self._learn(self._spoiled, other, vague)

    def _others(self, variable: _Variable, links: Mapping[_Variable, set[_Variable]]) -> Iterator[_Variable]:
        seen, waiting = {variable}, [variable]
        while waiting:
            near = waiting.pop()
            self._near.asked[near].add(self._reading)
            for other in links.get(near, set()) - seen:
                seen.add(other)
                waiting.append(other)
                yield other
        self._spend(len(seen) >> 2)

    def _link(self, variable: _Variable, source: ast.expr) -> None:
        """Both may be the same object, or one may hold the other."""
        if (variable, source) in self._linked:
            return
        self._linked.add((variable, source))
        exact = isinstance(source, ast.Name)
        for name in self._aliases(source):
            other = self._variable(name)
            if other is None or other == variable or other in (self._same if exact else self._links)[variable]:
                continue
            self._news = True
            for links in (self._links, self._same) if exact else (self._links,):
                links[variable].add(other)
                links[other].add(variable)
            self._changed(self._near, variable)
            self._changed(self._near, other)
            for one, two in ((variable, other), (other, variable)):
                if data := self._spoiled.get(one):
                    vague = without_details(data)
                    self._learn(self._spoiled, two, data if exact else vague)

    def _aliases(self, node: ast.expr) -> Iterator[str]:
        """Names whose object this expression may give, or hold."""
        match node:
            case ast.Name():
                yield node.id
            case ast.Attribute() | ast.Subscript() | ast.Await() | ast.Starred() | ast.NamedExpr():
                yield from self._aliases(node.value)
            case ast.IfExp():
                yield from (*self._aliases(node.body), *self._aliases(node.orelse))
            case ast.BoolOp():
                for one in node.values:
                    yield from self._aliases(one)
            case ast.List() | ast.Tuple() | ast.Set():
                for one in node.elts:
                    yield from self._aliases(one)
            case ast.Dict():
                for one in node.values:
                    yield from self._aliases(one)
            case ast.BinOp(op=ast.Add() | ast.BitOr()):
                yield from (*self._aliases(node.left), *self._aliases(node.right))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                yield from self._aliases(node.elt)
                for generator in node.generators:
                    yield from self._aliases(generator.iter)
            case ast.DictComp():
                yield from self._aliases(node.value)
                for generator in node.generators:
                    yield from self._aliases(generator.iter)
            case ast.Call():
                if node in self._known_calls or (isinstance(node.func, ast.Name) and node.func.id in _SCALARS):
                    return  # an answer is a copy, and so is a number
                if isinstance(node.func, ast.Attribute):
                    yield from self._aliases(node.func.value)
                for one in (*node.args, *(word.value for word in node.keywords)):
                    yield from self._aliases(one)

    def _variable(self, name: str) -> _Variable | None:
        """The variable that a name means here; None for one that the program never binds."""
        scope = self._scope
        while scope is not None:
            if name in self._bound[scope]:
                return scope, name
            scope = self._outer[scope]
        return (None, name) if name in self._bound[None] else None

    def _output(self, node: ast.AST, origins: Origins) -> None:
        found = frozenset(filter(tells, origins | self._now()))
        if found:
            self.found.outputs[node] = self.found.outputs.get(node, NOTHING) | found

    def _now(self) -> Origins:
        """What decides whether this line runs."""
        found = self._control | self._leaving
        for skipped in self._skipping:
            found |= skipped
        if self._tries and self._loops:
            found |= self._touched
        return found

    # ── statements ───────────────────────────────────────────────────────────────────────────────
    def _block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        names, env = self._names[node], self._env
        before = (
            *map(env.get, names),
            self._control,
            self._leaving,
            self._touched,
            tuple(self._skipping),
            self._loops,
            self._whiles,
            self._tries,
        )
        last = self._readings.get(node)
        if last is not None and last.before == before and node not in self._stale:
            self._work += last.work
            self._unresolved = self._unresolved or last.unresolved
            self._leaving, self._touched = last.leaving, last.touched
            if self._skipping:
                self._skipping[-1] = last.skipping
            env.update(last.bound)
            return
        around, unresolved, work = self._reading, self._unresolved, self._work
        self._around[node] = around
        self._reading, self._unresolved = node, False
        self._stale.discard(node)
        act = _STATEMENTS.get(type(node), ValueTracker._expressions_of)
        act(self, node)
        skipping = self._skipping[-1] if self._skipping else NOTHING
        bound = {name: env[name] for name, old in zip(names, before, strict=False) if env.get(name) is not old}
        self._readings[node] = _Reading(
            before, bound, self._leaving, skipping, self._touched, self._work - work, self._unresolved
        )
        self._reading, self._unresolved = around, unresolved or self._unresolved

    def _restore(self, names: Iterable[str], values: Iterable[TrackedValue | None]) -> None:
        """Give names of this scope the values that they had once."""
        for name, data in zip(names, values, strict=True):
            if data is not None:
                self._env[name] = data
            else:
                self._env.pop(name, None)

    def _held(self, names: Iterable[str]) -> tuple[TrackedValue | None, ...]:
        return (*map(self._env.get, names),)

    def _join(self, names: Iterable[str], values: Iterable[TrackedValue | None]) -> None:
        """Names of this scope may also have these values."""
        for name, data in zip(names, values, strict=True):
            if data is not None:
                held = self._env.get(name)
                self._env[name] = data if held is None else held | data

    def _expressions_of(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._value(child)

    def _assign_all(self, node: ast.Assign) -> None:
        data = self._value(node.value)
        for target in node.targets:
            self._assign(target, data, node.value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        self._value(node.annotation)  # it is evaluated, and may bind names
        if node.value is not None:
            self._assign(node.target, self._value(node.value), node.value)

    def _if(self, node: ast.If) -> None:
        names, decides = self._names[node], self._value(node.test).origins
        start = self._held(names)
        with self._under(decides):
            self._block(node.body)
            after = self._held(names)
            self._restore(names, start)
            self._block(node.orelse)
        self._join(names, after)

    def _while(self, node: ast.While) -> None:
        self._whiles += 1
        self._loop(node, lambda: self._value(node.test).origins, lambda: None)
        self._whiles -= 1

    def _leap(self, node: ast.Break | ast.Continue) -> None:
        if self._skipping:
            self._skipping[-1] |= self._control

    def _assign(self, target: ast.expr, data: TrackedValue, source: ast.expr) -> None:
        match target:
            case ast.Name():
                self._bind(target.id, data, source)
            case ast.Tuple() | ast.List():
                self._unpack(target.elts, data, source)
            case ast.Starred():
                self._assign(
                    target.value, TrackedValue(change_each(data.origins, wrapped), data.functions, data.tools), source
                )
            case ast.Attribute():
                if self._value(target.value).refs:  # a module of others is changed: nobody knows who uses it
                    self.found.complete = False
                self._set_attribute(target.value, target.attr, data)
                self._put(target.value, data, source)
            case ast.Subscript():
                self._value(target.value)
                key = self._value(target.slice)
                if isinstance(target.value, ast.Call) or _names_dict(target.value):
                    self._learn(self._attributes, _ANY_NAME, data)
                self._put(
                    target.value,
                    TrackedValue(change_each(data.origins | key.origins, wrapped), data.functions, data.tools),
                    source,
                )

    def _bind(self, name: str, data: TrackedValue, source: ast.expr | None) -> None:
        """A strong update where the name is this function's own; what controls the line is part of the value."""
        now = self._now()
        if now:
            data = TrackedValue(data.origins | change_each(now, derived), data.functions, data.tools, data.refs)
        if self._inner and name in self._inner[-1]:
            self._inner[-1][name] |= data
            return
        variable = self._variable(name)
        if variable is None:
            return
        if variable[0] is self._scope:
            self._env[name] = data
            self._learn(self._ever, variable, data)
        else:
            self._learn(self._spoiled, variable, data)
            self._learn(self._ever, variable, data)
        if source is not None:
            self._link(variable, source)
        if name == "result" and self._scope is None:
            self._output(source if source is not None else self._tree, data.origins)

    def _unpack(self, targets: list[ast.expr], data: TrackedValue, source: ast.expr) -> None:
        if isinstance(source, ast.Tuple | ast.List) and len(source.elts) == len(targets):
            plain = not any(isinstance(one, ast.Starred) for one in (*source.elts, *targets))
            for target, value in zip(targets, source.elts, strict=True) if plain else ():
                self._assign(target, self._value(value), value)
            if plain:
                return
        inside = TrackedValue(change_each(data.origins, element), data.functions, data.tools, data.refs)
        for target in targets:
            self._assign(target, inside, source)

    def _augmented(self, node: ast.AugAssign) -> None:
        value = self._value(node.value)
        loaded = ast.copy_location(_load(node.target), node.target)
        old = self._value(loaded)
        found = TrackedValue(self._operated(node.op, loaded, old, node.value, value), old.functions | value.functions)
        self._assign(node.target, found, node.value)
        self._put(node.target, found, node.value)

    def _set_attribute(self, owner: ast.expr, name: str, data: TrackedValue) -> None:
        self._news = self._store_name(name) or self._news
        self._learn(self._attributes, name, data)
        kind = self._class_of.get(self._scope) if self._scope is not None and isinstance(owner, ast.Name) else None
        if kind is not None:
            self._learn(self._objects, kind, data)

    def _store_name(self, name: str) -> bool:
        """The program sets attributes of this name; whether that is new."""
        if name in self._stored:
            return False
        self._stored[name] = True
        self._changed(self._stored, name)
        return True

    def _put(self, container: ast.expr, data: TrackedValue, source: ast.expr | None = None) -> None:
        """Something goes into the object that this expression leads to."""
        root = container
        while isinstance(root, ast.Attribute | ast.Subscript | ast.Call | ast.Await):
            if isinstance(root, ast.Call):
                root = root.func.value if isinstance(root.func, ast.Attribute) else (root.args or [root.func])[0]
            else:
                if isinstance(root, ast.Attribute) and self._ask(self._stored, root.attr):
                    self._learn(self._attributes, root.attr, data)
                root = root.value
        data = TrackedValue(data.origins | change_each(self._now(), derived), data.functions, data.tools, data.refs)
        for name in [root.id] if isinstance(root, ast.Name) else self._aliases(root):
            for inner in self._inner:
                if name in inner:
                    inner[name] |= data
            if (variable := self._variable(name)) is not None:
                self._spoil(variable, data)
                if source is not None:
                    self._link(variable, source)

    def _loop(self, node: _Loop, decides: Callable[[], Origins], begin: Callable[[], None]) -> None:
        names = self._names[node]
        self._skipping.append(NOTHING)
        self._loops += 1
        for _ in range(MOST_TURNS):
            before, skipped = self._held(names), self._skipping[-1]
            with self._under(decides()):
                begin()
                self._block(node.body)
            self._join(names, before)
            if self._held(names) == before and self._skipping[-1] == skipped:
                break
        self._loops -= 1
        self._block(node.orelse)
        self._skipping.pop()

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        found: list[TrackedValue] = [EMPTY]

        def decides() -> Origins:
            found[0] = self._value(node.iter)
            return change_each(found[0].origins, element)

        self._loop(node, decides, lambda: self._take(node.target, node.iter, found[0]))

    def _take(self, target: ast.expr, source: ast.expr, data: TrackedValue) -> None:
        """One turn of a loop: the target is an element of what is looped over."""
        inside = TrackedValue(change_each(data.origins, element), data.functions, data.tools)
        if isinstance(target, ast.Tuple | ast.List):
            deeper = TrackedValue(change_each(inside.origins, field_of), data.functions, data.tools)
            for one in target.elts:
                self._assign(one, deeper, source)
            return
        self._assign(target, inside, source)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        tries = self._tries
        for item in node.items:
            data = self._value(item.context_expr)
            if "contextlib.suppress" in self._called_refs(item.context_expr):
                self._tries += 1
            if item.optional_vars is not None:
                self._assign(item.optional_vars, data, item.context_expr)
        self._block(node.body)
        self._tries = tries

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        names, touched = self._names[node], self._touched
        start = self._held(names)
        self._touched, self._tries = NOTHING, self._tries + 1
        self._block(node.body)
        inside, self._touched, self._tries = self._touched, touched | self._touched, self._tries - 1
        after = self._held(names)
        ends = [after]
        with self._under(inside if self._loops else NOTHING):
            for handler in node.handlers:
                self._restore(names, after)
                self._join(names, start)
                if handler.type is not None:
                    self._value(handler.type)
                if handler.name:
                    self._bind(handler.name, TrackedValue(change_each(inside, derived)), None)
                self._block(handler.body)
                ends.append(self._held(names))
            self._restore(names, after)
            self._block(node.orelse)
            for values in ends:
                self._join(names, values)
        self._block(node.finalbody)

    def _match(self, node: ast.Match) -> None:
        subject = self._value(node.subject)
        names, decides = self._names[node], subject.origins
        start = self._held(names)
        ends = [start]
        for case in node.cases:
            self._restore(names, start)
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str) and isinstance(pattern, ast.MatchAs | ast.MatchStar | ast.MatchMapping):
                    whole = pattern is case.pattern
                    origins = subject.origins if whole else change_each(subject.origins, field_of)
                    self._bind(name, subject.made_of(origins), node.subject)
            if case.guard is not None:
                decides |= self._value(case.guard).origins
            with self._under(decides):
                self._block(case.body)
            ends.append(self._held(names))
        self._restore(names, start)
        for values in ends:
            self._join(names, values)

    def _return(self, node: ast.Return) -> None:
        data = self._value(node.value) if node.value is not None else EMPTY
        if self._scope is None:
            self._output(node, data.origins)
        else:
            self._give_back(data)
        self._leaving |= self._control

    def _give_back(self, data: TrackedValue) -> None:
        if self._scope is not None:
            self._answer(self._scope, data.made_of(data.origins | change_each(self._now(), derived)))

    def _answer(self, function: ast.AST, data: TrackedValue) -> None:
        self._learn(self._answers, function, data)
        kind = self._class_of.get(function)
        if kind is not None and getattr(function, "name", "").startswith("__"):  # called without being named
            self._learn(self._objects, kind, data)

    def _fail(self, node: ast.Raise | ast.Assert) -> None:
        said, decides = NOTHING, self._control
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                data = self._value(child)
                if isinstance(node, ast.Assert) and child is node.test:
                    decides |= data.origins
                else:
                    said |= data.origins
        self._output(node, said)
        self._touched |= said | decides
        if self._tries or self._scope is not None:
            self._leaving |= decides

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._defaults(node)
        decorated = EMPTY
        for decorator in node.decorator_list:
            made = self._value(decorator)
            place = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(place, ast.Attribute):  # `@f.register`: a call of f may become one of this
                for function in self._value(place.value).functions:
                    self._answer(function, self._ask(self._answers, node) or EMPTY)
            for function in made.functions:  # what decorates it may call it with anything that it was given
                self._call_function(function, [TrackedValue(functions=frozenset({node}))], {})
                decorated |= self._ask(self._answers, function) or EMPTY
            self._call_back([TrackedValue(functions=frozenset({node}))], made.origins) if made.origins else None
            decorated |= TrackedValue(made.origins)
        self._bind(node.name, TrackedValue(functions=frozenset({node})) | decorated, None)

    def _defaults(self, node: _Function) -> None:
        if not isinstance(node, ast.Lambda):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
            for annotation in (node.returns, *(one.annotation for one in every if one is not None)):
                if annotation is not None:
                    self._learn(self._attributes, "__annotations__", self._value(annotation))
        positional = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        named = zip(positional[len(positional) - len(node.args.defaults) :], node.args.defaults, strict=True)
        only = ((a.arg, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None)
        for name, default in (*named, *only):
            self._learn(self._parameters, (node, name), self._value(default))
            self._link((node, name), default)

    def _class(self, node: ast.ClassDef) -> None:
        inherited = EMPTY
        for expression in (*node.decorator_list, *node.bases, *(word.value for word in node.keywords)):
            base = self._value(expression)
            inherited |= TrackedValue(base.origins, base.functions)
            for function in base.functions:
                if expression in node.decorator_list:
                    inherited |= self._call_function(function, [TrackedValue(functions=frozenset({node}))], {})
                self._learn(self._objects, node, self._ask(self._objects, function) or EMPTY)
        self._learn(self._objects, node, TrackedValue(inherited.origins))
        for statement in node.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                data = self._value(statement.value)
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in targets:
                    for name in _names_in(target):
                        self._store_name(name)
                        if name in self._of_module:
                            self._learn(self._spoiled, (None, name), data)
                        self._learn(self._attributes, name, data)
                        self._learn(self._objects, node, data)
            else:
                self._statement(statement)
        held = self._ask(self._objects, node) or EMPTY  # a class may answer as its objects do
        self._bind(node.name, TrackedValue(held.origins, frozenset({node}) | inherited.functions, held.tools), None)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                full = alias.name if alias.asname else alias.name.split(".")[0]
                self._bind(alias.asname or full, self._named(full), None)
            elif alias.name == "*":
                continue
            else:
                module = "." * node.level + (node.module or "")
                self._bind(alias.asname or alias.name, self._named(f"{module}.{alias.name}"), None)

    @contextmanager
    def _under(self, decides: Origins) -> Iterator[None]:
        kept = self._control
        self._control |= change_each(decides, compared)
        yield
        self._control = kept

    # ── expressions ──────────────────────────────────────────────────────────────────────────────
    def _value(self, node: ast.expr) -> TrackedValue:
        self._spend(1)
        act = _EXPRESSIONS.get(type(node), ValueTracker._parts)
        data = act(self, node)
        if self._tries and data.origins:
            self._touched |= data.origins
        return data

    def _touch(self, data: TrackedValue) -> TrackedValue:
        if self._tries and data.origins:
            self._touched |= data.origins
        return data

    def _parts(self, node: ast.expr) -> TrackedValue:
        found = EMPTY
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                found |= self._value(child)
        return found

    def _inside(self, node: ast.FormattedValue | ast.Await | ast.Starred) -> TrackedValue:
        return self._value(node.value)

    def _binary(self, node: ast.BinOp) -> TrackedValue:
        left, right = self._value(node.left), self._value(node.right)
        origins = self._operated(node.op, node.left, left, node.right, right)
        return TrackedValue(origins, left.functions | right.functions, left.tools | right.tools)

    def _unary(self, node: ast.UnaryOp) -> TrackedValue:
        inner = self._value(node.operand)
        return TrackedValue(change_each(inner.origins, derived if isinstance(node.op, ast.Not) else computed))

    def _compare(self, node: ast.Compare) -> TrackedValue:
        origins = self._value(node.left).origins.union(*(self._value(one).origins for one in node.comparators))
        return TrackedValue(
            change_each(change_each(origins, computed) if self._asks_again(node) else origins, compared)
        )

    def _asks_again(self, node: ast.Compare) -> bool:
        """Whether a `while` compares with something else each time: enough answers tell the whole value."""
        return self._whiles > 0 and not any(isinstance(one, ast.Constant) for one in (node.left, *node.comparators))

    def _conditional(self, node: ast.IfExp) -> TrackedValue:
        decides = self._value(node.test).origins
        with self._under(decides):
            found = self._value(node.body) | self._value(node.orelse)
        return found.made_of(found.origins | change_each(decides, compared))

    def _named_expression(self, node: ast.NamedExpr) -> TrackedValue:
        data = self._value(node.value)
        self._assign(node.target, data, node.value)
        return data

    def _lambda(self, node: ast.Lambda) -> TrackedValue:
        self._defaults(node)
        return TrackedValue(functions=frozenset({node}))

    def _unknown(self, node: ast.AST, label: str) -> TrackedValue:
        return TrackedValue(frozenset({AnswerOrigin(UNKNOWN, label, getattr(node, "lineno", 1))}))

    def _look(self, name: str) -> TrackedValue:
        for inner in reversed(self._inner):
            if name in inner:
                return inner[name]
        variable = self._variable(name)
        if variable is None:
            if name in _READY:
                return self._named(_READY[name])
            if name in _BUILTINS:
                return TrackedValue(refs=frozenset({f"builtins.{name}"}))
            return self._unknown(self._tree, f"the name {name}")
        here = variable[0] is self._scope and name in self._env
        data = self._env[name] if here else self._ask(self._ever, variable) or EMPTY
        return data | (self._ask(self._spoiled, variable) or EMPTY)

    def _named(self, full: str) -> TrackedValue:
        """What is imported under this name."""
        parts = full.split(".")
        if parts[0] == "servers":
            if len(parts) < 3:
                return TrackedValue(refs=frozenset({full}))
            found = self._toolbook.find(parts[1], parts[2])
            return TrackedValue(tools=frozenset({(found.server, found.name)})) if isinstance(found, Tool) else EMPTY
        return TrackedValue(refs=frozenset({full}))

    def _attribute(self, node: ast.Attribute) -> TrackedValue:
        return self._part_of(self._value(node.value), node)

    def _part_of(self, owner: TrackedValue, node: ast.Attribute) -> TrackedValue:
        many = len(owner.refs)  # every branch may double them: 2,000 names are read to the end, and no more
        self._spend(1 + many + (many * many >> 7) + (sum(map(len, owner.refs)) >> 6))
        found = self._ask(self._attributes, node.attr) or EMPTY
        found |= self._ask(self._attributes, _ANY_NAME) or EMPTY
        parts = [self._named(f"{ref}.{node.attr}") for ref in owner.refs]
        if parts:
            refs, tools = ((one.refs for one in parts), (one.tools for one in parts))
            found |= TrackedValue(refs=frozenset().union(*refs), tools=frozenset().union(*tools))
        methods = self._methods.get(node.attr, set())
        if methods and not owner.refs:
            found |= TrackedValue(functions=frozenset(methods))
            for method in methods:
                if not isinstance(method, ast.Lambda) and getattr(method, "decorator_list", None):
                    found |= self._ask(self._answers, method) or EMPTY
        if node.attr.startswith("__"):
            found |= (
                self._unknown(node, f"the special attribute {node.attr}") if owner.functions or owner.refs else EMPTY
            )
        in_table = node.attr in ("str", "dt", "values", "loc", "iloc", "at", "T")
        if self._ask(self._stored, node.attr) and not owner.refs:
            origins = frozenset(one for one in owner.origins if one.kind == UNKNOWN or one.form == TABLE)
        elif node.attr == "str":
            origins = change_each(owner.origins, lambda one: element(one) if one.depth > 0 else one)
        elif in_table:
            origins = owner.origins
        else:
            origins = change_each(owner.origins, lambda one: field_named(one, node.attr))
        return TrackedValue(origins, frozenset(), owner.tools) | found

    def _subscript(self, node: ast.Subscript) -> TrackedValue:
        owner, key = self._value(node.value), self._value(node.slice)
        origins = owner.origins
        if isinstance(node.slice, ast.Slice):
            found = origins if not _is_short(node.slice) else change_each(origins, part)
        elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            name = node.slice.value
            found = change_each(origins, lambda one: under(one, name))
        elif _is_domain(node):
            found = change_each(
                origins, lambda one: one._replace(key="domain", depth=0, form=PLAIN) if one.form == PIECES else one
            )
        elif isinstance(node.slice, ast.Constant | ast.UnaryOp) or key.origins:
            found = change_each(origins, element)
        else:
            found = change_each(origins, at_unknown_key)
        opaque = EMPTY
        for ref in owner.refs:
            if ref.split(".")[0] in ("sys", "os") or ref.endswith(".__dict__"):
                opaque |= self._unknown(node, ref)
        return TrackedValue(found | change_each(key.origins, compared), owner.functions, owner.tools) | opaque

    def _joined_text(self, node: ast.JoinedStr) -> TrackedValue:
        origins = NOTHING
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                short = value.format_spec is not None and cuts_text(value.format_spec)
                inside = self._value(value.value).origins
                origins |= change_each(change_each(inside, part) if short else inside, as_text)
                if value.format_spec is not None:
                    origins |= change_each(self._value(value.format_spec).origins, derived)
        return TrackedValue(origins)

    def _operated(
        self, operator: ast.operator, left: ast.expr, first: TrackedValue, right: ast.expr, second: TrackedValue
    ) -> Origins:
        origins = first.origins | second.origins
        if isinstance(operator, ast.Mod) and _is_text(left):
            inside = second.origins
            return first.origins | change_each(change_each(inside, part) if cuts_text(left) else inside, as_text)
        if isinstance(operator, ast.Add):
            text = _is_text(left) or _is_text(right) or any(one.form == TEXT and one.depth == 0 for one in origins)
            return change_each(origins, lambda one: as_text(one) if one.depth == 0 and text else one)
        if isinstance(operator, ast.BitOr | ast.Mult):
            return (
                origins
                if isinstance(operator, ast.BitOr) or _is_text(left) or _is_text(right)
                else change_each(origins, computed)
            )
        return change_each(origins, computed)

    def _either(self, node: ast.BoolOp) -> TrackedValue:
        found, decides = EMPTY, NOTHING
        for one in node.values:
            with self._under(decides):
                data = self._value(one)
            found |= data
            decides |= data.origins
        return found

    def _display(self, parts: Iterable[ast.expr]) -> TrackedValue:
        found = EMPTY
        for one in parts:
            data = self._argument(one)
            found |= data.made_of(change_each(data.origins, wrapped))
        return found

    def _dictionary(self, node: ast.Dict) -> TrackedValue:
        found = self._display(key for key in node.keys if key is not None)
        for key, value in zip(node.keys, node.values, strict=True):
            data = self._value(value)
            found |= data if key is None else data.made_of(change_each(data.origins, wrapped))
        return found

    def _comprehension(self, generators: list[ast.comprehension], made: list[ast.expr]) -> TrackedValue:
        kept = self._control
        self._inner.append({name: EMPTY for one in generators for name in _names_in(one.target)})
        self._loops += 1
        decides = NOTHING
        for one in generators:
            data = self._value(one.iter)
            self._take(one.target, one.iter, data)
            turns = change_each(data.origins, element)
            self._control |= turns
            decides |= change_each(turns, derived)
            for condition in one.ifs:
                asked = self._value(condition).origins
                self._control |= asked
                decides |= change_each(asked, compared)
        found = EMPTY
        for one_made in made:
            data = self._value(one_made)
            found |= data.made_of(change_each(data.origins, wrapped))
        self._loops -= 1
        self._inner.pop()
        self._control = kept
        return found.made_of(found.origins | decides)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> TrackedValue:
        data = self._value(node.value) if node.value is not None else EMPTY
        if self._scope is not None:
            deep = data if isinstance(node, ast.YieldFrom) else data.made_of(change_each(data.origins, wrapped))
            self._answer(self._scope, deep.made_of(deep.origins | change_each(self._now(), derived)))
        return self._unknown(node, "what a generator is sent") if self._scope is not None else EMPTY

    # ── calls ────────────────────────────────────────────────────────────────────────────────────
    def _called_refs(self, node: ast.expr) -> frozenset[str]:
        return self._value(node.func).refs if isinstance(node, ast.Call) else frozenset()

    def _callee(self, node: ast.expr) -> tuple[TrackedValue, TrackedValue]:
        """What a method is called of, and what is called."""
        if not isinstance(node, ast.Attribute):
            return EMPTY, self._value(node)
        receiver = self._value(node.value)
        return receiver, self._touch(self._part_of(receiver, node))

    def _call(self, node: ast.Call) -> TrackedValue:
        receiver, target = self._callee(node.func)
        positional = [self._argument(one) for one in node.args]
        named = {word.arg or f"**{number}": self._value(word.value) for number, word in enumerate(node.keywords)}
        every = [*positional, *named.values()]
        tools = {(one.server, one.name): one for one in self._known_calls.get(node, ())}
        tools |= {key: one for key in target.tools if (one := self._tool(key)) is not None}
        found = EMPTY
        for tool in tools.values():
            found |= self._call_tool(node, tool, positional, named)
        for function in target.functions:
            found |= self._call_function(function, positional, named, receiver, node)
        if tools and not target.functions:
            return found
        for name, data in named.items():
            if self._ask(self._stored, name):
                self._learn(self._attributes, name, data)
        self._spend(2 * max(len(target.refs) - 1, 0))
        for ref in target.refs:
            found |= self._call_ref(node, ref, positional, named)
            if ref.startswith(_CHANCE):
                found |= self._ask(self._chance, None) or EMPTY
                if ref in _DRIVING and origins_of(positional):
                    old = self._chance.get(None, EMPTY)
                    new = self._chance[None] = old | TrackedValue(change_each(origins_of(positional), derived))
                    if new != old:
                        self._changed(self._chance, None)
            if not table.keeps_its_arguments(ref) or "file" in named:
                self._mix(node, every, known=_is_pure(ref))
        handed = [data for data in every if data.functions or data.tools]
        if handed:
            keyed = named.get("key", EMPTY)
            back = self._call_back(handed, receiver.origins.union(*(data.origins for data in every)), node, keyed)
            found |= back
            if back.origins and isinstance(node.func, ast.Attribute):
                self._put(node.func.value, TrackedValue(change_each(back.origins, derived)))
        if target.functions or target.refs:
            return found
        if isinstance(node.func, ast.Attribute):
            return found | self._call_method(node, node.func, receiver, positional, named)
        origins = target.origins.union(*(data.origins for data in every))
        self._unresolved = True
        if not self._strict:
            return found | TrackedValue(origins)
        self.found.blind |= origins | self._now()
        self._mix(node, every, known=False)
        return found | TrackedValue(origins) | self._unknown(node, _UNFOLLOWED)

    def _mix(self, node: ast.Call, every: list[TrackedValue], *, known: bool) -> None:
        """A function that may put any of its arguments into any other one."""
        origins = change_each(origins_of(every), derived)
        given = TrackedValue(origins) if known else TrackedValue(origins) | self._unknown(node, _UNFOLLOWED)
        if not given.origins or (known and len(every) < 2):
            return
        for source in (*node.args, *(word.value for word in node.keywords)):
            if not isinstance(source, ast.Constant):
                self._put(source, given)

    def _argument(self, node: ast.expr) -> TrackedValue:
        """`f(*x)` hands on the elements of x."""
        data = self._value(node)
        return data.made_of(change_each(data.origins, element)) if isinstance(node, ast.Starred) else data

    def _tool(self, key: tuple[str, str]) -> Tool | None:
        found = self._toolbook.find(*key)
        return found if isinstance(found, Tool) else None

    def _call_tool(
        self, node: ast.AST, tool: Tool, positional: list[TrackedValue], named: Mapping[str, TrackedValue]
    ) -> TrackedValue:
        """What goes into the tool, and what its answer is: its own, and whatever its arguments were made of."""
        place = (node, tool.server, tool.name)
        noted = self.found.calls.setdefault(place, TrackedCall(tool, node, {}))
        given = {str(number): data.origins for number, data in enumerate(positional)}
        given |= {name: data.origins for name, data in named.items()}
        given[WHEN] = self._now()
        for name, origins in given.items():
            noted.arguments[name] = noted.arguments.get(name, NOTHING) | origins
        line = getattr(node, "lineno", 1)
        name = f"{tool.server}.{tool.name}"
        kinds = [
            kind
            for kind, has in ((PRIVATE, tool_annotations.private(tool)), (UNTRUSTED, tool_annotations.outsiders(tool)))
            if has
        ]
        own = frozenset(AnswerOrigin(kind, name, line, tool.server) for kind in kinds)
        self.found.sources |= own
        return TrackedValue(own | change_each(NOTHING.union(*given.values()), derived))

    def _call_function(
        self,
        function: ast.AST,
        positional: list[TrackedValue],
        named: Mapping[str, TrackedValue],
        receiver: TrackedValue = EMPTY,
        node: ast.Call | None = None,
    ) -> TrackedValue:
        self._spend(1)
        if isinstance(function, ast.ClassDef):
            return self._make_object(function, positional, named, node)
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return EMPTY
        places = _arguments(function.args)
        first = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        bound = list(positional)
        sources: list[ast.expr | None] = [*node.args] if node is not None else [None] * len(positional)
        if function in self._class_of and node is not None and isinstance(node.func, ast.Attribute):
            bound, sources = [receiver, *bound], [node.func.value, *sources]
        starred = any(isinstance(one, ast.Starred) for one in sources)
        sources += [None] * (len(bound) - len(sources))
        for number, data in enumerate(bound):
            if starred:  # any of them may land on any parameter
                inside = TrackedValue(data.origins | change_each(data.origins, element), data.functions, data.tools)
                for name in places:
                    self._pass(function, name, inside, sources[number])
            elif number < len(first):
                self._pass(function, first[number], data, sources[number])
            elif function.args.vararg:
                self._pass(
                    function,
                    function.args.vararg.arg,
                    data.made_of(change_each(data.origins, wrapped)),
                    sources[number],
                )
        words = {word.arg: word.value for word in node.keywords} if node is not None else {}
        for name, data in named.items():
            if name.startswith("**"):
                for place in places:
                    self._pass(
                        function,
                        place,
                        TrackedValue(data.origins | change_each(data.origins, element), data.functions),
                        None,
                    )
            elif name in places:
                self._pass(function, name, data, words.get(name))
            elif function.args.kwarg:
                kwarg = function.args.kwarg.arg
                self._pass(function, kwarg, data.made_of(change_each(data.origins, wrapped)), words.get(name))
        self._enter(function)
        if self._loops and self._tries and function not in self._repeated:
            self._repeated.add(function)
            self._news = True
        self._touched |= self._ask(self._raised, function) or NOTHING
        return self._ask(self._answers, function) or EMPTY

    def _enter(self, function: ast.AST) -> None:
        """A call on this line decides that the function runs."""
        known = self._entry.get(function, NOTHING)
        found = merge_sets(known, self._now())
        if found is not known and found != known:
            self._entry[function] = found
            self._news = True

    def _pass(self, function: ast.AST, name: str, data: TrackedValue, source: ast.expr | None) -> None:
        self._spend(1)
        self._learn(self._parameters, (function, name), data)
        if source is not None:
            self._link((function, name), source)

    def _make_object(
        self,
        kind: ast.ClassDef,
        positional: list[TrackedValue],
        named: Mapping[str, TrackedValue],
        node: ast.Call | None,
    ) -> TrackedValue:
        held = self._ask(self._objects, kind) or EMPTY
        whole = TrackedValue(held.origins, frozenset(), held.tools)
        for data in (*positional, *named.values()):
            whole |= TrackedValue(data.origins, data.functions, data.tools)
        for name in ("__init__", "__new__", "__post_init__", "__call__"):
            for method in self._methods.get(name, ()):
                if self._class_of[method] is kind or kind.bases:
                    stand_in = ast.Name("")
                    call = (
                        ast.Call(ast.Attribute(stand_in, name), node.args, node.keywords) if node is not None else None
                    )
                    self._call_function(method, positional, named, whole, call)
        for field in kind.body:  # of a dataclass, its arguments are its fields
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                self._learn(
                    self._attributes, field.target.id, TrackedValue(whole.origins, whole.functions, whole.tools)
                )
        return whole

    def _call_back(
        self, handed: list[TrackedValue], origins: Origins, node: ast.AST | None = None, keyed: TrackedValue = EMPTY
    ) -> TrackedValue:
        """Functions and tools that are handed on may be called with whatever is handed on beside them."""
        found = EMPTY
        given = TrackedValue(origins | change_each(origins, element))
        for data in handed:
            for function in data.functions:
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                    for name in _arguments(function.args):
                        self._learn(self._parameters, (function, name), given)
                    self._enter(function)
                    answer = self._ask(self._answers, function) or EMPTY
                    change = derived if function in keyed.functions else wrapped
                    found |= answer.made_of(change_each(answer.origins, change))
                elif isinstance(function, ast.ClassDef):
                    found |= self._make_object(function, [given], {}, None)
            for key in data.tools:
                tool = self._tool(key)
                if tool is not None and node is not None:
                    answer = self._call_tool(node, tool, [given], {})
                    found |= TrackedValue(answer.origins)
        return found

    def _call_ref(
        self, node: ast.Call, ref: str, positional: list[TrackedValue], named: Mapping[str, TrackedValue]
    ) -> TrackedValue:
        """A builtin, or a function of a module."""
        every = [*positional, *named.values()]
        both = EMPTY
        for data in every:
            both |= data
        origins = both.origins
        functions, tools = (EMPTY.functions, EMPTY.tools) if ref in table.CONSUMING else (both.functions, both.tools)
        if ref in ("builtins.print", "pprint.pprint", "pprint.pp", "sys.stdout.write", "sys.stderr.write") or (
            ref.startswith(("logging.", "warnings.warn"))
        ):
            self._output(node, origins)
            self._log(both)
        if ref in ("json.dump", "yaml.dump"):
            self._output(node, origins)
        if ref in ("client.call_tool", "client.call_mcp_tool"):  # which tool it is, nobody knows
            self.found.blind |= origins | self._now()
        if ref == "builtins.map" and positional:
            return self._map(node, positional)
        if ref in ("builtins.getattr", "builtins.setattr"):
            return self._by_name(node, ref, positional)
        made = TrackedValue(self._made(ref, node, origins, positional), functions, tools)
        if ref in table.PLAIN_NAMES or _is_pure(ref):
            return made
        return made | self._unknown(node, f"what {ref.removeprefix('builtins.')} gives")

    def _made(self, ref: str, node: ast.Call, origins: Origins, positional: list[TrackedValue]) -> Origins:
        if ref in table.TO_TEXT:
            return change_each(origins, as_text)
        if ref in table.ENCODERS:
            return change_each(origins, encoded)
        if ref in table.HASHES:
            return change_each(origins, hashed)
        if ref == "builtins.len":
            return change_each(origins, length)
        if ref in table.TO_LIST:
            return change_each(change_each(origins, element), wrapped)
        if ref in table.TO_PAIRS:
            return change_each(change_each(change_each(origins, element), wrapped), wrapped)
        if ref in table.TO_ELEMENT:
            return change_each(origins, element)
        if ref in table.TO_NUMBER:
            return change_each(origins, summed)
        if ref in table.TO_BIT:
            return change_each(origins, derived)
        if ref in table.WRAPPERS:
            return change_each(origins, part)
        if ref in table.PATTERN_PIECES:
            return change_each(origins, pieces)
        if ref in ("re.sub", "re.subn"):
            return origins if _only_separates(node.args[:2]) else change_each(origins, altered)
        if ref.split(".")[0] in ("pandas", "polars"):
            return change_each(
                origins, lambda one: one._replace(form=TABLE, depth=ANY, key="") if not is_settled(one) else one
            )
        return origins

    def _map(self, node: ast.Call, positional: list[TrackedValue]) -> TrackedValue:
        inside = [
            TrackedValue(change_each(data.origins, element), data.functions, data.tools) for data in positional[1:]
        ]
        origins = NOTHING.union(*(data.origins for data in inside))
        found = EMPTY
        for ref in positional[0].refs:
            made = self._call_ref(ast.copy_location(ast.Call(node.func, [], []), node), ref, inside, {})
            found |= made
        for function in positional[0].functions:
            found |= self._call_function(function, inside, {})
        for key in positional[0].tools:
            if (tool := self._tool(key)) is not None:
                found |= self._call_tool(node, tool, inside, {})
        if not (positional[0].refs or positional[0].functions or positional[0].tools):
            self._unresolved = True
            found |= TrackedValue(origins | positional[0].origins)
            if self._strict:
                found |= self._unknown(node, _UNFOLLOWED)
        return found.made_of(change_each(found.origins, wrapped))

    def _by_name(self, node: ast.Call, ref: str, positional: list[TrackedValue]) -> TrackedValue:
        """`getattr(x, "name")` is `x.name`; a name that is only known at run time may be any."""
        name = node.args[1] if len(node.args) > 1 else None
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            for data in positional[1:] if ref.endswith("setattr") else ():
                self._put(node.args[0], data)
                self._learn(self._attributes, _ANY_NAME, data)
            origins = NOTHING.union(*(data.origins for data in positional))
            return TrackedValue(origins) | self._unknown(node, "an attribute chosen at run time")
        if ref.endswith("setattr"):
            for data in positional[2:]:
                self._set_attribute(node.args[0], name.value, data)
                self._put(node.args[0], data)
            return EMPTY
        found = self._attribute(ast.copy_location(ast.Attribute(node.args[0], name.value, ast.Load()), node))
        return found | positional[2] if len(positional) > 2 else found

    def _call_method(
        self,
        node: ast.Call,
        function: ast.Attribute,
        receiver: TrackedValue,
        positional: list[TrackedValue],
        named: Mapping[str, TrackedValue],
    ) -> TrackedValue:
        name, own = function.attr, receiver.origins
        every = [*positional, *named.values()]
        given = NOTHING.union(*(data.origins for data in every))
        functions = receiver.functions.union(*(data.functions for data in every))
        tools = receiver.tools.union(*(data.tools for data in every))
        if name in table.PUTTING_METHODS | table.MERGING_METHODS or (every and name not in table.UNCHANGING_METHODS):
            self._take_in(node, function, name, every)
        if name in (
            "write",
            "writelines",
            "write_text",
            "write_bytes",
            "writerow",
            "writerows",
            "dump",
            "to_csv",
            "info",
            "warning",
            "error",
            "debug",
        ):
            shown = change_each(given, element) if name in ("writerow", "writerows") else given
            shown = change_each(shown, element) if name == "writerows" else shown
            self._output(node, shown | (own if name == "to_csv" else NOTHING))
            self._log(TrackedValue(given))
        return TrackedValue(self._method(node, name, own, given, positional), functions, tools)

    def _log(self, said: TrackedValue) -> None:
        """Handlers of the program get what is logged or written, without being named."""
        for name in _HANDLERS:
            for method in self._methods.get(name, ()):
                for place in _arguments(method.args)[1:]:  # type: ignore[attr-defined]  # methods are functions
                    self._learn(self._parameters, (method, place), said)

    def _take_in(self, node: ast.Call, function: ast.Attribute, name: str, every: list[TrackedValue]) -> None:
        layers = 0 if name in table.MERGING_METHODS else 1
        if layers and isinstance(function.value, ast.Subscript | ast.Call):
            layers = 2
        words = [None] * len(node.args) + [word.arg for word in node.keywords]
        sources = [*node.args, *(word.value for word in node.keywords)]
        for data, source, word in zip(every, sources, words, strict=False):
            if word == "key":
                continue
            origins = data.origins
            for _ in range(layers):
                origins = change_each(origins, wrapped)
            self._put(function.value, TrackedValue(origins, data.functions, data.tools), source)

    def _method(
        self, node: ast.Call, name: str, own: Origins, given: Origins, positional: list[TrackedValue]
    ) -> Origins:
        first = node.args[0] if node.args else None
        if name in table.TAKING_METHODS:
            key = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
            if name == "group" or name == "getvalue":
                return own | given
            return change_each(own, (lambda one: under(one, key)) if key else at_unknown_key) | given
        if name == "join":
            return own | change_each(change_each(given, element), one_of_many)
        if name in ("format", "format_map"):
            cuts = isinstance(node.func, ast.Attribute) and cuts_text(node.func.value)
            return own | change_each(change_each(given, part) if cuts else given, as_text)
        if name == "encode":
            if isinstance(first, ast.Constant) and not str(first.value).lower().replace("_", "-").startswith(
                ("utf-8", "utf8", "ascii", "latin", "iso-8859", "cp12")
            ):
                return change_each(own, encoded)
            return change_each(
                own, lambda one: one._replace(form=BYTES) if one.depth == 0 and not is_settled(one) else one
            )
        if name == "decode":
            return change_each(own, lambda one: one._replace(form=TEXT) if one.form == BYTES else one)
        if name == "hex":
            return change_each(own, as_text)
        if name == "translate":
            return change_each(own, encoded) | given
        if name in ("digest", "hexdigest"):
            return change_each(own, hashed)
        if name == "replace":
            return (own if _only_separates(node.args[:2]) else change_each(own, altered)) | given
        if name in table.PIECE_METHODS:
            at = (
                isinstance(first, ast.Constant)
                and isinstance(first.value, str)
                and not set("@.-").isdisjoint(first.value)
            )
            return change_each(own, pieces if at else split_pieces) | given
        if name in table.BIT_METHODS:
            varies = self._loops > 0 and first is not None and not isinstance(first, ast.Constant | ast.Tuple)
            return change_each(own, questioned if varies else compared) | change_each(given, compared)
        if name in table.DATE_METHODS:
            return change_each(own, computed) | given
        if name in ("tolist", "to_list"):
            return change_each(own, lambda one: element(one) if one.form == BYTES else one) | given
        if name in table.PLACE_METHODS or name == "len":
            return change_each(own, length) | change_each(given, compared)
        if name in table.PAIR_METHODS:
            return change_each(own, wrapped)
        if name in ("value_counts", "nunique", "describe", "sum", "mean", "median", "max", "min", "std", "size"):
            return change_each(own, summed) | given
        if name in table.APPLYING_METHODS:
            inside = change_each(own, element)
            for data in positional:
                for ref in data.refs:
                    given |= change_each(self._made(ref, node, inside, [TrackedValue(inside)]), wrapped)
        return own | given


# Any: each entry takes the one kind of node it stands under.
_EXPRESSIONS: Final[Mapping[type[ast.expr], Callable[[ValueTracker, Any], TrackedValue]]] = {
    ast.Constant: lambda follower, node: EMPTY,
    ast.Name: lambda follower, node: follower._look(node.id),
    ast.Call: ValueTracker._call,
    ast.Attribute: ValueTracker._attribute,
    ast.Subscript: ValueTracker._subscript,
    ast.JoinedStr: ValueTracker._joined_text,
    ast.FormattedValue: ValueTracker._inside,
    ast.Await: ValueTracker._inside,
    ast.Starred: ValueTracker._inside,
    ast.BinOp: ValueTracker._binary,
    ast.UnaryOp: ValueTracker._unary,
    ast.Compare: ValueTracker._compare,
    ast.BoolOp: ValueTracker._either,
    ast.IfExp: ValueTracker._conditional,
    ast.List: lambda follower, node: follower._display(node.elts),
    ast.Tuple: lambda follower, node: follower._display(node.elts),
    ast.Set: lambda follower, node: follower._display(node.elts),
    ast.Dict: ValueTracker._dictionary,
    ast.ListComp: lambda follower, node: follower._comprehension(node.generators, [node.elt]),
    ast.SetComp: lambda follower, node: follower._comprehension(node.generators, [node.elt]),
    ast.GeneratorExp: lambda follower, node: follower._comprehension(node.generators, [node.elt]),
    ast.DictComp: lambda follower, node: follower._comprehension(node.generators, [node.key, node.value]),
    ast.NamedExpr: ValueTracker._named_expression,
    ast.Lambda: ValueTracker._lambda,
    ast.Yield: ValueTracker._yield,
    ast.YieldFrom: ValueTracker._yield,
}
_STATEMENTS: Final[Mapping[type[ast.stmt], Callable[[ValueTracker, Any], None]]] = {  # Any: as above
    ast.Assign: ValueTracker._assign_all,
    ast.AnnAssign: ValueTracker._annotated,
    ast.AugAssign: ValueTracker._augmented,
    ast.If: ValueTracker._if,
    ast.While: ValueTracker._while,
    ast.For: ValueTracker._for,
    ast.AsyncFor: ValueTracker._for,
    ast.With: ValueTracker._with,
    ast.AsyncWith: ValueTracker._with,
    ast.Try: ValueTracker._try,
    ast.TryStar: ValueTracker._try,
    ast.Match: ValueTracker._match,
    ast.Return: ValueTracker._return,
    ast.Raise: ValueTracker._fail,
    ast.Assert: ValueTracker._fail,
    ast.Break: ValueTracker._leap,
    ast.Continue: ValueTracker._leap,
    ast.FunctionDef: ValueTracker._define,
    ast.AsyncFunctionDef: ValueTracker._define,
    ast.ClassDef: ValueTracker._class,
    ast.Import: ValueTracker._import,
    ast.ImportFrom: ValueTracker._import,
}


# ── small questions about syntax ─────────────────────────────────────────────────────────────────────
def _arguments(arguments: ast.arguments) -> list[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [one.arg for one in (*every, arguments.vararg, arguments.kwarg) if one is not None]


def _names_dict(node: ast.expr) -> bool:
    """Whether `__dict__` stands anywhere in it, be it in a text."""
    words = (value for part in ast.walk(node) for _, value in ast.iter_fields(part))
    return any("__dict__" in one for one in words if isinstance(one, str))


def _names_in(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


_BINDING: Final = frozenset(
    (
        ast.Global,
        ast.Nonlocal,
        ast.Import,
        ast.ImportFrom,
        ast.ExceptHandler,
        ast.MatchAs,
        ast.MatchStar,
        ast.MatchMapping,
    )
)
_FOREIGN: Final = "\ufdd0"  # before a name that a scope takes from another one


def _bound_by(node: ast.AST) -> Iterator[str]:
    """The names that this node binds by itself."""
    match node:
        case ast.Global(names=words) | ast.Nonlocal(names=words):
            yield from (_FOREIGN + word for word in words)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.split(".")[0] for alias in aliases)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def _bound_here(node: ast.AST, names: set[str]) -> list[str]:
    """The names that this node binds by itself, which are added to those of its scope."""
    found = list(_bound_by(node))
    names.update(found)
    return found


def _without_foreign(names: set[str]) -> frozenset[str]:
    foreign = {name[1:] for name in names if name.startswith(_FOREIGN)}
    return frozenset(name for name in names if name not in foreign and not name.startswith(_FOREIGN))


def _children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes`, which takes twice as long."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


_SCALARS: Final = frozenset({"len", "str", "int", "float", "bool", "ord", "chr", "repr", "hash", "sum", "abs", "round"})


def _load(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name():
            return ast.Name(target.id, ast.Load())
        case ast.Attribute():
            return ast.Attribute(target.value, target.attr, ast.Load())
        case ast.Subscript():
            return ast.Subscript(target.value, target.slice, ast.Load())
    return target


def _is_pure(ref: str) -> bool:
    parts = ref.split(".")
    if parts[0] == "builtins":
        return len(parts) > 2 or parts[1] not in table.READING_BUILTINS
    last = parts[-1]
    reads = last in table.READING_FUNCTIONS or (
        parts[0] in ("pandas", "numpy", "polars") and last.startswith(("read", "scan", "load"))
    )
    return parts[0] in table.PURE_MODULES and not reads and ref != "urllib.request.urlopen"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _only_separates(arguments: Sequence[ast.expr]) -> bool:
    """Whether a replacement puts other separators in the place of some, or none: what is replaced, and what by."""
    texts = [one.value for one in arguments if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return len(texts) == 2 and "@" not in texts[0] and table.SEPARATORS.issuperset(texts[1])


def _is_short(node: ast.Slice) -> bool:
    """Whether it takes a few characters, or as many as is only known at run time; `[::-1]` takes all of them."""
    marks = [_number(mark) if mark is not None else None for mark in (node.lower, node.upper)]
    if node.lower is None and node.upper is None:
        return node.step is not None and _number(node.step) != -1
    if any(mark is not None and _number(mark) is None for mark in (node.lower, node.upper)):
        return True
    lower, upper = marks
    if upper is None:
        return lower is not None and -SMALL <= lower < 0
    width = upper - (lower or 0) if (upper >= 0) == ((lower or 0) >= 0) else SMALL + 1
    return width <= SMALL


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return -inner if inner is not None else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _is_domain(node: ast.Subscript) -> bool:
    """`address.split("@")[1]`: the part of an address that many share."""
    call = node.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
        return False
    first = call.args[0]
    at = isinstance(first, ast.Constant) and first.value == "@"
    return at and call.func.attr in table.PIECE_METHODS and _number(node.slice) in (-1, 1, 2)
