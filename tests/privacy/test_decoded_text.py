"""Texts are decoded with the positions of what they came from."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

from workbench.privacy.decoded_text import DigitsOnly, WithoutSeparators, decoded_texts, drop_separators

SECRET = "rosa@example.com"


@pytest.mark.parametrize(
    "written",
    [
        quote(SECRET, safe=""),
        SECRET.replace("@", "\\u0040"),
        SECRET.replace("@", "\\x40"),
        SECRET.replace("@", "&#64;"),
        SECRET.replace("@", "&#x40;"),
        base64.b64encode(SECRET.encode()).decode(),
        "x" + base64.b64encode(SECRET.encode()).decode(),
        SECRET.encode().hex(),
        SECRET.encode().hex(":"),
        "f" + SECRET.encode().hex(),
    ],
)
def test_a_hidden_text_is_read_and_led_back(written: str) -> None:
    text = f"é {written} ü"
    found = [(view, at) for view in decoded_texts(text) if (at := view.text.find(SECRET)) >= 0]
    assert found
    for view, at in found:
        start, end = view.origin(at, at + len(SECRET))
        assert text[start:end].strip("=") in written
        assert len(text[start:end]) >= len(written) - 2


def test_an_ordinary_text_has_no_other_reading() -> None:
    assert [view.text for view in decoded_texts("The order of 2024-01-02 was shipped to the warehouse.")] == []


def test_damaged_codes_are_read_as_far_as_they_go() -> None:
    assert [view.text for view in decoded_texts("\\uZZZZ %zz &#99999999;")] != [SECRET]


def test_digits_lead_back_through_their_separators() -> None:
    text = "call (415) 555-0132 or 1 2"
    view = DigitsOnly(text)
    at = view.text.find("4155550132")
    place = view.origin(at, at + 10)
    assert place is not None
    assert text[slice(*place)] == "415) 555-0132"


def test_digits_from_the_middle_of_groups_lead_nowhere() -> None:
    view = DigitsOnly("1234567890")
    assert view.origin(2, 8) is None
    assert view.origin(0, 8) == (0, 8)


def test_what_separates_words_is_left_out_and_matches_lead_back_to_their_place() -> None:
    view = WithoutSeparators("to rosa-lund, x")
    assert view.text == "torosalund,x"
    assert view.origin(2, 10) == (3, 12)
    assert WithoutSeparators("xrosa lundy").origin(1, 9) is None, "inside of longer words"
    assert WithoutSeparators(f"rosa{' ' * 60}lund").origin(0, 8) is None, "far apart"


def test_a_long_text_is_bared_as_a_short_one() -> None:
    assert drop_separators("a-b c" * 30_000) == "abc" * 30_000
    assert drop_separators("") == ""
