"""Which values under an address key are places."""

from __future__ import annotations

import pytest

from workbench.privacy.address import accepts, assigned, find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Rosa Lund lives at 12 Elm Street",
        "account 12345678 at Acme Ltd.",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["12 Elm Street, Berlin", "10115", "SW1A 1AA", "New York"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize(
    "value", ["", "localhost:8080", "https://example.com/a b", "0x7fff", "Berlin", "rosa at x@y.z"]
)
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)


def test_in_free_text_it_must_read_as_one() -> None:
    assert all(map(assigned, ["12 Elm Street, Berlin"]))
    assert not any(map(assigned, ["Value) -", "see the list", "f(a, 1 + b)"]))
