"""Types that many records use: JSON values, risk, origin of a request, and faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct

# Any: foreign JSON comes from a server, an agent or a schema author. Check it before use.
JsonValue: TypeAlias = Any
JsonObject: TypeAlias = Mapping[str, Any]


class Origin(StrEnum):
    """Who submitted a program or call. The user sees results unmasked, agents never do."""

    PERSON = "person"
    AGENT = "agent"


class Risk(StrEnum):
    """How much harm an effect could do. `rank` orders the levels."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Fault(Struct, frozen=True):
    """A problem with its message, and a hint that says what to do."""

    message: str
    hint: str = ""
    detail: str = ""  # longer text: stderr lines, a traceback
    code: str = ""  # machine-readable code, if any: timeout, unknown_tool, or a protocol's error number
    ours: bool = False  # message and detail were written by the workbench, not by a program, a server or the user


ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)
_RANK = {risk: rank for rank, risk in enumerate(ORDER)}


def worst(risks: Iterable[Risk]) -> Risk:
    """The highest of these risks; low if there are none."""
    return max(risks, key=_RANK.__getitem__, default=Risk.LOW)


def at_least(risk: Risk, floor: Risk) -> bool:
    """Whether the risk is equal to or higher than the floor."""
    return _RANK[risk] >= _RANK[floor]


def rank(risk: Risk) -> int:
    """A number for sorting: 0 for low up to 3 for critical."""
    return _RANK[risk]


def raised(risk: Risk) -> Risk:
    """The next higher risk; critical stays critical."""
    return ORDER[min(_RANK[risk] + 1, len(ORDER) - 1)]


def count_of(number: int, noun: str) -> str:
    """A number with its noun: `1 file`, `1,200 files`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def duration_text(seconds: float) -> str:
    """A duration in its two largest units: `2 h 5 min`, `4 min 10 s`."""
    left = max(0, round(seconds))
    if left >= 86_400:
        return f"{left // 86_400} d {left % 86_400 // 3600} h"
    if left >= 3600:
        return f"{left // 3600} h {left % 3600 // 60} min"
    return f"{left // 60} min {left % 60} s"
