"""The end of a run: the answer for the model, its cost, and a bound on waiting."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tests.runs.steps import waiting
from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged, RunOutput
from workbench.records import Decision, EntryQuery, RunState
from workbench.thread_cancellation import WorkCancelled, cancellable, check_cancelled
from workbench.tokens import saved


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


async def test_a_long_result_is_cut_for_the_model_and_whole_in_the_workspace(core, agent):
    run = core.run_manager.submit("result = [{'n': n, 'text': 'x' * 40} for n in range(5000)]", agent)
    done = await core.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.DONE
    assert len(done.model_view) < 40_000
    assert "more items" in done.model_view
    assert '"n": 4999' in core.services.workspace_files.read(f"results/{run.id}.txt")


async def test_a_stop_while_the_answer_is_prepared_counts_at_once_and_ends_the_reading(core, agent, monkeypatch):
    began, ended = threading.Event(), threading.Event()

    def endless(text: str) -> str:
        if "xxxx" not in text:
            return text
        began.set()
        try:
            while True:
                check_cancelled()
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr(agent, "mask", endless)
    told, preparing = [], asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, RunChanged):
            told.append(event.run)
            if event.run.preparing:
                preparing.set()

    core.bus.listen(hear)
    run = core.run_manager.submit("result = ['x' * 40 for n in range(5000)]", agent)
    async with asyncio.timeout(60):
        await preparing.wait()
        assert await asyncio.to_thread(began.wait, 60), "else the stop might come before there is anything to give up"
        assert core.run_manager.run(run.id).state is RunState.RUNNING
        stopped = await core.run_manager.stop(run.id)
    assert stopped.state is RunState.STOPPED
    assert (stopped.preparing, stopped.stopping) == (False, False)
    assert any(one.stopping and one.state is RunState.RUNNING for one in told), "the stop is acknowledged at once"
    assert "only its answer was still being prepared" in stopped.model_view
    assert "xxxx" not in stopped.model_view
    assert stopped.result, "the user has it all the same"
    assert await asyncio.to_thread(ended.wait, 60), "the thread has given up"


async def test_a_stopped_program_that_printed_much_ends_with_the_end_of_it(core, agent):
    code = "import time\nfor n in range(12000): print('line', n)\nprint('that is all', flush=True)\ntime.sleep(25)"
    run = core.run_manager.submit(code, agent)
    printed = asyncio.Event()
    texts = []

    def hear(event: Event) -> None:
        if isinstance(event, RunOutput):
            texts.append(event.text)
            if "that is all" in "".join(texts[-3:]):
                printed.set()

    core.bus.listen(hear)
    async with asyncio.timeout(60):
        await printed.wait()
        stopped = await core.run_manager.stop(run.id)
    assert "that is all" in stopped.model_view
    assert "earlier characters are left out" in stopped.model_view
    assert "line 7\n" in stopped.output


async def test_the_users_own_answer_is_read_for_personal_data_as_far_as_it_is_shown(core):
    code = "result = [{'n': n, 'name': 'Ada Lovelace'} for n in range(20000)]"
    done = await core.run_manager.wait_until_finished(core.run_manager.submit(code, core.services.sessions.person).id)
    assert done.state is RunState.DONE
    assert '"n": 19999' in done.result
    assert len(done.model_view) < 1_000_000
    assert "are not shown here; no model reads them" in done.model_view


def test_reading_a_long_text_for_personal_data_ends_when_it_is_given_up(core, agent):
    flag = threading.Event()
    flag.set()
    text = "\n".join(f"Anna Müller, Seestr. {n}, 10115 Berlin, anna{n}@example.org" for n in range(2000))
    with cancellable(flag), pytest.raises(WorkCancelled):
        agent.mask_output(text)
    assert "anna7@example.org" not in agent.mask_output(text), "and is done whole the next time"


async def test_what_a_program_read_counts_as_saved_and_only_that(demo, agent):
    code = "from servers.demo import list_orders\npage = await list_orders(limit=200)\nresult = page['total']"
    first = await demo.run_manager.wait_until_finished(demo.run_manager.submit(code, agent).id)
    again = await demo.run_manager.wait_until_finished(demo.run_manager.submit(code, agent).id)
    assert again.calls[0].tokens > 1_000
    assert again.ledger.direct >= again.calls[0].tokens
    assert first.ledger.direct > again.ledger.direct, "definitions are loaded once in a session"
    assert again.ledger.actual < 200
    idle = await demo.run_manager.wait_until_finished(demo.run_manager.submit("result = 1", agent).id)
    assert idle.ledger.direct == 0, "a program without calls saves nothing"


async def test_a_denied_program_saves_nothing_and_the_next_one_counts_the_definitions(demo, agent):
    code = "from servers.demo import list_orders\nresult = (await list_orders(limit=200))['total']"
    run = await waiting(demo, demo.run_manager.submit(code, agent, force_approval=True))
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=False, by="you", fingerprint=run.fingerprint))
    denied = await demo.run_manager.wait_until_finished(run.id)
    assert denied.state is RunState.REFUSED
    assert denied.ledger.direct == 0
    assert denied.ledger.actual > 0, "the model wrote the program and read the answer"
    assert saved(demo.services.sessions.total()) == 0
    idle = await demo.run_manager.wait_until_finished(demo.run_manager.submit("result = 1", agent).id)
    assert idle.ledger.direct == 0
    done = await demo.run_manager.wait_until_finished(demo.run_manager.submit(code, agent).id)
    assert done.ledger.definitions > 0


async def test_an_answer_that_cannot_be_prepared_is_not_sent_unmasked(core, agent, monkeypatch):
    def broken(text: str) -> str:
        if "secret" in text:
            raise RuntimeError("no masking today")
        return text

    monkeypatch.setattr(agent, "mask", broken)
    run = core.run_manager.submit("result = 'se' + 'cret'", agent)
    done = await asyncio.wait_for(core.run_manager.wait_until_finished(run.id), 60)
    assert done.state is RunState.DONE
    assert "secret" not in done.model_view
    assert "could not be prepared" in done.model_view


async def test_nobody_waits_for_ever_when_the_audit_cannot_be_written(core, agent, monkeypatch):
    run = core.run_manager.submit("result = 1", agent)
    write = core.journal.append

    def full(note):
        if note.kind == "run.done":
            raise WorkbenchError("The audit cannot be written: disk full.")
        return write(note)

    monkeypatch.setattr(core.journal, "append", full)
    await asyncio.wait_for(core.run_manager.wait_until_finished(run.id), 60)


async def test_a_shortened_result_holds_no_half_of_an_address(core):
    for before in (84, 90, 96):
        agent = core.services.sessions.open("an agent that knows no address")
        text = f"'{'x ' * (before // 2)}' + 'anna.muster@example.com' + ' tail' * 600"
        run = await core.run_manager.wait_until_finished(core.run_manager.submit(f"result = [{text}] * 100", agent).id)
        assert run.state is RunState.DONE, before
        assert "more" in run.model_view, before
        assert "anna" not in run.model_view, before


async def test_a_run_whose_plan_cannot_be_composed_ends_as_failed(core, agent, monkeypatch):
    def broken(run):
        raise ValueError("no plan")

    monkeypatch.setattr("workbench.runs.run_finalizer.planned", broken)
    run = core.run_manager.submit("result = 1", agent)
    done = await core.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.FAILED
    assert done.fault.message == "The workbench failed with an internal error."
    newest = next(iter(core.journal.entries(EntryQuery(run_id=run.id))))
    assert newest.note.kind == "run.failed"
