"""Where tokens went is counted and bounded."""

from __future__ import annotations

from workbench.privacy.token_usage import TokenUsage
from workbench.records import Place

TOKEN = "[EMAIL_1.k7q2]"


def test_a_call_that_is_told_twice_is_one_place():
    trail = TokenUsage()
    trail.went(f'{{"to": "{TOKEN}"}}', "c1", Place("mail", "send", at=1.0))
    trail.went(f'{{"to": "{TOKEN}"}}', "c1", Place("mail", "send", at=2.0))
    assert [place.at for place in trail.of(TOKEN).went.values()] == [2.0]


def test_a_token_is_followed_in_any_spelling_a_model_gave_it():
    trail = TokenUsage()
    trail.shown("mail to [email_1.K7Q2] or %5BEMAIL_1.k7q2%5D", "run-1")
    assert (trail.of(TOKEN).times, trail.of(TOKEN).runs) == (2, ["run-1"])


def test_only_the_last_places_are_remembered():
    trail = TokenUsage()
    for number in range(50):
        trail.went(TOKEN, f"c{number}", Place("mail", "send", at=number))
    kept = [place.at for place in trail.of(TOKEN).went.values()]
    assert kept[-1] == 49
    assert len(kept) == 20


def test_a_text_without_tokens_leaves_nothing():
    trail = TokenUsage()
    trail.shown("nothing_here", "run-1")
    assert trail.of(TOKEN).times == 0
