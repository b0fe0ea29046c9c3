"""Finds names in a program that look like another name in use, such as `ореn` in Cyrillic letters.

A name is reported only if it collides with a name in use, never for its script alone.
"""

from __future__ import annotations

import ast
import builtins
import re
import unicodedata
from collections.abc import Iterable

from workbench.analysis.interpreter.program_report import ProgramReport
from workbench.analysis.parsed_program import Positions, lines_of, walk
from workbench.analysis.tables.modules import OURS, STANDARD
from workbench.records import EffectKind, Risk, Span
from workbench.similar_names import LOOKALIKE_LETTERS

_WORD = re.compile(r"[^\W\d]\w*")
_KNOWN = frozenset(dir(builtins)) | STANDARD | OURS


def note_lookalikes(report: ProgramReport, text: str, tree: ast.Module) -> None:
    """Note each look-alike name once, at its first use."""
    if text.isascii():
        return
    numbered = enumerate(text.split("\n"), 1)
    lines = {number: line for number, line in numbered if not line.isascii() and _odd_line(line)}
    if not lines:
        return
    positions = Positions(text)
    found = _names(part for part in tree.body if not lines.keys().isdisjoint(lines_of(part)))
    _note_folded(report, lines.values(), found, positions)
    twins = {name: twin for name in found if (twin := name.translate(LOOKALIKE_LETTERS)) != name and len(twin) > 1}
    known = _KNOWN if _KNOWN.issuperset(twins.values()) else _KNOWN | _names(tree.body).keys()
    for name, twin in twins.items():
        if twin in known:
            node = found[name]
            words = f"The name {name} looks like {twin} but is a different name: it has letters of a different script"
            _add(report, words, positions.span(node), name)


def _odd_line(line: str) -> bool:
    return any(map(_odd, _WORD.findall(line)))


def _odd(word: str) -> bool:
    """Return whether a word can look like another one. Most words with an accent cannot."""
    if word.isascii():
        return False
    name = unicodedata.normalize("NFKC", word)
    return name != word or name.translate(LOOKALIKE_LETTERS) != name


def _note_folded(report: ProgramReport, lines: Iterable[str], found: dict[str, ast.AST], positions: Positions) -> None:
    """Note names in styled letters: `𝓮𝔁𝓮𝓬` is `exec` to Python, but a text search does not find it."""
    words = (word for line in lines for word in _WORD.findall(line) if not word.isascii())
    for word in words:
        name = unicodedata.normalize("NFKC", word)
        if word != name and name.isascii() and name in found:
            _add(report, f"The name {name} is written in look-alike letters: {word}", positions.span(found[name]), name)


def _add(report: ProgramReport, words: str, span: Span, name: str) -> None:
    report.add("name.lookalike", Risk.HIGH, words, span, subject=name, effect=EffectKind.MAY)


def _names(parts: Iterable[ast.AST]) -> dict[str, ast.AST]:
    """Return every name that the nodes bind, use or import, with its first node."""
    found: dict[str, ast.AST] = {}
    for node in walk(*parts):
        field = _FIELDS.get(type(node))
        if field is None:
            continue
        name = getattr(node, field) or getattr(node, "name", "")
        if name not in found or _place(node) < _place(found[name]):
            found[name] = node
    return found


_FIELDS: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.alias: "asname",
}


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
