"""A program that imports a kept skill is judged by what the skill does, and runs with the skill that was judged."""

from __future__ import annotations

import pytest

from tests.runs.steps import waiting
from workbench.errors import WorkbenchError
from workbench.records import Decision, Gate, Risk, RunState
from workbench.runs.borrowed import assess_all, borrows, check_unchanged

SENDER = """\
from servers.demo import send_email


async def greet(to):
    return await send_email(to=to, subject="Hello", body="Hi")
"""
USES = "from skills.greet import greet\nresult = await greet('a@example.org')\n"
NESTED = "from skills.greet import greet\n\n\nasync def twice(to):\n    await greet(to)\n    await greet(to)\n"


def keep(core, name, code):
    draft = core.rooms.library.draft(name, "A skill.", code, "", "you")
    return core.rooms.library.keep(name, draft.sha, "you")


async def test_what_a_skill_does_is_what_the_program_does(demo):
    kept = keep(demo, "greet", SENDER)
    verdict = await demo.conveyor.assess(USES)
    assert verdict.gate is Gate.ASK
    assert verdict.risk is not Risk.LOW
    assert "The skill greet:" in verdict.sentence
    assert ("demo", "send_email") in {(use.server, use.tool) for use in verdict.tools}
    assert all(effect.line == 1 for effect in verdict.effects if "in the skill greet" in effect.text)
    assert verdict.definitions["skills.greet"] == kept.sha
    assert not [doubt for doubt in verdict.not_assessed if "kept skill" in doubt]


async def test_an_approved_program_may_do_what_its_skill_does(demo):
    keep(demo, "greet", SENDER)
    run = await waiting(demo, demo.conveyor.submit(USES, demo.rooms.sessions.open("agent")))
    demo.conveyor.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", seal=run.seal))
    done = await demo.conveyor.finished(run.id)
    assert done.state is RunState.DONE, done.fault


async def test_a_skill_kept_anew_while_its_program_waits_is_noticed(demo):
    keep(demo, "greet", SENDER)
    run = await waiting(demo, demo.conveyor.submit(USES, demo.rooms.sessions.open("agent")))
    keep(demo, "greet", SENDER.replace("Hi", "Something else"))
    demo.conveyor.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", seal=run.seal))
    done = await demo.conveyor.finished(run.id)
    assert done.state is RunState.FAILED
    assert "changed after this program was assessed" in done.fault.message
    assert done.calls == ()


async def test_skills_of_skills_count_too_and_a_circle_ends_before_a_person(demo):
    skills = (keep(demo, "greet", SENDER), keep(demo, "twice", NESTED))
    program = "from skills.twice import twice\nawait twice('a@example.org')"
    verdict = assess_all(program, demo.catalog.tools(), skills)
    assert {"skills.greet", "skills.twice"} <= set(verdict.definitions)
    assert verdict.gate is Gate.ASK
    circle = keep(demo, "loop", "from skills.loop import loop\n\n\nasync def loop():\n    return 1\n")
    assert assess_all("from skills.loop import loop", demo.catalog.tools(), (circle,)).gate is Gate.ASK


async def test_a_harmless_skill_keeps_a_program_harmless(core):
    skill = keep(core, "double", "def double(n):\n    return 2 * n\n")
    for program in ("from skills.double import double", "from skills import double", "load_skill('double')"):
        verdict = assess_all(program, (), (skill,))
        assert "skills.double" in verdict.definitions, program
    assert (await core.conveyor.assess("from skills.double import double\nresult = double(2)")).gate is Gate.AUTO


async def test_a_skill_that_is_gone_is_a_changed_skill(core):
    skill = keep(core, "double", "def double(n):\n    return 2 * n\n")
    verdict = assess_all("from skills.double import double", (), (skill,))
    check_unchanged(verdict, (skill,))
    with pytest.raises(WorkbenchError):
        check_unchanged(verdict, ())


async def test_only_a_program_that_was_judged_with_skills_is_held_against_them(demo):
    keep(demo, "greet", SENDER)
    skills = demo.rooms.library.usable()
    assert borrows(assess_all(USES, demo.catalog.tools(), skills))
    assert not borrows(assess_all("result = 1", demo.catalog.tools(), skills))
    assert not borrows(None)
