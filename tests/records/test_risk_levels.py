"""The order of the risk words."""

from __future__ import annotations

from workbench.records import Risk
from workbench.records.common_types import at_least, raised, rank, worst


def test_the_worst_of_none_is_low() -> None:
    assert worst([]) is Risk.LOW


def test_the_worst_wins_whatever_the_order() -> None:
    assert worst([Risk.HIGH, Risk.CRITICAL, Risk.LOW]) is Risk.CRITICAL


def test_a_floor_holds_itself_and_all_above() -> None:
    assert [at_least(risk, Risk.MEDIUM) for risk in Risk] == [False, True, True, True]


def test_raising_stops_at_critical() -> None:
    assert [raised(risk) for risk in Risk] == [Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL, Risk.CRITICAL]
    assert [rank(risk) for risk in Risk] == [0, 1, 2, 3]
