from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from workbench.gui.runs.run_rows import run_rows
from workbench.gui.skills.skill_list import skill_rows
from workbench.records import Decision, Fault, RunState

NOW = 1_000_000.0


def test_the_run_whose_time_ends_first_stands_on_top(qapp: Any, make: Any) -> None:
    runs = [
        make.run("late", deadline=NOW + 200),
        make.run("done", RunState.DONE),
        make.run("soon", deadline=NOW + 20),
        make.run("runs", RunState.RUNNING),
    ]
    rows = run_rows(runs, NOW)
    assert [row.key for row in rows] == [
        "section:waiting", "soon", "late", "section:underway", "runs", "section:ended", "done",
    ]  # fmt: skip
    assert rows[1].aside == "0:20"
    assert rows[1].aside_tone == "danger"
    assert rows[2].aside_tone == "muted"


def test_a_failed_run_says_why_in_its_row(qapp: Any, make: Any) -> None:
    run = make.run("x", RunState.FAILED, fault=Fault("The server did not answer."))
    assert "Failed: The server did not answer." in run_rows([run], NOW)[1].detail


def test_denied_is_what_the_user_denied_and_refused_what_a_rule_refused(qapp: Any, make: Any) -> None:
    refused = make.run("x", RunState.REFUSED, fault=Fault("The user denied it."))
    denial = Decision("x", "a" * 64, False, "you")
    allowed = Decision("x", "a" * 64, True, "you")
    changed = Fault("A tool changed.")
    cases = (
        (replace(refused, decision=denial), "Denied"),
        (replace(refused, decision=replace(denial, reason="wrong address")), "Denied: wrong address"),
        (replace(refused, fault=Fault("It was not answered.")), "Denied: It was not answered."),
        (replace(refused, decision=allowed, fault=changed), "Refused: A tool changed."),
        (replace(refused, deadline=0.0, fault=Fault("line 2: add await")), "Refused: line 2: add await"),
    )
    for run, text in cases:
        assert text in run_rows([run], NOW)[1].detail.split(" · ")
    assert [row.key for row in run_rows([cases[0][0], cases[-1][0]], NOW, search="denied") if not row.section] == ["x"]


def test_hidden_characters_of_an_author_are_seen(qapp: Any, make: Any) -> None:
    run = make.run("x", author="cl\u202eaude")
    assert "‹U+202E›" in run_rows([run], NOW)[1].detail


def test_drafts_stand_apart_and_retired_skills_are_hidden(qapp: Any, fake_core: Any) -> None:
    keys = [row.key for row in skill_rows(fake_core.skill_list.values(), "", False, NOW)]
    assert keys == ["section:draft", "first_try", "section:kept", "weekly_report"]
    keys = [row.key for row in skill_rows(fake_core.skill_list.values(), "", True, NOW)]
    assert keys[-2:] == ["section:retired", "old_one"]


def test_a_skill_is_found_by_what_it_says_of_itself(qapp: Any, fake_core: Any) -> None:
    skill = fake_core.skill_list["weekly_report"]
    skills = [replace(skill, description="Sums up SALES"), fake_core.skill_list["first_try"]]
    assert [row.key for row in skill_rows(skills, "sales", False, NOW)] == ["section:kept", "weekly_report"]


def test_identical_requests_are_one_row_that_says_how_many(make: Any) -> None:
    run = replace(make.run("a"), fingerprint="5e" * 32, deadline=200.0)
    others = [replace(run, id="b", deadline=100.0), replace(run, id="c", fingerprint="0" * 64, deadline=300.0)]
    rows = [row for row in run_rows([run, *others], 0.0) if not row.section]
    assert [(row.key, ("2 ×", "accent") in row.badges) for row in rows] == [("b", True), ("c", False)]
