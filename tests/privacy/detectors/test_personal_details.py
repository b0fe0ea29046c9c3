"""Birth dates and postal addresses."""

from __future__ import annotations

import pytest

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
