"""Which numbers are payment cards."""

from __future__ import annotations

import pytest

from workbench.privacy.card import accepts, find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Card 4111 1111 1111 1111 ok", "4111 1111 1111 1111"),
        ("visa: 4111-1111-1111-1111", "4111-1111-1111-1111"),
        ("paid with 5555555555554444.", "5555555555554444"),
        ("amex 3782 822463 10005", "3782 822463 10005"),
        ("card 4222222222222", "4222222222222"),
        ("a,4111 1111 1111 1111 123,b", "4111 1111 1111 1111"),
        ("12 4111 1111 1111 1111", "4111 1111 1111 1111"),
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
        "4111 1111 1111 1112",
        "order 4111111111111111",
        "tracking no: 5555555555554444",
        "0000 0000 0000 0000",
        "4111111111111111-a",
        "1111111111111111111111111111111111111111",
        "9999999999999995",
        "0.4111111111111111",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["4111111111111111", "4111 1111 1111 1112"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "n/a", "1234", "0000000000000000", "ending 4242"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
