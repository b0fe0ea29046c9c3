"""Letters in other forms are read as ASCII at the same positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.unicode_folding import plain, visible
from workbench.privacy.vault import Vault

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
