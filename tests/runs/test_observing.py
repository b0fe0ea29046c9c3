"""Observed effects are recorded during a run: its calls, its connections, and the files it changed."""

from __future__ import annotations

from msgspec.structs import replace

from workbench.records import CallTrace, EntryQuery, Risk, RunState
from workbench.runs import program_assessment
from workbench.runs.run import ObservedActions
from workbench.workspace.change_store import Change, PathState
from workbench.workspace.snapshots import Writer

CODE = """
from pathlib import Path
from servers.demo import count_orders
await count_orders()
Path("workspace/told.txt").write_text("x")
Path("workspace/secret.txt").write_text("y")
"""


def trace(server="demo", tool="send_email", state="done"):
    return CallTrace("c", server, tool, "", Risk.LOW, state)


def test_calls_connections_and_files_are_told_apart():
    seen, file, folder = ObservedActions(), PathState(0o100644, 3, 1, "sha"), PathState(0o040755, 0, 0, "")
    for one in (trace(state="running"), trace(), trace(state="refused"), trace("network", "a.example:443")):
        seen.count_trace(one)
    writer = Writer("r", "run", "agent")
    writer.files = {"old.txt": Change(file, None), "sub": Change(None, folder), "sub/new.txt": Change(None, file)}
    writer.rewritten = {"as it was.txt"}
    found = seen.observed_effects(writer)
    assert found.tools == {"demo.send_email": (1, 1)}
    assert found.hosts == {"a.example:443": (1, 0)}
    assert found.written == ("workspace/as it was.txt", "workspace/sub/new.txt")
    assert found.deleted == ("workspace/old.txt",)


def test_files_are_left_out_where_another_program_may_have_written_them_or_nobody_knows():
    file = PathState(0o100644, 3, 1, "sha")
    writer = Writer("r", "run", "agent")
    writer.files = {"both.txt": Change(None, file, frozenset({"other"})), "mine.txt": Change(None, file)}
    assert ObservedActions().observed_effects(writer).written == ("workspace/mine.txt",)
    assert ObservedActions().observed_effects(None).written == ()


async def test_what_a_text_did_not_foretell_is_shown_at_the_run_and_in_the_audit(demo, monkeypatch):
    bound = program_assessment.apply_bounds

    def overlooks(*given):
        verdict = bound(*given)
        return replace(verdict, findings=tuple(one for one in verdict.findings if "secret" not in one.subject))

    monkeypatch.setattr(program_assessment, "apply_bounds", overlooks)
    demo.settings = replace(demo.settings, approval_auto_medium=True, isolation_medium="process")
    agent = demo.services.sessions.open("test agent")
    run = await demo.run_manager.wait_until_finished(demo.run_manager.submit(CODE, agent).id)
    assert run.state is RunState.DONE, run.fault
    lines = {one.subject: one for one in run.observed}
    assert lines["demo.count_orders"].times == 1
    assert lines["workspace/told.txt"].predicted
    assert lines["workspace/secret.txt"].unforeseen
    (entry,) = demo.journal.entries(EntryQuery(kind="run.unpredicted_effect"))
    assert "wrote workspace/secret.txt" in entry.note.summary
    assert not entry.note.ok
    assert "private" in run.read
