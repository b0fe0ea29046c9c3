"""Decides for each tool call which constants of its arguments are all that they can be.

The interpreter follows values in the order of the program. Lists, dicts and objects can be changed where it does not
see it, and functions can be called by other code. An argument is certain if each expression, name and function that it
is made of is; of any other argument the interpreter's constants are only some of the possible values.

Like `changed_values`, this ignores scopes: a name counts as certain only if everything of this name is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from workbench.analysis.interpreter.changed_values import ChangedValues, Function
from workbench.analysis.interpreter.values import NOTHING, SOME, UNKNOWN, Arguments, Value, join
from workbench.analysis.parsed_program import child_nodes, walk
from workbench.permissions.word_sets import names

_MOST_DEPTH: Final = 8  # nesting of names that are looked at to see that a value is no list
_MOST_ROUNDS: Final = 24  # a longer chain of names that are made of names is not certain
_TEXT_CALLS: Final = names("str int float len repr bool chr ord format round sum abs")
_TEXT_METHODS: Final = names(
    """join strip lstrip rstrip lower upper title capitalize casefold replace format strftime isoformat removeprefix
    removesuffix as_posix dumps hexdigest total_seconds"""
)
_BINDING = (
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension, ast.withitem),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.ClassDef),
)
Claims: TypeAlias = Callable[[ast.AST, str], bool]  # whether the interpreter has a constant for a parameter


class _Binding(NamedTuple):
    """What binds a name. Without a value it is not known."""

    value: ast.expr | None
    element: bool = False  # the name is bound to elements of the value


def uncertain(value: Value) -> Value:
    """Return the value as one of several that it may be."""
    if value.items is not None:
        items = (*(uncertain(item) for item in value.items), NOTHING)
        keys = None if value.keys is None else (*value.keys, NOTHING)
        return Value(value.refs, UNKNOWN, items, value.kind, value.taint, value.functions, (), keys)
    return value if value.const is UNKNOWN and not value.choices else join(value, NOTHING)


class CertainConstants:
    """Answers for the calls of one program."""

    def __init__(
        self, nodes: Sequence[ast.AST], changed: ChangedValues, claims: Claims, is_skill: bool = False
    ) -> None:
        self._changed = changed
        self._claims, self._is_skill = claims, is_skill
        self._bindings: dict[str, list[_Binding]] = {}
        self._attributes: dict[str, list[_Binding]] = {}
        self._answers: dict[str, list[_Binding]] = {}  # what the functions of each name return
        self._spreading: dict[str, bool] = {}  # name of a function → whether a call passes arguments by * or **
        self._signatures: set[tuple[str | int, ...]] = set()  # of functions whose parameters are bound
        self._passes_functions = False  # some function is named without being called
        self._doubted: set[tuple[str, bool]] = set()  # name, and whether only its text counts
        self._read(nodes)
        if not self._changed.any_name:
            self._find_doubted()

    def restrict(self, node: ast.AST, arguments: Arguments) -> Arguments:
        """Return the arguments of a call, with those that may have other values marked as such."""
        if not isinstance(node, ast.Call):
            return arguments
        certain = {one.arg: self._is_certain(one.value) for one in node.keywords}
        rest = all(self._is_certain(one.value) for one in node.keywords if one.arg is None)
        by_place = rest and all(self._is_certain(one) for one in node.args)
        if by_place and all(certain.values()):
            return arguments
        known = by_place and all(certain.values())
        named = dict(arguments.named)
        if not rest:
            named.setdefault("**", NOTHING)
        return Arguments(
            tuple(value if by_place else uncertain(value) for value in arguments.positional),
            {name: value if certain.get(name, by_place) else uncertain(value) for name, value in named.items()},
            {name: value if known else uncertain(value) for name, value in arguments.keys.items()},
            arguments.loose if rest or arguments.loose is not None else SOME,
        )

    # ── Bindings ────────────────────────────────────────────────────────────────────────────────────────
    def _read(self, nodes: Iterable[ast.AST]) -> None:
        called, calls, hidden = set[int](), dict[str, list[ast.Call]](), set[int]()
        for node in nodes:
            if isinstance(node, ast.Call):
                called.add(id(node.func))
                calls.setdefault(_called_name(node), []).append(node)
            elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
                hidden |= {id(part) for part in walk(node) if isinstance(part, ast.NamedExpr)}
        passed_on = {
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in nodes
            if isinstance(node, ast.Name | ast.Attribute) and id(node) not in called
        }
        for node in nodes:
            if isinstance(node, _BINDING):
                self._read_node(node, id(node) in hidden)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                self._read_function(node, passed_on, calls)
            if isinstance(node, ast.Lambda) or (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in passed_on
            ):
                self._passes_functions = True

    def _read_node(self, node: ast.AST, hidden: bool) -> None:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, _Binding(value))
            case ast.AnnAssign(target, _, value) if value is not None:
                self._bind(target, _Binding(value))
            case ast.AugAssign(target, _, value):
                self._bind(target, _Binding(value))
            case ast.NamedExpr(target, value):
                self._bind(target, _Binding(None if hidden else value))
            case ast.For(target, value) | ast.AsyncFor(target, value) | ast.comprehension(target, value):
                self._bind(target, _Binding(value, element=True))
            case ast.withitem(value, target) if target is not None:
                self._bind(target, _Binding(value))
            case ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)) | ast.MatchMapping(_, _, str(name)):
                self._bindings.setdefault(name, []).append(_Binding(None))
            case ast.ClassDef(_, _, _, body):
                for member in body:
                    for part in walk(member) if isinstance(member, ast.Assign | ast.AnnAssign) else ():
                        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                            self._attributes.setdefault(part.id, []).append(_Binding(None))

    def _bind(self, target: ast.expr, binding: _Binding) -> None:
        match target:
            case ast.Name(name):
                self._bindings.setdefault(name, []).append(binding)
            case ast.Attribute(_, name):
                self._attributes.setdefault(name, []).append(binding)
            case ast.Tuple(parts) | ast.List(parts):
                for part in parts:
                    self._bind(part, _Binding(binding.value, element=True))
            case ast.Starred(part):
                self._bind(part, _Binding(binding.value, element=True))

    def _read_function(
        self, node: Function | ast.Lambda, passed_on: set[str], calls: dict[str, list[ast.Call]]
    ) -> None:
        """Bind the parameters to what the calls pass, if all calls are known."""
        arguments = node.args
        positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        parameters = [*positional, *(one.arg for one in arguments.kwonlyargs)]
        places = positional[1:] if positional[:1] in (["self"], ["cls"]) else positional
        followed = not isinstance(node, ast.Lambda) and not (
            self._is_skill or node.decorator_list or node.name in passed_on or node.name.startswith("__")
        )
        for name in parameters:
            if not followed and self._claims(node, name):
                self._bindings.setdefault(name, []).append(_Binding(None))
        if isinstance(node, ast.Lambda):
            return
        defaults = [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
        sites = calls.get(node.name, ()) if followed else ()
        if node.name not in self._spreading:
            self._spreading[node.name] = any(map(_spreads, calls.get(node.name, ())))
        if followed and self._spreading[node.name]:
            for name in filter(partial(self._claims, node), parameters):
                self._bindings.setdefault(name, []).append(_Binding(None))
        signature: tuple[str | int, ...] = (node.name, len(positional), *parameters)
        for site in () if signature in self._signatures else sites:  # methods of many classes may have one signature
            self._signatures.add(signature)
            given: dict[str, ast.expr] = dict(zip(places, site.args, strict=False))
            given |= {one.arg: one.value for one in site.keywords if one.arg is not None}
            for name in parameters:
                if name in given:
                    self._bindings.setdefault(name, []).append(_Binding(given[name]))
        for name in parameters:
            self._bindings.setdefault(name, []).extend(map(_Binding, defaults))
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                self._bindings.setdefault(extra.arg, []).append(_Binding(None))
        returned = self._answers.setdefault(node.name, [])
        left: list[ast.AST] = list(node.body)
        while left:
            part = left.pop()
            if isinstance(part, ast.Return) and part.value is not None:
                returned.append(_Binding(part.value))
            elif isinstance(part, ast.Yield | ast.YieldFrom):
                returned.append(_Binding(None))
            if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
                left += child_nodes(part)
        if node.decorator_list:
            returned.append(_Binding(None))

    # ── Decisions ───────────────────────────────────────────────────────────────────────────────────────
    def _find_doubted(self) -> None:
        """Find the names that are not certain: those that are bound to a doubted value, until there are no more."""
        bound = dict(self._bindings)
        bound |= {f".{name}": found for name, found in self._attributes.items()}
        bound |= {f"{name}()": found for name, found in self._answers.items()}
        left = [(name, text) for name in bound for text in (True, False)]
        for _ in range(_MOST_ROUNDS):
            found = {(name, text) for name, text in left if not self._check_name(name, bound[name], text)}
            if not found:
                return
            self._doubted |= found
            left = [one for one in left if one not in found]
        self._doubted.update(left)

    def _check_name(self, name: str, bindings: Sequence[_Binding], text: bool) -> bool:
        if not all(
            one.value is not None and self._is_certain(one.value, text=text and not one.element) for one in bindings
        ):
            return False
        changed = self._is_skill or self._changed.is_changed(name)
        return text or not changed or all(self._is_text(one) for one in bindings)

    def _is_text(self, binding: _Binding, depth: int = 0) -> bool:
        """Return whether the value is certainly a text or a number, which nothing can change."""
        value = binding.value
        if depth > _MOST_DEPTH or value is None:
            return False
        if binding.element:
            match value:
                case ast.List(parts) | ast.Tuple(parts) | ast.Set(parts):
                    return all(self._is_text(_Binding(part), depth + 1) for part in parts)
                case ast.Name(name):
                    found = self._bindings.get(name, ())
                    return bool(found) and all(
                        not one.element and self._is_text(_Binding(one.value, element=True), depth + 1) for one in found
                    )
            return False
        match value:
            case ast.Constant() | ast.JoinedStr() | ast.Compare():
                return True
            case ast.UnaryOp(_, inner) | ast.Await(inner) | ast.NamedExpr(_, inner):
                return self._is_text(_Binding(inner), depth + 1)
            case ast.BinOp(left, _, right) | ast.IfExp(_, left, right):
                return all(self._is_text(_Binding(one), depth + 1) for one in (left, right))
            case ast.BoolOp(_, parts):
                return all(self._is_text(_Binding(one), depth + 1) for one in parts)
            case ast.Name(name):
                found = self._bindings.get(name, ())
                return bool(found) and all(self._is_text(one, depth + 1) for one in found)
            case ast.Call(ast.Name(name)):
                return name in _TEXT_CALLS and name not in self._answers
            case ast.Call(ast.Attribute(_, name)):
                return name in _TEXT_METHODS and name not in self._answers
        return False

    def _is_certain(self, node: ast.expr | None, *, text: bool = False) -> bool:
        """Return whether the interpreter's constants of an expression are all that it may be.

        `text`: only if it is a text or a number, because the interpreter uses no list here."""
        if self._changed.any_name and not isinstance(node, ast.Constant | ast.JoinedStr):
            return not _names_anything(node)
        match node:
            case ast.Name(name):
                return (name, text) not in self._doubted
            case ast.Attribute(value, name):
                return (f".{name}", text) not in self._doubted and self._is_certain(value)
            case ast.Subscript(value, key):
                return self._is_certain(value) and self._is_certain(key)
            case ast.Starred(value) | ast.Await(value) | ast.NamedExpr(_, value):
                return self._is_certain(value, text=text)
            case ast.FormattedValue(value):
                return self._is_certain(value, text=True)
            case ast.IfExp(_, first, second):
                return self._is_certain(first, text=text) and self._is_certain(second, text=text)
            case ast.BinOp(first, _, second):
                joins = text or any(isinstance(one, ast.JoinedStr) or _is_text_constant(one) for one in (first, second))
                return self._is_certain(first, text=joins) and self._is_certain(second, text=joins)
            case ast.BoolOp(_, parts):
                return all(self._is_certain(part, text=text) for part in parts)
            case ast.JoinedStr(parts) | ast.List(parts) | ast.Tuple(parts) | ast.Set(parts):
                return all(map(self._is_certain, parts))
            case ast.Dict(keys, values):
                return all(map(self._is_certain, (*keys, *values)))
            case ast.ListComp(element, generators) | ast.SetComp(element, generators):
                return all(map(self._is_certain, (element, *(one.iter for one in generators))))
            case ast.GeneratorExp(element, generators):
                return all(map(self._is_certain, (element, *(one.iter for one in generators))))
            case ast.DictComp(key, element, generators):
                return all(map(self._is_certain, (key, element, *(one.iter for one in generators))))
            case ast.Slice(lower, upper, step):
                return all(map(self._is_certain, (lower, upper, step)))
            case ast.UnaryOp(_, value):
                return self._is_certain(value, text=True)
            case ast.Call():
                return self._is_certain_call(node)
        return True  # the interpreter knows no constants of other expressions

    def _is_certain_call(self, node: ast.Call) -> bool:
        name, function = _called_name(node), node.func
        given = [*node.args, *(one.value for one in node.keywords)]
        if name in self._answers:
            if (f"{name}()", False) in self._doubted:
                return False
        elif name in self._bindings or not isinstance(function, ast.Name | ast.Attribute):
            return not self._passes_functions
        if isinstance(function, ast.Attribute) and not self._is_certain(function.value):
            return False
        return all(map(self._is_certain, given))


def _spreads(node: ast.Call) -> bool:
    """Return whether a call passes arguments by `*` or `**`."""
    return any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords)


def _called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_text_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _names_anything(node: ast.expr | None) -> bool:
    return node is not None and any(isinstance(part, ast.Name | ast.Attribute) for part in walk(node))
