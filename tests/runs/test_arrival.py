"""What the model gets of a run's end, what it cost, and that nobody waits for ever."""

from __future__ import annotations

import asyncio

import pytest

from workbench.errors import WorkbenchError
from workbench.records import RunState


@pytest.fixture
def agent(core):
    return core.rooms.sessions.open("test agent")


async def test_a_long_result_is_cut_for_the_model_and_whole_in_the_workspace(core, agent):
    run = core.conveyor.submit("result = [{'n': n, 'text': 'x' * 40} for n in range(5000)]", agent)
    done = await core.conveyor.finished(run.id)
    assert done.state is RunState.DONE
    assert len(done.model_view) < 40_000
    assert "more items" in done.model_view
    assert '"n": 4999' in core.rooms.store.read(f"results/{run.id}.txt")


async def test_what_a_program_read_counts_as_saved_and_only_that(demo, agent):
    code = "from servers.demo import list_orders\npage = await list_orders(limit=200)\nresult = page['total']"
    first = await demo.conveyor.finished(demo.conveyor.submit(code, agent).id)
    again = await demo.conveyor.finished(demo.conveyor.submit(code, agent).id)
    assert again.calls[0].tokens > 1_000
    assert again.ledger.direct >= again.calls[0].tokens
    assert first.ledger.direct > again.ledger.direct, "definitions are loaded once in a session"
    assert again.ledger.actual < 200
    idle = await demo.conveyor.finished(demo.conveyor.submit("result = 1", agent).id)
    assert idle.ledger.direct == 0, "a program without calls saves nothing"


async def test_an_answer_that_cannot_be_prepared_is_not_sent_unmasked(core, agent, monkeypatch):
    def broken(text: str) -> str:
        if "secret" in text:
            raise RuntimeError("no masking today")
        return text

    monkeypatch.setattr(agent, "mask", broken)
    run = core.conveyor.submit("result = 'se' + 'cret'", agent)
    done = await asyncio.wait_for(core.conveyor.finished(run.id), 60)
    assert done.state is RunState.DONE
    assert "secret" not in done.model_view
    assert "could not be prepared" in done.model_view


async def test_nobody_waits_for_ever_when_the_audit_cannot_be_written(core, agent, monkeypatch):
    run = core.conveyor.submit("result = 1", agent)
    write = core.journal.append

    def full(note):
        if note.kind == "run.done":
            raise WorkbenchError("The audit cannot be written: disk full.")
        return write(note)

    monkeypatch.setattr(core.journal, "append", full)
    await asyncio.wait_for(core.conveyor.finished(run.id), 60)


@pytest.mark.parametrize("before", [84, 90, 96])
async def test_a_shortened_result_holds_no_half_of_an_address(core, agent, before):
    text = f"'{'x ' * (before // 2)}' + 'anna.muster@example.com' + ' tail' * 600"
    run = await core.conveyor.finished(core.conveyor.submit(f"result = [{text}] * 100", agent).id)
    assert run.state is RunState.DONE
    assert "more" in run.model_view
    assert "anna" not in run.model_view
