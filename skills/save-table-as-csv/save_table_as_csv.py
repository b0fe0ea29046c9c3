"""Writes records as a CSV file that spreadsheets open without running anything in it."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


async def save_table_as_csv(
    records: Sequence[Mapping[str, Any]], path: str = "table.csv", columns: Sequence[str] = (), safe: bool = True
) -> dict[str, Any]:
    """Write the records below workspace/; without `columns`, all keys in the order in which they first occur."""
    names = list(columns) or list(dict.fromkeys(key for record in records for key in record))
    target = Path("workspace") / path.removeprefix("workspace/")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(names)
        table.writerows([_cell(record.get(name), safe) for name in names] for record in records)
    return {"path": str(target), "rows": len(records), "columns": names, "bytes": target.stat().st_size}


def _cell(value: Any, safe: bool) -> Any:
    """Lists and objects as JSON; a text that a spreadsheet would take for a formula gets a quote before it."""
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    if safe and isinstance(value, str) and value.startswith(FORMULAS):
        return f"'{value}"
    return "" if value is None else value
