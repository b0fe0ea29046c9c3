"""Detects personal data in tables: CSV, TSV, pipes, Markdown, columns of blanks, HTML, SQL's `INSERT … VALUES`
and PostgreSQL's `COPY`.

The name of a column announces its kind; if it does not, the column gets the kind of most of its values.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.field_names import (
    COLUMN,
    FEWEST_ROWS,
    SHARE,
    decided,
    is_bare,
    kinds_of,
    majority_kind,
)
from workbench.privacy.detectors.key_words import WORD_SIGNS
from workbench.privacy.detectors.kinds import BY_NAME, Kind, settled
from workbench.privacy.detectors.name_model import listed
from workbench.privacy.detectors.person_names import can_be_name
from workbench.privacy.detectors.text_search import DetectedSpan, find_matches

Span = tuple[int, int]

MOST_ROWS = 20_000

_HTML = re.compile(
    r"<tr\b|<t[hd]\b[^<>]{0,200}+>(?:<(?:b|strong|span|a|p)\b[^<>]{0,200}+>)?\s*+(?P<cell>[^<]{0,400}+)", re.IGNORECASE
)
_INSERT = re.compile(
    r"\bINSERT\s{1,3}INTO\s{1,3}(?P<table>[\w.\"`\[\]]{1,80})\s{0,3}\((?P<names>[^()]{1,2000})\)\s{0,3}VALUES\s{0,3}",
    re.IGNORECASE,
)
_COPY = re.compile(
    r"^COPY\s{1,3}(?P<table>[\w.\"]{1,80})\s{0,3}\((?P<names>[^()]{1,2000})\)\s{1,3}FROM\s{1,3}stdin[^\n]{0,80}\n",
    re.IGNORECASE | re.MULTILINE,
)
_NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    r"\s*+(?:'(?P<text>(?:[^'\\]|''|\\.){0,2000}+)'|(?P<bare>[^,()';\s][^,()';]{0,200}+)|(?P<mark>[,()]))"
)


def html_rows(text: str) -> list[list[Span]]:
    """The cells of every row, without the markup around their text."""
    rows: list[list[Span]] = [[]]
    for match in find_matches(_HTML, text):
        if match["cell"] is None:
            rows.append([])
        else:
            start = match.start("cell")
            rows[-1].append((start, start + len(match["cell"].rstrip())))
        if len(rows) > MOST_ROWS:
            break
    return [row for row in rows if row]


def sql_tables(text: str) -> Iterator[tuple[str, list[list[Span]]]]:
    """The table of each statement and its rows."""
    for match in find_matches(_COPY, text):
        names = [name.span() for name in _NAME.finditer(text, *match.span("names"))]
        yield match["table"].rpartition(".")[2].strip('"'), [names, *_lines_of_copy(text, match.end())]
    inserts = [*find_matches(_INSERT, text)]
    for match, end in zip(inserts, [*(one.start() for one in inserts[1:]), len(text)], strict=False):
        names = [name.span() for name in _NAME.finditer(text, *match.span("names"))]
        yield match["table"].rpartition(".")[2].strip('"`[]'), [names, *_tuples(text, match.end(), end)]


def _lines_of_copy(text: str, at: int) -> Iterator[list[Span]]:
    """The rows below PostgreSQL's `COPY … FROM stdin`, up to its end or the end of the text."""
    for _ in range(MOST_ROWS):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        if at >= len(text) or text.startswith("\\.", at):
            return
        row, start = [], at
        for cell in text[at:end].split("\t"):
            row.append((start, start + len(cell)))
            start += len(cell) + 1
        yield row
        at = end + 1


def _tuples(text: str, at: int, end: int) -> Iterator[list[Span]]:
    row: list[Span] = []
    depth = 0
    while at < end and (token := _TOKEN.match(text, at)):
        at = token.end()
        mark = token["mark"]
        if mark == "(":
            depth, row = depth + 1, [] if depth == 0 else row
        elif mark == ")":
            depth -= 1
            if depth <= 0:
                yield row
        elif mark is None and depth == 1:
            group = "text" if token["text"] is not None else "bare"
            row.append(token.span(group))
        elif mark is None and depth == 0:
            return


LONGEST_HEADER = 2_000  # characters; a longer line is data
LOOKED_AT = 40  # rows that are read for the majority kind
DIVIDERS = "|\t;,"
BLANKS = "  "


