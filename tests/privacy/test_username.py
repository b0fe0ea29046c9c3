"""Which values under a user name's key are names."""

from __future__ import annotations

import pytest

from workbench.privacy.username import accepts, find


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


@pytest.mark.parametrize("value", ["rosa_l", "@rosa", "rosa.lund"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "admin", "root", "Rosa Lund", "x"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
