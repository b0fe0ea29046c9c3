"""REPL sessions in the run pipeline: who may continue a session, how each program is assessed, and errors for ended
sessions.
"""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.errors import WorkbenchError
from workbench.events import StatesChanged, living
from workbench.records import Decision, EntryQuery, Gate, Risk, RunState

SENDS = 'from servers.demo import send_email\nawait send_email(to="a@example.org", subject="s", body="b")\n'


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


async def ran(core, session, code, state="analysis"):
    return await core.run_manager.wait_until_finished(core.run_manager.submit(code, session, state=state).id)


async def allowed(core, session, code, state="analysis"):
    run = await waiting(core, core.run_manager.submit(code, session, state=state))
    core.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    return await core.run_manager.wait_until_finished(run.id)


async def test_a_program_goes_on_where_the_one_before_it_stopped_and_others_do_not(core, agent):
    told = []
    core.bus.listen(lambda event: told.append(event.states) if isinstance(event, StatesChanged) else None)
    assert (await ran(core, agent, "x = 40")).state is RunState.DONE
    done = await ran(core, agent, "result = x + 2")
    assert (done.state, done.result, done.proposal.state) == (RunState.DONE, "42", "analysis")
    for session, state in ((agent, ""), (agent, "other"), (core.services.sessions.open("b"), "analysis")):
        assert "NameError" in (await ran(core, session, "result = x + 2", state)).model_view
    assert "NameError" in (await ran(core, core.services.sessions.person, "result = x + 2")).fault.message
    found = {(one.session, one.name): one for one in await core.run_manager.states.measured_records()}
    assert found[agent.id, "analysis"].programs == 2
    assert found[agent.id, "analysis"].memory_mb > 1
    assert len(found) == 4
    assert len(told[-1]) == 4
    kinds = [entry.note.kind for entry in core.journal.entries(EntryQuery(limit=100))]
    assert kinds.count("repl_session.started") == 4


async def test_a_program_is_judged_with_all_that_ran_in_its_state(demo, agent):
    first = await allowed(demo, agent, f"async def notify():\n    {SENDS.replace(chr(10), chr(10) + '    ')}\nx = 1")
    assert first.state is RunState.DONE
    run = await waiting(demo, demo.run_manager.submit("await notify()", agent, state="analysis"))
    assert run.verdict.risk is not Risk.LOW
    assert run.verdict.sentence.startswith("Together with the program before it in this session")
    assert [use.tool for use in run.verdict.tools] == ["send_email"]
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await demo.run_manager.wait_until_finished(run.id)
    assert (done.state, [call.tool for call in done.calls]) == (RunState.DONE, ["send_email"])
    alone = await ran(demo, agent, "await notify()", state="")
    assert alone.state is RunState.FAILED


async def test_an_edited_program_is_judged_with_its_state_too(demo, agent):
    await allowed(demo, agent, f"async def notify():\n    {SENDS.replace(chr(10), chr(10) + '    ')}\nx = 1")
    run = await waiting(demo, demo.run_manager.submit("await notify()", agent, state="analysis"))
    edited = await demo.run_manager.edit(run.id, "x = 2\nawait notify()")
    assert edited.verdict.gate is Gate.ASK
    assert "Together with" in edited.verdict.sentence
    await demo.run_manager.stop(run.id)


async def test_programs_of_one_state_take_turns(demo, agent):
    first = await waiting(demo, demo.run_manager.submit(SENDS + "x = 1", agent, state="analysis"))
    behind = demo.run_manager.submit("result = x", agent, state="analysis")
    beside = await ran(demo, agent, "result = 2", state="other")
    assert beside.state is RunState.DONE
    assert demo.run_manager.run(behind.id).state is RunState.PROPOSED
    demo.run_manager.decide(Decision(first.id, first.proposal.sha, allow=True, by="you", fingerprint=first.fingerprint))
    follower = await demo.run_manager.wait_until_finished(behind.id)
    assert (follower.result, follower.decision) == ("1", None), "the call before it was judged then, and is over"


