"""Turns an `EntryQuery` into SQL that reads from the newest entry down and stops at the limit.

For entries in the search index (`search_index.py`, attached as `words`), its trigrams or the postings of one value
select candidates; the entries themselves decide whether they fit, so the index only makes a search faster. Entries that
are newer than the index are all read.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from workbench.audit.hash_chain import READ_COLUMNS, clean
from workbench.records import EntryQuery
from workbench.records.audit import EXACT_FILTERS, lowered, search_words

LIMIT = 5_000  # entries of one answer at most; further ones are reached with `before`
GRAMS = 16  # maximum of trigrams in one index query
SEARCHED = ("summary", "detail", "server", "tool", "actor", "kind", "run_id")
_ALL_OF_ENTRIES = ", ".join(f"entries.{name}" for name in READ_COLUMNS.split(", "))
_BRIEF_OF_ENTRIES = _ALL_OF_ENTRIES.replace("entries.detail", "'{}'")

Values = list[str | int | float]


class CandidateRange(Struct, frozen=True):
    """A range of entry numbers, and the trigrams or the term that select candidates in it; all entries without both."""

    low: int
    high: int  # one beyond the last
    match: str = ""  # trigrams
    term: int = 0  # index term whose postings select candidates
    alone: bool = False  # the query asks for nothing but this term

    @property
    def place(self) -> str:
        """The column that orders the result."""
        return "found.rowid" if self.match else "postings.seq" if self.term else "seq"


def select(query: EntryQuery) -> tuple[str, Values]:
    """The SQL statement for a query, and its values."""
    terms, values = conditions(query)
    if query.before > 0:
        terms.append("seq < ?")
        values.append(query.before)
    where = f"WHERE {' AND '.join(terms)} " if terms else ""
    values.append(max(0, min(query.limit, LIMIT)))
    return f"SELECT {_columns(query)} FROM entries {where}ORDER BY seq DESC LIMIT ?", values


def select_span(query: EntryQuery, span: CandidateRange, limit: int) -> tuple[str, Values]:
    """The SQL statement for the matching entries of a span, and its values."""
    source, values = _source(query, span)
    return f"SELECT {_columns(query)} {source} ORDER BY {span.place} DESC LIMIT ?", [*values, limit]


def select_marks(query: EntryQuery, span: CandidateRange, before: int, every: int) -> tuple[str, Values]:
    """The SQL statement that counts the matching entries of a span and lists those that begin a page."""
    source, values = _source(query, span)
    if span.alone:
        source = "FROM words.postings WHERE term = ? AND seq >= ? AND seq < ?"
        values = [span.term, span.low, span.high]
    seq = span.place if span.term else "entries.seq"
    inner = f"SELECT {seq} AS seq, row_number() OVER (ORDER BY {span.place} DESC) AS place {source}"
    statement = f"SELECT count(*), group_concat(CASE WHEN (place + ?) % ? = 1 THEN seq END) FROM ({inner})"
    return statement, [before, every, *values]


def conditions(query: EntryQuery) -> tuple[list[str], Values]:
    """The conditions on an entry, apart from its number."""
    terms: list[str] = []
    values: Values = []
    for column in EXACT_FILTERS:
        if wanted := str(getattr(query, column)):
            terms.append(f"{column} = ? AND {column} != ''")
            values.append(clean(wanted))
    if query.outcome in ("ok", "failed"):
        terms.append("ok != 0" if query.outcome == "ok" else "ok = 0")
    for bound, sign in ((query.since, ">="), (query.until, "<")):
        if bound:
            terms.append(f"at {sign} ?")
            values.append(bound)
    for extra_terms, extra_values in (_kind_conditions(query.kind), _text_conditions(query.text)):
        terms += extra_terms
        values += extra_values
    return terms, values


def match_of(text: str) -> str:
    """An FTS5 query for trigrams of the words; empty if every word is shorter than three characters."""
    pieces = [word[at : at + 3] for word in _split(text) for at in range(len(word) - 2)]
    some = list(dict.fromkeys(pieces))
    step = max(1, -(-len(some) // GRAMS))
    return " AND ".join('"{}"'.format(piece.replace('"', '""')) for piece in some[::step])


def plain(query: EntryQuery) -> bool:
    """Whether the query has no condition."""
    return not any(conditions(replace(query, before=0))[0])


def fields_of(query: EntryQuery) -> dict[str, str]:
    """The query's conditions on indexed columns, by field."""
    found = {name: clean(str(getattr(query, name))) for name in EXACT_FILTERS}
    found["area"] = query.kind[: query.kind.find(".") + 1]
    found["failed"] = "yes" if query.outcome == "failed" else ""
    return {name: value for name, value in found.items() if value}


