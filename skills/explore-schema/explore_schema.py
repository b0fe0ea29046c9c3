"""Says what a list of records holds, so that nobody has to print one to find out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

DEEPEST = 3


async def explore_schema(records: Sequence[Mapping[str, Any]], examples: int = 3, most: int = 60) -> dict[str, Any]:
    """Each field by its path, of nested records too: types, share that is filled in, range, commonest values."""
    fields: dict[str, list[Any]] = {}
    for record in records:
        for path, value in _leaves(record, "", DEEPEST):
            fields.setdefault(path, []).append(value)
    told = {path: _about(values, len(records), examples) for path, values in list(fields.items())[:most]}
    keys = [path for path, about in told.items() if about["filled"] == 1 and about["different"] == len(records)]
    return {"records": len(records), "fields": told, "unlisted": max(0, len(fields) - most), "keys": keys}


def _leaves(value: Any, path: str, left: int) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping) and left:
        inner = [(f"{path}.{key}" if path else str(key), one) for key, one in value.items()]
        return [leaf for name, one in inner for leaf in _leaves(one, name, left - 1)]
    if isinstance(value, list) and left and value and isinstance(value[0], Mapping):
        return [leaf for one in value[:20] for leaf in _leaves(one, f"{path}[]", left - 1)]
    return [(path, value)]


def _about(values: Sequence[Any], records: int, examples: int) -> dict[str, Any]:
    there = [value for value in values if value not in (None, "", [], {})]
    words = Counter(str(value)[:60] for value in there)
    numbers = [value for value in there if isinstance(value, int | float) and not isinstance(value, bool)]
    found: dict[str, Any] = {
        "types": sorted({type(value).__name__ for value in there}),
        "filled": round(min(1.0, len(there) / max(1, records)), 3),
        "different": len(words),
    }
    if numbers and len(numbers) == len(there):
        return found | {"range": [min(numbers), max(numbers)]}
    return found | {"commonest": [f"{word} ({times})" for word, times in words.most_common(examples)]}