async def test_a_crash_is_told_to_the_next_program_which_does_not_run(core, agent, caplog):
    await ran(core, agent, "x = 1")
    crashed = await ran(core, agent, "import os\nos._exit(3)")
    if crashed.state is RunState.REFUSED:
        pytest.skip("the rules refuse it before it can crash")
    assert "The REPL session 'analysis' ended with it" in crashed.model_view
    next_one = await ran(core, agent, "write_file('ran', '1')\nresult = 1")
    assert next_one.state is RunState.REFUSED
    assert (
        "The program was not run. The REPL session 'analysis' has ended: the program's process ended"
        in next_one.model_view
    )
    assert not (core.paths.workspace / "ran").exists()
    assert not [
        record for record in caplog.records if record.levelname == "ERROR"
    ]  # a mistake of the program, not ours
    again = await ran(core, agent, "result = 'x' in globals()")
    assert (again.state, again.result) == (RunState.DONE, "false")


async def test_a_program_that_takes_too_long_takes_its_state_along(core, agent):
    await ran(core, agent, "x = 1")
    run = core.run_manager.submit("import time\ntime.sleep(60)", agent, seconds=0.5, state="analysis")
    late = await core.run_manager.wait_until_finished(run.id)
    assert "ran longer than 0.5 seconds" in late.model_view
    assert (
        "has ended: the program ran longer than 0.5 seconds, not counting tool calls."
        in (await ran(core, agent, "x")).model_view
    )


async def test_what_nobody_uses_expires_and_is_told_so(core, agent):
    await ran(core, agent, "x = 1")
    states = core.run_manager.states
    (one,) = states.records()
    assert one.expires == pytest.approx(one.used + 600)
    await states.end_unused()
    assert len(states.records()) == 1
    states._clock = lambda: one.expires + 1
    await states.end_unused()
    assert states.records() == ()
    gone = await ran(core, agent, "result = x")
    assert "has ended: it was not used for 10 minutes. Its variables are lost; files in the workspace remain." in (
        gone.model_view
    )
    ended = [
        entry.note for entry in core.journal.entries(EntryQuery(limit=100)) if entry.note.kind == "repl_session.ended"
    ]
    assert [note.summary for note in ended] == ["The REPL session analysis ended: it was not used for 10 minutes"]


async def test_everything_that_was_sent_before_its_author_knew_hears_that_it_is_gone(core, agent):
    await ran(core, agent, "x = 1")
    slow = core.run_manager.submit("import time\ntime.sleep(60)", agent, seconds=1.0, state="analysis")
    behind = [core.run_manager.submit(f"write_file('ran{n}', '')", agent, state="analysis") for n in range(2)]
    await core.run_manager.wait_until_finished(slow.id)
    for run in behind:
        assert (await core.run_manager.wait_until_finished(run.id)).state is RunState.REFUSED
    assert not list(core.paths.workspace.glob("ran*"))
    assert (await ran(core, agent, "result = 1")).result == "1"


async def test_the_oldest_idle_state_makes_room(core, agent):
    core.services.settings.set(replace(core.settings, repl_max_sessions=2))
    for name in ("a", "b", "c"):
        await ran(core, agent, "x = 1", name)
    assert {one.name for one in core.run_manager.states.records()} == {"b", "c"}
    assert "unused for the longest time" in (await ran(core, agent, "x", "a")).model_view


async def test_when_all_are_at_work_there_is_no_room(core, agent):
    core.services.settings.set(replace(core.settings, repl_max_sessions=1))
    busy = core.run_manager.submit("print(1, flush=True)\nimport time\ntime.sleep(60)", agent, state="a")
    heard = asyncio.Event()
    core.bus.listen(lambda event: heard.set() if type(event).__name__ == "RunOutput" else None)
    await asyncio.wait_for(heard.wait(), 60)
    refused = await ran(core, agent, "x = 1", "b")
    assert "are busy" in refused.model_view
    await core.run_manager.stop(busy.id)


