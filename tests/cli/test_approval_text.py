"""What the command line says about a program before a decision: the same facts as the window, in the same words."""

from __future__ import annotations

import time

import pytest

from workbench.analysis.reading import assess
from workbench.cli.approval_text import call_facts, program_facts
from workbench.records import HeldCall, Likeness, Origin, Proposal, Resemblance, Run, RunState, ValueChange

CODE = "import os\n\n\nfor name in ():\n\n    print(name)\n"


def waiting(like: Resemblance | None = None) -> Run:
    proposal = Proposal("r", CODE, "a" * 64, Origin.AGENT, "s", "claude")
    return Run("r", proposal, RunState.WAITING, assess(CODE, ()), like=like)


def test_the_length_of_a_program_is_that_of_its_text() -> None:
    lines = program_facts(waiting(), CODE, 90)
    assert "The program, 6 lines" in lines
    (length,) = (line for line in lines if "Length" in line)
    assert length.endswith(" 6 lines, 1 branch or loop")


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "just now"), (300, "5 min ago"), (7_300, "2 h ago"), (9e5, "10 d ago")]
)
def test_how_it_resembles_an_allowed_program_is_said_as_in_the_window(seconds: float, text: str) -> None:
    change = ValueChange(6, "a@x.example", "b@x.example", destination=True)
    like = Resemblance(Likeness.VALUES, time.time() - seconds, "", (change,))
    shown = " ".join(" ".join(program_facts(waiting(like), CODE, 200)).split())
    assert f"You allowed this program {text} with other values. It has a different destination now." in shown
    assert "line 6: a@x.example → b@x.example (a different destination)" in shown


def test_an_answer_that_waits_is_shown_as_the_agent_would_read_it() -> None:
    waits = HeldCall(
        "a-1", "r", "answer", "", "answer", "to [EMAIL_1.abcd]", ("It contains tokens for 1 e-mail address.",),
        author="claude", is_answer=True,
    )  # fmt: skip
    lines = call_facts(waits, waits.arguments, 90)
    assert lines[0] == "The program of “claude” has ended. Its answer waits."
    assert lines[lines.index("What the agent would read") + 1].strip() == "to [EMAIL_1.abcd]"
