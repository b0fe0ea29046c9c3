"""Scopes of a program: which names each function binds, which methods there are, and which names a statement uses."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, TypeAlias

from workbench.analysis.parsed_program import child_nodes

MethodNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FunctionNode: TypeAlias = MethodNode | ast.Lambda
Scope: TypeAlias = ast.AST | None  # a function; None: the module
Variable: TypeAlias = tuple[Scope, str]
_BINDING: Final = frozenset(
    (
        *(ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom),
        *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
    )
)
_FOREIGN: Final = "\ufdd0"  # prefix of a name that a scope declares global or nonlocal


class ProgramScopes:
    """Names of a program, read from its syntax alone. Not changed after construction."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: list[FunctionNode] = []
        self.bound: dict[Scope, frozenset[str]] = {}
        self.outer: dict[ast.AST, Scope] = {}
        self.class_of: dict[ast.AST, ast.ClassDef] = {}
        self.methods: defaultdict[str, set[MethodNode]] = defaultdict(set)
        self.global_names: set[str] = set()  # module names that functions bind
        self.mentioned: set[str] = set()  # names and attributes that are read anywhere
        # names that a statement reads or binds in its own scope
        self.statement_names: dict[ast.stmt, tuple[str, ...]] = {}
        names: set[str] = set()
        self._visit(tree.body, None, None, names, set())
        self.bound[None] = frozenset(name.lstrip(_FOREIGN) for name in names | self.global_names)

    def variable(self, scope: Scope, name: str) -> Variable | None:
        """Return the variable that a name refers to in this scope, or None if the program never binds it."""
        while scope is not None:
            if name in self.bound[scope]:
                return scope, name
            scope = self.outer[scope]
        return (None, name) if name in self.bound[None] else None

    def _visit(
        self, nodes: Iterable[ast.AST], scope: Scope, owner: ast.ClassDef | None, names: set[str], inside: set[str]
    ) -> None:
        """Collect the names of nodes.

        `names`: names that the scope binds. `inside`: names that the enclosing statement mentions."""
        for node in nodes:
            kind = type(node)
            if kind is ast.Constant:
                continue
            if isinstance(node, ast.Name):
                (names if type(node.ctx) is ast.Store else self.mentioned).add(node.id)
                inside.add(node.id)
            elif isinstance(node, ast.stmt):
                own = self._visit_statement(node, scope, owner, names)
                self.statement_names[node] = tuple(own)
                inside |= own
            elif isinstance(node, ast.Lambda):
                self._visit_function(node, scope, None, names, inside)
            else:
                if isinstance(node, ast.Attribute):
                    self.mentioned.add(node.attr)
                elif kind in _BINDING:
                    bound = _names_bound_by(node)
                    inside.update(bound)
                    names.update(bound)
                self._visit(child_nodes(node), scope, None, names, inside)

    def _visit_statement(self, node: ast.stmt, scope: Scope, owner: ast.ClassDef | None, names: set[str]) -> set[str]:
        own: set[str] = set()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own.add(node.name)
            self._visit_function(node, scope, owner, names, own)
        elif isinstance(node, ast.ClassDef):
            own.add(node.name)
            names.add(node.name)
            self._visit([*node.decorator_list, *node.bases, *node.keywords], scope, None, names, own)
            self._visit(node.body, scope, node, set(), own)
        else:
            if isinstance(node, ast.Global):
                self.global_names.update(node.names)
            if type(node) in _BINDING:
                own.update(bound := _names_bound_by(node))
                names.update(bound)
            self._visit(child_nodes(node), scope, owner, names, own)
        return own

    def _visit_function(
        self, node: FunctionNode, scope: Scope, owner: ast.ClassDef | None, names: set[str], inside: set[str]
    ) -> None:
        self.functions.append(node)
        self.outer[node] = scope
        own = set(argument_names(node.args))
        if isinstance(node, ast.Lambda):
            self._visit([node.args], scope, None, names, inside)
            self._visit([node.body], node, None, own, set())
        else:
            names.add(node.name)
            around = [*node.decorator_list, node.args, *([node.returns] if node.returns is not None else [])]
            self._visit(around, scope, None, names, inside)
            self._visit(node.body, node, None, own, set())
            if owner is not None:
                self.class_of[node] = owner
                self.methods[node.name].add(node)
        foreign = {name[1:] for name in own if name.startswith(_FOREIGN)}
        self.bound[node] = frozenset(name for name in own - foreign if not name.startswith(_FOREIGN))


def argument_names(arguments: ast.arguments) -> list[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [one.arg for one in (*every, arguments.vararg, arguments.kwarg) if one is not None]


def _names_bound_by(node: ast.AST) -> list[str]:
    """Return the names that the node itself binds, without those bound by its children."""
    match node:
        case ast.Global(names=words) | ast.Nonlocal(names=words):
            return [_FOREIGN + word for word in words]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name.split(".")[0] for alias in aliases]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
    return []
