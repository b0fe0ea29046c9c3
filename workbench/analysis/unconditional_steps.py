"""Finds the imports and calls that a program reaches in every run, and separates them from those it may not reach.

A step is unconditional unless it is in a branch, in a loop that may be empty, in a `try` that may catch, or after
something that may leave early. Function bodies count if an unconditional step calls them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from msgspec import Struct

from workbench.analysis.parsed_program import NameBindings, own_function

_STARTING = frozenset(("asyncio.run", "asyncio.wait_for", "asyncio.gather"))  # if an argument fails, the call fails
_PASSING = (
    "open",
    "asyncio.timeout",
    "asyncio.TaskGroup",
    "asyncio.Semaphore",
    "asyncio.Lock",
)  # `with` statements on these catch no exception
_MAIN = ("__name__ == '__main__'", "'__main__' == __name__")


class ProgramStep(Struct, frozen=True):
    """An import or a call, in the order of execution."""

    node: ast.Import | ast.ImportFrom | ast.Call
    is_certain: bool  # the program reaches it in every run
    is_awaited: bool  # if it fails, so does the program


class StepWalker:
    """Walks through a program in execution order and passes each step to a callback."""

    def __init__(self, bindings: NameBindings, tell: Callable[[ProgramStep], None]) -> None:
        self._bindings, self._tell = bindings, tell
        self._functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self._entered: set[str] = set()

    def walk(self, tree: ast.Module) -> None:
        certain = not self._bindings.leaves
        last = tree.body[-1] if tree.body else None
        # the runner awaits a final `main()` without `await`
        if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
            self._block(tree.body[:-1], certain)
            after = certain and not any(map(_may_leave, tree.body[:-1]))
            self._expression(last.value, after, awaited=True)
        else:
            self._block(tree.body, certain)

    def _block(self, body: list[ast.stmt], certain: bool) -> None:
        for statement in body:
            self._statement(statement, certain)
            certain = certain and not _may_leave(statement)

    def _statement(self, node: ast.stmt, certain: bool) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._functions[own_function(node)] = node
                self._perhaps([*node.decorator_list, node.args])
                self._block(node.body, False)
            case ast.Import() | ast.ImportFrom():
                self._step(node, certain, False)
            case ast.If(test, body, other):
                self._expression(test, certain)
                self._block(body, certain and self._is_main(test))
                self._block(other, False)
            case ast.For(_, items, body, other) | ast.AsyncFor(_, items, body, other):
                self._expression(items, certain)
                self._block(body, certain and isinstance(items, ast.List | ast.Tuple) and _is_filled(items))
                self._block(other, False)
            case ast.With(items, body) | ast.AsyncWith(items, body):
                for item in items:
                    self._expression(item.context_expr, certain)
                self._block(body, certain and all(self._lets_pass(item.context_expr) for item in items))
            case ast.Try(body, handlers, other, final):
                self._block(body, certain and not handlers and not any(map(_may_leave, final)))
                self._perhaps([*handlers, *other])
                self._block(final, False)
            case ast.Expr(value) | ast.Assign(_, value) | ast.AugAssign(_, _, value) | ast.Assert(value):
                self._expression(value, certain)
            case ast.Return(value) | ast.AnnAssign(_, _, value) if value is not None:
                self._expression(value, certain)
            case _:
                self._perhaps(list(ast.iter_child_nodes(node)))

    def _perhaps(self, nodes: list[ast.AST]) -> None:
        """Report every call and import in nodes that may not be reached, once each."""
        for node in nodes:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call | ast.Import | ast.ImportFrom):
                    self._step(inner, False, False)

    def _expression(self, node: ast.expr, certain: bool, awaited: bool = False) -> None:
        match node:
            case ast.Await(value):
                self._expression(value, certain, awaited=True)
            case ast.Call():
                self._call(node, certain, awaited)
            case ast.BoolOp(_, [first, *rest]):
                self._expression(first, certain)
                self._perhaps([*rest])
            case ast.IfExp(test):
                self._expression(test, certain)
                self._perhaps([node.body, node.orelse])
            case ast.Compare(left, _, others):
                self._expression(left, certain)
                self._perhaps([*others])
            case ast.Dict() | ast.List() | ast.Tuple() | ast.Set() | ast.BinOp() | ast.Subscript() | ast.Attribute():
                self._parts(node, certain)
            case ast.JoinedStr() | ast.FormattedValue() | ast.NamedExpr() | ast.Starred() | ast.UnaryOp():
                self._parts(node, certain)
            case _:
                self._perhaps([node])

    def _parts(self, node: ast.AST, certain: bool) -> None:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._expression(part, certain)

    def _call(self, node: ast.Call, certain: bool, awaited: bool) -> None:
        meaning = self._bindings.meaning(node.func)
        quiet = any(keyword.arg in (None, "return_exceptions") for keyword in node.keywords)
        starts = meaning in _STARTING and not quiet and (awaited or meaning == "asyncio.run")
        self._expression(node.func, certain)
        for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self._expression(part, certain, awaited=starts)
        self._step(node, certain, awaited)
        if certain:
            self._enter(meaning, awaited)

    def _enter(self, meaning: str, awaited: bool) -> None:
        """Walk the body of a function that is certainly called."""
        function = self._functions.get(meaning)
        if function is None or meaning in self._entered or _gives_piecemeal(function):
            return
        if awaited or isinstance(function, ast.FunctionDef):
            self._entered.add(meaning)
            self._block(function.body, True)

    def _step(self, node: ast.Import | ast.ImportFrom | ast.Call, certain: bool, awaited: bool) -> None:
        self._tell(ProgramStep(node, certain, awaited))

    def _is_main(self, test: ast.expr) -> bool:
        return ast.unparse(test) in _MAIN and bool(self._bindings.meaning(ast.Name("__name__")))

    def _lets_pass(self, context: ast.expr) -> bool:
        """Return whether a `with` passes every exception on. True only for known context managers."""
        return isinstance(context, ast.Call) and self._bindings.meaning(context.func) in _PASSING


def _may_leave(statement: ast.stmt) -> bool:
    """Return whether a statement may skip the following ones. Functions inside it leave only themselves."""
    if isinstance(statement, ast.Return | ast.Break | ast.Continue | ast.Raise):
        return True
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return any(_may_leave(inner) for inner in _statements(statement))


def _statements(node: ast.AST) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            found.append(part)
        elif isinstance(part, ast.ExceptHandler | ast.match_case):
            found.extend(part.body)
    return found


def _is_filled(items: ast.List | ast.Tuple) -> bool:
    return any(not isinstance(item, ast.Starred) for item in items.elts)


def _gives_piecemeal(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
