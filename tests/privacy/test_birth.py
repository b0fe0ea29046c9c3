"""Which dates are dates of birth."""

from __future__ import annotations

import pytest

from workbench.privacy.birth import accepts, find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("born on May 6, 1990 in Bonn", "May 6, 1990"),
        ("DOB: 1990-05-06", "1990-05-06"),
        ("date of birth 06.05.1990", "06.05.1990"),
        ("D.O.B. 5/6/90", "5/6/90"),
        ("birthday is 6th May 1990", "6th May 1990"),
    ],
)
def test_it_is_found(text: str, expected: str) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
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
        "sha256:9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f",
        "https://example.com/a/b?page=2&size=50",
        "def token(self) -> str:",
        "May 6, 1990",
        "1990-05-06",
        "an airborne case of 2020-01-01",
        "born in Berlin",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["1990-05-06", "19900506", "1990-05-06T00:00:00Z", "6 May 1990"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "n/a", "yes", "1990"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
