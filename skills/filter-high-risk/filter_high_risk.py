"""Keeps what is severe of a list of records, most severe first."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

MILD = ("none", "info", "informational", "low", "minor", "normal", "moderate", "medium", "warning")
ORDER = (*MILD, "major", "high", "error", "severe", "urgent", "critical", "blocker")


async def filter_high_risk(
    records: Sequence[Mapping[str, Any]], field: str = "severity", least: str = "high", show: int = 50
) -> dict[str, Any]:
    """The records whose `field` says at least `least`, and how many of each word there were."""
    if least.lower() not in ORDER:
        raise ValueError(f"There is no severity {least!r}; there are {', '.join(ORDER)}.")
    words = [str(record.get(field) or "").strip().lower() for record in records]
    floor = ORDER.index(least.lower())
    severe = [at for at, word in enumerate(words) if word in ORDER and ORDER.index(word) >= floor]
    severe.sort(key=lambda at: -ORDER.index(words[at]))
    return {
        "read": len(records),
        "severe": len(severe),
        "by_word": dict(Counter(word or "not said" for word in words).most_common()),
        "records": [dict(records[at]) for at in severe[:show]],
    }
