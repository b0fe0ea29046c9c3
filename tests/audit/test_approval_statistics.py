"""The figures are about decisions that somebody looked at, and a yes that came too fast counts as a finding."""

from __future__ import annotations

from workbench.audit.approval_statistics import review
from workbench.records import Entry, Note, ReviewFigures


def decided(seconds: object, *, allow: bool = True) -> Entry:
    return Entry(1, 0.0, Note("run.decided", "", detail={"allow": allow, "seconds": seconds}), "", "")


def test_how_a_person_decides_is_told_in_four_numbers() -> None:
    decisions = [decided(0.8), decided(4.0), decided(30.0, allow=False), decided(9.0)]
    assert review(decisions) == ReviewFigures(decided=4, allowed=3, median_seconds=6.5, hasty=1)


def test_answers_given_along_with_another_one_count_once() -> None:
    assert review([decided(5.0), decided(0.0), decided(0.0)]) == ReviewFigures(1, 1, 5.0, 0)


def test_nothing_decided_and_odd_entries_are_no_figures() -> None:
    assert review([]) == review([decided("soon"), decided(True), decided(None)]) == ReviewFigures()
