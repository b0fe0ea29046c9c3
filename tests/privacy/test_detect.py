"""All kinds together: nothing overlaps and everything found is covered."""

from __future__ import annotations

import time

import pytest

from workbench.privacy.detect import detect


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
