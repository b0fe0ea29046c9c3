"""Which texts are hardware addresses."""

from __future__ import annotations

import pytest

from workbench.privacy.mac import accepts, find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eth0 00:1A:2b:3c:4d:5e up", "00:1A:2b:3c:4d:5e"),
        ("00-1a-2b-3c-4d-5e", "00-1a-2b-3c-4d-5e"),
        ("001a.2b3c.4d5e", "001a.2b3c.4d5e"),
        ("12:34:56:78:90:12", "12:34:56:78:90:12"),
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
        "00:00:00:00:00:00",
        "ff:ff:ff:ff:ff:ff",
        "12-34-56-78-90-12",
        "00:1A:2b:3c:4d:5e:6f",
        "1234.5678.9012",
        "12:30:45",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["001a2b3c4d5e", "00:1A:2b:3c:4d:5e"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "n/a", "00:00:00:00:00:00"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