def is_one_of(kinds: Sequence[str]) -> str:
    """The condition for `numbers_where` that a value is one of these kinds."""
    return f"value IN ({', '.join(map(repr, kinds))})"


def numbers_where(field: str, condition: str) -> str:
    """SQL condition for entries between :low and :high whose field meets `condition`, looked up in the index.
    `condition` refers to the field as `value`; the connection must come from `AuditSearch.time_range`."""
    known = f"SELECT id FROM terms WHERE field = '{field}' AND ({condition})"
    newer = f"SELECT seq FROM (SELECT seq, {field} AS value FROM entries WHERE seq > indexed()) WHERE {condition}"
    return f"seq BETWEEN :low AND :high AND seq IN (SELECT seq FROM postings WHERE term IN ({known}) UNION ALL {newer})"


def _columns(query: EntryQuery) -> str:
    return _BRIEF_OF_ENTRIES if query.brief else _ALL_OF_ENTRIES


def _source(query: EntryQuery, span: CandidateRange) -> tuple[str, Values]:
    terms, values = conditions(query)
    if span.match:  # CROSS makes the planner read the trigram index first
        start = "FROM words.found CROSS JOIN entries ON entries.seq = found.rowid"
        terms = ["found MATCH ?", "found.rowid >= ?", "found.rowid < ?", *terms]
        return f"{start} WHERE {' AND '.join(terms)}", [span.match, span.low, span.high, *values]
    if span.term:
        start = "FROM words.postings CROSS JOIN entries ON entries.seq = postings.seq"
        terms = ["postings.term = ?", "postings.seq >= ?", "postings.seq < ?", *terms]
        return f"{start} WHERE {' AND '.join(terms)}", [span.term, span.low, span.high, *values]
    terms = ["seq >= ?", "seq < ?", *terms]
    return f"FROM entries WHERE {' AND '.join(terms)}", [span.low, span.high, *values]


def _kind_conditions(prefix: str) -> tuple[list[str], Values]:
    """Conditions for a prefix of a kind: its area ("run."), which is indexed, and the prefix as text."""
    if not prefix:
        return [], []
    area = prefix[: prefix.find(".") + 1]
    exact: Values = [len(prefix), prefix]
    if not area:
        return ["substr(kind, 1, ?) = ?"], exact
    return ["substr(kind, 1, instr(kind, '.')) = ?", "substr(kind, 1, ?) = ?"], [area, *exact]


def _split(text: str) -> list[str]:
    return [clean(word) for word in search_words(text)]


def _text_conditions(text: str) -> tuple[list[str], Values]:
    """Conditions that every word occurs in some column; %, _ and \\ are matched literally."""
    terms: list[str] = []
    values: Values = []
    for word in _split(text):
        if not word.isascii():  # LIKE ignores case for ASCII only
            terms.append("(" + " OR ".join(f"instr(lowered({column}), ?)" for column in SEARCHED) + ")")
            values += [lowered(word)] * len(SEARCHED)
            continue
        escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        terms.append("(" + " OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in SEARCHED) + ")")
        values += [f"%{escaped}%"] * len(SEARCHED)
    return terms, values
