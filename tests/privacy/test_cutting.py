"""No cut goes through a token."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.cutting import after, before
from workbench.privacy.marks import LOOKALIKE

TEXT = "to [EMAIL_1.k7q2] and %5BNAME_12.abcd%5D[CARD_3.0000], " * 4


@given(st.integers(0, len(TEXT)))
def test_both_sides_of_a_cut_hold_whole_tokens_only(at):
    early, late = before(TEXT, at), after(TEXT, at)
    assert early <= at <= late
    tokens = LOOKALIKE.findall(TEXT)
    for place in (early, late):
        assert LOOKALIKE.findall(TEXT[:place]) + LOOKALIKE.findall(TEXT[place:]) == tokens
