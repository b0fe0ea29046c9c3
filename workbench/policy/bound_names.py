"""Which names a program's text binds, and how often."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

_TYPE_PARAMETERS = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"})  # nodes that only newer versions of Python have


def bound_once(tree: ast.Module) -> dict[str, ast.expr]:
    """Names that the whole text binds exactly once, at the top level, with what they are bound to."""
    times: Counter[str] = Counter()
    for node in ast.walk(tree):
        times.update(_bound(node))
    return {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and times[node.targets[0].id] == 1
    }


def _bound(node: ast.AST) -> Iterator[str]:
    """Every name that a node binds or declares, however it does."""
    if type(node).__name__ in _TYPE_PARAMETERS:
        yield str(getattr(node, "name", ""))
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.split(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Global(names=several) | ast.Nonlocal(names=several):
            yield from several
