"""The order of the four risk words; `Risk` itself is a record and carries no behaviour."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.records import Risk

ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)
_RANK = {risk: rank for rank, risk in enumerate(ORDER)}


def worst(risks: Iterable[Risk]) -> Risk:
    """The highest of these risks; low when there is none."""
    return max(risks, key=_RANK.__getitem__, default=Risk.LOW)


def at_least(risk: Risk, floor: Risk) -> bool:
    """Whether this risk is the floor or above it."""
    return _RANK[risk] >= _RANK[floor]


def rank(risk: Risk) -> int:
    """0 for low up to 3 for critical, for sorting."""
    return _RANK[risk]


def raised(risk: Risk) -> Risk:
    """The next higher word; critical stays critical."""
    return ORDER[min(_RANK[risk] + 1, len(ORDER) - 1)]
