"""Stretches that overlap."""

from __future__ import annotations

from workbench.privacy.found import Found, union


def test_overlapping_stretches_are_covered_as_one_and_the_longest_names_it() -> None:
    merged = union([Found(0, 5, "PHONE", "form"), Found(3, 12, "EMAIL", "key mail"), Found(20, 22, "PHONE")])
    assert merged == (Found(0, 12, "EMAIL"), Found(20, 22, "PHONE"))
    assert merged[0].why == "key mail"


def test_stretches_side_by_side_stay_two() -> None:
    assert union([Found(5, 7, "IP"), Found(0, 5, "IP")]) == (Found(0, 5, "IP"), Found(5, 7, "IP"))