_HEADER_LINE = re.compile(rf"[{WORD_SIGNS} .()/#№\"'’״׳|\t;,:&º°ª*+–-]{{3,2000}}")
_HEADER_CELL = re.compile(rf"(?:[^\W\d]|[#№*])[{WORD_SIGNS} .()/#'’״׳:&º°ª*+–-]{{0,60}}")
_RULE = re.compile(r"[\s|+:=-]+")  # `| --- | --- |`, `----+----`
_LINE = re.compile(r"[^\r\n]+")
_CELLS = {mark: re.compile(rf'"(?:[^"\n]|"")*+"|[^{re.escape(mark)}\n]+') for mark in DIVIDERS}
_SPACED = re.compile(r"\S+(?: \S+)*+")
_FEW_COLUMNS = 3
_GERSHAYIM = re.compile(r"(?<=[\u05d0-\u05ea])\"(?=[\u05d0-\u05ea])")  # a mark of abbreviations in Hebrew
_BRACKETED = re.compile(r" ?\([^()]{0,40}\)")
_LONGEST_ABBREVIATION = 6  # letters of a word such as "Dat."
_MOST_WORDS = 4  # words of a column name; longer cells are sentences


@dataclass(slots=True)
class Table:
    """A table that is read line by line."""

    mark: str
    names: Sequence[str]
    kinds: list[Kind | None]
    rows: list[list[Span]] = field(default_factory=list)

    def find_values(self, text: str, rules: DetectionRules) -> Iterator[DetectedSpan]:
        """Cells of the kind that the column announces or that most of its values have."""
        for at, name in enumerate(self.names):
            kind, why = self.kinds[at], "header above it"
            values = [text[slice(*row[at])] for row in self.rows[:LOOKED_AT]]
            if kind is not None:
                kind = decided(kind, values.copy)
            elif len(self.rows) > 1:
                named = is_bare(name) or name.lower() == "contact"
                kind, why = majority_kind(values, named, rules), COLUMN
            yield from _find_in_column(text, [row[at] for row in self.rows], kind, f"{why}" if kind else "")


def find_table_cells(text: str, rules: DetectionRules = DEFAULT_RULES) -> Iterator[DetectedSpan]:
    """Cells of tables that contain personal data."""
    if "\n" in text and (BLANKS in text or any(mark in text for mark in DIVIDERS)):
        known: list[int] = []
        for table in _tables(text, rules):
            known += (row[0][0] for row in table.rows)
            yield from table.find_values(text, rules)
        if "@" in text:
            for table in _tables_without_header(text, known):
                yield from table.find_values(text, rules)
    if "<t" in text:
        yield from _typed_rows(text, html_rows(text), "", rules)
    if "VALUES" in text or "values" in text or "COPY " in text:
        for name, rows in sql_tables(text):
            yield from _typed_rows(text, rows, name, rules)


def _typed_rows(
    text: str, rows: Sequence[Sequence[Span]], around: str, rules: DetectionRules
) -> Iterator[DetectedSpan]:
    """Findings in rows whose first row names the columns."""
    table: Table | None = None
    for row in rows:
        names = [text[slice(*span)] for span in row]
        if table is not None and len(row) == len(table.names):
            table.rows.append(list(row))
        elif len(row) >= 2 and all(map(_HEADER_CELL.fullmatch, names)):
            if table is not None:
                yield from table.find_values(text, rules)
            kinds = kinds_of(names, around, rules)
            table = Table("", names, [kinds[name] for name in names])
    if table is not None:
        yield from table.find_values(text, rules)


def _find_in_column(text: str, spans: Sequence[Span], kind: Kind | None, why: str) -> Iterator[DetectedSpan]:
    for start, end in spans if kind is not None else ():
        value = text[start:end]
        settled_kind = settled(kind, value) if kind is not None and value else None
        if settled_kind is not None and settled_kind.accepts(value):
            yield DetectedSpan(start, end, settled_kind.name, why)


def _tables(text: str, rules: DetectionRules) -> Iterator[Table]:
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
            if _RULE.fullmatch(line.group()) or _is_odd_row(line.group(), table):
                continue
            yield table
        table = _header(text, line, rules)
    if table is not None:
        yield table


def _tables_without_header(text: str, known: Sequence[int]) -> Iterator[Table]:
    """Tables whose lines have the same number of cells and e-mail addresses in one column, but no line of names."""
    lines = [line for line in _LINE.finditer(text) if "@" in line.group() and not _has_any(known, line)]
    for mark in DIVIDERS:
        group: list[re.Match[str]] = []
        for line in [*lines, None]:
            if line and group and not _follows(text, group[-1], line, mark):
                yield from _without_header(text, group, mark)
                group = []
            if line is None:
                yield from _without_header(text, group, mark)
            elif line.group().count(mark) >= _FEWEST_DIVIDERS and len(line.group()) <= LONGEST_HEADER:
                group.append(line)


def _has_any(places: Sequence[int], line: re.Match[str]) -> bool:
    """Whether one of the sorted places, rows of tables with a header, is in a line."""
    at = bisect_left(places, line.start())
    return at < len(places) and places[at] <= line.end()


