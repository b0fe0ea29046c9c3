"""Which parts of links are logins."""

from __future__ import annotations

import pytest

from workbench.privacy.credential import find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://app:s3cret@db:5432/x", "app:s3cret"),
        ("redis://:p%40ss@cache", ":p%40ss"),
        ("https://rosa:pw@example.com/", "rosa:pw"),
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
        "https://example.com:8080/@scope",
        "https://git@github.com/x",
        "mailto:rosa@example.com",
        "postgres://user:password@host",
        "https://$USER:$PASS@host",
        "http://a.b/c:d@e",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []
