"""Runs, approvals, REPL sessions, agent sessions and the API under a thread switch interval of 10 µs.

Each test starts work that crosses threads (assessing, masking, writing files, storing values) in many asyncio tasks at
once, and asserts what must hold for any thread schedule.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.api.in_memory import connect_in_memory
from workbench.audit.journal import ENDS
from workbench.broker.agent_sessions import Sessions
from workbench.broker.vault_persistence import VaultPersistence
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import Decision, EntryQuery, Run, RunState
from workbench.records.runs import ENDS as OVER
from workbench.runs.approvals import Approvals
from workbench.secrets.project_secrets import Secrets
from workbench.settings import Settings
from workbench.settings.current_settings import CurrentSettings

pytestmark = pytest.mark.usefixtures("quick_switches")

LONG = "x = [" + ", ".join(f"'mail{number}@example.org'" for number in range(120)) + "]\nprint(x)\nresult = {number}"


@pytest.fixture
def asking(core: Core) -> Core:
    """A core that requests approval for every program of an agent and runs three at once."""
    core.settings = replace(
        core.settings, approval_auto_low=False, approval_wait_seconds=60, run_concurrent=3, isolation_low="process"
    )
    return core


def _ends(core: Core, run: Run) -> list[str]:
    return [e.note.kind for e in core.journal.entries(EntryQuery(run_id=run.id)) if e.note.kind in ENDS]


async def _waits(core: Core, run: Run) -> Run:
    async with asyncio.timeout(60):
        while not core.run_manager.asks_user(run.id) and core.run_manager.run(run.id).state not in OVER:
            await asyncio.sleep(0.001)
    return core.run_manager.run(run.id)


def _decision(run: Run, *, allow: bool = True) -> Decision:
    return Decision(run.id, run.proposal.sha, allow=allow, by="you", fingerprint=run.fingerprint)


async def test_each_run_ends_once_whoever_decides_edits_and_stops_it(asking: Core) -> None:
    """Decisions, edits and stops of a run overlap with its assessment on a thread. Each answer is accepted at most
    once.
    """
    manager, agent = asking.run_manager, asking.services.sessions.open("agent")
    taken: Counter[str] = Counter()

    async def answer(run: Run, deed: Callable[[Run], Any], name: str) -> None:
        waiting = await _waits(asking, run)
        try:
            found = deed(waiting)
            if asyncio.iscoroutine(found):
                await found
            taken[run.id, name] += 1
        except WorkbenchError:
            pass  # a different answer came first

    async def whole(number: int) -> tuple[Run, int]:
        run = manager.submit(LONG.replace("{number}", str(number)), agent)
        deeds: list[tuple[str, Callable[[Run], Any]]] = [
            ("allow", lambda one: manager.decide(_decision(one))),
            ("deny", lambda one: manager.decide(_decision(one, allow=False))),
            ("edit", lambda one: manager.edit(one.id, f"print({number})\n" + "# edited\n" * 100)),
        ]
        if number % 3 == 0:
            deeds.append(("stop", lambda one: manager.stop(one.id)))
        order = deeds[number % len(deeds) :] + deeds[: number % len(deeds)]
        await asyncio.gather(*(answer(run, deed, name) for name, deed in order))
        latest = manager.run(run.id)
        if asking.run_manager.asks_user(run.id):  # only the edit was accepted, so the user answers for the new text
            manager.decide(_decision(latest))
        return await asyncio.wait_for(manager.wait_until_finished(run.id), 60), number

    for run, number in await asyncio.gather(*(whole(number) for number in range(9))):
        assert run.state in (RunState.DONE, RunState.REFUSED, RunState.STOPPED), (number, run.fault)
        assert len(_ends(asking, run)) == 1, number
        assert taken[run.id, "allow"] + taken[run.id, "deny"] <= 1, number
        if run.state is RunState.DONE:
            assert json.loads(run.result or "null") in (number, None), number
    assert (manager.slots.waiting, manager.slots.full, manager.busy) == (0, False, False)


async def test_programs_are_compared_with_allowed_ones_while_more_are_allowed(asking: Core) -> None:
    """The comparison runs on threads over a snapshot, while the store of allowed programs grows on the event loop."""
    manager, agent = asking.run_manager, asking.services.sessions.open("agent")
    first = await _waits(asking, manager.submit("print('v0')", agent))
    manager.decide(_decision(first))
    await manager.wait_until_finished(first.id)

    async def allowed(number: int) -> Run:
        waiting = await _waits(asking, manager.submit(f"print('v{number}')", agent))
        manager.decide(_decision(waiting))
        await manager.wait_until_finished(waiting.id)
        return waiting

    waited = await asyncio.gather(*(allowed(number) for number in range(1, 9)))
    assert all(run.like is not None and run.like.changes for run in waited), (
        "each differs from an allowed one by a value"
    )
    assert all(manager.run(run.id).state is RunState.DONE for run in waited)


async def test_programs_of_a_repl_session_never_overlap(core: Core) -> None:
    """Programs of two REPL sessions are submitted at once. Each sees the variables of earlier programs in its
    session.
    """
    core.settings = replace(core.settings, run_concurrent=4, isolation_low="process")
    manager, agent = core.run_manager, core.services.sessions.open("agent")
    first = [manager.submit("seen = []\nresult = 0", agent, state=name) for name in ("one", "two")]
    rest = [
        manager.submit(f"seen.append({number})\nresult = len(seen)", agent, state=name)
        for number in range(1, 5)
        for name in ("one", "two")
    ]
    runs = await asyncio.gather(*(manager.wait_until_finished(run.id) for run in chain(first, rest)))
    assert [run.state for run in runs] == [RunState.DONE] * 10, [run.fault for run in runs]
    assert sorted(json.loads(run.result) for run in runs) == sorted([0, 1, 2, 3, 4] * 2)
    assert [one.programs for one in manager.states.records()] == [5, 5]


async def test_run_lists_and_counts_stay_consistent_while_runs_end(core: Core) -> None:
    """The registry of runs is read through the API while runs begin, mask their answers on threads and end."""
    core.settings = replace(core.settings, run_concurrent=4, isolation_low="process")
    connection = await connect_in_memory(core.methods, core.bus)
    manager, agent = core.run_manager, core.services.sessions.open("agent")
    code = "print('\\n'.join(f'person{n}@example.org' for n in range(400)))\nresult = 'rNUMBER'"
    runs = [manager.submit(code.replace("NUMBER", str(number)), agent) for number in range(6)]
    known: set[str] = {run.id for run in runs}
    try:
        while manager.busy:
            listed = await connection.api.runs()
            assert {run.id for run in listed} == known
            status = await connection.api.status()
            assert status.running + status.queued <= len(runs)
            assert status.waiting == 0
        ended = await asyncio.gather(*(manager.wait_until_finished(run.id) for run in runs))
    finally:
        await connection.close()
    assert [run.state for run in ended] == [RunState.DONE] * 6
    assert all("person399@example.org" not in run.model_view for run in ended), "each answer is masked"
    assert [json.loads(run.result) for run in ended] == [f"r{number}" for number in range(6)]


async def test_answers_of_the_api_reach_the_request_they_belong_to(core: Core) -> None:
    """Methods on threads and on the event loop, called at once over one connection, with events between the answers."""
    connection = await connect_in_memory(core.methods, core.bus)
    try:

        async def file(number: int) -> None:
            path, text = f"f{number}.txt", f"text {number}\n" * 50
            await connection.api.write_file(path, text)
            assert (await connection.api.file_piece(path)).text == text

        async def clean(number: int) -> None:
            assert await connection.api.clean_code(f"x = {number}\r\n") == f"x = {number}\n"

        async def setting(number: int) -> None:
            assert (await connection.api.settings()).run_seconds == core.settings.run_seconds

        await asyncio.gather(*(work(number) for number in range(25) for work in (file, clean, setting)))
        assert len(await connection.api.files()) == 25
        assert len(await connection.api.file_changes(100)) == 25
    finally:
        await connection.close()


async def test_agent_sessions_come_and_go_while_their_values_are_kept(tmp_path: Path) -> None:
    """The registry of agent sessions changes on the event loop, while threads store and restore the values of
    sessions.
    """
    secrets = Secrets(tmp_path / "state")
    secrets.unlock("a passphrase that is long enough")
    sessions = Sessions(lambda: True, secrets.masks)
    keeper = VaultPersistence(tmp_path / "values", secrets, lambda: Settings(privacy_keep_days=7), sessions)
    opened = []

    async def agent(number: int) -> None:
        session = sessions.open(f"agent {number}")
        opened.append(session.id)
        text = f"person{number}@example.org"
        await asyncio.gather(
            asyncio.to_thread(session.mask, text),
            asyncio.to_thread(keeper.keep, session),
            asyncio.to_thread(keeper.bring_back),
        )
        sessions.set_name(session, "Claude Code")
        sessions.mark_disconnected(session)
        assert sessions.author(session.id).startswith("Claude Code")
        await asyncio.to_thread(keeper.release, session)

    await asyncio.gather(*(agent(number) for number in range(12)))
    assert len(set(opened)) == 12
    assert {one.id for one in sessions.all()} == {"person", *opened}
    kept = {file.stem for file in (tmp_path / "values").glob("*.jsonl")}
    assert kept == set(opened)
    later = Sessions(lambda: True, secrets.masks)
    VaultPersistence(tmp_path / "values", secrets, lambda: Settings(privacy_keep_days=7), later).bring_back()
    found = sorted(held.text for one in later.past.values() for _, held in one.vault.issued())
    assert found == sorted(f"person{number}@example.org" for number in range(12))


async def test_threads_read_whole_settings_while_they_change() -> None:
    """A thread never sees a mix of two versions of the settings."""
    pairs = [replace(Settings(), run_seconds=number, run_calls=number) for number in range(10, 40)]
    settings, told = CurrentSettings(pairs[0]), list[int]()
    settings.on_change(lambda: told.append(settings().run_seconds))
    over = False

    def look() -> set[tuple[int, int]]:
        seen = set()
        while not over:
            now = settings()
            seen.add((now.run_seconds, now.run_calls))
        return seen

    looks = [asyncio.ensure_future(asyncio.to_thread(look)) for _ in range(3)]
    for one in pairs:
        settings.set(one)
        await asyncio.sleep(0)
    over = True
    assert all(seconds == calls for seen in await asyncio.gather(*looks) for seconds, calls in seen)
    assert told == [one.run_seconds for one in pairs]


async def test_the_fingerprint_is_the_same_on_every_thread(core: Core) -> None:
    """The approval fingerprint does not depend on what other threads do with the catalog at the same time."""
    await core.catalog.connect("demo")
    agent, manager = core.services.sessions.open("agent"), core.run_manager
    run = manager.submit(
        "from servers.demo import send_email\nawait send_email(to='a@b.co', subject='', body='')", agent
    )
    waiting = await _waits(core, run)
    approvals = Approvals(core.services)
    found = await asyncio.gather(*(asyncio.to_thread(approvals.fingerprint, waiting) for _ in range(20)))
    assert set(found) == {waiting.fingerprint}
    await manager.stop(run.id)
