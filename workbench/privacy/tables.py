"""Reads tables in text: CSV, TSV, pipes, Markdown, columns of blanks, HTML and rows of SQL. The names of the columns
tell what stands in each; where they do not, the values of a column may agree on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.privacy.consensus import majority
from workbench.privacy.found import Found
from workbench.privacy.kinds import Kind, settled
from workbench.privacy.markup_tables import html_rows, sql_tables
from workbench.privacy.record_keys import kinds_of
from workbench.privacy.rules import PLAIN, Rules

LONGEST_HEADER = 2_000  # characters; a longer line is data
LOOKED_AT = 40  # rows whose values may agree
DIVIDERS = "|\t;,"
BLANKS = "  "

Span = tuple[int, int]

_HEADER_LINE = re.compile(r"[\w .()/#\"'|\t;,:-]{3,2000}")
_HEADER_CELL = re.compile(r"[A-Za-z][\w .()/#-]{0,40}")
_RULE = re.compile(r"[\s|+:=-]+")  # `| --- | --- |`, `----+----`
_LINE = re.compile(r"[^\r\n]+")
_CELLS = {mark: re.compile(rf'"(?:[^"\n]|"")*+"|[^{re.escape(mark)}\n]+') for mark in DIVIDERS}
_SPACED = re.compile(r"\S+(?: \S+)*+")
_MOST_WORDS = 4  # of the name of a column; more are a sentence


@dataclass(slots=True)
class Table:
    """A table as it is read, line by line."""

    mark: str
    names: Sequence[str]
    kinds: list[Kind | None]
    rows: list[list[Span]] = field(default_factory=list)

    def found(self, text: str, rules: Rules) -> Iterator[Found]:
        """Cells of a kind that their column announces, or on which its values agree."""
        for at, name in enumerate(self.names):
            kind, why = self.kinds[at], "header above it"
            if kind is None and len(self.rows) > 1:
                values = [text[slice(*row[at])] for row in self.rows[:LOOKED_AT]]
                kind, why = (
                    majority(values, name.lower() in ("name", "contact"), rules),
                    "like the others in its column",
                )
            yield from _cells(text, [row[at] for row in self.rows], kind, f"{why}" if kind else "")


def cells(text: str, rules: Rules = PLAIN) -> Iterator[Found]:
    """Cells that hold personal data."""
    if "\n" in text and (BLANKS in text or any(mark in text for mark in DIVIDERS)):
        for table in _tables(text, rules):
            yield from table.found(text, rules)
    if "<t" in text:
        yield from _typed_rows(text, html_rows(text), "", rules)
    if "VALUES" in text or "values" in text:
        for name, rows in sql_tables(text):
            yield from _typed_rows(text, rows, name, rules)


def _typed_rows(text: str, rows: Sequence[Sequence[Span]], around: str, rules: Rules) -> Iterator[Found]:
    """Rows of which the first names the columns."""
    table: Table | None = None
    for row in rows:
        names = [text[slice(*span)] for span in row]
        if table is not None and len(row) == len(table.names):
            table.rows.append(list(row))
        elif len(row) >= 2 and all(map(_HEADER_CELL.fullmatch, names)):
            if table is not None:
                yield from table.found(text, rules)
            kinds = kinds_of(names, around, rules)
            table = Table("", names, [kinds[name] for name in names])
    if table is not None:
        yield from table.found(text, rules)


def _cells(text: str, spans: Sequence[Span], kind: Kind | None, why: str) -> Iterator[Found]:
    for start, end in spans if kind is not None else ():
        value = text[start:end]
        settled_kind = settled(kind, value) if kind is not None and value else None
        if settled_kind is not None and settled_kind.accepts(value):
            yield Found(start, end, settled_kind.name, why)


def _tables(text: str, rules: Rules) -> Iterator[Table]:
    table: Table | None = None
    last = 0
    for line in _LINE.finditer(text):
        if table is not None and text.count("\n", last, line.start()) > 1:
            yield table  # an empty line ends a table
            table = None
        last = line.end()
        if table is not None:
            spans = _row(text, line, table)
            if spans:
                table.rows.append(spans)
                continue
            if _RULE.fullmatch(line.group()):
                continue
            yield table
        table = _header(text, line, rules)
    if table is not None:
        yield table


def _row(text: str, line: re.Match[str], table: Table) -> list[Span]:
    """The cells of a line that belongs to the table; nothing when it does not."""
    if table.mark != BLANKS and table.mark not in line.group():
        return []
    spans = _split(text, line, table.mark)
    if table.mark == BLANKS and len(spans) == len(table.names) + 1:
        spans = spans[1:]  # the number of the row
    return spans if len(spans) == len(table.names) else []


def _header(text: str, line: re.Match[str], rules: Rules) -> Table | None:
    """The table that a line begins, if it names columns of which some hold personal data."""
    if _HEADER_LINE.fullmatch(line.group()) is None or _RULE.fullmatch(line.group()):
        return None
    for mark in DIVIDERS + " ":
        mark = BLANKS if mark == " " else mark
        names = [text[start:end] for start, end in _split(text, line, mark)] if mark in line.group() else []
        if len(names) >= 2 and all(name == "" or _names_column(name) for name in names):
            kinds = kinds_of(names, rules=rules)
            return Table(mark, names, [kinds[name] for name in names]) if any(kinds.values()) else None
    return None


def _names_column(name: str) -> bool:
    return _HEADER_CELL.fullmatch(name) is not None and name.count(" ") < _MOST_WORDS and name[-1] != "."


def _split(text: str, line: re.Match[str], mark: str) -> list[Span]:
    """Where the cells of a line stand, without quotes and blanks around them."""
    if mark == BLANKS:
        return [cell.span() for cell in _SPACED.finditer(text, *line.span())]
    spans: list[Span] = []
    at, end = line.span()
    while at <= end:
        cell = _CELLS[mark].match(text, at, end)
        stop = cell.end() if cell else at
        spans.append(_bare(text, at, stop))
        if text[stop : stop + 1] != mark and stop < end:
            return []
        at = stop + 1
    return spans


def _bare(text: str, start: int, end: int) -> Span:
    inner = text[start:end].strip(' "')
    first = text.find(inner, start, end) if inner else start
    return first, first + len(inner)
