"""Which numbers are details of a bank: behind a word and under a key."""

from __future__ import annotations

import pytest

from workbench.privacy.bank import accepts, find


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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Account number: 12345678", "12345678"),
        ("account no. 0123 4567", "0123 4567"),
        ("Bank account 123456789 (savings)", "123456789"),
        ("acct #1234567890", "1234567890"),
        ("Sort code 12-34-56", "12-34-56"),
        ("routing number is 021000021", "021000021"),
        ("SWIFT: DEUTDEFF500", "DEUTDEFF500"),
    ],
)
def test_a_word_tells_what_a_number_is(text: str, number: str) -> None:
    assert found(text) == [number]


@pytest.mark.parametrize("value", ["12345678", "12-34-56", "DEUTDEFF500", "DEUTDEFF", "0123 4567 89"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert accepts(value)


@pytest.mark.parametrize("value", ["", "n/a", "Deutsche Bank", "123", "swift", "main account"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not accepts(value)
