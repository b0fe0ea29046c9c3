"""Reads tables in text: a header line of CSV, TSV, or a table with pipes tells what stands in each column below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.privacy.found import Found
from workbench.privacy.kinds import Kind
from workbench.privacy.record_keys import kinds_of
from workbench.privacy.rules import PLAIN, Rules

LONGEST_HEADER = 2_000  # characters; a longer line is data
DIVIDERS = "|\t;,"

_HEADER_CELL = re.compile(r"[A-Za-z][\w .()/-]{0,40}")
_LINE = re.compile(r"[^\r\n]+")
_CELLS = {mark: re.compile(rf'"(?:[^"\n]|"")*+"|[^{re.escape(mark)}\n]+') for mark in DIVIDERS}


def cells(text: str, rules: Rules = PLAIN) -> Iterator[Found]:
    """Cells whose column announces a kind that accepts them."""
    if not any(mark in text for mark in DIVIDERS) or "\n" not in text:
        return
    mark, last = "", 0
    kinds: Sequence[Kind | None] = ()
    for line in _LINE.finditer(text):
        if text.count("\n", last, line.start()) > 1:
            kinds = ()  # an empty line ends a table
        last = line.end()
        spans = _split(text, line, mark) if kinds else []
        if kinds and len(spans) == len(kinds):
            yield from _typed(text, spans, kinds)
        else:
            mark, kinds = _header(text, line, rules)


def _typed(text: str, spans: Sequence[tuple[int, int]], kinds: Sequence[Kind | None]) -> Iterator[Found]:
    for (start, end), kind in zip(spans, kinds, strict=True):
        if kind is not None and start < end and kind.accepts(text[start:end]):
            yield Found(start, end, kind.name, "header above it")


def _header(text: str, line: re.Match[str], rules: Rules) -> tuple[str, Sequence[Kind | None]]:
    """The mark that divides its cells and what each announces; nothing when it is no header."""
    if line.end() - line.start() > LONGEST_HEADER:
        return "", ()
    for mark in DIVIDERS:
        names = [text[start:end] for start, end in _split(text, line, mark)] if mark in line.group() else []
        if len(names) >= 2 and all(name == "" or _HEADER_CELL.fullmatch(name) for name in names):
            kinds = kinds_of(names, rules=rules)
            return (mark, [kinds[name] for name in names]) if any(kinds.values()) else ("", ())
    return "", ()


def _split(text: str, line: re.Match[str], mark: str) -> list[tuple[int, int]]:
    """Where the cells of a line stand, without quotes and blanks around them."""
    spans: list[tuple[int, int]] = []
    at, end = line.span()
    while at <= end:
        cell = _CELLS[mark].match(text, at, end)
        stop = cell.end() if cell else at
        spans.append(_bare(text, at, stop))
        if text[stop : stop + 1] != mark and stop < end:
            return []
        at = stop + 1
    return spans


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end].strip(' "')
    first = text.find(inner, start, end) if inner else start
    return first, first + len(inner)
