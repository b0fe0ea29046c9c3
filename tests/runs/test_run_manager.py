"""A run passes its states in order, waits for the user, and ends exactly once."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.runs.steps import reached, waiting
from workbench.errors import WorkbenchError
from workbench.events import RunCall, RunChanged
from workbench.offload import PROGRAM_READING
from workbench.records import Decision, EntryQuery, Gate, RunState
from workbench.runs import program_assessment
from workbench.runs.run_manager import OPEN_RUNS

SENDS = 'from servers.demo import send_email\nawait send_email(to="a@example.org", subject="s", body="b")\n'


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


async def test_a_harmless_program_goes_straight_through(core, agent):
    steps = []
    core.bus.listen(lambda event: steps.append(str(event.run.state)) if isinstance(event, RunChanged) else None)
    run = core.run_manager.submit("print('hello')\nresult = 6 * 7", agent)
    done = await core.run_manager.wait_until_finished(run.id)
    assert steps == ["proposed", "checked", "running", "done"]
    assert (done.output, done.result) == ("hello\n", "42")
    assert "42" in done.model_view


async def test_a_failing_program_is_reported_with_its_own_line_and_what_it_printed(core, agent):
    run = core.run_manager.submit("print('before')\nvalues = [1]\nvalues[5]\n", agent)
    done = await core.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.FAILED
    assert "IndexError" in done.model_view
    assert "values[5]" in done.model_view
    assert "before" in done.model_view


async def test_only_a_short_program_is_read_on_the_loop(core, monkeypatch):
    threads, read = [], program_assessment.read_program

    def noted(*given, **named):
        threads.append(threading.get_ident())
        return read(*given, **named)

    monkeypatch.setattr(program_assessment, "read_program", noted)
    for size in (PROGRAM_READING.limit, PROGRAM_READING.limit + 1):
        await core.run_manager.assess("x = 1".ljust(size - 1) + "\n")
    assert [one == threading.get_ident() for one in threads] == [True, False]


async def test_text_that_does_not_parse_goes_back_at_once(core, agent):
    done = await core.run_manager.wait_until_finished(core.run_manager.submit("if True print(1)", agent).id)
    assert done.state is RunState.REFUSED
    assert done.verdict.gate is Gate.BLOCKED
    assert "line 1" in done.model_view.lower()


async def test_hidden_characters_are_refused_and_cannot_be_allowed(core, agent):
    done = await core.run_manager.wait_until_finished(core.run_manager.submit("x = 1 # \u202e evil", agent).id)
    assert done.state is RunState.REFUSED
    with pytest.raises(WorkbenchError):
        core.run_manager.decide(
            Decision(done.id, done.proposal.sha, allow=True, by="you", fingerprint=done.fingerprint)
        )


async def test_nobody_there_means_no(demo, agent):
    demo.services.settings.set(_with(demo.settings, approval_wait_seconds=0))
    done = await demo.run_manager.wait_until_finished(demo.run_manager.submit(SENDS, agent).id)
    assert done.state is RunState.REFUSED
    assert "not answered in time" in done.model_view


async def test_a_waiting_run_can_be_stopped(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    stopped = await demo.run_manager.stop(run.id)
    assert stopped.state is RunState.STOPPED
    with pytest.raises(WorkbenchError):
        demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))


async def test_a_stop_right_after_an_allow_still_stops(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    stopped = await demo.run_manager.stop(run.id)
    assert stopped.state is RunState.STOPPED
    assert stopped.calls == ()


async def test_a_second_decision_is_refused(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=False, by="you"))
    with pytest.raises(WorkbenchError):
        demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    assert (await demo.run_manager.wait_until_finished(run.id)).state is RunState.REFUSED


async def test_of_two_edits_of_the_same_text_the_second_is_refused_and_replaces_nothing(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    first = await demo.run_manager.edit(run.id, "print(1)", run.proposal.sha)
    with pytest.raises(WorkbenchError, match="changed in another window"):
        await demo.run_manager.edit(run.id, "print(2)", run.proposal.sha)
    assert demo.run_manager.run(run.id).proposal.code == first.proposal.code
    await demo.run_manager.edit(run.id, "print(2)", first.proposal.sha)
    await demo.run_manager.stop(run.id)


async def test_an_edit_to_broken_text_cannot_be_allowed(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    edited = await demo.run_manager.edit(run.id, "if True print(1)")
    with pytest.raises(WorkbenchError):
        demo.run_manager.decide(
            Decision(run.id, edited.proposal.sha, allow=True, by="you", fingerprint=edited.fingerprint)
        )
    await demo.run_manager.stop(run.id)


async def test_an_endless_program_ends_at_its_limit_with_the_reason(core, agent):
    run = core.run_manager.submit("print('start', flush=True)\nfor _ in range(10**12):\n    pass\n", agent, seconds=2)
    done = await core.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.FAILED
    assert "start" in done.model_view
    assert "2 s" in done.fault.message or "second" in done.fault.message


async def test_a_run_stopped_before_its_first_step_still_ends(core, agent):
    run = core.run_manager.submit("print(1)", agent)
    stopped = await asyncio.wait_for(core.run_manager.stop(run.id, "Too late."), 60)
    assert stopped.state is RunState.STOPPED
    assert "Too late." in (await asyncio.wait_for(core.run_manager.wait_until_finished(run.id), 60)).model_view


async def test_two_doors_may_stop_the_same_run(core, agent):
    run = core.run_manager.submit("import time\ntime.sleep(30)", agent)
    await reached(core, run, RunState.RUNNING)
    both = await asyncio.wait_for(asyncio.gather(core.run_manager.stop(run.id), core.run_manager.stop(run.id)), 60)
    assert [one.state for one in both] == [RunState.STOPPED] * 2


async def test_a_changed_number_of_programs_at_once_counts_at_once(core, agent):
    core.services.settings.set(_with(core.settings, run_concurrent=1))
    first = core.run_manager.submit("import time\ntime.sleep(30)", agent)
    await reached(core, first, RunState.RUNNING)
    second = core.run_manager.submit("result = 2", agent)
    await reached(core, second, RunState.CHECKED)
    await asyncio.sleep(0.1)  # enough time for the run to start
    assert core.run_manager.run(second.id).state is RunState.CHECKED
    core.services.settings.set(_with(core.settings, run_concurrent=2))
    assert (await asyncio.wait_for(core.run_manager.wait_until_finished(second.id), 60)).state is RunState.DONE
    await core.run_manager.stop(first.id)


async def test_a_queued_run_and_one_in_a_call_are_stopped_and_it_is_told_at_once(demo, agent):
    demo.services.settings.set(_with(demo.settings, run_concurrent=1))
    told = []
    demo.bus.listen(lambda event: told.append(event.run) if isinstance(event, RunChanged) else None)
    calling = asyncio.Event()
    demo.bus.listen(lambda event: calling.set() if isinstance(event, RunCall) else None)
    code = "from servers.demo import export_orders\nawait export_orders(seconds=100)"
    first = demo.run_manager.submit(code, agent)
    await asyncio.wait_for(calling.wait(), 60)
    second = demo.run_manager.submit("result = 2", agent)
    await reached(demo, second, RunState.CHECKED)
    for run in (second, first):
        stopped = await asyncio.wait_for(demo.run_manager.stop(run.id), 60)
        assert (stopped.state, stopped.stopping) == (RunState.STOPPED, False)
        assert [one.state for one in told if one.id == run.id and one.stopping], "before it was over"
    kinds = [entry.note.kind for entry in demo.journal.entries(EntryQuery(kind="call."))]
    assert "call.cancelled" in kinds


async def test_an_allowed_run_that_must_queue_no_longer_waits_for_a_person(demo, agent):
    demo.services.settings.set(_with(demo.settings, run_concurrent=1))
    first = demo.run_manager.submit("import time\ntime.sleep(30)", agent)
    await reached(demo, first, RunState.RUNNING)
    second = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    demo.run_manager.decide(
        Decision(second.id, second.proposal.sha, allow=True, by="you", fingerprint=second.fingerprint)
    )
    async with asyncio.timeout(60):
        while demo.run_manager.run(second.id).state is RunState.WAITING:
            await asyncio.sleep(0.02)
    assert demo.run_manager.run(second.id).state is RunState.CHECKED
    await demo.run_manager.stop(first.id)
    assert (await asyncio.wait_for(demo.run_manager.wait_until_finished(second.id), 60)).state is RunState.DONE


async def test_closing_the_core_ends_what_runs(core, agent):
    run = core.run_manager.submit("import time\ntime.sleep(30)", agent)
    await reached(core, run, RunState.RUNNING)
    await core.run_manager.close()
    assert core.run_manager.run(run.id).state is RunState.STOPPED


def _with(settings, **changes):
    from msgspec.structs import replace

    return replace(settings, **changes)


async def test_an_agent_has_only_so_many_programs_open(demo, agent):
    runs = [demo.run_manager.submit(SENDS, agent) for _ in range(OPEN_RUNS)]
    with pytest.raises(WorkbenchError, match="programs that wait or run"):
        demo.run_manager.submit(SENDS, agent)
    first = await waiting(demo, runs[0])
    again = demo.run_manager.submit(SENDS, agent, join=True)
    assert again.id == first.id, "what waits already is joined, and needs no further one"
    other = demo.services.sessions.open("another agent")
    assert (
        await demo.run_manager.wait_until_finished(demo.run_manager.submit("result = 1", other).id)
    ).state is RunState.DONE


async def test_the_audit_keeps_a_reason_for_denying_with_tokens_for_personal_data(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=False, by="you", reason="not to rosa@example.net"))
    done = await demo.run_manager.wait_until_finished(run.id)
    kept = str([dict(entry.note.detail) for entry in demo.journal.entries(EntryQuery(run_id=run.id))])
    assert "rosa@example.net" not in kept
    assert "rosa@example.net" not in done.model_view
