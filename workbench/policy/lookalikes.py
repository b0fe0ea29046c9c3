"""Finds names that read as another name: by collision with a name in use, never by its script alone."""

from __future__ import annotations

import ast
import builtins
import re
import unicodedata
from collections.abc import Iterator

from workbench.policy.positions import Positions
from workbench.policy.report import Report
from workbench.policy.tables.modules import OURS, STANDARD
from workbench.records import EffectKind, Risk, Span

_WORD = re.compile(r"[^\W\d]\w*")
_PAIRS = str.maketrans(
    "аеорсухіјѕһԁԛԝьвкмнтпгіАВЕКМНОРСТХУІЈЅοαεικνρτυχωγΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡɑ",
    "aeopcyxijshdqwbbkmhtnriABEKMHOPCTXYIJSoaeiknptuxwyABEZHIKMNOPTYXiga",
)
_KNOWN = frozenset(dir(builtins)) | STANDARD | OURS


def look_alikes(report: Report, text: str, tree: ast.AST) -> None:
    """Note each name once, where it first stands."""
    if text.isascii():
        return
    positions = Positions(text)
    found = dict(_names(tree))
    _note_folded(report, text, found, positions)
    plain = {name for name in found if name.isascii()} | _KNOWN
    for name, node in found.items():
        twin = name.translate(_PAIRS)
        if twin != name and len(twin) > 1 and twin in plain:
            words = f"The name {name} looks like {twin} and is another: it is written with letters of another script"
            _add(report, words, positions.span(node), name)


def _note_folded(report: Report, text: str, found: dict[str, ast.AST], positions: Positions) -> None:
    """`𝓮𝔁𝓮𝓬` is `exec` to Python, and something else to a search."""
    for match in _WORD.finditer(text):
        word = match.group()
        name = unicodedata.normalize("NFKC", word)
        if word != name and name.isascii() and name in found:
            _add(report, f"The name {name} is written in look-alike letters: {word}", positions.span(found[name]), name)


def _add(report: Report, words: str, span: Span, name: str) -> None:
    report.add("name.lookalike", Risk.HIGH, words, span, subject=name, effect=EffectKind.MAY)


def plain_letters(name: str) -> str:
    """The name as it reads: letters of other scripts and styles as the ASCII ones they look like."""
    return unicodedata.normalize("NFKC", name).translate(_PAIRS)


def _names(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Every name the program binds, uses or imports, the first place last so that it wins."""
    for node in reversed(list(ast.walk(tree))):
        if isinstance(node, ast.Name):
            yield node.id, node
        elif isinstance(node, ast.Attribute):
            yield node.attr, node
        elif isinstance(node, ast.arg):
            yield node.arg, node
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.alias):
            yield node.asname or node.name, node
