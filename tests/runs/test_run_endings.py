"""A run that is stopped at any await of its pipeline leaves no active call, slot, copy, process or asyncio task."""

from __future__ import annotations

import asyncio
import collections.abc
import contextlib
import sys

import psutil
import pytest
from msgspec.structs import replace

from workbench.core import Core
from workbench.events import RunCall, RunChanged, living
from workbench.records import Decision, EntryQuery, RunState

ENDS = ("run.done", "run.failed", "run.refused", "run.stopped")
READS = """
from servers.demo import list_orders
open("workspace/new.txt", "w").write("x")
print(len((await list_orders(limit=5))["orders"]))
"""
DELETES = """
from client import ToolError
from servers.demo import list_orders, delete_customer
await list_orders(limit=2)
try:
    await delete_customer(customer_id="CUS-0003")
except ToolError:
    pass  # an earlier program deleted it
open("workspace/old.txt", "w").write("changed")
"""
READS_MAIL = "from servers.demo import read_mail\nprint((await read_mail(mail_id='IN-0004'))['body'])"
SENDS_MAIL = """
from servers.demo import send_email
await send_email(to="records@collect-data.example", subject="Records", body="Here they are")
"""
PRINTS = "for number in range(3000):\n    print('line', number)"
MOST_AWAITS = 300  # more than any of these programs has


class _Counting(collections.abc.Coroutine):
    """Runs a coroutine and calls back when it is suspended for the nth time."""

    def __init__(self, coro, suspended):
        self._coro, self._suspended = coro, suspended

    def send(self, value):
        waits_for = self._coro.send(value)
        self._suspended()
        return waits_for

    def throw(self, *fault):
        waits_for = self._coro.throw(*fault)
        self._suspended()
        return waits_for

    def close(self):
        self._coro.close()

    def __await__(self):
        raise NotImplementedError


@contextlib.contextmanager
def stopped_at(core: Core, count: int):
    """Stop the next run when an asyncio task of it is suspended for the nth time. Yields the number of suspensions."""
    seen, loop = [], asyncio.get_running_loop()

    def suspended() -> None:
        seen.append(None)
        if len(seen) == count:
            stops.append(loop.create_task(core.run_manager.stop(core.run_manager.runs()[0].id)))

    def make(loop, coro, **more):
        return asyncio.Task(_Counting(coro, suspended), loop=loop, **more)

    stops = []
    loop.set_task_factory(make)
    try:
        yield seen
    finally:
        loop.set_task_factory(None)


def allow_everything(core: Core) -> None:
    def hear(event) -> None:
        if isinstance(event, RunChanged) and event.run.state is RunState.WAITING and not event.run.stopping:
            run = event.run
            decision = Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint)
            asyncio.get_running_loop().call_soon(lambda: _decide(core, decision))

    core.bus.listen(hear, RunChanged)


def _decide(core: Core, decision: Decision) -> None:
    if core.run_manager.asks_user(decision.run_id):
        core.run_manager.decide(decision)


def left_behind(core: Core, run, calls: dict[str, str]) -> list[str]:
    """The resources that a finished run has not released."""
    found = [f"call {one.tool} is {one.state}" for one in run.calls if one.state in ("running", "waiting")]
    found += [f"call {name} is shown as {state}" for name, state in calls.items() if state in ("running", "waiting")]
    found += ["a slot"] if core.run_manager.slots.full or core.run_manager.slots.waiting else []
    found += (
        ["a held call"] if core.run_manager.held_calls.all() or core.run_manager.held_calls.has_waiting(run.id) else []
    )
    found += ["a server's request"] if core.catalog.asks.holds(run.id) else []
    found += ["a mark in a copy"] if list(core.paths.workspace_copies.glob("*/run.json")) else []
    found += ["a watched workspace"] if core.services.snapshots.knows(run.id) else []
    found += [name for name in living() if run.id in name]
    ends = [e.note.kind for e in core.journal.entries(EntryQuery(run_id=run.id)) if e.note.kind in ENDS]
    return found + ([] if len(ends) == 1 else [f"its ends: {ends}"])


