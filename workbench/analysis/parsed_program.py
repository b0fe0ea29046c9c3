"""Parses the text of a program once and answers questions about its syntax tree: nodes, imports, names, words.

No other module parses programs. The `Reading` of a program (`reading.py`) holds the parsed program.

A name counts as bound to one meaning (`NameBindings`) only if everything that binds it is the same import or
definition, directly or through an alias that is assigned once. In a program that manipulates modules or names, no name
counts.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

from workbench.permissions.word_sets import names
from workbench.records import Finding, Risk, Span

# Exceptions of parsing a text or walking its tree. SystemError: see `parse`.
UNREADABLE: Final = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError)
_WORD: Final = re.compile(r"\w+")
NO_PROGRAM: Final = "("  # does not parse; marks examples that the text alone does not determine
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_LOCK = threading.Lock()
_TRIES = 3


def parse(text: str, name: str = "<unknown>") -> ast.Module:
    """Parse one text at a time, like `ast.parse` without its warnings; raises one of UNREADABLE.

    WORKAROUND(code that runs during ast.parse, on another thread or in garbage collection, makes it raise SystemError,
    until Python 3.13)"""
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in a string is irrelevant for a review
        for _ in range(_TRIES - 1):
            try:
                return ast.parse(text, name)
            except SystemError:
                continue
        return ast.parse(text, name)


class ParsedProgram:
    """A parsed program. `tree` is None if the text does not parse, and `fault` says why.

    The tree is shared and must not be changed. Derived data is computed on first use."""

    def __init__(self, text: str, *, python: bool = True) -> None:
        """`python`: whether to parse the text."""
        self.text = text
        self.tree: ast.Module | None = None
        self.fault: Finding | None = None
        self._error: BaseException | None = None
        if python:
            try:
                tree = parse(text)
                self.fault = _long_number(text, tree)
                self.tree = tree if self.fault is None else None
            except UNREADABLE as error:
                self.fault, self._error = _syntax_finding(error), error

    def require_tree(self) -> ast.Module:
        """Return the tree. Raises Python's error if the text does not parse."""
        if self.tree is None:
            raise self._error or ValueError("The text was not parsed.")
        return self.tree

    def function(self, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the top-level function of this name, or None."""
        for statement in self.tree.body if self.tree is not None else ():
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                return statement
        return None

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes, outer ones first; empty if the text does not parse."""
        return tuple(walk(self.tree)) if self.tree is not None else ()

    @cached_property
    def bindings(self) -> NameBindings:
        """The meanings of names that cannot change while the program runs."""
        return NameBindings(self.tree or ast.Module([], []), self.nodes)

    @cached_property
    def docstring_examples(self) -> tuple[str, ...]:
        """One program for each docstring with examples; NO_PROGRAM if the text may make docstrings at run time."""
        return _docstring_examples(self.nodes)

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.text)

    @cached_property
    def imports(self) -> frozenset[str]:
        """Top-level packages in import statements."""
        found = [alias.name for node in self.nodes if isinstance(node, ast.Import) for alias in node.names]
        found += [node.module or "" for node in self.nodes if isinstance(node, ast.ImportFrom) and not node.level]
        return frozenset(name.split(".")[0] for name in found if name)

    @cached_property
    def mentioned_words(self) -> frozenset[str]:
        """All names, as Python normalizes them, and the words of all strings.

        If the text does not parse, all of its words."""
        return words_of(self.nodes) if self.tree is not None else frozenset(_WORD.findall(self.text))

    def span(self, node: ast.AST) -> Span:
        return self.positions.span(node)


# Node type → fields that hold names. Strings count as names, because a program can look names up by string.
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
    """Return the names in these nodes, and the words of their strings."""
    found: set[str] = set()
    for node in nodes:
        for field in NAMES.get(type(node), ()):
            name = getattr(node, field)
            if isinstance(name, str):
                found.update(_WORD.findall(name))
    return frozenset(found)


def _syntax_finding(fault: BaseException) -> Finding:
    """Return the finding for an unparsable text. Top-level `await` and `return` parse, and the runner accepts them."""
    if isinstance(fault, SyntaxError):
        line, column = fault.lineno or 1, max((fault.offset or 1) - 1, 0)
        words = f"Line {line} does not parse: {fault.msg}"
        return Finding("syntax", Risk.HIGH, words, Span(line, column, line, column + 1))
    if isinstance(fault, ValueError):
        return Finding("syntax", Risk.HIGH, f"Does not parse: {fault}", Span(1, 0, 1, 0))
    return Finding("cap", Risk.HIGH, "The program is too deeply nested to be analyzed", Span(1, 0, 1, 0))


# Python converts no number of more than 4,300 digits to text, so nothing could show or compare it.
_LONG_NUMBER: Final = re.compile(r"0[xX][\da-fA-F_]{3500}|0[oO][0-7_]{4700}|0[bB][01_]{14000}")
_MOST_BITS: Final = 14_000


