"""All detectors together: overlaps, linear time, remembered findings."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from workbench.broker.agent_sessions import Sessions
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors import detector
from workbench.privacy.detectors.detector import DetectionCache, SeenTexts, detect
from workbench.privacy.detectors.text_search import DetectedSpan, merge_findings


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

    def noted(text: str, rules: DetectionRules = DEFAULT_RULES) -> tuple[DetectedSpan, ...]:
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
    assert len(lately._findings) <= 32


def test_overlapping_stretches_are_covered_as_one_and_the_longest_names_it() -> None:
    merged = merge_findings(
        [DetectedSpan(0, 5, "PHONE", "form"), DetectedSpan(3, 12, "EMAIL", "key mail"), DetectedSpan(20, 22, "PHONE")]
    )
    assert merged == (DetectedSpan(0, 12, "EMAIL"), DetectedSpan(20, 22, "PHONE"))
    assert merged[0].why == "key mail"


def test_stretches_side_by_side_stay_two() -> None:
    assert merge_findings([DetectedSpan(5, 7, "IP"), DetectedSpan(0, 5, "IP")]) == (
        DetectedSpan(0, 5, "IP"),
        DetectedSpan(5, 7, "IP"),
    )


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detector, "_MOST", 3)
    seen = SeenTexts()
    for number in range(10):
        seen.add(str(number))
    assert "9" in seen
    assert sum(str(number) in seen for number in range(10)) <= 3


def test_a_short_text_of_a_server_is_kept_once_and_a_long_text_always() -> None:
    session = Sessions(lambda: True).open("an agent")
    long = "x " * 20_000
    for text, server in (("text", "mail"), ("text", "shop"), ("text", "mail"), (long, "mail"), (long, "mail")):
        session.keep(text, server)
    session.vault.answers.index()
    assert len(session.vault.answers.documents()) == 4


def test_threads_that_share_the_caches_get_the_findings_of_their_own_text(
    quick_switches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detector, "_MOST", 20)
    texts = [f"order {number} of rosa{number}@example.org, {'x' * 150 * (number % 2)}" for number in range(80)]
    expected = [detect(text, DEFAULT_RULES) for text in texts]
    cache, seen, added = DetectionCache(), SeenTexts(), set(texts[::3])

    def work(number: int) -> None:
        for at in range(number, number + 40):
            text = texts[at % 80]
            assert cache.detect(text, DEFAULT_RULES) == expected[at % 80]
            if text in added:
                seen.add(text)
            else:
                assert text not in seen

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(0, 80, 5)))
