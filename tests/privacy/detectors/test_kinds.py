"""The table of kinds is consistent."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.detector import detect
from workbench.privacy.detectors.kinds import KINDS, LITERAL, Kind, plural

INNOCENT = (
    "ORD-00001 of CUS-0042",
    "2024-05-06T12:30:00Z",
    "version 1.2.3.4 and v10.0.19041.1",
    "sha 0123456789abcdef0123456789abcdef",
    "550e8400-e29b-41d4-a716-446655440000",
    "$1,234.56 or 4,999.00 EUR",
    "1700000000 1700000000000",
    "item 123-456, 12:30:45",
    "x[1::2], std::vector<int>",
    "978-3-16-148410-0",
    f"sha256:{'9f' * 32}",
    "https://example.com/a/b?page=2&size=50",
    "def token(self) -> str:",
    "the month of May 2024, chapter 12",
    "'a': 1, \"b\": [2, 3]",
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_innocent_text_is_no_value_of_any_kind(kind: Kind) -> None:
    found = {text: spans for text in INNOCENT if (spans := [text[slice(*span)] for span in kind.find(text)])}
    assert not found
    assert not [text for text in INNOCENT if any(one.kind == kind.name for one in detect(text))]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_a_name_in_capitals_and_finds_nothing_in_a_plain_sentence(kind: Kind) -> None:
    assert kind.name.isupper()
    assert kind.name != LITERAL
    assert list(kind.find("nothing personal")) == []


@pytest.mark.parametrize(
    ("name", "count", "words"),
    [
        ("EMAIL", 1, "1 e-mail address"),
        ("EMAIL", 2, "2 e-mail addresses"),
        ("PHONE", 3, "3 phone numbers"),
        ("CARD", 1, "1 card number"),
        ("ADDRESS", 1, "1 postal address"),
        ("COMPANY", 1, "1 company"),
    ],
)
def test_kinds_are_counted_in_words(name: str, count: int, words: str) -> None:
    assert plural(name, count) == words
