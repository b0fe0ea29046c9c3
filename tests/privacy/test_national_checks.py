"""Check digits of national numbers; the numbers are examples out of the rules' descriptions."""

from __future__ import annotations

import pytest

from workbench.privacy.national_checks import checked


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
    assert checked(number)


@pytest.mark.parametrize("number", ["12345678A", "44051401357", "255081416802539", "1234567", "RSSMRA85T10A562T", ""])
def test_wrong_ones_are_refused(number: str) -> None:
    assert not checked(number)
