"""Parses the text of a program once and answers questions about its syntax tree: nodes, imports, names, words.

Nothing else parses a program. Who has to know what a program means asks its `Reading` (`reading.py`), which holds this.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from workbench.analysis.name_bindings import NameBindings
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
                self.fault, self._error = _told(error), error

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
    def words(self) -> frozenset[str]:
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


def _told(fault: BaseException) -> Finding:
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
