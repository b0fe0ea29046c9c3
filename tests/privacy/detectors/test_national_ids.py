"""Social security and national numbers are found by form, check digits and the words before them."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.national_ids import (
    find_national_ids,
    find_ssns,
    has_valid_check_digits,
    is_national_id,
    is_ssn,
)


def ssn_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_ssns(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is 123-45-6789.", "123-45-6789"),
        ("SSN 123456789", "123456789"),
        ("social security number: 123 45 6789", "123 45 6789"),
        ("ITIN 912-34-5678", "912-34-5678"),
    ],
)
def test_it_is_found(text: str, expected: str) -> None:
    assert ssn_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "123456789",
        "123 45 6789",
        "000-12-3456",
        "666-12-3456",
        "123-00-4567",
        "123-45-0000",
        "1123-45-6789",
        "order no 123-45-6789",
        "123-45-67890",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert ssn_found(text) == []


@pytest.mark.parametrize("value", ["123-45-6789", "123456789"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert is_ssn(value)


@pytest.mark.parametrize("value", ["", "n/a", "12-3456789"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_ssn(value)


def national_found(text: str) -> list[str]:
    return sorted({text[start:end] for start, end in find_national_ids(text)})


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
    assert national_found(text) == [number]


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
    assert national_found(text) == []


def test_a_value_under_its_key_has_digits_and_is_no_date() -> None:
    assert all(map(is_national_id, ["12345678Z", "163067545927201", "AB 12 34 56 C", "D123-4567-8901", "XN4567123"]))
    assert not any(map(is_national_id, ["", "valid", "2020-01-05", "passport photo 2", "A1", "x" * 40]))


@pytest.mark.parametrize(
    "number",
    [
        "12345678Z",  # Spain
        "X1234567L",
        "44051401359",  # Poland
        "255081416802538",  # France
        "111222333",  # Netherlands
        "529.982.247-25",  # Brazil
        "RSSMRA85T10A562S",  # Italy
        "943 476 5919",  # United Kingdom, health
        "86095742719",  # Germany
        "19811228-9874",  # Sweden
        "AB123456C",
    ],
)
def test_right_digits_are_told_from_wrong_ones(number: str) -> None:
    assert has_valid_check_digits(number)


@pytest.mark.parametrize("number", ["12345678A", "44051401357", "255081416802539", "1234567", "RSSMRA85T10A562T", ""])
def test_wrong_ones_are_refused(number: str) -> None:
    assert not has_valid_check_digits(number)
