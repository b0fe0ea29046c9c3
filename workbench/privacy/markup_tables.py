"""The rows of tables in HTML and of SQL's `INSERT … VALUES`, as places of their cells; the first row names them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.spots import each

Span = tuple[int, int]

MOST_ROWS = 20_000

_HTML = re.compile(
    r"<tr\b|<t[hd]\b[^<>]{0,200}+>(?:<(?:b|strong|span|a|p)\b[^<>]{0,200}+>)?\s*+(?P<cell>[^<]{0,400}+)", re.IGNORECASE
)
_INSERT = re.compile(
    r"\bINSERT\s{1,3}INTO\s{1,3}(?P<table>[\w.\"`\[\]]{1,80})\s{0,3}\((?P<names>[^()]{1,2000})\)\s{0,3}VALUES\s{0,3}",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(
    r"\s*+(?:'(?P<text>(?:[^'\\]|''|\\.){0,2000}+)'|(?P<bare>[^,()';\s][^,()';]{0,200}+)|(?P<mark>[,()]))"
)


def html_rows(text: str) -> list[list[Span]]:
    """The cells of every row, without what is around their text."""
    rows: list[list[Span]] = [[]]
    for match in each(_HTML, text):
        if match["cell"] is None:
            rows.append([])
        else:
            start = match.start("cell")
            rows[-1].append((start, start + len(match["cell"].rstrip())))
        if len(rows) > MOST_ROWS:
            break
    return [row for row in rows if row]


def sql_tables(text: str) -> Iterator[tuple[str, list[list[Span]]]]:
    """The table that each statement fills, and its rows."""
    for match in each(_INSERT, text):
        names = [name.span() for name in _NAME.finditer(text, *match.span("names"))]
        yield match["table"].rpartition(".")[2].strip('"`[]'), [names, *_tuples(text, match.end())]


def _tuples(text: str, at: int) -> Iterator[list[Span]]:
    row: list[Span] = []
    depth = 0
    while token := _TOKEN.match(text, at):
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
