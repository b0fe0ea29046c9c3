"""Which texts are internet addresses."""

from __future__ import annotations

import pytest

from workbench.privacy.ip import accepts, find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 10.1.2.3:8080", "10.1.2.3"),
        ("[203.0.113.7]", "203.0.113.7"),
        ("host 192.168.1.20.", "192.168.1.20"),
        ("192.168.0.0/16", "192.168.0.0"),
        ("fe80::1ff:fe23:4567:890a%eth0", "fe80::1ff:fe23:4567:890a"),
        ("2001:db8:85a3:0:0:8a2e:370:7334", "2001:db8:85a3:0:0:8a2e:370:7334"),
        ("at 2001:db8::1,", "2001:db8::1"),
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
        "127.0.0.1:80",
        "0.0.0.0",
        "::1",
        "255.255.255.0",
        "1.2.3.4.5",
        "1.2.3",
        "300.1.2.3",
        "lib-1.2.3.4-linux",
        "a::b",
        "[::2]",
        "1.2.3.4a",
        "Chrome/120.0.6099.109",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["10.0.0.1", "fe80::1%eth0", "10.0.0.0/8"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "127.0.0.1", "n/a", "localhost"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
