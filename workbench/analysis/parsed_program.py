"""Parses the text of a program once and answers questions about its syntax tree: nodes, imports, names, words.

Nothing else parses a program. Who has to know what a program means asks its `Reading` (`reading.py`), which holds this.

A name counts as bound to one meaning (`NameBindings`) only when everything that ever binds it is one and the same
import or definition, directly or through an alias that is assigned once. In a program that reaches into the machinery
of modules and names, no name counts.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from workbench.analysis.tables.word_sets import names
from workbench.records import Finding, Risk, Span

# What parsing a text, or walking its tree, may raise. SystemError: see `parse`.
UNREADABLE: Final = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError)
_WORD: Final = re.compile(r"\w+")
NO_PROGRAM: Final = "("  # no program: stands for examples that nobody can know from the text
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_LOCK = threading.Lock()
_TRIES = 3


def parse(text: str, name: str = "<unknown>") -> ast.Module:
    """As `ast.parse`, one text at a time and without its warnings; raises one of UNREADABLE.

    WORKAROUND(what runs in the middle of ast.parse, on another thread or while garbage is collected, makes it raise
    SystemError, until Python 3.13)
    """
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a string is no news to a reviewer
        for _ in range(_TRIES - 1):
            try:
                return ast.parse(text, name)
            except SystemError:
                continue
        return ast.parse(text, name)


class ParsedProgram:
    """One text as Python reads it. `tree` is None where it cannot be read, and `fault` says why.

    The tree is shared: nobody may change it. What is worked out of it is worked out when it is first asked for.
    """

    def __init__(self, text: str, *, python: bool = True) -> None:
        """`python`: whether the text is to be parsed at all."""
        self.text = text
        self.tree: ast.Module | None = None
        self.fault: Finding | None = None
        self._error: BaseException | None = None
        if python:
            try:
                self.tree = parse(text)
            except UNREADABLE as error:
                self.fault, self._error = _syntax_finding(error), error

    def require_tree(self) -> ast.Module:
        """The tree; of a text that cannot be read, the error with which Python refuses it."""
        if self.tree is None:
            raise self._error or ValueError("The text was not parsed.")
        return self.tree

    def function(self, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function of this name that it defines at its top."""
        for statement in self.tree.body if self.tree is not None else ():
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                return statement
        return None

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node, outer ones first; none of a text that cannot be read."""
        return tuple(ast.walk(self.tree)) if self.tree is not None else ()

    @cached_property
    def bindings(self) -> NameBindings:
        """What its names mean, as far as that cannot change while it runs."""
        return NameBindings(self.tree or ast.Module([], []), self.nodes)

    @cached_property
    def docstring_examples(self) -> tuple[str, ...]:
        """A program for each docstring with examples; NO_PROGRAM where the text may make docstrings while it runs."""
        return _docstring_examples(self.nodes)

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.text)

    @cached_property
    def imports(self) -> frozenset[str]:
        """The top-level packages that its import statements name."""
        found = [alias.name for node in self.nodes if isinstance(node, ast.Import) for alias in node.names]
        found += [node.module or "" for node in self.nodes if isinstance(node, ast.ImportFrom) and not node.level]
        return frozenset(name.split(".")[0] for name in found if name)

    @cached_property
    def mentioned_words(self) -> frozenset[str]:
        """Every name in it, as Python spells it, and the words of its texts; of what cannot be read, all words."""
        return words_of(self.nodes) if self.tree is not None else frozenset(_WORD.findall(self.text))

    def span(self, node: ast.AST) -> Span:
        return self.positions.span(node)


# Where the names stand that a node holds; texts count as names, because a program can look names up by them.
NAMES: Final[dict[type[ast.AST], tuple[str, ...]]] = {
    ast.Name: ("id",),
    ast.Attribute: ("attr",),
    ast.arg: ("arg",),
    ast.keyword: ("arg",),
    ast.Constant: ("value",),
    ast.alias: ("name", "asname"),
    ast.ImportFrom: ("module",),
    ast.FunctionDef: ("name",),
    ast.AsyncFunctionDef: ("name",),
    ast.ClassDef: ("name",),
}


def words_of(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that these nodes hold, and the words of their texts."""
    found: set[str] = set()
    for node in nodes:
        for field in NAMES.get(type(node), ()):
            name = getattr(node, field)
            if isinstance(name, str):
                found.update(_WORD.findall(name))
    return frozenset(found)


def _syntax_finding(fault: BaseException) -> Finding:
    """Why there is no tree. `await` and `return` at the top level parse, and the runner takes them."""
    if isinstance(fault, SyntaxError):
        line, column = fault.lineno or 1, max((fault.offset or 1) - 1, 0)
        words = f"Line {line} does not parse: {fault.msg}"
        return Finding("syntax", Risk.HIGH, words, Span(line, column, line, column + 1))
    if isinstance(fault, ValueError):
        return Finding("syntax", Risk.HIGH, f"Does not parse: {fault}", Span(1, 0, 1, 0))
    return Finding("cap", Risk.HIGH, "The program is too deeply nested to be read", Span(1, 0, 1, 0))


