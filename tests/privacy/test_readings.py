"""A long text is read for personal data once, by the same rules."""

from __future__ import annotations

import pytest

from workbench.privacy import readings
from workbench.privacy.detect import detect
from workbench.privacy.found import Found
from workbench.privacy.readings import Readings
from workbench.privacy.rules import PLAIN, Rules

TEXT = "Nothing that is of anybody stands here. " * 5 + "But then: rosa.lund@example.com."


def test_a_long_text_is_read_once_by_the_same_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Rules] = []

    def noted(text: str, rules: Rules = PLAIN) -> tuple[Found, ...]:
        read.append(rules)
        return detect(text, rules)

    monkeypatch.setattr(readings, "detect", noted)
    lately, off = Readings(), Rules(off=frozenset({"EMAIL"}))
    assert [one.kind for one in lately.detect(TEXT, PLAIN)] == ["EMAIL"]
    assert lately.detect(TEXT, PLAIN) == detect(TEXT, PLAIN)
    assert lately.detect(TEXT, off) == ()
    assert read == [PLAIN, off]


def test_of_many_texts_the_last_are_remembered() -> None:
    lately = Readings()
    for number in range(100):
        text = f"{number} {TEXT}"
        assert lately.detect(text, PLAIN) == detect(text, PLAIN)
    assert len(lately._lately) <= 32
