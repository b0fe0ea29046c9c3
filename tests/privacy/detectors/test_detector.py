"""All detectors together: overlaps, linear time, remembered findings."""

from __future__ import annotations

import time

import pytest

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors import detector
from workbench.privacy.detectors.detector import DetectionCache, detect
from workbench.privacy.detectors.findings import Finding, merge_findings


def found(text: str) -> list[str]:
    return [text[part.start : part.end] for part in detect(text)]


def test_addresses_side_by_side_are_all_found() -> None:
    assert found("a@b.co,c@d.de;e@f.org") == ["a@b.co", "c@d.de", "e@f.org"]


def test_each_stretch_has_its_kind() -> None:
    assert [part.kind for part in detect("a@b.co or 415-555-0132")] == ["EMAIL", "PHONE"]


@pytest.mark.parametrize("piece", ["a@", "1-", "a:", "a,b\n", "{", "<a>", "Dear Rosa ", "account no ", "[EMAIL_1", "x"])
def test_four_times_the_text_takes_about_four_times_as_long(piece: str) -> None:
    """The whole megabyte is measured by `benchmarks/privacy_speed.py`."""

    def once(text: str) -> float:
        began = time.thread_time()
        detect(text)
        return time.thread_time() - began

    def took(size: int) -> float:
        """The quickest of three: what else happens on a busy machine, or in the collector, is no part of it."""
        return min(once(piece * (size // len(piece))) for _ in range(3))

    assert took(40_000) < 12 * max(took(10_000), 0.004)


TEXT = "Nothing that is of anybody stands here. " * 5 + "But then: rosa.lund@example.com."


def test_a_long_text_is_read_once_by_the_same_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[DetectionRules] = []

    def noted(text: str, rules: DetectionRules = DEFAULT_RULES) -> tuple[Finding, ...]:
        read.append(rules)
        return detect(text, rules)

    monkeypatch.setattr(detector, "detect", noted)
    lately, off = DetectionCache(), DetectionRules(off=frozenset({"EMAIL"}))
    assert [one.kind for one in lately.detect(TEXT, DEFAULT_RULES)] == ["EMAIL"]
    assert lately.detect(TEXT, DEFAULT_RULES) == detect(TEXT, DEFAULT_RULES)
    assert lately.detect(TEXT, off) == ()
    assert read == [DEFAULT_RULES, off]


def test_of_many_texts_the_last_are_remembered() -> None:
    lately = DetectionCache()
    for number in range(100):
        text = f"{number} {TEXT}"
        assert lately.detect(text, DEFAULT_RULES) == detect(text, DEFAULT_RULES)
    assert len(lately._lately) <= 32


def test_overlapping_stretches_are_covered_as_one_and_the_longest_names_it() -> None:
    merged = merge_findings(
        [Finding(0, 5, "PHONE", "form"), Finding(3, 12, "EMAIL", "key mail"), Finding(20, 22, "PHONE")]
    )
    assert merged == (Finding(0, 12, "EMAIL"), Finding(20, 22, "PHONE"))
    assert merged[0].why == "key mail"


def test_stretches_side_by_side_stay_two() -> None:
    assert merge_findings([Finding(5, 7, "IP"), Finding(0, 5, "IP")]) == (Finding(0, 5, "IP"), Finding(5, 7, "IP"))
