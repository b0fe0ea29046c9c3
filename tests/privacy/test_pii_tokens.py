"""Tokens are made, read, found in texts, and never cut."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.detectors.kinds import KINDS
from workbench.privacy.pii_tokens import (
    ALPHABET,
    LOOKALIKE,
    TokenFactory,
    TokenHistory,
    count_tokens,
    cut_after,
    cut_before,
    find_tokens,
    is_percent_encoded,
    kind_of,
    tokens_in,
    unmask_with_spans,
)
from workbench.privacy.vault import Vault
from workbench.records import KindCount, Place

OWN = TokenFactory("session", key=b"k" * 32)
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
        if "k" in (m := TokenFactory("s", key=bytes([n % 256]) * 31 + bytes([n // 256]))).make("EMAIL", 1)[8:]
    )
    assert marks.read(marks.make("EMAIL", 1).replace("k", "\u212a")) is None


@pytest.mark.parametrize(
    "other", [TokenFactory("other", key=b"k" * 32), TokenFactory("session", key=b"j" * 32), TokenFactory("session")]
)
def test_another_session_or_key_cannot_read_it(other: TokenFactory) -> None:
    assert other.read(TOKEN) is None


def test_guessing_the_bits_almost_never_works() -> None:
    guesses = [f"[EMAIL_1.{a}{b}{c}0]" for a in ALPHABET for b in ALPHABET for c in ALPHABET[:4]]
    assert sum(OWN.read(guess) is not None for guess in guesses) <= 1


@given(st.text(max_size=60))
def test_reading_never_fails(text: str) -> None:
    assert OWN.read(text) is None or text.lower() == TOKEN.lower()


def test_the_encoded_spelling_is_told_apart() -> None:
    assert is_percent_encoded("%5BEMAIL_1.k7q2%5D")
    assert not is_percent_encoded(TOKEN)


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
    assert [one.span() for one in find_tokens(text)] == [one.span() for one in LOOKALIKE.finditer(text)]


def test_each_token_is_laid_over_the_value_it_stands_for():
    vault = Vault("s")
    text = "write to ada@example.org, and again ada@example.org or 10.1.2.3"
    whole, hidden = unmask_with_spans(vault.sanitize(text), vault.restore)
    assert whole == text
    assert [text[one.start : one.end] for one in hidden] == ["ada@example.org", "ada@example.org", "10.1.2.3"]
    assert [one.kind for one in hidden] == ["EMAIL", "EMAIL", "IP"]


def test_what_nobody_knows_stays_and_covers_nothing():
    assert unmask_with_spans("see [EMAIL_1.aaaa]!", lambda token: token) == ("see [EMAIL_1.aaaa]!", ())


def test_values_are_counted_once_however_often_they_are_hidden():
    masked = Vault("s").sanitize("ada@example.org ada@example.org bob@example.org 10.1.2.3")
    assert count_tokens(masked) == (KindCount("EMAIL", 2), KindCount("IP", 1))


def test_every_kind_is_read_from_its_token_in_any_spelling():
    marks = TokenFactory("s")
    for kind in KINDS:
        token = marks.make(kind.name, 3)
        assert list(tokens_in(f"a {token} b")) == [token]
        encoded = token.lower().replace("[", "%5b").replace("]", "%5d")
        assert {kind_of(token), kind_of(encoded)} == {kind.name}


TEXT = "to [EMAIL_1.k7q2] and %5BNAME_12.abcd%5D[CARD_3.0000], " * 4


@given(st.integers(0, len(TEXT)))
def test_both_sides_of_a_cut_hold_whole_tokens_only(at):
    early, late = cut_before(TEXT, at), cut_after(TEXT, at)
    assert early <= at <= late
    tokens = LOOKALIKE.findall(TEXT)
    for place in (early, late):
        assert LOOKALIKE.findall(TEXT[:place]) + LOOKALIKE.findall(TEXT[place:]) == tokens


USED = "[EMAIL_1.k7q2]"


def test_a_call_that_is_told_twice_is_one_place():
    history = TokenHistory()
    history.record_call(f'{{"to": "{USED}"}}', "c1", Place("mail", "send", at=1.0))
    history.record_call(f'{{"to": "{USED}"}}', "c1", Place("mail", "send", at=2.0))
    assert [place.at for place in history.uses(USED).calls.values()] == [2.0]


def test_a_token_is_followed_in_any_spelling_a_model_gave_it():
    history = TokenHistory()
    history.record_text("mail to [email_1.K7Q2] or %5BEMAIL_1.k7q2%5D", "run-1")
    assert (history.uses(USED).times, history.uses(USED).runs) == (2, ["run-1"])


def test_only_the_last_places_are_remembered():
    history = TokenHistory()
    for number in range(50):
        history.record_call(USED, f"c{number}", Place("mail", "send", at=number))
    kept = [place.at for place in history.uses(USED).calls.values()]
    assert kept[-1] == 49
    assert len(kept) == 20


def test_a_text_without_tokens_leaves_nothing():
    history = TokenHistory()
    history.record_text("nothing_here", "run-1")
    assert history.uses(USED).times == 0
