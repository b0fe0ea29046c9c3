"""Which values under a company key are names."""

from __future__ import annotations

import pytest

from workbench.privacy.company import accepts, assigned, find


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


@pytest.mark.parametrize("value", ["Lund & Sons Ltd.", "acme", "3M"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize(
    "value", ["", "null", "ORG-0042", "550e8400-e29b-41d4-a716-446655440000", "https://acme.example", "{x}"]
)
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)


def test_in_free_text_it_must_read_as_one() -> None:
    assert all(map(assigned, ["Acme Corp", "Lund & Sons, Inc."]))
    assert not any(map(assigned, ["Company", "Company, given: Json", "all we know", "Json) -"]))