def _long_number(text: str, tree: ast.Module) -> Finding | None:
    for node in walk(tree) if _LONG_NUMBER.search(text) else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value.bit_length() > _MOST_BITS:
            return Finding("cap", Risk.HIGH, "A number is too long to be analyzed", Positions(text).span(node))
    return None


def _docstring_examples(nodes: Iterable[ast.AST]) -> tuple[str, ...]:
    found: list[str] = []
    for node in nodes:
        if _makes_docstrings(node):
            return (NO_PROGRAM,)
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)) and ">>>" in docstring:
            import doctest  # with unittest: 7 ms of start-up time, for something few programs contain

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


# Fields without nodes, or whose nodes only say which operator or access is meant.
_LEAF_FIELDS = names(
    "ctx op ops id attr arg asname module level kind type_comment conversion is_async simple rest kwd_attrs"
)


_INNER_FIELDS = {
    kind: tuple(field for field in kind._fields if field not in _LEAF_FIELDS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """Return the child nodes, without operators and contexts. Takes a quarter of the time of `ast.iter_child_nodes`."""
    found: list[ast.AST] = []
    for name in _INNER_FIELDS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(*roots: ast.AST) -> list[ast.AST]:
    """Return these nodes and all nodes inside them, outer ones first."""
    found = list(roots)
    for node in found:  # grows
        found += child_nodes(node)
    return found


def lines_of(statement: ast.stmt) -> range:
    """Return the numbers of the lines of a statement and its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(one.lineno for one in decorators)])
    return range(first, (statement.end_lineno or statement.lineno) + 1)


class Positions:
    """Converts node positions of one text to spans. Ends are clamped to the text, so a span always covers real code."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts: dict[int, list[int]] = {}  # line that is not ASCII → first byte of each character

    def span(self, node: ast.AST) -> Span:
        """Return the span of a node. Nodes without a position get line 1."""
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
        if (starts := self._starts.get(line)) is None:
            sizes = (1 if one < "\x80" else 2 if one < "\u0800" else 3 if one < "\U00010000" else 4 for one in text)
            starts = self._starts[line] = list(accumulate(sizes, initial=0))
        return min(bisect_right(starts, byte) - 1, len(text))


# ── Names whose meaning cannot change while the program runs ────────────────────────────────────────────
_PREDEFINED = {  # names that a program can use without importing them
    "call_tool": "client.call_tool",
    "call_mcp_tool": "client.call_mcp_tool",
    "asyncio": "asyncio",
    "open": "open",
    "__name__": "__name__",
}
# A program that uses one of these may change the meaning of any name.
_REACHING = names(
    """__builtins__ __class__ __code__ __dict__ __getattr__ __globals__ __import__ __setattr__ builtins delattr eval
    exec globals import_module importlib locals meta_path modules patch path_hooks setattr vars"""
)
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")  # nodes that only newer Python versions have
_DEEPEST = 40  # maximum length of a chain of names
_MOST_SUMS = 5  # maximum nesting of text concatenations
_LEAVING = names("SystemExit _exit abort execv execve exit kill quit")


class NameBindings:
    """The meanings of a program's names: dotted paths like `servers.github.create_issue`."""

    def __init__(self, tree: ast.Module, nodes: Iterable[ast.AST], before: Iterable[ast.AST] = ()) -> None:
        """`nodes`: all nodes of the tree.

        `before`: nodes of earlier programs of the REPL session, whose names the program can use."""
        self.is_clear = True  # False: names may change at run time
        self._meanings: dict[str, set[str]] = {}
        self._times: Counter[str] = Counter()
        mentioned, earlier = self._read(nodes), self._read(before)
        self.is_clear = self.is_clear and _REACHING.isdisjoint(mentioned | earlier)
        self.leaves = not _LEAVING.isdisjoint(mentioned)  # the program may end early and count as successful
        self._assigned = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        }

    def bound_once(self, name: str) -> ast.expr | None:
        """Return the expression of a name that the whole program binds exactly once, at the top level."""
        return self._assigned.get(name) if self._times[name] == 1 else None

    def meaning(self, node: ast.expr) -> str:
        """Return the dotted path that an expression refers to; empty if it is not certain."""
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
        meanings = self._meanings.get(node.id, {_PREDEFINED.get(node.id, "")})
        start = next(iter(meanings)) if len(meanings) == 1 else ""
        return ".".join([start, *parts]) if start else ""

    def resolve(self, node: ast.expr | None, depth: int = 0) -> ast.expr | None:
        """Return the expression itself, the expression that a name always refers to, or joined constant text."""
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
        """Record the names that the nodes bind. Returns the names and attributes that they use."""
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
    """Return the joined text if all parts are texts, else the original expression."""
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return ast.copy_location(ast.Constant("".join(texts)), whole) if len(texts) == len(parts) else whole


def own_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the meaning of a function that the program defines. The line distinguishes functions of the same name."""
    return f"here.{node.name}:{node.lineno}"


def _bound(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a node binds, each with its dotted path if it is an import."""
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
    """Return the names in an import. A star counts as `globals`, because it may change the meaning of any name."""
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
