"""Texts are decoded with the positions of what they came from."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.decoded_text import DigitsOnly, WithoutSeparators, decoded_texts, drop_separators, plain, visible
from workbench.privacy.vault import Vault

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


VALUES = {
    "EMAIL": "ines.novak@example.org",
    "CARD": "4111 1111 1111 1111",
    "PHONE": "+44 20 7946 0958",
    "IBAN": "DE89 3704 0044 0532 0130 00",
}


def shifted(letter, capital, small, digit):
    """The letter in a block of Unicode that has them in order."""
    if "A" <= letter <= "Z" and capital:
        return chr(capital + ord(letter) - ord("A"))
    if "a" <= letter <= "z" and small:
        return chr(small + ord(letter) - ord("a"))
    return chr(digit + int(letter)) if digit and letter.isdigit() else letter


FORMS = {
    "full-width": lambda one: chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one,
    "circled": lambda one: shifted(one, 0x24B6, 0x24D0, 0),
    "mathematical": lambda one: shifted(one, 0x1D400, 0x1D41A, 0x1D7CE),
    "Arabic-Indic": lambda one: shifted(one, 0, 0, 0x0660),
    "Devanagari": lambda one: shifted(one, 0, 0, 0x0966),
    "invisible between": lambda one: f"{one}\u200b",
    "soft hyphens between": lambda one: f"{one}\u00ad",
    "coloured": lambda one: f"\x1b[1;31m{one}\x1b[0m",
    "as it is": lambda one: one,
}


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_masked_whole_known_or_not_and_comes_back(form, kind, known):
    vault = Vault("a")
    if known:
        vault.learn(kind, VALUES[kind])
    written = "".join(map(FORMS[form], VALUES[kind]))
    text = f"call: {written} today"
    masked = vault.sanitize(text)
    assert f"[{kind}_1." in masked
    token = masked[masked.index(f"[{kind}_1.") :].partition("]")[0]
    left = visible(masked.replace(f"{token}]", ""))
    assert left.split() == ["call:", "today"]
    assert vault.restore(masked) == text
    assert vault.sanitize(masked) == masked


@given(st.data())
def test_forms_may_change_with_each_letter(data):
    kind = data.draw(st.sampled_from(sorted(VALUES)))
    written = "".join(FORMS[data.draw(st.sampled_from(sorted(FORMS)))](one) for one in VALUES[kind])
    vault = Vault("a")
    vault.learn(kind, VALUES[kind])
    masked = vault.sanitize(f"call: {written} today")
    assert f"[{kind}_1." in masked
    assert vault.restore(masked) == f"call: {written} today"
    shown = visible(plain(masked)).replace(" ", "")
    assert not any(part in shown for part in (VALUES[kind].replace(" ", ""), VALUES[kind][3:9].replace(" ", "")))


def test_a_value_that_came_in_another_form_is_found_in_the_plain_one():
    for form in FORMS.values():
        vault = Vault("a")
        vault.register({"email": "".join(map(form, VALUES["EMAIL"]))}, "crm")
        assert VALUES["EMAIL"] not in vault.sanitize(f"write to {VALUES['EMAIL'].upper()} or {VALUES['EMAIL']}")


@pytest.mark.parametrize(
    "text",
    [
        "価格は１２３円です（税込）。",
        "① first ② second ⑳ last",
        "\x1b[32mPASSED\x1b[0m tests/a.py::test_b \x1b[36m[ 50%]\x1b[0m",
        "می‌خواهم 👩‍👩‍👧 𝒙² + 𝒚² = 𝟏",
        "٣٫١٤ and १२३",
    ],
)
def test_harmless_text_in_such_letters_stays_as_it_is(text):
    assert Vault("a").sanitize(text) == text


@given(st.text())
def test_places_stay(text):
    assert len(plain(text)) == len(text)
    assert plain(plain(text)) == plain(text)
