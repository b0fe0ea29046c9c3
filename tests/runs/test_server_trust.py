"""One question about a server: until it is answered its programs ask, afterwards those run that use ticked groups."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from workbench.analysis.reading import Reading
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import EntryQuery, Risk, Run, RunState, ToolGroup, TrustQuestion

SERVER = str(Path(__file__).resolve().parent.parent / "mcp_servers" / "annotated.py")
LOOK, COUNT, ADD, DELETE, SWAP = (
    f"from servers.notes import {name}\nresult = str(await {name}(note='x'))\n"
    for name in ("look", "count", "add_note", "delete_note", "swap")
)


@pytest.fixture
async def notes(core: Core, paths: Paths) -> Core:
    entry = {"command": sys.executable, "args": ["-S", SERVER]}
    paths.servers_file.write_text(json.dumps({"mcpServers": {"notes": entry}}), encoding="utf-8")
    await core.catalog.reload()
    await core.api.connect("notes", (await core.api.consent("notes")).sha)
    return core


async def settle(core: Core, run: Run) -> Run:
    """The run once it waits or is over."""
    async with asyncio.timeout(60):
        while (now := core.run_manager.run(run.id)).state in (RunState.PROPOSED, RunState.CHECKED, RunState.RUNNING):
            await asyncio.sleep(0.02)
    return now


async def end(core: Core, run: Run) -> Run:
    async with asyncio.timeout(60):
        return await core.run_manager.wait_until_finished(run.id)


async def run(core: Core, code: str) -> Run:
    return await settle(core, core.run_manager.submit(code, core.services.sessions.person))


async def decide(core: Core, *groups: ToolGroup) -> TrustQuestion:
    question = await core.api.trust_question("notes")
    await core.api.decide_trust("notes", question.sha, groups)
    return await core.api.trust_question("notes")


async def test_reading_tools_of_an_undecided_server_are_unverified_and_wait_for_the_decision_only(notes: Core) -> None:
    waiting = await run(notes, LOOK)
    assert waiting.verdict is not None
    assert (waiting.state, waiting.verdict.risk) == (RunState.WAITING, Risk.MEDIUM)
    assert waiting.verdict.unverified == ("notes.look",)
    assert waiting.verdict.waits_for_trust == ("notes",)
    assert all(effect.unverified for effect in waiting.verdict.effects)
    destroying = await run(notes, DELETE)
    assert destroying.verdict is not None
    assert (destroying.verdict.risk, destroying.verdict.waits_for_trust) == (Risk.HIGH, ())


async def test_one_answer_lets_waiting_and_later_programs_of_ticked_groups_run(notes: Core) -> None:
    waiting = [await run(notes, code) for code in (LOOK, COUNT, ADD, DELETE)]
    assert {one.state for one in waiting} == {RunState.WAITING}
    question = await notes.api.trust_question("notes")
    assert question.groups == (ToolGroup.READS,), "reading is ticked in advance, nothing else"
    await decide(notes, ToolGroup.READS)
    assert {(await end(notes, one)).state for one in waiting[:2]} == {RunState.DONE}
    assert {notes.run_manager.run(one.id).state for one in waiting[2:]} == {RunState.WAITING}
    assert notes.run_manager.run(waiting[0].id).decision.by == "your decision about notes"
    assert (await run(notes, LOOK)).state is RunState.DONE
    await decide(notes, ToolGroup.READS, ToolGroup.ADDS)
    assert (await end(notes, waiting[2])).state is RunState.DONE
    assert (await run(notes, ADD)).state is RunState.DONE
    assert (await run(notes, DELETE)).state is RunState.WAITING
    assert len(notes.journal.entries(EntryQuery(kind="server.trusted"))) == 2


async def test_programs_that_an_answer_releases_while_agents_are_paused_run_when_they_are_resumed(notes: Core) -> None:
    agent = notes.services.sessions.open("Claude Code")
    waiting = await settle(notes, notes.run_manager.submit(LOOK, agent))
    await notes.api.change_setting("agent.paused", True)
    await decide(notes, ToolGroup.READS)
    assert (await run(notes, LOOK)).state is RunState.DONE, "the user is not paused"
    now = notes.run_manager.run(waiting.id)
    assert now.state is RunState.WAITING, now.fault
    assert now.verdict is not None
    assert now.verdict.waits_for_trust == ()
    await notes.api.change_setting("agent.paused", False)
    assert (await end(notes, waiting)).state is RunState.DONE


async def test_an_answer_without_ticks_asks_about_every_program(notes: Core) -> None:
    await decide(notes)
    waiting = await run(notes, LOOK)
    assert waiting.verdict is not None
    assert (waiting.state, waiting.verdict.waits_for_trust) == (RunState.WAITING, ())
    assert (await run(notes, ADD)).state is RunState.WAITING


async def test_a_changed_definition_reopens_only_its_tool(notes: Core) -> None:
    await decide(notes, ToolGroup.READS)
    assert (await run(notes, SWAP)).state is RunState.DONE
    async with asyncio.timeout(60):
        while not (changes := await notes.api.definition_changes("notes")):
            await asyncio.sleep(0.02)
    await notes.api.approve_definitions("notes", {"look": changes[0].hash})
    assert (await notes.api.permissions()).undecided == {"notes": ("look",)}
    assert (await run(notes, COUNT)).state is RunState.DONE
    waiting = await run(notes, LOOK)
    assert waiting.state is RunState.WAITING
    assert (await notes.api.trust_question("notes")).undecided == ("look",)
    await decide(notes, ToolGroup.READS)
    assert (await end(notes, waiting)).state is RunState.DONE


async def test_an_answer_about_another_table_is_refused(notes: Core) -> None:
    with pytest.raises(WorkbenchError, match="have changed since you looked"):
        await notes.api.decide_trust("notes", "0" * 64, (ToolGroup.READS,))
    assert not (await notes.api.permissions()).trust.decisions


async def test_an_answer_counts_if_the_clocks_were_stopped_meanwhile(
    notes: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = await run(notes, LOOK)
    collect, reviews = notes.run_manager.approvals.with_request_facts, ExitStack()

    async def collect_and_review(assessed: Run, reading: Reading | None) -> Run:
        found = await collect(assessed, reading)
        reviews.enter_context(notes.run_manager.clocks.reviewing())
        return found

    with reviews:
        monkeypatch.setattr(notes.run_manager.approvals, "with_request_facts", collect_and_review)
        await decide(notes, ToolGroup.READS)
        assert (await end(notes, waiting)).state is RunState.DONE
