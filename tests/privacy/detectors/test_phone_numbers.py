"""Phone numbers are found by form or word; dates, amounts and ids are not."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.phone_numbers import find_phone_numbers, is_phone_number


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_phone_numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call +44 20 7946 0958 now", "+44 20 7946 0958"),
        ("+442079460958", "+442079460958"),
        ("+49 (0) 30 901820", "+49 (0) 30 901820"),
        ("(415) 555-0132", "(415) 555-0132"),
        ("415-555-0132", "415-555-0132"),
        ("415.555.0132", "415.555.0132"),
        ("1-415-555-0132", "1-415-555-0132"),
        ("+1 415 555 0132 x77", "+1 415 555 0132 x77"),
        ("030 901820", "030 901820"),
        ("020 7946 0958", "020 7946 0958"),
        ("(030) 901-820", "(030) 901-820"),
        ("Phone: 5550134", "5550134"),
        ('{"phone": "5550134"}', "5550134"),
        ("tel:5550134", "5550134"),
        ("workPhone=5550134", "5550134"),
        ("fax no 5550134", "5550134"),
        ("a,415-555-0132,2024-05-06", "415-555-0132"),
        ("1,415-555-0132,2024-05-06", "415-555-0132"),
        ("+1 415 555 0132 12 items", "+1 415 555 0132"),
        ("+442079460958abc", "+442079460958"),
    ],
)
def test_phone_numbers_are_found(text: str, expected: str) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-06",
        "06.05.2024 12:30:00",
        "05/06/2024",
        "1999-2004",
        "192.168.100.200",
        "10.0.0.1:8080",
        "order 4155550132",
        "ORD-415-555-0132",
        "id: 415-555-0132",
        "invoice 100-200-3000",
        "550e8400-e29b-41d4-a716-446655440000",
        "11111111-2222-3333-4444-555555555555",
        "978-3-16-148410-0",
        "4111 1111 1111 1111",
        "123-45-6789",
        "$415-555-0132",
        "3.14159265358979",
        "1700000000",
        "01234-5678",
        "v1.2.3-456",
        "12:30:45.123456",
        "hotel 123456",
        "1 2 3 4 5 6 7 8 9 10",
        "10,000 orders of 12,345,678",
        "52.520008, 13.404954",
        "sha 0123456789abcdef0123456789abcdef",
        "16.42 6256049",
        "05/29/1453",
        "0.001 0.0425 1234567",
        "10 0512 332211",
        "3.14 0123 456 7890",
        "2.5.0 0201 4455667",
        "+1015/-127 (#6371)",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert found(text) == []


def test_two_numbers_in_a_row_are_two() -> None:
    assert found("415-555-0132 415-555-0133") == ["415-555-0132", "415-555-0133"]


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ("5550134", True),
        ("14155550132", True),
        ("+44 (0)20 7946 0958 ext 7", True),
        ("2024-05-06", False),
        ("n/a", False),
        ("123", False),
        ("see below 5550134", False),
        ("1" * 30, False),
    ],
)
def test_a_value_under_a_phone_key_needs_no_shape(value: str, whole: bool) -> None:
    assert is_phone_number(value) is whole
