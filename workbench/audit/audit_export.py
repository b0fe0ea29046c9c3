"""Exports the entries that match a query to a JSON or CSV file, page by page, with their hashes.

JSON holds every entry unchanged. In CSV, a text that a spreadsheet would take for a formula begins with an apostrophe,
because cells may contain answers of untrusted tools.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from msgspec import to_builtins
from msgspec.structs import replace

from workbench.audit.audit_search import AuditSearch
from workbench.errors import WorkbenchError
from workbench.files import replacing_file
from workbench.records import Entry, EntryQuery
from workbench.spreadsheet_escaping import safe_cell

FORMS = ("json", "csv")
_PAGE = 1_000
COLUMNS = (
    "seq", "at", "time", "kind", "summary", "actor", "session", "run_id", "server", "tool", "risk", "ok", "ms",
    "tokens", "detail", "previous", "hash",
)  # fmt: skip


def export(
    finder: AuditSearch, query: EntryQuery, target: Path, form: str, over: Callable[[], bool] = lambda: False
) -> int:
    """Write the entries, newest first; returns their number. The file is written completely or not at all."""
    if form not in FORMS:
        raise WorkbenchError(f"The audit cannot be exported as {form!r}.", f"Choose one of {', '.join(FORMS)}.")
    with replacing_file(target, durable=False, name=str(target), hint="Choose another file.") as plain:
        file = io.TextIOWrapper(plain, encoding="utf-8", newline="")
        count = _write(file, form, query, _every(finder, query, over))
        file.flush()
        file.detach()
    return count


def row_of(entry: Entry) -> dict[str, Any]:
    """One entry as it is exported. Any: JSON."""
    note = to_builtins(entry.note)
    seen = {"seq": entry.seq, "at": entry.at, "time": utc_text(entry.at), **note}
    row = {name: seen[name] for name in COLUMNS[:-2]} | {"previous": entry.previous, "hash": entry.hash}
    return row | ({"written_kind": entry.written_kind} if entry.written_kind else {})


def utc_text(at: float) -> str:
    """A time as ISO 8601 in UTC. An invalid time from a damaged file is returned as it is, as text."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, OSError, ValueError, TypeError):
        return str(at)


def _every(finder: AuditSearch, query: EntryQuery, over: Callable[[], bool]) -> Iterator[Entry]:
    query = replace(query, limit=_PAGE, brief=False)
    while not over():
        page = finder.page(query)
        yield from page.entries
        if page.complete:
            return
        query = replace(query, before=page.reached)


def _write(file: IO[str], form: str, query: EntryQuery, entries: Iterator[Entry]) -> int:
    return _write_csv(file, entries) if form == "csv" else _write_json(file, query, entries)


def _write_csv(file: IO[str], entries: Iterator[Entry]) -> int:
    writer, count = csv.writer(file), 0
    writer.writerow(COLUMNS)
    for entry in entries:
        row = row_of(entry)
        row["detail"] = json.dumps(dict(row["detail"]), ensure_ascii=False, sort_keys=True, default=str)
        writer.writerow([safe_cell(row[name]) for name in COLUMNS])
        count += 1
    return count


def _write_json(file: IO[str], query: EntryQuery, entries: Iterator[Entry]) -> int:
    wanted = {name: value for name, value in to_builtins(query).items() if value and name not in ("limit", "brief")}
    file.write(f'{{"filter": {json.dumps(wanted)},\n"entries": [')
    count = 0
    for entry in entries:
        file.write(",\n" if count else "\n")
        json.dump(row_of(entry), file, ensure_ascii=False, default=str)
        count += 1
    file.write(f'\n],\n"count": {count}}}\n')
    return count
