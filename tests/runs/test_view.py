"""What goes back to a model is cut honestly: what is missing is counted, and the shape survives."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.records import Fault, Origin, Proposal, Run, RunState
from workbench.runs.view import compose, cut, shorten
from workbench.tokens import count

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=8), inner, max_size=8),
    max_leaves=80,
)


def run(state: RunState = RunState.DONE, **changes: object) -> Run:
    proposal = Proposal("r1", "pass", "", Origin.AGENT, "s", "agent")
    return Run("r1", proposal, state, **changes)  # type: ignore[arg-type]


def test_a_result_and_prints_come_back_together():
    assert compose(run(output="two rows\n", result='{"n": 2}')) == 'two rows\nresult = {"n": 2}'


def test_a_silent_program_says_that_it_was_silent():
    assert "printed nothing" in compose(run())


def test_a_failure_carries_the_reason_the_lines_and_what_was_printed_before():
    text = compose(run(RunState.FAILED, output="step 1\n", fault=Fault("ValueError: no", "Try again.", "line 3")))
    assert text.index("ValueError: no") < text.index("line 3") < text.index("step 1")
    assert "Try again." in text


def test_a_short_text_is_not_touched():
    assert cut("short", 100, "pointer") == "short"


def test_a_long_text_keeps_both_ends_and_says_what_is_missing():
    text = "first " + "word " * 20_000 + "last"
    shorter = cut(text, 500, "read results/r1.txt")
    assert count(shorter) < 700
    assert shorter.startswith("first ")
    assert shorter.endswith("last")
    assert "read results/r1.txt" in shorter
    assert f"of {count(text):,} tokens" in shorter


def test_a_long_list_loses_its_end_and_counts_it():
    rows = [{"id": number, "name": "x" * 20} for number in range(10_000)]
    smaller = shorten({"rows": rows}, 1_000)
    assert smaller["rows"][0] == rows[0]
    assert smaller["rows"][-1].endswith("more items")
    kept = len(smaller["rows"]) - 1
    assert f"{10_000 - kept:,}" in smaller["rows"][-1]


@given(json_values, st.integers(min_value=50, max_value=2_000))
def test_whatever_is_shortened_stays_json(value, budget):
    assert json.loads(json.dumps(shorten(value, budget))) == shorten(value, budget)
