"""Which texts are international bank account numbers."""

from __future__ import annotations

import pytest

from workbench.privacy.iban import accepts, find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to DE89 3704 0044 0532 0130 00 now", "DE89 3704 0044 0532 0130 00"),
        ("DE89370400440532013000", "DE89370400440532013000"),
        ("iban=gb82west12345698765432;", "gb82west12345698765432"),
        ("GB82-WEST-1234-5698-7654-32", "GB82-WEST-1234-5698-7654-32"),
        ("NO93 8601 1117 947 BIC DNBA", "NO93 8601 1117 947"),
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
        "DE89 3704 0044 0532 0130 01",
        "DE89370400440532013000X",
        "XX89370400440532013000",
        "de89",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["DE89 3704 0044 0532 0130 00", "GB00WEST12345698765432"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "n/a", "12345678", "see the contract"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
