"""Finds records that are one and the same, however they are spelled."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any


async def dedupe_records(
    records: Sequence[Mapping[str, Any]], by: Sequence[str], exact: bool = False, show: int = 10
) -> dict[str, Any]:
    """The records without repetitions, and the groups that were one. Records without any of the fields all stay."""
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for at, record in enumerate(records):
        parts = tuple(_plain(record.get(field), exact) for field in by)
        groups.setdefault(parts if any(parts) else ("alone", at), []).append(record)
    twice = [group for group in groups.values() if len(group) > 1]
    return {
        "read": len(records),
        "kept": len(groups),
        "repeated": sum(len(group) - 1 for group in twice),
        "groups": [[dict(one) for one in group] for group in sorted(twice, key=len, reverse=True)[:show]],
        "records": [dict(max(group, key=_fullness)) for group in groups.values()],
    }


def _plain(value: Any, exact: bool) -> str:
    """Without case, accents, signs and spaces, unless the exact text counts."""
    text = "" if value is None else str(value)
    if exact:
        return text
    letters = unicodedata.normalize("NFKD", text.casefold())
    return re.sub(r"[\W_]+", "", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def _fullness(record: Mapping[str, Any]) -> int:
    return sum(value not in (None, "", [], {}) for value in record.values())
