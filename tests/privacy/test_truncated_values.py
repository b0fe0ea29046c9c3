"""Pieces of values at cut ends of lines are removed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.truncated_values import FEWEST
from workbench.privacy.vault import Vault

PEOPLE = [
    {
        "name": f"Wilhelmina Qvortrup{chr(97 + at % 7)}",
        "email": f"wilhelmina.{at}@mail-{at}.example.org",
        "phone": "+4930901820",
    }
    for at in range(40)
]
TEXT = json.dumps(PEOPLE)
VAULT = Vault("s")
VAULT.register(PEOPLE, "crm")


def seen(text, vault=VAULT):
    return vault.remove_truncated_values(vault.sanitize(text))


def pieces(word):
    return {word[at : at + FEWEST] for at in range(len(word) - FEWEST + 1)}


@given(st.integers(0, len(TEXT)), st.integers(30, 900))
def test_a_slice_holds_no_piece_of_a_value(start, length):
    said = seen(TEXT[start : start + length]).lower().removesuffix("wilhelmina")  # a cut between words is none
    assert not [piece for piece in pieces("wilhelmina") | pieces("qvortrup") if piece in said], said


@pytest.mark.parametrize("frame", ["{0}", "result = {1}", "result = [{1}, {1}]", "first line of it\n{0}\n"])
def test_wherever_the_slice_stands(frame):
    at = TEXT.index("Wilhelmina", 300)
    piece = TEXT[at - 80 : at + 6]
    said = seen(frame.format(piece, json.dumps(piece)))
    assert "Wilhe" not in said.splitlines()[-1 if frame[0] != "f" else 1][-12:]


@pytest.mark.parametrize(
    "line",
    [
        "the customers of this year come from Berlin",
        'result = {"example.org": 40, "Berlin": 12, "Lime": 3}',
        "a sum over all of these orders is 49309",
        "short wilhe",
        "the last word of this is a beginning: sales",
    ],
)
def test_whole_words_that_also_stand_in_values_stay(line):
    vault = Vault("s")
    vault.register(
        {"email": "sales@example.org", "address": "Lime Street 5, 10115 Berlin", "phone": "+49 309018201"}, "crm"
    )
    assert vault.remove_truncated_values(line) == line


def test_what_is_learnt_later_counts_too():
    vault = Vault("s")
    line = "what a program printed of Wilhelmi"
    assert vault.remove_truncated_values(line) == line
    vault.register({"name": "Wilhelmina Qvortrup", "email": "w@example.org"}, "crm")
    assert vault.remove_truncated_values(line) == "what a program printed of …"
