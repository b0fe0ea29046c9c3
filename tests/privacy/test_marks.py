"""Tokens can be read by the session that made them, in any spelling a model may use, and by nobody else."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.marks import ALPHABET, LOOKALIKE, Marks, encoded, lookalikes

OWN = Marks("session", key=b"k" * 32)
TOKEN = OWN.make("EMAIL", 1)


def test_a_token_says_its_kind_and_number() -> None:
    assert TOKEN.startswith("[EMAIL_1.")
    assert OWN.read(TOKEN) == ("EMAIL", 1)
    assert set(TOKEN[9:13]) <= set(ALPHABET)


@pytest.mark.parametrize(
    "spelling", [TOKEN.lower(), TOKEN.upper(), quote(TOKEN, safe=""), quote(TOKEN, safe="").lower()]
)
def test_other_spellings_mean_the_same(spelling: str) -> None:
    assert OWN.read(spelling) == ("EMAIL", 1)
    assert LOOKALIKE.fullmatch(spelling)


@pytest.mark.parametrize("text", ["[SECRET_KEY]", "[IP_ADDRESS]", "row[name_field]", "card_1.json", "name_12.jpeg"])
def test_names_that_only_begin_like_a_token_are_none(text: str) -> None:
    assert not LOOKALIKE.search(text)


@pytest.mark.parametrize("text", ["[EMAIL_1]", "[name_2]", "[PHONE_def456]", "NAME_1.k7q2", "card_1.jso2"])
def test_what_may_be_taken_for_a_token_is_a_look_alike(text: str) -> None:
    assert LOOKALIKE.search(text)


@pytest.mark.parametrize(
    "damaged",
    [
        TOKEN[1:],
        TOKEN[:-1],
        TOKEN.replace("_1.", "_01."),
        TOKEN.replace("_1.", "_2."),
        TOKEN.replace("EMAIL", "PHONE"),
        TOKEN[:-1] + "%5D",
        "%5B" + TOKEN[1:],
        TOKEN.replace("[", "[ "),
        "[EMAIL_1]",
        "",
    ],
)
def test_a_damaged_token_is_none(damaged: str) -> None:
    assert OWN.read(damaged) is None


def test_letters_that_only_fold_to_ours_are_not_ours() -> None:
    marks = next(
        m
        for n in range(500)
        if "k" in (m := Marks("s", key=bytes([n % 256]) * 31 + bytes([n // 256]))).make("EMAIL", 1)[8:]
    )
    assert marks.read(marks.make("EMAIL", 1).replace("k", "\u212a")) is None


@pytest.mark.parametrize("other", [Marks("other", key=b"k" * 32), Marks("session", key=b"j" * 32), Marks("session")])
def test_another_session_or_key_cannot_read_it(other: Marks) -> None:
    assert other.read(TOKEN) is None


def test_guessing_the_bits_almost_never_works() -> None:
    guesses = [f"[EMAIL_1.{a}{b}{c}0]" for a in ALPHABET for b in ALPHABET for c in ALPHABET[:4]]
    assert sum(OWN.read(guess) is not None for guess in guesses) <= 1


@given(st.text(max_size=60))
def test_reading_never_fails(text: str) -> None:
    assert OWN.read(text) is None or text.lower() == TOKEN.lower()


def test_the_encoded_spelling_is_told_apart() -> None:
    assert encoded("%5BEMAIL_1.k7q2%5D")
    assert not encoded(TOKEN)


PIECES = [
    "[",
    "%5B",
    "%5b",
    "]",
    "%5D",
    "EMAIL_",
    "NAME_",
    "USERNAME_",
    "Secret_",
    "1",
    "1.k7q2",
    ".aaaa",
    "2.jpeg",
    "x",
    " ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_all_look_alikes_of_a_text_are_those_of_the_pattern(text: str) -> None:
    assert [one.span() for one in lookalikes(text)] == [one.span() for one in LOOKALIKE.finditer(text)]
