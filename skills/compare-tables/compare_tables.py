"""Says how two lists of records differ, by a key."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


async def compare_tables(
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    key: str = "id",
    ignore: Sequence[str] = (),
    show: int = 20,
) -> dict[str, Any]:
    """Keys that came and went, and per changed record the fields with both values."""
    old, new = _by_key(before, key), _by_key(after, key)
    left_out = {key, *ignore}
    changed = {name: found for name in old if name in new and (found := _changes(old[name], new[name], left_out))}
    added, gone = [name for name in new if name not in old], [name for name in old if name not in new]
    return {
        "before": len(before),
        "after": len(after),
        "same": len(old) - len(gone) - len(changed),
        "added": {"count": len(added), "keys": added[:show]},
        "gone": {"count": len(gone), "keys": gone[:show]},
        "changed": {
            "count": len(changed),
            "by_field": dict(Counter(field for found in changed.values() for field in found).most_common()),
            "records": [{key: name, **found} for name, found in list(changed.items())[:show]],
        },
    }


def _by_key(records: Sequence[Mapping[str, Any]], key: str) -> dict[Any, Mapping[str, Any]]:
    found: dict[Any, Mapping[str, Any]] = {}
    for record in records:
        if record.get(key) is None:
            raise ValueError(f"A record has no {key!r}; its keys are {', '.join(map(str, record))}.")
        if record[key] in found:
            raise ValueError(f"{key} {record[key]!r} stands there twice, so it does not tell records apart.")
        found[record[key]] = record
    return found


def _changes(old: Mapping[str, Any], new: Mapping[str, Any], left_out: set[str]) -> dict[str, Any]:
    fields = [name for name in {**old, **new} if name not in left_out]
    return {name: [old.get(name), new.get(name)] for name in fields if old.get(name) != new.get(name)}
