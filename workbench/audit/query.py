"""Turns an `EntryQuery` into SQL that walks an index from the newest entry down and stops at the limit."""

from __future__ import annotations

from workbench.audit.chain import ALL_COLUMNS
from workbench.records import EntryQuery

LIMIT = 5_000  # entries of one answer at most; further ones are reached with `before`
_SEARCHED = ("summary", "detail", "server", "tool", "actor", "kind", "run_id")


def select(query: EntryQuery) -> tuple[str, list[str | int]]:
    """The statement and its values."""
    terms: list[str] = []
    values: list[str | int] = []
    for column in ("session", "run_id", "server", "tool", "risk"):
        if wanted := str(getattr(query, column)):
            terms.append(f"{column} = ? AND {column} != ''")
            values.append(wanted)
    for extra_terms, extra_values in (_kind(query.kind), _text(query.text)):
        terms += extra_terms
        values += extra_values
    if query.before > 0:
        terms.append("seq < ?")
        values.append(query.before)
    where = f"WHERE {' AND '.join(terms)} " if terms else ""
    values.append(max(0, min(query.limit, LIMIT)))
    return f"SELECT {ALL_COLUMNS} FROM entries {where}ORDER BY seq DESC LIMIT ?", values


def _kind(prefix: str) -> tuple[list[str], list[str | int]]:
    """A prefix is compared as a whole area ("run."), which is indexed, and as text for what follows the dot."""
    if not prefix:
        return [], []
    area = prefix[: prefix.find(".") + 1]
    exact: list[str | int] = [len(prefix), prefix]
    if not area:
        return ["substr(kind, 1, ?) = ?"], exact
    return ["substr(kind, 1, instr(kind, '.')) = ?", "substr(kind, 1, ?) = ?"], [area, *exact]


def _text(text: str) -> tuple[list[str], list[str | int]]:
    """Every word must occur somewhere; %, _ and \\ mean themselves."""
    terms: list[str] = []
    values: list[str | int] = []
    for word in text.split():
        escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        terms.append("(" + " OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in _SEARCHED) + ")")
        values += [f"%{escaped}%"] * len(_SEARCHED)
    return terms, values
