"""Programs get a kept answer only where a person said so, of tools that only read, and everybody can see it is one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.events import SignInChanged
from workbench.records import EntryQuery, Origin, ToolCall

READS = "from servers.demo import count_orders\nresult = await count_orders()"


@pytest.fixture
async def agent(demo):
    demo.settings = replace(demo.settings, cache_tools="demo", approval_auto_medium=True, isolation_medium="process")
    return demo.services.sessions.open("test agent")


@pytest.fixture
def asked(demo, monkeypatch):
    """The tools that the server was really asked for."""
    seen, true = [], demo.services.catalog.call

    async def call(one, progress=None):
        seen.append(one.tool)
        return await true(one, progress)

    monkeypatch.setattr(demo.services.catalog, "call", call)
    return seen


async def ran(demo, agent, code):
    run = await demo.run_manager.finished(demo.run_manager.submit(code, agent, "to test").id)
    assert run.fault is None, run.fault
    return run


async def test_row_140_the_second_time_the_server_is_not_asked_and_everybody_can_see_it(demo, agent, asked):
    first, second = await ran(demo, agent, READS), await ran(demo, agent, READS)
    assert asked == ["count_orders"]
    assert first.result == second.result
    assert [run.calls[0].note.split(",")[0] for run in (first, second)] == ["", "cached"]
    entries = demo.journal.entries(EntryQuery(kind="call.done"))
    assert entries[0].note.summary == "demo.count_orders was answered from the cache"
    assert "cached" in entries[0].note.detail
    assert "cached" not in entries[1].note.detail
    assert (await demo.api.kept_files()).cached == 1
    assert await demo.api.clear_cache() == 1
    await ran(demo, agent, READS)
    assert len(asked) == 2


async def test_what_may_change_something_is_never_kept_and_makes_the_rest_void(demo, agent, asked):

    await ran(demo, agent, READS)

    broker = demo.run_manager._broker
    words = {"to": "a@example.org", "subject": "s", "body": "b"}
    mail = ToolCall("c2", "demo", "send_email", words, Origin.PERSON, "person", confirmed=True)

    assert (await broker.call(mail)).ok
    await ran(demo, agent, READS)
    assert asked == ["count_orders", "send_email", "count_orders"]


async def test_off_unless_named_and_never_for_a_persons_own_press(demo, agent, asked):
    await ran(demo, agent, READS)
    press = ToolCall("c1", "demo", "count_orders", {}, Origin.PERSON, "person")
    assert not (await demo.run_manager._broker.call(press)).cached
    demo.settings = replace(demo.settings, cache_tools="")
    await ran(demo, agent, READS)
    assert len(asked) == 3
    demo.settings = replace(demo.settings, cache_tools="demo.list_* docs")
    await ran(demo, agent, READS)
    assert len(asked) == 4


async def test_who_signs_in_anew_gets_nothing_of_who_was_there(demo, agent, asked):
    await ran(demo, agent, READS)
    demo.bus.tell(SignInChanged("demo", "done"))
    await ran(demo, agent, READS)
    assert len(asked) == 2
