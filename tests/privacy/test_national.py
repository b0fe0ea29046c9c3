"""National numbers: where a word or a key says what comes, and where check digits alone do."""

from __future__ import annotations

import pytest

from workbench.privacy.national import accepts, find


def found(text: str) -> list[str]:
    return sorted({text[start:end] for start, end in find(text)})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Passport no. XN4567123, issued", "XN4567123"),
        ("Her national insurance number is AB 12 34 56 C.", "AB 12 34 56 C"),
        ("DNI 12345678Z", "12345678Z"),
        ("National ID: 44051401359", "44051401359"),
        ("driver's license D123-4567-8901", "D123-4567-8901"),
        ("CPF 529.982.247-25", "529.982.247-25"),
        ("paid by 529.982.247-25 today", "529.982.247-25"),
        ("RSSMRA85T10A562S", "RSSMRA85T10A562S"),
        ("Document of the holder 44051401359", "44051401359"),
    ],
)
def test_a_word_or_check_digits_tell_a_number(text: str, number: str) -> None:
    assert found(text) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "order 12345678Z",
        "document version 44051401358",
        "the passport was issued on 2020-01-05",
        "national park, 12 km",
        "529.982.247-26",
        "identity card: see below\n12345678",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert found(text) == []


def test_a_value_under_its_key_has_digits_and_is_no_date() -> None:
    assert all(map(accepts, ["12345678Z", "163067545927201", "AB 12 34 56 C", "D123-4567-8901", "XN4567123"]))
    assert not any(map(accepts, ["", "valid", "2020-01-05", "passport photo 2", "A1", "x" * 40]))
