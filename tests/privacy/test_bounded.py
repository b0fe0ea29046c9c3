"""A pattern of somebody's own never holds up whoever looks through a text with it."""

from __future__ import annotations

import time

import pytest

from workbench.errors import WorkbenchError
from workbench.privacy.bounded import bounded


@pytest.mark.parametrize(
    "pattern",
    [r"AB-\d{6}", r"\b[A-Z]{2,5}-\d{3,10}\b", r"(?:cust|user)_[0-9a-f]{8,16}", r"(\d{4} ?){4}", r"(?<!\w)Falcon(?!\w)"],
)
def test_patterns_as_people_write_them_are_taken(pattern: str) -> None:
    assert bounded(pattern).pattern == pattern


@pytest.mark.parametrize(
    "pattern",
    [r"\d+", r"(a|aa){1,40}", r"(a{1,9}){1,9}b", r"(\w{0,50}){3}", "(", r"a*", r"x{0,3}", "", "y" * 500, r"(?:x?){64}"],
)
def test_what_may_take_for_ever_or_is_wrong_is_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(WorkbenchError):
        bounded(pattern)


def test_the_slowest_that_is_taken_reads_a_long_adversarial_text_in_no_time() -> None:
    slow = bounded(r"(?:a{1,12}){2}[ab]{0,9}c")
    since = time.perf_counter()
    assert slow.search("a" * 20_000) is None
    assert time.perf_counter() - since < 10
