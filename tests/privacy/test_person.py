"""Which values under a name's key are names."""

from __future__ import annotations

import pytest

from workbench.privacy.person import accepts, find, looks_like_one


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


@pytest.mark.parametrize("value", ["Rosa Lund", "Jürgen O'Brien-Lee", "rosa", "Dr. Rosa M. Lund"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "null",
        "a@b.co",
        "user_42",
        "R2D2",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "one two three four five six seven",
    ],
)
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)


def test_under_a_role_only_a_first_and_last_name_is_one() -> None:
    assert looks_like_one("Rosa Lund")
    assert looks_like_one("Rosa van der Lund")
    assert not any(map(looks_like_one, ["Rosa", "rosa lund", "Platform Team", "deploy-bot", "Acme Ltd.", ""]))