async def nothing_of_it(core: Core, run, calls: dict[str, str], where: str) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10):
            while left_behind(core, run, calls) or _copies(core) > 0:
                await asyncio.sleep(0.01)
    assert left_behind(core, run, calls) == [], where
    assert _copies(core) <= 0, where


def _copies(core: Core) -> int:
    """Copies of the workspace, without spare copies and those of open REPL sessions."""
    return len(list(core.paths.workspace_copies.iterdir())) - 2 - len(core.run_manager.states.records())


async def _processes_end(most: int) -> None:
    """Wait until only the processes of the sandbox and of its pool are left."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10):
            while len(psutil.Process().children(recursive=True)) > most:
                await asyncio.sleep(0.05)
    assert len(psutil.Process().children(recursive=True)) <= most


async def stopped_everywhere(core: Core, submit) -> int:
    """Stop the run that `submit` starts at each of its awaits, one after the other. Returns the number of awaits."""
    calls: dict[str, str] = {}
    core.bus.listen(lambda event: calls.update({event.trace.call_id: event.trace.state}), RunCall)
    before = len(psutil.Process().children(recursive=True))
    for count in range(1, MOST_AWAITS):
        calls.clear()
        with stopped_at(core, count) as seen:
            run = submit()
            run = await asyncio.wait_for(core.run_manager.wait_until_finished(run.id), 60)
        await nothing_of_it(core, run, calls, f"stopped at await {count} of {len(seen)}")
        if len(seen) < count:
            assert run.state is RunState.DONE, run.fault
            await core.run_manager.states.end_all(None, "the test ends")
            await _processes_end(before + 4)
            return count
    raise AssertionError("the program takes more awaits than were tried")


@pytest.fixture
def narrow(demo):
    """A core that runs one program at a time, so that a leaked slot blocks the next run."""
    anywhere = {f"isolation_{risk}": "process" for risk in ("low", "medium", "high", "critical")}
    demo.services.settings.set(replace(demo.settings, run_concurrent=1, **anywhere))
    (demo.paths.workspace / "old.txt").write_text("old")
    allow_everything(demo)
    return demo


async def test_a_program_nobody_is_asked_about_can_be_stopped_at_every_await(narrow):
    agent = narrow.services.sessions.open("agent")
    assert await stopped_everywhere(narrow, lambda: narrow.run_manager.submit(READS, agent)) > 3


async def test_a_program_that_is_approved_can_be_stopped_at_every_await(narrow):
    agent = narrow.services.sessions.open("agent")
    assert await stopped_everywhere(narrow, lambda: narrow.run_manager.submit(DELETES, agent)) > 5


async def test_a_program_in_a_repl_session_can_be_stopped_at_every_await(narrow):
    agent = narrow.services.sessions.open("agent")
    names = iter(f"s{number}" for number in range(MOST_AWAITS))
    assert await stopped_everywhere(narrow, lambda: narrow.run_manager.submit(READS, agent, state=next(names))) > 3


async def test_a_later_program_of_a_repl_session_can_be_stopped_at_every_await(narrow):
    agent = narrow.services.sessions.open("agent")
    calls: dict[str, str] = {}
    for count in range(1, MOST_AWAITS):
        first = narrow.run_manager.submit("x = 1", agent, state="one")
        await narrow.run_manager.wait_until_finished(first.id)
        with stopped_at(narrow, count) as seen:
            run = narrow.run_manager.submit("print(x)\nopen('workspace/n.txt', 'w').write('x')", agent, state="one")
            run = await asyncio.wait_for(narrow.run_manager.wait_until_finished(run.id), 60)
        await nothing_of_it(narrow, run, calls, f"stopped at await {count} of {len(seen)}")
        if len(seen) < count:
            return
    raise AssertionError("the program takes more awaits than were tried")


async def test_a_dry_run_can_be_stopped_at_every_await(narrow):
    person = narrow.services.sessions.person
    assert await stopped_everywhere(narrow, lambda: narrow.run_manager.submit(DELETES, person, dry_run=True)) > 3


async def test_a_large_workspace_is_copied_and_left_at_every_await(narrow):
    for number in range(300):  # more than the event loop processes itself
        (narrow.paths.workspace / f"{number}.txt").write_text("x" * 1000)
    agent, numbers = narrow.services.sessions.open("agent"), iter(range(1000))

    def submit():
        (narrow.paths.workspace / f"more{next(numbers)}.txt").write_text("y" * 1000)
        return narrow.run_manager.submit(READS, agent)

    assert await stopped_everywhere(narrow, submit) > 3


async def test_a_stop_while_the_answer_is_prepared_leaves_nothing(narrow):
    agent, calls = narrow.services.sessions.open("agent"), {}
    run = narrow.run_manager.submit(PRINTS, agent)

    def hear(event) -> None:
        if event.run.id == run.id and event.run.preparing:
            stops.append(asyncio.get_running_loop().create_task(narrow.run_manager.stop(run.id)))

    stops = []
    narrow.bus.listen(hear, RunChanged)
    run = await narrow.run_manager.wait_until_finished(run.id)
    await asyncio.gather(*stops)
    await nothing_of_it(narrow, run, calls, "stopped while its answer was prepared")


async def test_a_held_call_ends_with_its_run(narrow):
    agent, calls = narrow.services.sessions.open("agent"), {}
    narrow.bus.listen(lambda event: calls.update({event.trace.call_id: event.trace.state}), RunCall)
    narrow.settings = replace(narrow.settings, approval_auto_medium=True)
    await narrow.run_manager.wait_until_finished(narrow.run_manager.submit(READS_MAIL, agent).id)
    for how in ("stopped", "nobody answered", "the core closed"):
        calls.clear()
        narrow.settings = replace(narrow.settings, approval_wait_seconds=1 if how == "nobody answered" else 300)
        run = narrow.run_manager.submit(SENDS_MAIL, agent)
        async with asyncio.timeout(60):
            while not narrow.run_manager.held_calls.has_waiting(run.id):
                assert not narrow.run_manager.run(run.id).ended, narrow.run_manager.run(run.id).fault
                await asyncio.sleep(0.01)
        assert "waiting" in calls.values(), how
        if how == "stopped":
            await narrow.run_manager.stop(run.id)
        elif how == "the core closed":
            await narrow.run_manager.close()
        run = await asyncio.wait_for(narrow.run_manager.wait_until_finished(run.id), 60)
        await nothing_of_it(narrow, run, calls, how)


async def test_an_audit_that_cannot_be_written_still_closes_the_run(narrow, monkeypatch):
    agent = narrow.services.sessions.open("agent")
    append = narrow.journal.append

    def full(note):
        if note.kind == "run.running":
            raise OSError(28, "No space left on device")
        append(note)

    monkeypatch.setattr(narrow.journal, "append", full)
    run = narrow.run_manager.submit(READS, agent)
    run = await asyncio.wait_for(narrow.run_manager.wait_until_finished(run.id), 60)
    assert run.state is RunState.FAILED
    await nothing_of_it(narrow, run, {}, "the audit is full")


async def test_runs_end_whole_while_threads_switch_all_the_time(narrow):
    narrow.services.settings.set(replace(narrow.settings, run_concurrent=4))
    agents = [narrow.services.sessions.open(f"agent {number}") for number in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        runs = [narrow.run_manager.submit(READS, agent) for agent in agents for _ in range(3)]
        for run in runs[::3]:
            await asyncio.sleep(0.02)
            await narrow.run_manager.stop(run.id)
        ended = [await asyncio.wait_for(narrow.run_manager.wait_until_finished(run.id), 60) for run in runs]
    finally:
        sys.setswitchinterval(before)
    assert {run.state for run in ended} <= {RunState.DONE, RunState.STOPPED}
    for run in ended:
        await nothing_of_it(narrow, run, {}, "many at once")