def _docstring_examples(nodes: Iterable[ast.AST]) -> tuple[str, ...]:
    found: list[str] = []
    for node in nodes:
        if _makes_docstrings(node):
            return (NO_PROGRAM,)
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)) and ">>>" in docstring:
            import doctest  # with unittest: 7 ms of the core's start, for what few programs hold

            try:
                examples = doctest.DocTestParser().get_examples(docstring)
            except ValueError:
                return (NO_PROGRAM,)
            found.append("".join(example.source for example in examples))
    return tuple(found)


def _makes_docstrings(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)):
            return name in ("__doc__", "__test__")
        case ast.keyword(arg="doc"):
            return True
        case ast.Call(func=ast.Name(id="property"), args=args):
            return len(args) > 1
    return False


class Positions:
    """Knows the lines of one text; ends are clamped into it, so a span always names real code."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def span(self, node: ast.AST) -> Span:
        """Where this node stands; nodes without a place of their own stand at line 1."""
        line = getattr(node, "lineno", 1)
        end = getattr(node, "end_lineno", None) or line
        column = self._column(line, getattr(node, "col_offset", 0))
        return Span(line, column, end, self._column(end, getattr(node, "end_col_offset", None) or 0))

    def _column(self, line: int, byte: int) -> int:
        if not 0 < line <= len(self._lines):
            return 0
        text = self._lines[line - 1]
        if text.isascii():
            return byte if byte < len(text) else len(text)
        return len(text.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "ignore"))


# ── names whose meaning cannot change while the program runs ──────────────────────────────────────────
_AT_HAND = {  # what a program has without importing it
    "call_tool": "client.call_tool",
    "call_mcp_tool": "client.call_mcp_tool",
    "asyncio": "asyncio",
    "open": "open",
    "__name__": "__name__",
}
# Whoever names one of these may change what any name means.
_REACHING = names(
    """__builtins__ __class__ __code__ __dict__ __getattr__ __globals__ __import__ __setattr__ builtins delattr eval
    exec globals import_module importlib locals meta_path modules patch path_hooks setattr vars"""
)
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")  # nodes that only newer versions of Python have
_DEEPEST = 40  # names that stand for names
_MOST_SUMS = 5  # sums of sums of texts
_LEAVING = names("SystemExit _exit abort execv execve exit kill quit")


class NameBindings:
    """The meanings of a program's names: dotted paths like `servers.github.create_issue`."""

    def __init__(self, tree: ast.Module, nodes: Iterable[ast.AST], before: Iterable[ast.AST] = ()) -> None:
        """`nodes`: all of the tree. `before`: those of the programs that ran earlier, whose names it goes on with."""
        self.is_clear = True  # False: names may change under way
        self._meanings: dict[str, set[str]] = {}
        self._times: Counter[str] = Counter()
        mentioned, earlier = self._read(nodes), self._read(before)
        self.is_clear = self.is_clear and _REACHING.isdisjoint(mentioned | earlier)
        self.leaves = not _LEAVING.isdisjoint(mentioned)  # it may end in the middle and count as done
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
                case ast.Call(ast.Name("getattr"), [owner, key], []) if "getattr" not in self._meanings:
                    written = self.resolve(key)
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
        meanings = self._meanings.get(node.id, {_AT_HAND.get(node.id, "")})
        start = next(iter(meanings)) if len(meanings) == 1 else ""
        return ".".join([start, *parts]) if start else ""

    def resolve(self, node: ast.expr | None, depth: int = 0) -> ast.expr | None:
        """The expression itself, or what a name always stands for, or the text that constants are put together to."""
        for _ in range(_DEEPEST):
            found = self.bound_once(node.id) if isinstance(node, ast.Name) and self.is_clear else None
            if found is None:
                break
            node = found
        match node:
            case ast.BinOp(left, ast.Add(), right) if depth < _MOST_SUMS:
                return _put_together(node, [self.resolve(left, depth + 1), self.resolve(right, depth + 1)])
            case ast.JoinedStr(parts):
                return _put_together(node, parts)
        return node

    def _read(self, nodes: Iterable[ast.AST]) -> set[str]:
        """Note what these nodes bind; the names and attributes that they mention."""
        mentioned: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Attribute):
                mentioned.add(node.attr)
                self.is_clear = self.is_clear and isinstance(node.ctx, ast.Load)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                mentioned.add(node.id)
            elif type(node) in _BINDING:
                for name, meaning in _bound(node):
                    self._meanings.setdefault(name, set()).add(meaning)
                    self._times[name] += 1
                mentioned.update((node.id,) if isinstance(node, ast.Name) else _imported(node))
        return mentioned


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