async def test_stopping_a_program_ends_its_state(core, agent):
    heard = asyncio.Event()
    core.bus.listen(lambda event: heard.set() if type(event).__name__ == "RunOutput" else None)
    run = core.run_manager.submit("print(1)\nimport time\ntime.sleep(60)", agent, state="analysis")
    await asyncio.wait_for(heard.wait(), 60)
    await core.run_manager.stop(run.id)
    assert core.run_manager.states.records() == ()
    assert "has ended: its last program was stopped" in (await ran(core, agent, "x")).model_view


async def test_a_person_ends_a_state_while_a_program_waits_for_it(demo, agent):
    await ran(demo, agent, "x = 1")
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent, state="analysis"))
    assert await demo.api.end_state(agent.id, "analysis") == ()
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await demo.run_manager.wait_until_finished(run.id)
    assert (done.state, "has ended: the user ended it" in done.model_view) == (RunState.REFUSED, True)
    with pytest.raises(WorkbenchError, match="already ended"):
        await demo.run_manager.states.end(agent.id, "analysis", "again")


async def test_other_limits_end_a_state_instead_of_running_under_the_old_ones(core, agent):
    await ran(core, agent, "x = 1")
    core.services.settings.set(replace(core.settings, run_memory_mb=300))
    assert "the limits, folders or packages" in (await ran(core, agent, "result = x")).model_view
    assert (await ran(core, agent, "result = 5")).result == "5"


async def test_a_refused_first_program_begins_nothing(core, agent):
    assert (await ran(core, agent, "x = (")).state is RunState.REFUSED
    assert core.run_manager.states.records() == ()
    assert (await ran(core, agent, "result = 1")).result == "1"


@pytest.mark.parametrize("name", ["\n", "a\u202eb", "x" * 61, " a"])
async def test_a_name_that_cannot_be_read_is_refused(core, agent, name):
    with pytest.raises(WorkbenchError, match="visible characters"):
        core.run_manager.submit("1", agent, state=name)


async def test_a_run_remembers_its_state_when_the_core_is_another_one(core, agent):
    await ran(core, agent, "x = 1")
    from workbench.runs.restored_runs import past_runs

    runs, _ = past_runs(core.journal, core.services.audit_search)
    assert [run.proposal.state for run in runs] == ["analysis"]


async def test_states_end_with_their_agent(core, agent):
    await ran(core, agent, "x = 1")
    await ran(core, core.services.sessions.person, "y = 1")
    await core.run_manager.states.end_all(agent, "its agent disconnected")
    assert [one.author for one in core.run_manager.states.records()] == ["you"]
    assert json.loads((await ran(core, core.services.sessions.person, "result = y")).result) == 1


async def test_a_state_whose_agent_left_before_it_began_is_not_begun(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent, state="analysis"))
    demo.run_manager.states.end_of_agent(agent)
    await asyncio.sleep(0)
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    ended = await demo.run_manager.wait_until_finished(run.id)
    assert ended.state is RunState.REFUSED
    assert "its agent disconnected" in ended.fault.message
    await demo.services.sandbox.settle()
    assert "kept sandbox" not in living()


async def test_a_state_goes_on_when_the_program_before_ended_as_the_next_arrived(demo, agent):
    """The previous program never ran, so its end closes the session. The next program must work anyway."""
    first = await waiting(demo, demo.run_manager.submit(SENDS, agent, state="analysis"))
    stopping = asyncio.ensure_future(demo.run_manager.stop(first.id))
    await asyncio.sleep(0)
    second = demo.run_manager.submit("x = 1", agent, state="analysis")
    await stopping
    assert (await demo.run_manager.wait_until_finished(second.id)).state is RunState.DONE
    assert [state.name for state in demo.run_manager.states.records()] == ["analysis"]
    assert (await ran(demo, agent, "result = x")).result == "1"


async def test_who_begins_many_states_ends_its_own_before_those_of_others(core, agent):
    core.services.settings.set(replace(core.settings, repl_max_sessions=2))
    await ran(core, core.services.sessions.person, "x = 1", "mine")
    for name in ("a", "b", "c"):
        assert (await ran(core, agent, "x = 1", name)).state is RunState.DONE
    assert [(one.author, one.name) for one in core.run_manager.states.records()] == [
        (agent.author, "c"),
        ("you", "mine"),
    ]
