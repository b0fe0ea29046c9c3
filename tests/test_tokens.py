"""The estimator is close to what a real vocabulary counts, and never surprises."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench import tokens
from workbench.records import Ledger, ModeAdvice, ModelFactor

# Text and the number that OpenAI's o200k vocabulary gives for it.
COUNTED = {
    "code": ("def add(a: int, b: int) -> int:\n    return a + b\n", 19),
    "record": ('{"id": 10423, "name": "Ana Novak", "email": "ana.novak@example.com", "total": 1299.5}', 34),
    "prose": ("The quick brown fox jumps over the lazy dog. It was not amused, and said so at length.", 21),
    "query": ("SELECT id, total FROM orders WHERE status = 'open' ORDER BY created DESC LIMIT 50;", 20),
    "russian": ("Привет, как дела?", 6),
}


@pytest.mark.parametrize("name", COUNTED)
def test_the_estimate_is_within_a_tenth_of_the_real_count(name: str) -> None:
    text, real = COUNTED[name]
    assert abs(tokens.count(text) - real) <= max(1, real / 10)


def test_nothing_costs_nothing_and_something_costs_something() -> None:
    assert tokens.count("") == 0
    assert tokens.count(" ") == 1


def test_text_twice_as_long_costs_about_twice_as_much() -> None:
    text = json.dumps([{"id": n, "name": f"customer {n}"} for n in range(200)])
    assert tokens.count(text + text) == pytest.approx(2 * tokens.count(text), rel=0.01)


def test_short_and_long_text_are_counted_the_same_way() -> None:
    word = "order "
    assert tokens.count(word * 1000) == pytest.approx(10 * tokens.count(word * 100), rel=0.01)


@given(st.text())
def test_any_text_has_a_count(text: str) -> None:
    number = tokens.count(text)
    assert (number == 0) == (text == "")
    assert number <= 4 * len(text) + 1


@pytest.mark.parametrize("piece", [" ", "\n", "A", "a", "!", " \t", "\u3042", "é "])
def test_a_long_row_of_one_kind_is_counted_without_going_back_and_forth(piece: str) -> None:
    assert tokens.count(piece * 300_000) >= 1  # a pattern that backtracks would run into the time limit of the tests


def test_ledgers_add_up_and_a_loss_is_no_saving() -> None:
    both = tokens.add(Ledger(1000, 100), Ledger(10, 400))
    assert (both.direct, both.actual) == (1010, 500)
    assert tokens.saved(both) == 510
    assert tokens.saved(Ledger(10, 400)) == 0


def test_a_sum_is_exact_only_where_all_of_it_is() -> None:
    exact, guessed = Ledger(10, 5, counter=tokens.EXACT), Ledger(10, 5)
    assert tokens.add(exact, exact).counter == tokens.EXACT
    assert tokens.add(exact, guessed).counter == tokens.ESTIMATE
    assert tokens.add(Ledger(), exact).counter == tokens.EXACT


def test_every_number_says_what_counted_it() -> None:
    assert tokens.with_counter("1.2k") == "≈ 1.2k tokens"
    assert tokens.with_counter("1.2k", tokens.EXACT) == "1.2k tokens (o200k)"
    advice = ModeAdvice("direct", 2, 300, 900, 100, 0)
    assert "≈ 300 tokens;" in tokens.advice_sentence(advice)
    assert "are 300 tokens, counted with o200k;" in tokens.advice_sentence(replace(advice, counter=tokens.EXACT))


def test_what_other_models_count_is_told_as_what_it_is() -> None:
    guessed, measured = ModelFactor("Claude", 1.1, 1.2), ModelFactor("Claude", 1.15, 1.15, measured=True)
    assert tokens.factor_sentence([guessed], tokens.ESTIMATE) == (
        "Estimated (≈), close to OpenAI's o200k. Other models count more: Claude × 1.10–1.20 (estimates)."
    )
    assert tokens.factor_sentence([measured], tokens.EXACT) == (
        "Counted with OpenAI's o200k. Other models count more: Claude × 1.15 (measured by ctok on your tool "
        "definitions)."
    )


@pytest.fixture
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rs_bpe", reason="the extra [tokens] is not installed")
    monkeypatch.setattr(tokens, "_vocabulary", None)
    assert tokens.take_vocabulary()


@pytest.mark.usefixtures("vocabulary")
@pytest.mark.parametrize("name", COUNTED)
def test_the_vocabulary_counts_exactly(name: str) -> None:
    text, real = COUNTED[name]
    assert (tokens.count(text), tokens.counter()) == (real, "o200k")


@pytest.mark.usefixtures("vocabulary")
@pytest.mark.parametrize("text", ["\ud800 half", "a\0b", "é" * 5_000, " " * 5_000, "<|endoftext|>"])
def test_the_vocabulary_counts_any_text(text: str) -> None:
    assert tokens.count(text) > 0
    assert tokens.count("") == 0


def test_without_the_vocabulary_the_estimator_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_vocabulary", None)
    monkeypatch.setitem(sys.modules, "rs_bpe.bpe", None)
    assert not tokens.take_vocabulary()
    assert tokens.counter() == tokens.ESTIMATE


def test_a_run_that_did_not_pay_says_by_how_much() -> None:
    told = tokens.ledger_sentence(Ledger(100, 400), 300)
    assert (
        told == "Direct calls ≈ 100 tokens · this run ≈ 400 · no tokens saved; direct calls would have used ≈ 300 fewer"
    )
    assert [tokens.size(number) for number in (12, 1_500, 2_000_000)] == ["12 bytes", "1.5 kB", "2.0 MB"]
    assert tokens.add(Ledger(5, 0, definitions=3), Ledger(5, 0, definitions=4)).definitions == 7
