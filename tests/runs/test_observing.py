"""A run's deeds are noted while it runs: its calls, its connections, and the files it left different."""

from __future__ import annotations

from dataclasses import replace

from workbench.records import CallTrace, EntryQuery, Risk, RunState
from workbench.runs import observing
from workbench.runs.observing import Observing

CODE = """
from pathlib import Path
from servers.demo import count_orders
await count_orders()
Path("workspace/told.txt").write_text("x")
Path("workspace/secret.txt").write_text("y")
"""


def trace(server="demo", tool="send_email", state="done"):
    return CallTrace("c", server, tool, "", Risk.LOW, state)


async def test_calls_connections_and_files_are_told_apart(tmp_path):
    (tmp_path / "old.txt").write_text("old")
    (tmp_path / "kept.txt").write_text("kept")
    seen = Observing(tmp_path)
    await seen.begin(alone=True)
    for one in (trace(state="running"), trace(), trace(state="refused"), trace("network", "a.example:443")):
        seen.take(one)
    (tmp_path / "old.txt").unlink()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/new.txt").write_text("new")
    found = await seen.end(alone=True)
    assert found.tools == {"demo.send_email": (1, 1)}
    assert found.hosts == {"a.example:443": (1, 0)}
    assert found.written == ("workspace/sub/new.txt",)
    assert found.deleted == ("workspace/old.txt",)


async def test_files_are_left_out_where_another_program_ran_or_there_are_too_many(tmp_path, monkeypatch):
    for first, last in ((True, False), (False, True)):
        seen = Observing(tmp_path)
        await seen.begin(alone=first)
        (tmp_path / f"{first}.txt").write_text("x")
        assert (await seen.end(alone=last)).written == ()
    monkeypatch.setattr(observing, "_QUICK", 1)
    seen = Observing(tmp_path)
    await seen.begin(alone=True)
    (tmp_path / "one more.txt").write_text("x")
    assert (await seen.end(alone=True)).written == ("workspace/one more.txt",), "counted on a thread"
    monkeypatch.setattr(observing, "_MOST", 2)
    assert (await seen.end(alone=True)).written == ()


async def test_what_a_text_did_not_foretell_is_shown_at_the_run_and_in_the_audit(demo, monkeypatch):
    assess = demo.conveyor.assess

    async def overlooks(*words):
        verdict = await assess(*words)
        return replace(verdict, findings=tuple(one for one in verdict.findings if "secret" not in one.subject))

    monkeypatch.setattr(demo.conveyor, "assess", overlooks)
    demo.settings = replace(demo.settings, approval_auto_medium=True, isolation_medium="process")
    agent = demo.rooms.sessions.open("test agent")
    run = await demo.conveyor.finished(demo.conveyor.submit(CODE, agent).id)
    assert run.state is RunState.DONE, run.fault
    lines = {one.subject: one for one in run.observed}
    assert lines["demo.count_orders"].times == 1
    assert lines["workspace/told.txt"].predicted
    assert lines["workspace/secret.txt"].unforeseen
    (entry,) = demo.journal.entries(EntryQuery(kind="run.unforeseen"))
    assert "wrote workspace/secret.txt" in entry.note.summary
    assert not entry.note.ok
    assert "private" in run.read
