"""Resolves the names of a program whose meaning cannot change while it runs.

A name counts only when everything that ever binds it is one and the same import or definition, directly or through an
alias that is assigned once. In a program that reaches into the machinery of modules and names, no name counts.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

_AT_HAND = {  # what a program has without importing it
    "call_tool": "client.call_tool",
    "call_mcp_tool": "client.call_mcp_tool",
    "asyncio": "asyncio",
    "open": "open",
    "__name__": "__name__",
}
_REACHING = frozenset(
    (  # whoever names one of these may change what any name means
        *(
            "__builtins__",
            "__class__",
            "__code__",
            "__dict__",
            "__getattr__",
            "__globals__",
            "__import__",
            "__setattr__",
        ),
        *(
            "builtins",
            "delattr",
            "eval",
            "exec",
            "globals",
            "import_module",
            "importlib",
            "locals",
            "meta_path",
            "modules",
        ),
        *("patch", "path_hooks", "setattr", "vars"),
    )
)
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")  # nodes that only newer versions of Python have
_DEEPEST = 40  # names that stand for names
_MOST_SUMS = 5  # sums of sums of texts
_LEAVING = frozenset(("SystemExit", "_exit", "abort", "execv", "execve", "exit", "kill", "quit"))


class NameBindings:
    """The meanings of a program's names: dotted paths like `servers.github.create_issue`."""

    def __init__(self, tree: ast.Module, nodes: Iterable[ast.AST], before: Iterable[ast.AST] = ()) -> None:
        """`nodes`: all of the tree. `before`: those of the programs that ran earlier, whose names it goes on with."""
        self.leaves = False  # it may end in the middle and count as done
        self.is_clear = True  # False: names may change under way
        self._given: dict[str, set[str]] = {}
        self._times: Counter[str] = Counter()
        for node in nodes:
            self._read(node)
        leaves = self.leaves
        for node in before:
            self._read(node)
        self.leaves = leaves  # that one of those left says nothing about this one
        self._assigned = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        }

    def bound_once(self, name: str) -> ast.expr | None:
        """What a name stands for that the whole text binds exactly once, at the top level."""
        return self._assigned.get(name) if self._times[name] == 1 else None

    def meaning(self, node: ast.expr) -> str:
        """The dotted path of what an expression names; an empty text where that is not certain."""
        parts: list[str] = []
        for _ in range(_DEEPEST):
            match node:
                case ast.Attribute(owner, name):
                    parts.insert(0, name)
                    node = owner
                case ast.Call(ast.Name("getattr"), [owner, key], []) if "getattr" not in self._given:
                    written = self.written(key)
                    if not (isinstance(written, ast.Constant) and isinstance(written.value, str)):
                        return ""
                    parts.insert(0, written.value)
                    node = owner
                case ast.Name(name) if (assigned := self.bound_once(name)) is not None:
                    node = assigned
                case _:
                    break
        if not isinstance(node, ast.Name) or not self.is_clear:
            return ""
        meanings = self._given.get(node.id, {_AT_HAND.get(node.id, "")})
        start = next(iter(meanings)) if len(meanings) == 1 else ""
        return ".".join([start, *parts]) if start else ""

    def written(self, node: ast.expr | None, depth: int = 0) -> ast.expr | None:
        """The expression itself, or what a name always stands for, or the text that constants are put together to."""
        for _ in range(_DEEPEST):
            found = self.bound_once(node.id) if isinstance(node, ast.Name) and self.is_clear else None
            if found is None:
                break
            node = found
        match node:
            case ast.BinOp(left, ast.Add(), right) if depth < _MOST_SUMS:
                return _put_together(node, [self.written(left, depth + 1), self.written(right, depth + 1)])
            case ast.JoinedStr(parts):
                return _put_together(node, parts)
        return node

    def _read(self, node: ast.AST) -> None:
        kind = type(node)
        if kind in _BINDING and not (kind is ast.Name and isinstance(node.ctx, ast.Load)):  # type: ignore[attr-defined]
            for name, meaning in _bound(node):
                self._given.setdefault(name, set()).add(meaning)
                self._times[name] += 1
        if kind in (ast.Import, ast.ImportFrom):
            self._look_at(_imported(node))
        elif kind is ast.Name:
            self._look_at((node.id,))  # type: ignore[attr-defined]  # its kind says so
        elif kind is ast.Attribute:
            self._look_at((node.attr,))  # type: ignore[attr-defined]
            if not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                self.is_clear = False

    def _look_at(self, names: Iterable[str]) -> None:
        if not _REACHING.isdisjoint(names):
            self.is_clear = False
        if not _LEAVING.isdisjoint(names):
            self.leaves = True


def _put_together(whole: ast.expr, parts: Sequence[ast.expr | None]) -> ast.expr:
    """The text that these make, where all of them are texts; else the expression as it is."""
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return ast.copy_location(ast.Constant("".join(texts)), whole) if len(texts) == len(parts) else whole


def own_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The meaning of a function that the program defines: this one, not another of the same name."""
    return f"here.{node.name}:{node.lineno}"


def _bound(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names that a node gives a meaning, with the dotted path where it is an import."""
    match node:
        case ast.Import(aliases):
            for alias in aliases:
                first = alias.name.split(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (first, first)
        case ast.ImportFrom(module, aliases, level):
            for alias in aliases:
                yield alias.asname or alias.name, f"{module}.{alias.name}" if module and not level else ""
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            yield name, own_function(node) if not node.decorator_list else ""
        case ast.ClassDef(name):
            yield name, ""
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            yield name, ""
        case ast.ExceptHandler(_, str(name)) | ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
            yield name, ""
        case ast.MatchMapping(_, _, str(name)):
            yield name, ""
        case ast.Global(names) | ast.Nonlocal(names):
            yield from ((name, "") for name in names)
        case _ if type(node).__name__ in _TYPE_PARAMETERS:
            yield str(getattr(node, "name", "")), ""


def _imported(node: ast.AST) -> list[str]:
    """The names that an import writes; a star may give any name a meaning."""
    if isinstance(node, ast.ImportFrom):
        stars = ["globals"] if any(alias.name == "*" for alias in node.names) else []
        return [*(node.module or "").split("."), *(alias.name for alias in node.names), *stars]
    return [part for alias in node.names for part in alias.name.split(".")] if isinstance(node, ast.Import) else []


_BINDING = frozenset(
    (
        *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Name, ast.arg),
        *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Global, ast.Nonlocal),
        *(getattr(ast, name) for name in _TYPE_PARAMETERS if hasattr(ast, name)),
    )
)
