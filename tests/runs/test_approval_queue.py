"""A queue of approval requests: clocks that stop, denials that can be undone, many answers at once, muted agents."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time

import pytest
from msgspec.structs import replace

from tests.broker.test_run_guard import READ, SEND, outbox
from tests.runs.steps import PATIENCE, reached, waiting
from workbench.agent.program_tools import ProgramTools
from workbench.api.in_memory import connect_in_memory
from workbench.api.peer_credentials import WINDOW
from workbench.broker.approval_clocks import LEAST
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import ApprovalClocksChanged, HeldCallSettled
from workbench.records import Decision, EntryQuery, HeldCall, HeldCallAnswer, RunState

TICKET = (
    "from servers.demo import create_ticket\nawait create_ticket(customer_id='CUS-000{}', subject='late', body='b')\n"
)
FIRST = TICKET.format(1)
DELETES = "import os\nos.remove('workspace/{}.txt')\n"


@pytest.fixture
async def queue(demo):
    """A core in which every program asks, with a client of the user."""
    settings = replace(demo.settings, approval_auto_mild=False, isolation_medium="process", isolation_high="process")
    demo.services.settings.set(settings)
    return demo


@pytest.fixture
async def user(queue):
    connection = await connect_in_memory(queue.api, queue.bus, WINDOW)
    yield connection
    await connection.close()


@pytest.fixture
def agent(queue):
    return queue.services.sessions.open("test agent")


def change(core, **settings):
    core.services.settings.set(replace(core.settings, **settings))


async def proposed(core, session, code=FIRST):
    return await waiting(core, core.run_manager.submit(code, session))


def answer(run, allow, **more):
    return Decision(run.id, run.proposal.sha, allow, "", fingerprint=run.fingerprint, **more)


async def until(condition):
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)


async def start_review(core, connection):
    reviewing = asyncio.create_task(connection.api.review())
    await until(lambda: core.run_manager.clocks.reviewed)
    return reviewing


async def test_no_request_lapses_while_one_of_the_users_clients_shows_the_queue(queue, user, agent):
    events = []
    stop = queue.bus.listen(lambda event: events.append(event), ApprovalClocksChanged)
    first = await proposed(queue, agent)
    reviewing = await start_review(queue, user)
    change(queue, approval_wait_seconds=1)
    second = await proposed(queue, agent, TICKET.format(2))
    held = asyncio.create_task(
        queue.run_manager.held_calls.ask(HeldCall("", "", "c", "shell", "run", "{}", session="other"), "{}", 1.0)
    )
    lapsed, _ = await asyncio.wait([held], timeout=1.2)  # the time that the second program and the call had
    assert not lapsed
    listed = await user.api.runs()
    assert {run.state for run in listed} == {RunState.WAITING}
    assert all(run.clock_left and run.deadline > time.time() for run in listed)
    assert (await user.api.held_calls())[0].clock_left
    reviewing.cancel()
    await until(lambda: not queue.run_manager.clocks.reviewed)
    after = {run.id: run for run in await user.api.runs()}
    assert not after[first.id].clock_left
    assert LEAST - 5 < after[second.id].deadline - time.time() <= LEAST, "it continues with half a minute"
    assert {clock.request_id for clock in events[-1].clocks} >= {first.id, second.id}
    for run in (first, second):
        await user.api.decide(answer(run, False))
    await user.api.answer_held_call(HeldCallAnswer((await user.api.held_calls())[0].id, False))
    assert not (await held).allow
    stop()


async def test_the_clock_continues_when_the_window_dies_and_when_it_was_forgotten(queue, agent):
    change(queue, approval_wait_seconds=200)
    run = await proposed(queue, agent)
    window = await connect_in_memory(queue.api, queue.bus, WINDOW)
    spare = await connect_in_memory(queue.api, queue.bus, WINDOW)
    await start_review(queue, window)
    second = asyncio.create_task(spare.api.review())
    await window.close()
    assert queue.run_manager.clocks.reviewed, "another window is still open"
    await spare.close()
    with pytest.raises(WorkbenchError):
        await second
    await until(lambda: not queue.run_manager.run(run.id).clock_left)
    change(queue, approval_review_minutes=0)
    forgotten = await connect_in_memory(queue.api, queue.bus, WINDOW)
    await start_review(queue, forgotten)
    assert not queue.run_manager.run(run.id).clock_left, "the time for reviewing is over"
    await forgotten.close()
    await queue.run_manager.stop(run.id)


async def test_a_denial_can_be_undone_until_the_agent_is_told(queue, user, agent):
    run = await proposed(queue, agent)
    denied = await user.api.decide(answer(run, False, reason="wrong customer", undoable=True))
    assert (denied.state, denied.decision.reason) == (RunState.WAITING, "wrong customer")
    assert denied.denied_until > time.time()
    assert not denied.awaits_answer
    assert queue.run_manager.asks_user(run.id), "its author still waits"
    with pytest.raises(WorkbenchError, match="already denied by you"):
        await user.api.decide(answer(run, True))
    await user.api.undo_denial(run.id)
    again = queue.run_manager.run(run.id)
    assert (again.awaits_answer, again.decision) == (True, None)
    await user.api.decide(answer(again, True))
    assert (await queue.run_manager.wait_until_finished(run.id)).state is RunState.DONE
    kinds = [entry.note.kind for entry in queue.journal.entries(EntryQuery(run_id=run.id))]
    assert kinds.count("run.decided") == 1
    assert "run.denial_undone" in kinds
    with pytest.raises(WorkbenchError):
        await user.api.undo_denial(run.id)


async def test_a_denial_is_final_after_its_time_and_when_the_run_or_the_core_ends(queue, user, agent):
    change(queue, approval_undo_seconds=1)
    late, stopped = await proposed(queue, agent), await proposed(queue, agent, TICKET.format(2))
    for run in (late, stopped):
        await user.api.decide(answer(run, False, undoable=True))
    over = await user.api.stop_run(stopped.id)
    assert (over.state, over.decision.allow) == (RunState.REFUSED, False), "its agent left: denied, not stopped"
    ended = await queue.run_manager.wait_until_finished(late.id)
    assert (ended.state, ended.denied_until) == (RunState.REFUSED, 0.0)
    change(queue, approval_undo_seconds=60)
    last = await proposed(queue, agent)
    await user.api.decide(answer(last, False, undoable=True))
    await queue.run_manager.close()
    assert queue.run_manager.run(last.id).state is RunState.REFUSED


async def test_a_denied_call_can_be_undone_beside_later_calls_of_the_same_tool(queue, user):
    held_calls, settled = queue.run_manager.held_calls, []
    stop = queue.bus.listen(lambda event: settled.append(event), HeldCallSettled)

    def ask(line):
        call = HeldCall("", "", "c", "shell", "run", "{}", session="hook")
        return asyncio.create_task(held_calls.ask(call, line, 60.0))

    first = ask("one")
    await until(held_calls.all)
    (shown,) = held_calls.all()
    await user.api.answer_held_call(HeldCallAnswer(shown.id, False, undoable=True))
    assert settled[-1].held_call.denied_until > time.time()
    second = ask("two")
    await until(held_calls.all)
    await user.api.undo_denial(shown.id)
    (both,) = held_calls.all()
    assert set(both.list) == {"one", "two"}
    assert not first.done()
    gone = ask("three")
    await until(lambda: len(held_calls.all()[0].list) == 3)
    gone.cancel()
    await until(lambda: len(held_calls.all()[0].list) == 2)
    (last,) = held_calls.all()
    await user.api.answer_held_call(HeldCallAnswer(last.id, True))
    assert (await first).allow
    assert (await second).allow
    with pytest.raises(WorkbenchError, match="already allowed by you"):
        await user.api.answer_held_call(HeldCallAnswer(last.id, False))
    stop()


async def test_many_are_allowed_at_once_up_to_medium_risk_and_denied_at_any(queue, user, agent):
    tickets = [await proposed(queue, agent, TICKET.format(number)) for number in (1, 2, 3)]
    risky = [await proposed(queue, agent, DELETES.format(name)) for name in "ab"]
    stale = replace(answer(tickets[2], True), fingerprint="0" * 64)
    outcomes = await user.api.decide_many(
        (answer(tickets[0], True), answer(tickets[1], True), stale, answer(risky[0], True))
    )
    assert [bool(one.problem) for one in outcomes] == [False, False, True, True]
    assert "high risk cannot be allowed together" in outcomes[3].problem
    for run in tickets[:2]:
        assert (await queue.run_manager.wait_until_finished(run.id)).state is RunState.DONE
    left = [tickets[2], *risky]
    assert all(queue.run_manager.run(run.id).awaits_answer for run in left)
    outcomes = await user.api.decide_many(tuple(answer(run, False) for run in left))
    assert not any(one.problem for one in outcomes)
    for run in left:
        assert (await queue.run_manager.wait_until_finished(run.id)).state is RunState.REFUSED


async def test_everything_of_one_agent_is_denied_and_a_muted_agent_does_not_ask_again(queue, user, agent):
    other = queue.services.sessions.open("other agent")
    mine = [await proposed(queue, agent, TICKET.format(number)) for number in range(2)]
    theirs = await proposed(queue, other)
    outcomes = await user.api.deny_agent(agent.id, "Stop asking.", mute=True)
    assert {one.request_id for one in outcomes} == {run.id for run in mine}
    for run in mine:
        assert "Stop asking." in (await queue.run_manager.wait_until_finished(run.id)).fault.message
    muted = queue.run_manager.submit(TICKET.format(5), agent)
    ended = await queue.run_manager.wait_until_finished(muted.id)
    assert (ended.state, ended.decision) == (RunState.REFUSED, None)
    assert "denies all further requests" in ended.model_view
    ((session, denied),) = [(one.session, one.denied) for one in await user.api.muted_agents()]
    assert (session, denied) == (agent.id, 1)
    assert queue.run_manager.run(theirs.id).awaits_answer
    await user.api.unmute_agent(agent.id)
    again = await proposed(queue, agent)
    with pytest.raises(WorkbenchError):
        await user.api.deny_agent("person", mute=True)
    for run in (again, theirs):
        await user.api.decide(answer(run, False))
        await reached(queue, run, RunState.REFUSED)


async def test_of_two_answers_at_once_one_wins_and_the_other_client_is_told_who_decided(queue, user, agent):
    other = await connect_in_memory(queue.api, queue.bus, WINDOW)
    for _ in range(10):
        run = await proposed(queue, agent)
        results = await asyncio.gather(
            user.api.decide(answer(run, True)),
            other.api.decide(answer(run, False, undoable=True)),
            return_exceptions=True,
        )
        lost = [one for one in results if isinstance(one, WorkbenchError)]
        assert len(lost) == 1
        assert "by you, in the window" in str(lost[0])
        await queue.run_manager.stop(run.id)
    await other.close()


async def test_a_lapsed_program_is_put_back_and_its_agent_finds_it_under_the_old_id(queue, user, agent):
    change(queue, approval_wait_seconds=0)
    lapsed = await queue.run_manager.wait_until_finished(queue.run_manager.submit(FIRST, agent).id)
    assert (lapsed.state, lapsed.can_be_revived) == (RunState.REFUSED, True)
    change(queue, approval_wait_seconds=60)
    back = await user.api.revive(lapsed.id)
    run = await waiting(queue, back)
    assert (run.proposal.code, run.proposal.session) == (lapsed.proposal.code, agent.id)
    assert (run.proposal.revives, queue.run_manager.run(lapsed.id).revived_as) == (lapsed.id, run.id)
    with pytest.raises(WorkbenchError):
        await user.api.revive(lapsed.id)
    programs = ProgramTools(queue.services, queue.run_manager, agent)
    assert programs.find_run(lapsed.id).id == run.id
    assert "waits for the user" in programs.describe_open(programs.find_run(lapsed.id)).text
    await user.api.decide(answer(run, True))
    assert (await programs.wait_for_end(run.id, 40)).state is RunState.DONE
    done = await queue.run_manager.wait_until_finished(run.id)
    with pytest.raises(WorkbenchError):
        await user.api.revive(done.id)
    await until(lambda: not programs.awaited)


async def test_a_program_that_a_restart_interrupted_is_put_back_as_one_that_read_everything(paths):
    first = Core(paths)
    await first.open()
    await first.catalog.connect("demo")
    first.services.settings.set(replace(first.settings, approval_auto_mild=False, isolation_medium="process"))
    session = first.services.sessions.open("test agent")
    run = await waiting(first, first.run_manager.submit(FIRST, session))
    masked = await waiting(first, first.run_manager.submit(FIRST.replace("late", "anna.berger@posteo.de"), session))
    first.run_manager.held_calls.close()
    for stored in paths.waiting_requests.glob("*"):  # they could not be stored, as on a full disk
        stored.unlink()
    await first.close()
    second = Core(paths)
    await second.open()
    try:
        await second.catalog.connect("demo")
        old = second.run_manager.run(run.id)
        assert (old.state, old.can_be_revived) == (RunState.STOPPED, True), "the core closed while it waited"
        back = await waiting(second, second.run_manager.revive(run.id))
        assert (back.proposal.code, back.proposal.author) == (run.proposal.code, "test agent")
        assert second.services.sessions.get(back.proposal.session).provenance.kinds == {"private", "untrusted"}
        assert second.run_manager.run(run.id).revived_as == back.id
        with pytest.raises(WorkbenchError, match="not stored"):
            second.run_manager.revive(masked.id)
        await second.run_manager.stop(back.id)
    finally:
        await second.close()


async def test_programs_of_one_form_are_a_group_with_a_table_of_what_differs(queue, user, agent):
    mail = "from servers.demo import send_email\nawait send_email(to='{}', subject='Weekly', body='{}')\n"
    allowed = await proposed(queue, agent, mail.format("bob@acme.example", "week 1"))
    await user.api.decide(answer(allowed, True))
    await queue.run_manager.wait_until_finished(allowed.id)
    people = (("bob@acme.example", "week 2"), ("eve@evil.example", "week 2"))
    mails = [await proposed(queue, agent, mail.format(*values)) for values in people]
    ticket = await proposed(queue, agent)
    groups = await user.api.group_requests(tuple(run.id for run in (mails[0], ticket, mails[1])))
    assert [group.ids for group in groups] == [(mails[0].id, mails[1].id), (ticket.id,)]
    to, body = groups[0].columns
    assert (to.line, to.name, to.destination, to.last) == (2, "to", True, "'bob@acme.example'")
    assert (body.name, body.destination, body.last) == ("body", False, "'week 1'")
    assert [row.values for row in groups[0].rows] == [
        ("'bob@acme.example'", "'week 2'"), ("'eve@evil.example'", "'week 2'")
    ]  # fmt: skip
    assert [row.new for row in groups[0].rows] == [(False, False), (True, False)]
    assert groups[1].columns == ()
    await user.api.decide_many(tuple(answer(run, False) for run in (*mails, ticket)))
    for run in (*mails, ticket):
        await reached(queue, run, RunState.REFUSED)


async def test_the_user_changes_a_calls_arguments_and_its_author_is_told_once(queue, user, agent):
    change(queue, approval_auto_medium=True)
    await queue.run_manager.wait_until_finished(queue.run_manager.submit(READ, agent).id)
    run = queue.run_manager.submit(SEND, agent)
    await reached(queue, run, RunState.WAITING, RunState.RUNNING)
    if (waits := queue.run_manager.run(run.id)).awaits_answer:
        queue.run_manager.decide(answer(waits, True))
    await until(queue.run_manager.held_calls.all)
    (held,) = queue.run_manager.held_calls.all()
    assert held.editable
    given = json.loads(held.arguments)
    assert given["to"] == "records@collect-data.example"
    for wrong, words in (("{", "not valid JSON"), ('{"to": 5}', "does not take"), ("[]", "JSON object")):
        with pytest.raises(WorkbenchError, match=words):
            await user.api.edit_held_call(held.id, wrong)
    harmless = json.dumps({**given, "to": "team@acme.example"})
    assert "collect-data" not in str((await user.api.assess_held_call_edit(held.id, harmless)).why)
    worse = json.dumps({**given, "body": "All records", "to": "records@collect-data.example"})
    assert "to" in [one.path for one in (await user.api.assess_held_call_edit(held.id, worse)).origins]
    assert queue.run_manager.held_calls.all() == (held,), "a preview changes nothing"
    changed = await user.api.edit_held_call(held.id, harmless)
    assert (json.loads(changed.arguments)["to"], changed.original) == ("team@acme.example", held.arguments)
    with pytest.raises(WorkbenchError):
        await user.api.answer_held_call(HeldCallAnswer(held.id, True))
    await user.api.answer_held_call(HeldCallAnswer(changed.id, True))
    done = await queue.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.DONE, done.fault
    sent = [one["to"] for one in await outbox(queue)]
    assert sent == ["team@acme.example"]
    assert done.model_view.count("The user changed the arguments of this call") == 1
    assert re.search(r'\n- +"to": "\[EMAIL.*\n\+ +"to": "\[EMAIL', done.model_view), "the difference is masked"
    (edited,) = queue.journal.entries(EntryQuery(kind="call.edited", run_id=run.id))
    assert edited.note.detail["before"] != edited.note.detail["after"]


async def test_under_load_each_request_is_decided_once_whatever_clients_do_at_the_same_time(queue):
    """Thirty programs of five agents; three clients review, answer, undo, deny agents and disconnect at random."""
    chance = random.Random(5)
    agents = [queue.services.sessions.open(f"agent {number}") for number in range(5)]
    runs = [
        await proposed(queue, agent, TICKET.format(1).replace("late", f"late {number}"))
        for agent in agents
        for number in range(6)
    ]
    change(queue, approval_undo_seconds=1)
    accepted: dict[str, list[bool]] = {run.id: [] for run in runs}

    async def client(seed):
        own, connection = random.Random(seed), await connect_in_memory(queue.api, queue.bus, WINDOW)
        while any(queue.run_manager.run(run.id).state is RunState.WAITING for run in runs):
            reviewing = asyncio.create_task(connection.api.review())
            for run in own.sample(runs, 4):
                allow = own.random() < 0.5
                try:
                    await connection.api.decide(answer(run, allow, undoable=own.random() < 0.7))
                    accepted[run.id].append(allow)
                    if not allow and own.random() < 0.5:
                        await connection.api.undo_denial(run.id)
                        accepted[run.id].pop()
                except WorkbenchError:
                    pass  # a different client was first
            if own.random() < 0.3:
                await connection.close()
                connection = await connect_in_memory(queue.api, queue.bus, WINDOW)
            reviewing.cancel()
            await asyncio.wait([reviewing])
        await connection.close()

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(client(chance.random()) for _ in range(3)))
        for run in runs:
            ended = await queue.run_manager.wait_until_finished(run.id)
            assert accepted[run.id][-1] is (ended.state is RunState.DONE), ended.fault
            decided = queue.journal.entries(EntryQuery(kind="run.decided", run_id=run.id))
            assert [one.note.detail["allow"] for one in decided] == [ended.state is RunState.DONE]
    assert not queue.run_manager.clocks.reviewed