def _follows(text: str, before: re.Match[str], line: re.Match[str], mark: str) -> bool:
    """Whether a line is right below another one and has nearly as many cells."""
    near = text.count("\n", before.end(), line.start()) <= 1
    return near and abs(before.group().count(mark) - line.group().count(mark)) <= 1


def _without_header(text: str, lines: Sequence[re.Match[str]], mark: str) -> Iterator[Table]:
    """The table of these lines, with the kinds that most of its values show, if its columns are of a person."""
    rows = [row for line in lines if (row := _split(text, line, mark))]
    width = max(map(len, rows), default=0)
    rows = [row for row in rows if len(row) == width]
    if len(rows) < FEWEST_ROWS or 2 * len(rows) < len(lines):
        return
    columns = [[text[slice(*row[at])] for row in rows[:LOOKED_AT]] for at in range(width)]
    formed = [majority_kind(values, False, DEFAULT_RULES) for values in columns]
    if not any(kind is not None and kind.name == "EMAIL" for kind in formed):
        return
    kinds = [kind or _kind_by_looks(values) for kind, values in zip(formed, columns, strict=True)]
    for at in range(1, width):  # last names beside first names
        if kinds[at] is None and kinds[at - 1] == _NAMES_IN_COLUMN and _are_most(_CAPITALISED, columns[at]):
            kinds[at] = _NAMES_IN_COLUMN
    yield Table(mark, [""] * width, kinds, rows)


def _kind_by_looks(values: Sequence[str]) -> Kind | None:
    """Names, streets or postal codes, if most values of a column look like them."""
    firsts = sum("F" in listed(value.split(" ")[0]) for value in values if _CAPITALISED.fullmatch(value))
    if firsts >= SHARE * len(values):
        return _NAMES_IN_COLUMN
    if _are_most(_STREET, values) or (_are_most(_CODE, values) and len(set(values)) > 1):
        return BY_NAME["ADDRESS"]
    return None


def _are_most(form: re.Pattern[str], values: Sequence[str]) -> bool:
    return sum(form.fullmatch(value) is not None for value in values) >= SHARE * len(values)


_FEWEST_DIVIDERS = 2
_NAMES_IN_COLUMN = replace(BY_NAME["NAME"], accepts=can_be_name)
_CAPITALISED = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:[ '’-][^\W\d_]+\.?){0,3}")
_STREET = re.compile(r"\d{1,6}[A-Za-z]? [^\W\d_][^@]{3,60}|[^\W\d_][^@\d]{3,50} \d{1,5}[A-Za-z]?")
_CODE = re.compile(r"\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d")


def _row(text: str, line: re.Match[str], table: Table) -> list[Span]:
    """The cells of a line of the table; empty if the line does not belong to it."""
    if table.mark != BLANKS and table.mark not in line.group():
        return []
    spans = _split(text, line, table.mark)
    if table.mark == BLANKS and len(spans) == len(table.names) + 1:
        spans = spans[1:]  # the row number
    return spans if len(spans) == len(table.names) else []


def _is_odd_row(line: str, table: Table) -> bool:
    """Whether a line has too many or too few cells, but belongs to a table whose rows had the right number."""
    return bool(table.rows) and len(table.names) > _FEW_COLUMNS and 2 * line.count(table.mark) >= len(table.names)


def _header(text: str, line: re.Match[str], rules: DetectionRules) -> Table | None:
    """The table that begins with this line, if the line names columns with personal data."""
    if _HEADER_LINE.fullmatch(line.group()) is None or _RULE.fullmatch(line.group()):
        return None
    for mark in DIVIDERS + " ":
        mark = BLANKS if mark == " " else mark
        names = [text[start:end] for start, end in _split(text, line, mark)] if mark in line.group() else []
        if sum(map(bool, names)) >= 2 and all(name == "" or _names_column(name) for name in names):
            kinds = kinds_of(names, rules=rules)
            return Table(mark, names, [kinds[name] for name in names]) if any(kinds.values()) else None
    return None


def _names_column(name: str) -> bool:
    """Whether a cell can name a column: a few words, with abbreviations and what is in brackets."""
    name = _GERSHAYIM.sub("", name)
    bare = _BRACKETED.sub("", name)
    last = bare.rstrip(".").rpartition(" ")[2].rpartition(".")[2]
    sentence = name[-1] == "." and " " in bare and len(last) > _LONGEST_ABBREVIATION
    if sentence or "(" in bare or ")" in bare or bare.count(" ") > _MOST_WORDS:
        return False
    return _HEADER_CELL.fullmatch(name) is not None


def _split(text: str, line: re.Match[str], mark: str) -> list[Span]:
    """The spans of the cells of a line, without quotes and blanks."""
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
    if inner[:1] == "'" and inner[1:2].isdigit():
        inner = inner[1:]  # spreadsheets keep zeros by it
    first = text.find(inner, start, end) if inner else start
    return first, first + len(inner)
