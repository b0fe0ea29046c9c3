"""Marks in a program's verdict which of its own words stood in text that outsiders can write.

An agent that was taken over by a stranger's text writes the stranger's address into its next program as if it were its
own. Whoever reads that program sees it now with where it came from; the question itself is not asked any oftener.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from workbench.policy.levels import rank
from workbench.records import Finding, Risk, Span, Verdict
from workbench.runs.provenance import UNTRUSTED, Provenance
from workbench.syntax import parse

_MOST = 300  # texts of a program that are looked up
_TOLD = 10
_SHOWN = 80  # characters of a text in the sentence
_LOOKED_FOR = frozenset({UNTRUSTED})


def mark_copied(verdict: Verdict, code: str, provenance: Provenance) -> Verdict:
    """The verdict with a finding for each text of the program that a stranger could have written."""
    if UNTRUSTED not in provenance.kinds or not verdict.tools:
        return verdict
    provenance.file()
    found = list(islice(_found(code, provenance), _TOLD))
    if not found:
        return verdict
    return replace(verdict, findings=tuple(sorted((*found, *verdict.findings), key=lambda one: -rank(one.risk))))


def _found(code: str, provenance: Provenance) -> Iterator[Finding]:
    for node in islice(_texts(code), _MOST):
        for came in provenance.origin(str(node.value), _LOOKED_FOR)[:1]:
            where = f"{came.read.server}.{came.read.tool}" if came.read is not None else "an earlier answer"
            shown = str(node.value) if len(str(node.value)) <= _SHOWN else f"{str(node.value)[:_SHOWN]}…"
            words = f"“{shown}” stood in what {where} answered, where outsiders can write"
            yield Finding("flow.copied", Risk.HIGH, words, _span(node, code), subject=shown)


def _texts(code: str) -> Iterator[ast.Constant]:
    try:
        tree = parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return  # the verdict says so
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 4:
            yield node


def _span(node: ast.Constant, code: str) -> Span:
    """`ast` counts bytes, a span counts letters."""
    lines = code.split("\n")

    def letters(line: int, column: int) -> int:
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        return len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))

    last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Span(node.lineno, letters(node.lineno, node.col_offset), last, letters(last, end))
