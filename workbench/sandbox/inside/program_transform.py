"""Prepares a program's text for execution: top-level await, top-level return, and the value of its last line.

Uses only the standard library. The text is parsed, never edited as text, so valid Python keeps its meaning.
"""

from __future__ import annotations

import ast
import inspect
import types
from dataclasses import dataclass
from typing import Any

from workbench.sandbox.inside.token_literals import TokenTable, has_tokens

NAME = "<program>"
_LAST_VALUE = "__last__"  # variable with the value of the last line
_PROGRAM_FUNCTION = "__program__"  # name of the function that a program with a top-level `return` becomes


class _Nothing:
    """Type of NOTHING, the result of a program that returns none. Differs from `result = None`."""


NOTHING = _Nothing()


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """Compiled program, with the way to find its result."""

    code: types.CodeType
    returns: bool

    def start(self, names: dict[str, Any]) -> object:  # Any: a program's names
        """Run the program. If it awaits at its top level, return a coroutine instead."""
        value = eval(self.code, names)  # noqa: S307  # running code is this file's purpose
        return names[_PROGRAM_FUNCTION]() if self.returns else value

    def answer(self, returned: object, names: dict[str, Any], before: object = NOTHING) -> object:
        """The program's result: `return`, then `result = …`, then the value of the last line. Any: a program's names.

        `before` is the `result` of an earlier program in the same REPL session, which does not count.
        """
        if self.returns and returned is not None:
            return returned
        if "result" in names and names["result"] is not before:
            return names["result"]
        last = names.get(_LAST_VALUE)
        return NOTHING if last is None else last


def prepare(text: str, name: str = NAME, tokens: TokenTable | None = None) -> PreparedProgram:
    """Compile a program. `tokens`: gets the tokens of its text, so that they compare equal to their values."""
    tree = ast.parse(text, name)
    _keep_last(tree.body)
    if tokens is not None and has_tokens(text):
        tokens.transform(tree)
    # visiting every node takes as long as all other steps
    returns = "return" in text and _TopLevelScan.among(tree.body)
    if returns:
        tree.body = [_as_function(tree.body)]
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return PreparedProgram(compile(tree, name, "exec", flags, dont_inherit=True), returns)


def begin(names: dict[str, Any], text: str) -> object:  # Any: a program's names
    """Clear the result variables of an earlier program. Returns its `result`, which does not count for this program."""
    for name in (_LAST_VALUE, _PROGRAM_FUNCTION):
        names.pop(name, None)
    before = names.get("result", NOTHING)
    return before if before is not NOTHING and not _binds_result(text) else NOTHING


def _binds_result(text: str) -> bool:
    try:
        nodes = ast.walk(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # it fails before it returns anything
    return any(isinstance(node, ast.Name) and node.id == "result" and _is_stored(node) for node in nodes)


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _keep_last(body: list[ast.stmt]) -> None:
    if body and isinstance(body[-1], ast.Expr):
        last = body[-1]
        name = ast.copy_location(ast.Name(_LAST_VALUE, ast.Store()), last)
        body[-1] = ast.copy_location(ast.Assign([name], last.value), last)


class _TopLevelScan(ast.NodeVisitor):
    """Looks for a `return` or `await` at the top level."""

    def __init__(self) -> None:
        self.returns = False
        self.awaits = False

    @classmethod
    def among(cls, body: list[ast.stmt]) -> bool:
        return cls._scan(body).returns

    @classmethod
    def _scan(cls, body: list[ast.stmt]) -> _TopLevelScan:
        found = cls()
        for statement in body:
            found.visit(statement)
        return found

    @classmethod
    def awaits_in(cls, body: list[ast.stmt]) -> bool:
        return cls._scan(body).awaits

    def visit_Return(self, node: ast.Return) -> None:
        self.returns = True
        self.generic_visit(node)

    def visit_Await(self, node: ast.Await) -> None:
        self.awaits = True
        self.generic_visit(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> None:
        self.awaits = True
        self.generic_visit(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self.awaits = True
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.awaits = self.awaits or bool(node.is_async)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Skip statements of nested functions."""

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Skip statements of nested functions."""

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Skip class bodies, which cannot return."""

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Skip lambdas."""


def _as_function(body: list[ast.stmt]) -> ast.stmt:
    """Wrap the body in a function whose names are all global, so that it behaves like a module with `return`."""
    imports = [part for part in body if isinstance(part, ast.ImportFrom) and part.module == "__future__"]
    body = [_AnnotationRemover().visit(part) for part in body if part not in imports]
    names = _local_names(_function(body))
    if names:
        body = [ast.Global(names), *body]
    return ast.fix_missing_locations(_function(body))


def _function(body: list[ast.stmt]) -> ast.stmt:
    prefix = "async " if _TopLevelScan.awaits_in(body) else ""
    (made,) = ast.parse(f"{prefix}def {_PROGRAM_FUNCTION}(): pass").body
    assert isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef)
    made.body = body
    return ast.copy_location(made, body[0])


def _local_names(function: ast.stmt) -> list[str]:
    """Names that the compiler would make local to the function."""
    module = ast.fix_missing_locations(ast.Module([function], []))
    outer = compile(module, NAME, "exec", dont_inherit=True)
    inner = next(part for part in outer.co_consts if inspect.iscode(part) and part.co_name == _PROGRAM_FUNCTION)
    return sorted(name for name in {*inner.co_varnames, *inner.co_cellvars} if name.isidentifier())


class _AnnotationRemover(ast.NodeTransformer):
    """Removes annotations of top-level names, which a `global` statement forbids. The values stay."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None or not isinstance(node.target, ast.Name):
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node
