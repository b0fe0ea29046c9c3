"""The table of kinds is consistent."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.kinds import KINDS, LITERAL, Kind, plural


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_keys_and_finds_what_it_accepts(kind: Kind) -> None:
    assert kind.name.isupper()
    assert kind.name != LITERAL
    assert all(key == key.lower() for key in kind.keys)
    assert list(kind.find("nothing personal")) == []


@pytest.mark.parametrize(
    ("name", "count", "words"),
    [
        ("EMAIL", 1, "1 e-mail"),
        ("EMAIL", 2, "2 e-mails"),
        ("PHONE", 3, "3 phone numbers"),
        ("CARD", 1, "1 card number"),
        ("ADDRESS", 1, "1 postal address"),
        ("COMPANY", 1, "1 company"),
    ],
)
def test_kinds_are_counted_in_words(name: str, count: int, words: str) -> None:
    assert plural(name, count) == words
