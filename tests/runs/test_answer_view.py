"""Results for a model are shortened: omitted parts are counted, and the structure stays."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.records import Fault, Origin, Proposal, Run, RunState
from workbench.runs.answer_view import compose, cut, shorten
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


def edited(before: str, after: str, **changes: object) -> str:
    proposal = Proposal("r1", after, "", Origin.AGENT, "s", "agent", original=before)
    return compose(Run("r1", proposal, RunState.DONE, started=1.0, output="fine\n", **changes))  # type: ignore[arg-type]


def test_the_answer_of_a_program_that_the_user_changed_begins_with_what_they_changed():
    before = "".join(f"step({number})\n" for number in range(40))
    text = edited(before, before.replace("step(20)", "check(20)"))
    assert text == (
        "The user changed your program before it ran. This is the answer of the changed program. Changed lines"
        " (- yours, + the user's):\n```diff\n@@ -19,5 +19,5 @@\n step(18)\n step(19)\n-step(20)\n+check(20)\n step(21)"
        "\n step(22)\n```\n\nfine"
    )


def test_nothing_is_said_of_a_program_that_was_changed_back_or_is_the_users_own():
    assert edited("a\n", "a\n") == "fine"
    own = Proposal("r1", "b", "", Origin.PERSON, "person", "you", original="a")
    assert compose(Run("r1", own, RunState.DONE, output="fine\n")) == "fine"


def test_what_is_very_different_is_counted():
    text = edited("".join(f"a{n}\n" for n in range(5_000)), "".join(f"b{n}\n" for n in range(3_000)))
    assert "5,000 lines became 3,000" in text
    assert len(text) < 600


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_the_difference_holds_exactly_the_lines_that_changed(before: list[str], after: list[str]):
    if before == after:
        return
    lines = edited("\n".join(before) or "x", "\n".join(after) or "x").split("\n")
    gone = [line[1:] for line in lines if line.startswith("-")]
    new = [line[1:] for line in lines if line.startswith("+")]
    left = list(before) or ["x"]
    for line in gone:
        left.remove(line)
    assert sorted([*left, *new]) == sorted(after or ["x"])
