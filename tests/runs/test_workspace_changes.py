"""File changes of a run are listed at the run, recorded in the audit, and can be undone. A failure of this stops no
run.
"""

from __future__ import annotations

import asyncio
import sqlite3

import pytest
from msgspec.structs import replace

from tests.runs.steps import reached, waiting
from workbench.events import FilesChanged
from workbench.records import Decision, EntryQuery, RunState
from workbench.runs import workspace_changes
from workbench.workspace.undo import Undoing

WRITES = "open('workspace/{0}.txt', 'w').write('{0}')"


@pytest.fixture
async def agent(core):
    core.settings = replace(core.settings, approval_auto_medium=True, isolation_medium="process")
    return core.services.sessions.open("test agent")


async def done(core, agent, code, **words):
    return await core.run_manager.wait_until_finished(core.run_manager.submit(code, agent, "to test", **words).id)


async def test_row_138_what_a_run_wrote_is_told_audited_and_taken_back(core, agent):
    told = []
    core.bus.listen(lambda event: told.append(event) if isinstance(event, FilesChanged) else None)
    core.services.workspace_files.write("kept.txt", "kept")
    run = await done(core, agent, WRITES.format("one"))
    assert run.state is RunState.DONE, run.fault
    assert [(one.subject, one.predicted) for one in run.observed] == [("workspace/one.txt", True)]
    assert told == [FilesChanged(run.id, 1)]
    (entry,) = core.journal.entries(EntryQuery(kind="run.files_changed"))
    assert entry.note.summary == "changed one file of the workspace: one.txt"
    found = await asyncio.to_thread(Undoing(core.services.snapshots).undo, run.id, ["one.txt"], "you")
    assert list(found.files) == ["one.txt"]
    assert [one.path for one in core.services.workspace_files.list()] == ["kept.txt"]


async def test_programs_at_once_are_told_apart(core, agent):
    waits = "import asyncio\nawait asyncio.sleep(0.2)\n"
    runs = await asyncio.gather(*(done(core, agent, waits + WRITES.format(name)) for name in ("a", "b", "c")))
    assert all(run.state is RunState.DONE for run in runs)
    for run, name in zip(runs, "abc", strict=True):
        files = core.services.snapshots.book.find(run.id).files
        assert f"{name}.txt" in files
        assert all(one.shared for path, one in files.items() if path != f"{name}.txt"), "never told as its own alone"


async def test_a_run_is_not_accused_of_what_the_workbench_or_somebody_outside_wrote_meanwhile(core, agent):
    code = "import os, time\nopen('workspace/mine.txt', 'w').write('x')\n"
    code += "for _ in range(2000):\n    if not os.path.isdir('workspace/results'):\n        time.sleep(0.02)\n"
    run = await waiting(core, core.run_manager.submit(code, agent, "to wait", force_approval=True))
    core.run_manager.decide(Decision(run.id, run.proposal.sha, True, "you", fingerprint=run.fingerprint))
    await reached(core, run, RunState.RUNNING)
    (core.services.paths.workspace / "notes.txt").write_text("saved in an editor")
    long = await done(core, agent, "result = ['x' * 40 for n in range(40000)]")
    assert f"results/{long.id}.txt" in long.model_view
    ended = await core.run_manager.wait_until_finished(run.id)
    assert ended.state is RunState.DONE, ended.fault
    assert [one.subject for one in ended.observed if one.unforeseen] == []
    assert not list(core.journal.entries(EntryQuery(kind="run.unpredicted_effect")))
    files = core.services.snapshots.book.find(run.id).files
    assert sorted(files) == ["mine.txt", "notes.txt"], "and no file of the workbench's own"
    assert "outside" in files["notes.txt"].shared
    assert "outside" not in files["mine.txt"].shared


async def test_what_cannot_write_is_not_watched(core, agent, monkeypatch):
    begun = []
    monkeypatch.setattr(core.services.snapshots, "begin", lambda *words, **more: begun.append(words))
    assert (await done(core, agent, "print(1)", profile="read_only")).state is RunState.DONE
    assert begun == []


async def test_a_disk_that_fails_stops_no_run(core, agent, monkeypatch, caplog):
    def fails(*words, **more):
        raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr(core.services.snapshots, "begin", fails)
    run = await done(core, core.services.sessions.person, WRITES.format("one"))
    assert run.state is RunState.DONE
    assert "cannot be listed" in caplog.text
    monkeypatch.setattr(core.services.snapshots, "warm", fails)
    await workspace_changes.prepare_snapshots(core.services.snapshots, [])
    assert "cannot be watched" in caplog.text
