"""Which numbers are social security numbers."""

from __future__ import annotations

import pytest

from workbench.privacy.ssn import accepts, find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is 123-45-6789.", "123-45-6789"),
        ("SSN 123456789", "123456789"),
        ("social security number: 123 45 6789", "123 45 6789"),
        ("ITIN 912-34-5678", "912-34-5678"),
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
        "123456789",
        "123 45 6789",
        "000-12-3456",
        "666-12-3456",
        "123-00-4567",
        "123-45-0000",
        "1123-45-6789",
        "order no 123-45-6789",
        "123-45-67890",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["123-45-6789", "123456789"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "n/a", "12-3456789"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
