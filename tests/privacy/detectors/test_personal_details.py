"""Birth dates and postal addresses."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.announced_numbers import find_announced_numbers
from workbench.privacy.detectors.personal_details import (
    can_be_address,
    find_birth_dates,
    is_assigned_address,
    is_birth_date,
)


def birth_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_birth_dates(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("born on May 6, 1990 in Bonn", "May 6, 1990"),
        ("DOB: 1990-05-06", "1990-05-06"),
        ("date of birth 06.05.1990", "06.05.1990"),
        ("D.O.B. 5/6/90", "5/6/90"),
        ("birthday is 6th May 1990", "6th May 1990"),
    ],
)
def test_it_is_found(text: str, expected: str) -> None:
    assert birth_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "May 6, 1990",
        "1990-05-06",
        "an airborne case of 2020-01-01",
        "born in Berlin",
    ],
)
def test_birth_innocent_text_stays(text: str) -> None:
    assert birth_found(text) == []


@pytest.mark.parametrize("value", ["1990-05-06", "19900506", "1990-05-06T00:00:00Z", "6 May 1990"])
def test_birth_a_value_under_its_key_is_one(value: str) -> None:
    assert is_birth_date(value)


@pytest.mark.parametrize("value", ["", "n/a", "yes", "1990"])
def test_birth_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_birth_date(value)


@pytest.mark.parametrize("value", ["12 Elm Street, Berlin", "10115", "SW1A 1AA", "New York"])
def test_address_a_value_under_its_key_is_one(value: str) -> None:
    assert can_be_address(value)


@pytest.mark.parametrize(
    "value", ["", "localhost:8080", "https://example.com/a b", "0x7fff", "Berlin", "rosa at x@y.z"]
)
def test_address_another_value_under_its_key_is_none(value: str) -> None:
    assert not can_be_address(value)


def test_in_free_text_it_must_read_as_one() -> None:
    assert all(map(is_assigned_address, ["12 Elm Street, Berlin"]))
    assert not any(map(is_assigned_address, ["Value) -", "see the list", "f(a, 1 + b)"]))


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("née le 12 mars 1984 à Lyon", "12 mars 1984"),
        ("Fecha de nacimiento: 04/07/1990", "04/07/1990"),
        ("nato il 3 maggio 1975", "3 maggio 1975"),
        ("data de nascimento 1988-02-11", "1988-02-11"),
        ("geboren am 3. Oktober 1967", "3. Oktober 1967"),
        ("urodzony 15.08.1991 w Łodzi", "15.08.1991"),
        ("дата рождения: 01.02.1980", "01.02.1980"),
        ("生年月日は1985年3月4日です", "1985年3月4日"),
        ("出生日期:1992-11-30", "1992-11-30"),
        ("생년월일 1979년 12월 1일", "1979년 12월 1일"),
        ("تاريخ الميلاد 12/05/1993", "12/05/1993"),
    ],
)
def test_words_of_many_languages_announce_a_birth_date(text: str, date: str) -> None:
    assert {text[one.start : one.end] for one in find_announced_numbers(text) if one.kind == "DOB"} == {date}


@pytest.mark.parametrize(
    "text", ["birth of the project in 2019", "出生率 1.2 2020", "geboren für 10 Jahre", "airborne 2020-01-02"]
)
def test_other_dates_are_no_birth_dates(text: str) -> None:
    assert [one for one in find_announced_numbers(text) if one.kind == "DOB"] == []
