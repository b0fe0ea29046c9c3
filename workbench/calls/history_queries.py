"""A question to the history as SQL. Words are looked up in an index by their beginnings; what is typed is never SQL."""

from __future__ import annotations

from typing import Any

from workbench.calls.history_rows import LISTED
from workbench.records import PastQuery

MOST = 500  # calls one answer may have
LONGEST = 400  # characters of a search that are looked at


def select(query: PastQuery) -> tuple[str, list[Any]] | None:
    """The statement with its values (Any: as SQLite takes them); None when no call can fit."""
    words = terms(query.text)
    if query.text.strip() and not words:
        return None
    wanted: list[tuple[str, Any]] = [("found MATCH ?", words)] if words else []
    wanted += [("server = ?", query.server)] if query.server else []
    wanted += [("tool = ?", query.tool)] if query.tool else []
    wanted += [("ok = ?", query.state == "ok")] if query.state in ("ok", "failed") else []
    wanted += [("run_id = ?", "")] if not query.nested else []
    wanted += [("calls.id < ?", query.before)] if query.before else []
    source = "found JOIN calls ON calls.id = found.rowid" if words else "calls"
    where = " AND ".join(clause for clause, _ in wanted) or "1"
    order = "found.rowid" if words else "calls.id"
    text = f"SELECT {LISTED} FROM {source} WHERE {where} ORDER BY {order} DESC LIMIT ?"
    return text, [*(value for _, value in wanted), max(1, min(query.limit, MOST))]


def terms(text: str) -> str:
    """Every word as the beginning of one, in the index's own language; quoted, so that no word is an operator."""
    words = [word for word in text[:LONGEST].replace("\0", " ").split() if any(c.isalnum() for c in word)]
    return " ".join('"{}"*'.format(word.replace('"', '""')) for word in words)
