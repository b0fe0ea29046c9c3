"""A person's own hands in the workspace, and what they see of what runs did there."""

from __future__ import annotations

import asyncio
import base64

import pytest
from msgspec.structs import replace

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import FilesChanged
from workbench.records import Decision, EntryQuery, RunState
from workbench.workspace import file_change_records


@pytest.fixture
async def core(paths):
    house = Core(paths)
    await house.open()
    house.settings = replace(house.settings, approval_auto_medium=True, isolation_medium="process")
    yield house
    await house.close()


async def ran(core, code):
    agent = core.services.sessions.open("test agent")
    made = core.run_manager.submit(code, agent, "to test", force_approval=True)
    while (waits := core.run_manager.run(made.id)).state is not RunState.WAITING:
        await asyncio.sleep(0.01)
    core.run_manager.decide(Decision(made.id, made.proposal.sha, allow=True, by="you", fingerprint=waits.fingerprint))
    run = await core.run_manager.wait_until_finished(made.id)
    assert run.fault is None, run.fault
    return run


async def test_what_a_run_did_is_shown_compared_and_taken_back_as_planned(core):
    api = core.api
    await api.write_file("notes.txt", "one\ntwo\n")
    code = "open('workspace/notes.txt','w').write('one\\n2\\n')\nimport os\nos.makedirs('workspace/.git/hooks')\n"
    run = await ran(core, code + "open('workspace/.git/hooks/pre-commit','w').write('#!')")
    newest = (await api.file_changes())[0]
    assert (newest.id, newest.kind, newest.actor, newest.label, newest.count) == (
        run.id,
        "run",
        "test agent",
        "to test",
        4,
    )
    files = {one.path: one for one in (await api.changes_of(run.id)).files}
    assert [files[path].deed for path in ("notes.txt", ".git/hooks/pre-commit")] == ["changed", "added"]
    assert "git runs it" in files[".git/hooks/pre-commit"].warning
    assert await api.changed_text(run.id, "notes.txt") == ("one\ntwo\n", "one\n2\n")
    plan = await api.undo_plan(run.id)
    assert {line.path: line.deed for line in plan.lines}["notes.txt"] == "restore"
    told = []
    core.bus.listen(lambda event: told.append(event) if isinstance(event, FilesChanged) else None)
    done = await api.undo_files(run.id, tuple(line.path for line in plan.lines))
    assert told == [FilesChanged(done.id, 4)]
    assert await api.read_file("notes.txt") == "one\ntwo\n"
    assert not (core.paths.workspace / ".git").exists()
    assert core.journal.entries(EntryQuery(kind="file.changes_undone"))[0].note.run_id == run.id
    assert (await api.changes_of(run.id)).undone_by == done.id


async def test_a_persons_own_deeds_can_be_undone_too(core):
    api = core.api
    await api.make_folder("in")
    await api.write_file("in/a.txt", "a")
    await api.rename_file("in/a.txt", "in/b.txt")
    removed = await api.remove_files(("in",))
    assert await api.file_level() == ()
    plan = await api.undo_plan(removed.id)
    await api.undo_files(removed.id, tuple(line.path for line in plan.lines))
    assert await api.read_file("in/b.txt") == "a"
    assert [one.label for one in await api.file_changes()][1:] == [
        "deleted in", "moved in/a.txt to in/b.txt", "wrote in/a.txt", "created the folder in"
    ]  # fmt: skip
    kept = await api.storage_usage()
    assert kept.changes == 5
    await api.delete_file_history()
    with pytest.raises(WorkbenchError, match="no recorded changes"):
        await api.undo_plan(removed.id)


async def test_files_come_and_go_between_the_workspace_and_the_disk(core, tmp_path):
    api, folder = core.api, tmp_path / "mine"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.csv").write_text("a")
    (folder / "sub/b.csv").write_text("b")
    (folder / "link").symlink_to("/etc/passwd")
    brought = await api.import_files((str(folder), str(folder / "a.csv")), "data")
    again = await api.import_files((str(folder / "a.csv"),), "data")
    assert [one.path for one in (*brought, *again)] == [
        "data/mine/a.csv", "data/mine/sub/b.csv", "data/a.csv", "data/a (2).csv"
    ]  # fmt: skip
    assert await api.export_file("data/a.csv", str(tmp_path / "out.csv")) == 1
    assert (tmp_path / "out.csv").read_text() == "a"
    with pytest.raises(WorkbenchError, match="cannot be read"):
        await api.import_files((str(tmp_path / "nothing"),))
    with pytest.raises(WorkbenchError):
        await api.export_file("../../etc/passwd", str(tmp_path / "stolen"))
    assert not (tmp_path / "stolen").exists()


async def test_files_are_shown_by_what_is_in_them(core, monkeypatch):
    store, api = core.services.workspace_files, core.api
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
    for name, data in (("a.json", b"{}"), ("b.csv", b"a,b"), ("c.txt", png), ("d.json", b"\0\1"), ("e.svg", b"<svg/>")):
        await asyncio.to_thread(store.write_bytes, name, data)
    kinds = {name: (await api.file_piece(name)).kind for name in ("a.json", "b.csv", "c.txt", "d.json", "e.svg")}
    assert kinds == {"a.json": "json", "b.csv": "csv", "c.txt": "image", "d.json": "binary", "e.svg": "text"}
    assert base64.b64decode((await api.file_piece("c.txt")).text) == png
    monkeypatch.setattr(file_change_records, "PIECE", 10)
    await api.write_file("long.txt", "ü" * 12)
    first = await api.file_piece("long.txt")
    rest = await api.file_piece("long.txt", first.end)
    assert (first.text, rest.start, rest.size) == ("ü" * 5, 10, 24)
    assert (await api.file_room()).files == 6
