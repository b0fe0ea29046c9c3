"""Proves which expressions of a program are one field of a tool's answer, such as `customer["email"]`.

An answer counts only if the program uses it in ways that cannot change it: keys that are constants, loops over its
lists, and values that are compared, joined to texts or passed to tools. A name may be bound to nothing else, whatever
the scope.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, TypeAlias

from workbench.analysis.interpreter.changed_values import FRESH, FRESH_METHODS, ChangedValues
from workbench.analysis.parsed_program import child_nodes, walk

_MOST_DEPTH: Final = 12  # names that are bound to parts of each other, and keys
_MOST_NODES: Final = 20_000  # of a program; no field of a larger one is proved
_MOST_PARTS: Final = 16  # parts of answers that one name may be
_ELEMENT: Final = 0  # a part of a path: any element of a list
_SAME_TEXT: Final = frozenset({"strip", "lower", "casefold"})  # methods that keep what a text means
_Path: TypeAlias = tuple[str | int, ...]
_COPIES: Final = frozenset({"list", "sorted"})  # return lists of the same elements
_OWN_TYPES: Final = frozenset({"type", "types", "mock", "Mock", "MagicMock"})  # make objects that act when compared


class _Part(NamedTuple):
    """A part of the answer of a call."""

    call: ast.AST
    path: _Path = ()
    cut: bool = False  # not all of it: a slice, or some entries

    @property
    def place(self) -> tuple[ast.AST, _Path]:
        return self.call, self.path


class _Binding(NamedTuple):
    """What binds a name: a value, or the elements of a value; None: something else."""

    value: ast.expr | None
    element: bool = False
    server: bool = False  # imports a tool, or the tools of a server


class AnswerFields:
    """Answers for the expressions of one program."""

    def __init__(self, tree: ast.Module, calls: Collection[ast.AST]) -> None:
        """`calls`: the calls of tools."""
        self._bindings: dict[str, list[_Binding]] = {}
        self._modules: set[str] = set()  # names that `import` binds to modules of Python
        self._known: dict[str, frozenset[_Part]] = {}
        self._parents: dict[ast.AST, ast.AST] = {}
        self._parts: dict[ast.AST, frozenset[_Part]] = {}
        self._calls: frozenset[ast.AST] = frozenset()
        self._inner: set[tuple[ast.AST, _Path]] = set()  # what other fields are taken from
        self._safe: dict[ast.AST, bool] = {}
        self._plain_names: dict[str, bool] = {}
        nodes = walk(tree)
        if len(nodes) <= _MOST_NODES and not any(map(_hides_changes, nodes)) and not ChangedValues(nodes).any_name:
            try:
                self._read(nodes, calls)
            except RecursionError:  # nothing is certain of a program that is too deeply nested
                self._parts.clear()

    def _read(self, nodes: Sequence[ast.AST], calls: Collection[ast.AST]) -> None:
        for node in nodes:
            self._parents.update(dict.fromkeys(child_nodes(node), node))
            self._note_bindings(node)
        self._calls = frozenset(filter(self._calls_tool, calls))
        chains = [node for node in nodes if isinstance(node, ast.expr) and self._parts_of(node)]
        changed = {part.place for node in chains if not self._is_safe(node) for part in self._parts_of(node)}
        for node in chains:
            parts = self._parts_of(node)
            if changed.isdisjoint(place for part in parts for place in _with_owners(part)):
                self._parts[node] = parts
            self._inner |= {
                (part.call, part.path[:length])
                for part in parts
                for length in range(len(part.path))
                if any(isinstance(key, str) for key in part.path[length:])
            }

    def _calls_tool(self, node: ast.AST) -> bool:
        """Return whether a call names its tool, and does not pass it to another function."""
        function = node.func if isinstance(node, ast.Call) else None
        while isinstance(function, ast.Attribute):
            if not all(one.server for one in self._bindings.get(function.attr, ())):
                return False  # the program may have stored a function of its own there
            function = function.value
        if not isinstance(function, ast.Name):
            return False
        bound = self._bindings.get(function.id, ())
        return all(one.server for one in bound) and (bool(bound) or not hasattr(builtins, function.id))

    def plain_arguments(self, call: ast.AST) -> frozenset[str]:
        """Return the named arguments of a tool call whose values are one field as it is."""
        if not isinstance(call, ast.Call) or call not in self._calls:
            return frozenset()
        return frozenset(one.arg for one in call.keywords if one.arg is not None and self.is_plain_field(one.value))

    def field_of(self, node: ast.expr) -> str:
        """Return the field of an answer that an expression certainly is; empty if it is no field or not certain."""
        parts = self._parts.get(node, frozenset())
        fields = {next((key for key in reversed(one.path) if isinstance(key, str)), "") for one in parts}
        inner = any(one.place in self._inner for one in parts)
        return fields.pop() if len(fields) == 1 and not inner else ""

    def is_plain_field(self, node: ast.expr) -> bool:
        """Return whether the value of an expression is one field as it is, or the only entry of a list with it."""
        match node:
            case ast.List([only]) | ast.Tuple([only]):
                return self.is_plain_field(only)
            case ast.BoolOp(ast.Or(), [first, ast.Constant("")]):
                return self.is_plain_field(first)
            case ast.Call(ast.Attribute(owner, name), []) if name in _SAME_TEXT:
                return self.is_plain_field(owner)
            case ast.Call(ast.Name("str"), [inner], []) if "str" not in self._bindings:
                return self.is_plain_field(inner)
        return bool(self.field_of(node)) and not any(one.cut for one in self._parts[node])

    def is_whole_list(self, loop: ast.For | ast.AsyncFor) -> bool:
        """Return whether a loop certainly runs over all entries of an answer, and not only over some of them."""
        parts = self._parts.get(loop.iter, frozenset())
        if not parts or any(one.cut or _ELEMENT in one.path for one in parts):
            return False
        return not any(isinstance(one, ast.Break | ast.Return | ast.Raise) for one in walk(*loop.body))

    # ── Parts of answers ────────────────────────────────────────────────────────────────────────────────
    def _parts_of(self, node: ast.expr | None, depth: int = 0) -> frozenset[_Part]:
        """Return which parts of answers an expression is; nothing if it may be anything else."""
        if depth > _MOST_DEPTH or node is None:
            return frozenset()
        match node:
            case ast.Await(inner):
                return self._parts_of(inner, depth)
            case ast.Name(name, ast.Load()):
                return self._parts_of_name(name, depth)
            case ast.Subscript(owner, ast.Constant(str(key)), ast.Load()):
                return _below(self._parts_of(owner, depth + 1), key)
            case ast.Subscript(owner, ast.Constant(int()), ast.Load()):
                return _below(self._parts_of(owner, depth + 1), _ELEMENT)
            case ast.Call(ast.Attribute(owner, "get"), [ast.Constant(str(key))], []):
                return _below(self._parts_of(owner, depth + 1), key)
            case ast.Call(ast.Attribute(owner, "get"), [ast.Constant(str(key)), ast.Constant("" | None)], []):
                return _below(self._parts_of(owner, depth + 1), key)
            case ast.Subscript(owner, ast.Slice(), ast.Load()) | ast.Call(ast.Name("sorted" | "list"), [owner], []):
                copied = isinstance(node, ast.Subscript) or _COPIES.isdisjoint(self._bindings)
                parts = self._parts_of(owner, depth + 1) if copied else ()
                return frozenset(one._replace(cut=True) for one in parts)
            case ast.ListComp(ast.Name(name), [ast.comprehension(ast.Name(target), owner)]) if name == target:
                parts = self._parts_of(owner, depth + 1) if self._parts_of_name(name, depth) else ()
                return frozenset(one._replace(cut=True) for one in parts)
            case ast.Call() if node in self._calls:
                return frozenset({_Part(node)})
        return frozenset()

    def _parts_of_name(self, name: str, depth: int) -> frozenset[_Part]:
        if (known := self._known.get(name)) is not None:
            return known
        self._known[name] = frozenset()  # a name that is bound to a part of itself
        found: frozenset[_Part] = frozenset()
        for value, element, _ in self._bindings.get(name, ()):
            parts = self._parts_of(value, depth + 1)
            if not parts:
                return frozenset()
            found |= _below(parts, _ELEMENT) if element else parts
            if len(found) > _MOST_PARTS:
                return frozenset()
        self._known[name] = found
        return found

    def _note_bindings(self, node: ast.AST) -> None:
        """Note what binds names. Only plain assignments and loops bind them to something known."""
        match node:
            case ast.Name(name, ast.Store() | ast.Del()):
                self._bindings.setdefault(name, []).append(self._binding(node))
            case ast.arg(name) | ast.ExceptHandler(_, str(name)) | ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                self._bindings.setdefault(name, []).append(_Binding(None))
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                self._bindings.setdefault(name, []).append(_Binding(None))
            case ast.MatchMapping(_, _, str(name)):
                self._bindings.setdefault(name, []).append(_Binding(None))
            case ast.Attribute(_, name, ast.Store() | ast.Del()):  # may be a name of a module
                self._bindings.setdefault(name, []).append(_Binding(None))
            case ast.ImportFrom(module, aliases):
                self._import(aliases, (module or "").split(".")[0] == "servers")
            case ast.Import(aliases):
                for one in aliases:
                    self._import([one], one.name.split(".")[0] == "servers")
                    if one.name.split(".")[0] in sys.stdlib_module_names:
                        self._modules.add(one.asname or one.name.split(".")[0])

    def _import(self, aliases: Sequence[ast.alias], servers: bool) -> None:
        for one in aliases:
            name = one.asname or one.name.split(".")[0]
            self._bindings.setdefault(name, []).append(_Binding(None, server=servers))

    def _binding(self, target: ast.Name) -> _Binding:
        match self._parents.get(target):
            case ast.Assign([only], value) if only is target:
                return _Binding(value)
            case (ast.For() | ast.AsyncFor() | ast.comprehension()) as loop if loop.target is target:
                return _Binding(loop.iter, element=True)
        return _Binding(None)

    # ── Uses ────────────────────────────────────────────────────────────────────────────────────────────
    def _is_safe(self, node: ast.AST) -> bool:
        """Return whether the place of an expression certainly changes nothing in its value, nor keeps it for that."""
        known = self._safe.get(node)
        if known is None:
            known = self._safe[node] = self._is_safe_place(node)
        return known

    def _is_safe_place(self, node: ast.AST) -> bool:
        parent = self._parents.get(node)
        match parent:
            case ast.expr() if self._parts_of(parent):
                return True  # judged itself
            case ast.Subscript(_, key):
                return key is node  # what can be a key cannot be changed
            case ast.Attribute(_, name, ast.Load()):
                call = self._parents.get(parent)
                called = isinstance(call, ast.Call) and call.func is parent
                return called and (name in FRESH_METHODS or (isinstance(call, ast.expr) and bool(self._parts_of(call))))
            case ast.Assign([ast.Name(name)]) | ast.For(ast.Name(name)) | ast.AsyncFor(ast.Name(name)):
                return bool(self._parts_of_name(name, 0))
            case ast.comprehension(ast.Name(name)):
                return bool(self._parts_of_name(name, 0)) or node in parent.ifs
            case ast.comprehension():
                return node in parent.ifs
            case ast.Compare(first, _, others):
                return all(self._is_plain(one) for one in (first, *others))
            case ast.FormattedValue() | ast.Expr() | ast.UnaryOp():
                return True
            case ast.If() | ast.While() | ast.Assert():
                return True
            case ast.BinOp(first, _, second):
                return _is_text(first) or _is_text(second) or self._is_safe(parent)
            case ast.BoolOp() | ast.IfExp() | ast.List() | ast.Tuple() | ast.Dict() | ast.keyword():
                return self._is_safe(parent)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._is_safe(parent)
            case ast.Call(function):
                return node is not function and self._only_reads(parent)
        return False

    def _is_plain(self, node: ast.expr) -> bool:
        """Return whether an expression is a text, a number, a list or so, which comparing does not change."""
        match node:
            case ast.Constant() | ast.JoinedStr() | ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return True
            case ast.Call(ast.Name(name)):
                return (name in FRESH or name in ("set", "list", "dict")) and name not in self._bindings
            case ast.Name(name) if not self._parts_of(node):
                if name not in self._plain_names:
                    bound = self._bindings.get(name, ())
                    values = [one.value for one in bound if not one.element and not isinstance(one.value, ast.Name)]
                    plain = len(values) == len(bound) and all(one is not None and self._is_plain(one) for one in values)
                    self._plain_names[name] = plain
                return self._plain_names[name]
        return bool(self._parts_of(node))

    def _only_reads(self, call: ast.Call) -> bool:
        """Return whether a call changes none of its arguments, and keeps nothing of them."""
        if call in self._calls:
            return True
        match call.func:
            case ast.Name(name):
                return name in FRESH and name not in self._bindings
            case ast.Attribute(owner, name):
                if name not in FRESH_METHODS or name in self._bindings:
                    return False
                module = isinstance(owner, ast.Name) and owner.id in self._modules
                only = isinstance(owner, ast.Name) and len(self._bindings.get(owner.id, ())) == 1
                return isinstance(owner, ast.Constant) or (module and only)
        return False


def _hides_changes(node: ast.AST) -> bool:
    """Return whether a node may bind names unseen, or make objects that act when they are compared."""
    if isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
        return (node.module or "").split(".")[0] != "servers"
    if isinstance(node, ast.Import | ast.ImportFrom):
        imported = [getattr(node, "module", None) or "", *(one.name for one in node.names)]
        return any(one.startswith("__main__") for one in imported)  # its attributes are the names of the program
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return isinstance(node, ast.ClassDef) or name in _OWN_TYPES


def _with_owners(part: _Part) -> list[tuple[ast.AST, _Path]]:
    return [(part.call, part.path[:length]) for length in range(len(part.path) + 1)]


def _below(parts: frozenset[_Part], key: str | int) -> frozenset[_Part]:
    if any(len(one.path) >= _MOST_DEPTH for one in parts):
        return frozenset()
    return frozenset(_Part(one.call, (*one.path, key), one.cut and key == _ELEMENT) for one in parts)


def _is_text(node: ast.expr) -> bool:
    """Return whether an expression is certainly a text, to judge by its last parts."""
    for _ in range(_MOST_DEPTH):
        match node:
            case ast.Constant(str()) | ast.JoinedStr():
                return True
            case ast.BinOp(_, ast.Add(), ast.Constant(str()) | ast.JoinedStr()):
                return True
            case ast.BinOp(first, ast.Add()):
                node = first
            case _:
                return False
    return False
