"""Programs without approval, in real sandboxes: existing files stay unchanged until the user allows the changes."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.core import Core
from workbench.events import FilesHeld, RunChanged
from workbench.records import Decision, EntryQuery, Gate, RunState
from workbench.runs import pipeline
from workbench.sandbox.isolation_probe import BACKENDS
from workbench.workspace import workspace_copies as stages

IMAGE = "P3 1 1 255 0 0 0\n"
XML = "<old/>"
WRITERS = {
    "ElementTree.write": "import xml.etree.ElementTree as E\nE.ElementTree(E.fromstring('<b/>')).write('workspace/f')",
    "fileinput": "import fileinput\nfor line in fileinput.input('workspace/f', inplace=True): print('changed')",
    "zipfile": "import zipfile\nwith zipfile.ZipFile('workspace/f', 'w') as z: z.writestr('a', 'b')",
    "logging": "import logging\nlogging.basicConfig(filename='workspace/f', filemode='w')\nlogging.error('x')",
    "shutil.move": "import shutil\nopen('workspace/g', 'w').write('new')\nshutil.move('workspace/g', 'workspace/f')",
    "truncate": "import os\nos.truncate('workspace/f', 0)",
    "unlink": "import pathlib\npathlib.Path('workspace/f').unlink()",
    "link": "import os\nos.unlink('workspace/f')\nos.symlink('/etc/passwd', 'workspace/f')",
    "chmod": "import os\nos.chmod('workspace/f', 0o777)",
    "sqlite3": "import sqlite3\ndb = sqlite3.connect('workspace/f2')\ndb.execute('create table t(x)')\n"
    "db.commit()\ndb.close()\nimport os\nos.replace('workspace/f2', 'workspace/f')",
}
PACKAGED = {
    "numpy": "import numpy as n\nn.arange(3).tofile('workspace/f')",
    "matplotlib": "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as p\np.plot([1])\n"
    "p.savefig('workspace/f', format='png')",
    "PIL": "from PIL import Image\nImage.new('RGB', (2, 2)).save('workspace/f', format='png')",
    "pandas": "import pandas as p\np.DataFrame({'a': [1]}).to_csv('workspace/f')",
}


ANYWHERE = {f"isolation_{risk}": "process" for risk in ("low", "medium", "high", "critical")}
HANGS = 60.0


async def _opened(paths, **more) -> Core:
    core = Core(paths)
    await core.open()
    core.settings = replace(core.settings, **ANYWHERE, **more)
    return core


@pytest.fixture(autouse=True)
def blind(monkeypatch):
    """Disable the analysis. Approval is requested only if the author asks for it."""
    monkeypatch.setattr(pipeline, "decide_gate", lambda verdict, settings, force: Gate.ASK if force else Gate.AUTO)


@pytest.fixture
def agent(core):
    core.settings = replace(core.settings, **ANYWHERE)
    return core.services.sessions.open("test agent")


async def done(core, session, code, **words):
    run = core.run_manager.submit(code, session, "to test", **words)
    async with asyncio.timeout(HANGS):
        return await core.run_manager.wait_until_finished(run.id)


async def waiting(core, run):
    async with asyncio.timeout(HANGS):
        while core.run_manager.run(run.id).state is not RunState.WAITING:
            await asyncio.sleep(0.01)


def allow(core, run):
    fingerprint = core.run_manager.run(run.id).fingerprint
    core.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=fingerprint))


async def inside(core, name):
    """Wait until a program has written this file in its copy."""
    async with asyncio.timeout(HANGS):
        while not list(core.paths.workspace_copies.glob(f"*/workspace/{name}")):
            await asyncio.sleep(0.01)


async def approved(core, session, code, **words):
    """Submit a program that needs approval, and allow it."""
    run = core.run_manager.submit(code, session, "to test", force_approval=True, **words)
    await waiting(core, run)
    allow(core, run)
    return await core.run_manager.wait_until_finished(run.id)


def held(core) -> dict[str, set[str]]:
    return {one.id: set(one.files) for one in core.services.held_files.all()}


async def holds_and_obeys(core, session, code):
    """The file f stays unchanged until its change is allowed, gets the new content then, and stays for good after a
    denial.
    """
    file = core.paths.workspace / "f"
    file.write_text(XML)
    file.chmod(0o644)
    denied = await done(core, session, code)
    assert denied.decision is None, "nobody was asked"
    assert denied.state is RunState.DONE, denied.fault
    assert (file.read_text(), stat.S_IMODE(file.lstat().st_mode)) == (XML, 0o644)
    assert denied.held == ("f",)
    assert "NOT changed in the workspace: f (" in denied.model_view
    await core.api.decide_files(denied.id, (), ("f",))
    assert file.read_text() == XML
    allowed = await done(core, session, code)
    assert held(core) == {allowed.id: {"f"}}
    await core.api.decide_files(allowed.id, ("f",), ())
    assert held(core) == {}
    assert core.run_manager.run(allowed.id).held == ()
    now = "link" if file.is_symlink() else file.read_bytes() if file.exists() else None
    assert (now, stat.S_IMODE(file.lstat().st_mode) if file.exists() else 0) != (XML.encode(), 0o644)
    if file.is_symlink():
        file.unlink()


@pytest.mark.parametrize("name", WRITERS)
async def test_whatever_writes_an_existing_file_is_held(core, agent, name):
    await holds_and_obeys(core, agent, WRITERS[name])


async def test_writers_of_packages_are_held_too(paths):
    core = await _opened(paths, run_packages="numpy pandas matplotlib pillow")
    try:
        for name in (name for name in PACKAGED if importlib.util.find_spec(name)):
            try:
                await holds_and_obeys(core, core.services.sessions.open("test agent"), PACKAGED[name])
            except AssertionError as fault:
                raise AssertionError(f"{name} does not hold") from fault
    finally:
        await core.close()


@pytest.mark.parametrize("backend", BACKENDS)
async def test_every_process_sandbox_holds(paths, monkeypatch, backend):
    monkeypatch.setenv("MCP_WORKBENCH_SANDBOX", backend)
    core = await _opened(paths)
    try:
        level = core.sandbox.levels()[0]
        if not level.available:
            pytest.skip(level.sentence)
        assert level.backend == backend
        session = core.services.sessions.open("test agent")
        await holds_and_obeys(core, session, WRITERS["ElementTree.write"])
        for state in ("", "kept"):
            run = await done(core, session, "open('workspace/log', 'a').write('x')", state=state)
            assert run.held == (), run.model_view
        assert (core.paths.workspace / "log").read_text() == "xx"
    finally:
        await core.close()


async def test_new_files_and_the_sessions_own_stay_free_and_others_sessions_are_foreign(core, agent):
    other = core.services.sessions.open("another agent")
    first = await done(core, agent, "open('workspace/a.txt', 'w').write('1')")
    second = await done(core, agent, "open('workspace/a.txt', 'a').write('2')")
    assert (first.held, second.held) == ((), ())
    assert (core.paths.workspace / "a.txt").read_text() == "12"
    third = await done(core, other, "open('workspace/a.txt', 'a').write('3')")
    assert third.held == ("a.txt",)
    assert (core.paths.workspace / "a.txt").read_text() == "12"
    (entry,) = core.journal.entries(EntryQuery(kind="run.changes_held"))
    assert entry.note.summary == "wants to change one file of the workspace: a.txt"
    sees = "print(open('workspace/a.txt').read())"
    for session in (agent, other, core.services.sessions.person):
        assert (await done(core, session, sees)).output == "12\n", "what is pending is seen by nobody"
    assert (await approved(core, other, sees)).output == "12\n"


async def test_an_approved_program_and_the_users_own_write_at_once(core, agent):
    file = core.paths.workspace / "a.txt"
    for author in (
        lambda code: approved(core, agent, code),
        lambda code: done(core, core.services.sessions.person, code),
    ):
        file.write_text("old")
        run = await author("open('workspace/a.txt', 'w').write('new')")
        assert (run.state, run.held, file.read_text()) == (RunState.DONE, (), "new")
    made = await approved(core, agent, "open('workspace/made.txt', 'w').write('1')")
    assert made.state is RunState.DONE
    assert (await done(core, agent, "open('workspace/made.txt', 'a').write('2')")).held == (), "its session made it"


async def test_a_database_goes_on_across_programs(core, agent):
    opens = "import sqlite3\ndb = sqlite3.connect('workspace/own.db')\n"
    wal = opens + "db.execute('pragma journal_mode=wal')\ndb.execute('create table t(x)')\ndb.commit()\ndb.close()"
    assert (await done(core, agent, wal)).state is RunState.DONE
    for number in range(3):
        run = await done(core, agent, f"{opens}db.execute('insert into t values (?)', ({number},))\ndb.commit()")
        assert run.held == (), run.model_view
    for number in range(3, 6):
        start = opens if number == 3 else ""
        code = f"{start}db.execute('insert into t values (?)', ({number},))\ndb.commit()"
        run = await done(core, agent, code, state="db")
        assert (run.state, run.held) == (RunState.DONE, ()), run.model_view
    with sqlite3.connect(core.paths.workspace / "own.db") as db:
        assert [row[0] for row in db.execute("select x from t order by x")] == list(range(6))
    db.close()
    with sqlite3.connect(core.paths.workspace / "users.db") as users:
        users.execute("create table t(x)")
    users.close()
    before = (core.paths.workspace / "users.db").read_bytes()
    run = await done(core, agent, opens.replace("own", "users") + "db.execute('insert into t values (1)')\ndb.commit()")
    assert run.held == ("users.db",)
    assert (core.paths.workspace / "users.db").read_bytes() == before
    await core.api.decide_files(run.id, ("users.db",), ())
    with sqlite3.connect(core.paths.workspace / "users.db") as users:
        assert users.execute("select count(*) from t").fetchone() == (1,)
    users.close()


async def test_a_kept_state_that_mixes_approved_and_unapproved_programs(core, agent):
    file = core.paths.workspace / "a.txt"
    file.write_text("old")
    first = await done(core, agent, "x = 1\nopen('workspace/a.txt', 'w').write('unapproved')", state="s")
    assert (first.held, file.read_text()) == (("a.txt",), "old")
    second = await approved(core, agent, "print(x, open('workspace/a.txt').read())", state="s")
    assert second.output == "1 old\n", "what waits is not seen, not even in the same process"
    third = await approved(core, agent, "open('workspace/a.txt', 'w').write('approved')", state="s")
    assert (third.held, file.read_text()) == (("a.txt",), "old"), "the first may have left something behind"
    assert "Programs without approval ran in this REPL session, so the user decides" in third.model_view
    await core.api.decide_files(third.id, ("a.txt",), ())
    assert file.read_text() == "approved"
    file.write_text("the user's")
    fourth = await done(core, agent, "print(open('workspace/a.txt').read())", state="s")
    assert fourth.output == "the user's\n", "it goes on with what the workspace holds now"
    fifth = await done(core, agent, "open('workspace/a.txt', 'a').write('!')\nraise SystemExit(3)", state="s")
    assert (fifth.state, fifth.held, file.read_text()) == (RunState.FAILED, ("a.txt",), "the user's")
    assert held(core) == {first.id: {"a.txt"}, fifth.id: {"a.txt"}}
    await core.run_manager.states.end_all(agent, "the test is over")
    assert list(core.paths.workspace_copies.glob("*/run.json")) == []


async def test_a_state_in_which_every_program_was_approved_writes_at_once(core, agent):
    file = core.paths.workspace / "a.txt"
    file.write_text("old")
    for text in ("one", "two"):
        run = await approved(core, agent, f"open('workspace/a.txt', 'w').write({text!r})", state="s")
        assert (run.held, file.read_text()) == ((), text)


async def test_a_thread_that_an_unapproved_program_left_writes_nothing_while_an_approved_one_runs(core, agent):
    file = core.paths.workspace / "a.csv"
    file.write_text("precious")
    code = (
        "import threading, time\n"
        "def write():\n    while True:\n        time.sleep(0.02)\n        open('workspace/a.csv', 'w').write('EVIL')\n"
        "threading.Thread(target=write, daemon=True).start()"
    )
    await done(core, agent, code, state="s")
    run = await approved(core, agent, "import time\nopen('workspace/b', 'w').write('1')\ntime.sleep(0.5)", state="s")
    assert (run.state, file.read_text()) == (RunState.DONE, "precious")
    assert (core.paths.workspace / "b").exists()
    assert "a.csv" in run.held


async def test_what_goes_on_writing_between_two_programs_of_a_state_is_not_the_approved_ones_doing(core, agent):
    file = core.paths.workspace / "a.txt"
    file.write_text("old")
    code = (
        "import threading, time\n"
        "def later():\n    time.sleep(0.3)\n    open('workspace/a.txt', 'w').write('later')\n"
        "threading.Thread(target=later).start()"
    )
    assert (await done(core, agent, code, state="s")).held == ()
    await asyncio.sleep(1.0)  # a write by a thread of the program cannot be observed from outside
    run = await approved(core, agent, "print(open('workspace/a.txt').read())", state="s")
    assert run.output == "old\n"
    assert (run.held, file.read_text()) == (("a.txt",), "old")


async def test_a_conflict_is_shown_and_the_user_decides_with_a_difference(core, agent):
    file = core.paths.workspace / "a.txt"
    file.write_text("old\n")
    waits = "import time, os\nopen('workspace/go', 'w').close()\ntime.sleep(0.5)\n"
    running = asyncio.ensure_future(done(core, agent, waits + "open('workspace/a.txt', 'w').write('program\\n')"))
    await inside(core, "go")
    file.write_text("user\n")
    run = await running
    assert run.held == ("a.txt",)
    assert "something else changed it while the program ran" in run.model_view
    (line,) = (await core.api.held_plan(run.id)).lines
    assert (line.state, line.deed) == ("conflict", "change")
    assert await core.api.held_text(run.id, "a.txt") == ("user\n", "program\n")
    assert file.read_text() == "user\n"


async def test_a_decision_is_told_and_audited_and_one_file_after_the_other(core, agent):
    told = []
    core.bus.listen(lambda event: told.append(event), FilesHeld, RunChanged)
    for name in "ab":
        (core.paths.workspace / name).write_text(name)
    run = await done(core, agent, "for n in 'ab': open('workspace/' + n, 'w').write('new')")
    assert [(one.id, one.count) for one in await core.api.held_files()] == [(run.id, 2)]
    await core.api.decide_files(run.id, ("a",), ())
    assert core.run_manager.run(run.id).held == ("b",)
    await core.api.decide_files(run.id, (), ("b",))
    assert [(one.run_id, one.count) for one in told if isinstance(one, FilesHeld)] == [
        (run.id, 2),
        (run.id, 1),
        (run.id, 0),
    ]
    assert [entry.note.run_id for entry in core.journal.entries(EntryQuery(kind="file.held_changes_decided"))] == [
        run.id
    ] * 2
    (undone,) = [one for one in await core.api.file_changes() if one.kind == "allowed"]
    await core.api.undo_files(undone.id, ("a",))
    assert (core.paths.workspace / "a").read_text() == "a", "what was allowed can be undone"


async def test_a_program_that_fails_is_stopped_or_reaches_a_limit_damages_nothing(core, agent):
    file = core.paths.workspace / "a.txt"
    file.write_text("old")
    writes = "open('workspace/a.txt', 'w').write('new')\nopen('workspace/{0}', 'w').write('x')\n"
    failed = await done(core, agent, writes.format("one") + "1 / 0")
    assert (failed.state, failed.held) == (RunState.FAILED, ("a.txt",))
    assert "NOT changed" in failed.model_view
    late = await done(core, agent, writes.format("two") + "while True: pass", seconds=0.5)
    assert (late.state, late.held) == (RunState.FAILED, ("a.txt",))
    run = core.run_manager.submit(writes.format("three") + "import time\ntime.sleep(60)", agent)
    await inside(core, "three")
    stopped = await core.run_manager.stop(run.id)
    assert (stopped.state, stopped.held) == (RunState.STOPPED, ("a.txt",))
    assert file.read_text() == "old"
    assert sorted(path.name for path in core.paths.workspace.iterdir()) == ["a.txt", "one", "three", "two"]


async def test_a_workspace_too_large_to_copy_makes_the_program_ask(core, agent, monkeypatch):
    file = core.paths.workspace / "a.txt"
    file.write_text("old")
    monkeypatch.setattr(stages, "_SPARE", 1 << 62)
    for stage in core.run_manager.staging._stages._idle:
        stage._entries.clear()
    run = core.run_manager.submit("open('workspace/a.txt', 'w').write('new')", agent)
    await waiting(core, run)
    assert "directly, not on a copy" in core.run_manager.run(run.id).isolation
    allow(core, run)
    assert (await core.run_manager.wait_until_finished(run.id)).held == ()
    assert file.read_text() == "new"


async def test_changes_that_cannot_be_settled_are_kept_for_the_next_core(paths, monkeypatch):
    core = await _opened(paths)
    (paths.workspace / "a.txt").write_text("old")
    agent = core.services.sessions.open("test agent")
    await done(core, agent, "print(1)")

    def fails(*words, **more):
        raise OSError("disk full")

    monkeypatch.setattr(core.run_manager.staging._settling, "settle", fails)
    run = await done(core, agent, "open('workspace/a.txt', 'w').write('new')\nopen('workspace/n', 'w').write('n')")
    assert "The user is asked about them" in run.model_view
    assert (paths.workspace / "a.txt").read_text() == "old"
    await core.close()
    core = await _opened(paths)
    try:
        await core.run_manager._settling
        assert held(core) == {run.id: {"a.txt", "n"}}
        assert core.run_manager.run(run.id).held == ("a.txt", "n")
        await core.api.decide_files(run.id, ("n",), ("a.txt",))
        assert sorted(path.name for path in paths.workspace.iterdir()) == ["a.txt", "n"]
        assert core.run_manager.run(run.id).held == ()
    finally:
        await core.close()


PATHS = st.sampled_from(["mine", "dir/mine", "data.db", "own", "dir/new", "dir", "new/deep/x"])
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("Path(a).write_text('w')"), PATHS, PATHS),
        st.tuples(st.just("open(a, 'r+').write('r')"), PATHS, PATHS),
        st.tuples(st.just("os.truncate(a, 1)"), PATHS, PATHS),
        st.tuples(st.just("os.replace(a, b)"), PATHS, PATHS),
        st.tuples(st.just("os.link(a, b); open(b, 'a').write('l')"), PATHS, PATHS),
        st.tuples(st.just("os.symlink('mine', a)"), PATHS, PATHS),
        st.tuples(st.just("Path(a).unlink()"), PATHS, PATHS),
        st.tuples(st.just("Path(a).chmod(0o600)"), PATHS, PATHS),
        st.tuples(st.just("Path(a).mkdir(parents=True)"), PATHS, PATHS),
        st.tuples(st.just("shutil.rmtree(a)"), PATHS, PATHS),
        st.tuples(st.just("shutil.copytree(a, b)"), PATHS, PATHS),
        st.tuples(st.just("shutil.move(a, b)"), PATHS, PATHS),
        st.tuples(
            st.just("db = sqlite3.connect(a); db.execute('create table if not exists u(x)'); db.commit()"), PATHS, PATHS
        ),
    ),
    min_size=1,
    max_size=6,
)
HEAD = "import os, shutil, sqlite3\nfrom pathlib import Path\n"


def in_the_open(code: str, folder: Path) -> None:
    """Run this test's own program text on a folder that it may change."""
    subprocess.run([sys.executable, "-I", "-c", code], cwd=folder, check=True)


def tree(root: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        rights = stat.S_IMODE(path.lstat().st_mode)
        what = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(root))] = (rights, what)
    return found


@settings(max_examples=25)
@given(programs=st.lists(OPERATIONS, min_size=1, max_size=2), state=st.booleans())
async def test_whatever_a_program_does_with_files_the_users_stay_until_allowed(core, agent, tmp_path, programs, state):
    root = core.paths.workspace
    for path in sorted(root.rglob("*"), key=lambda path: -len(path.parts)):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    (root / "dir").mkdir()
    for name in ("mine", "dir/mine"):
        (root / name).write_text(f"the user's {name}")
    with sqlite3.connect(root / "data.db") as db:
        db.execute("create table t(x)")
    db.close()
    users = tree(root)
    meant = tmp_path / "meant"
    shutil.rmtree(meant, ignore_errors=True)
    shutil.copytree(root, meant / "workspace", symlinks=True)
    runs = []
    for operations in programs:
        lines = []
        for what, one, other in operations:
            lines.append(f"a, b = 'workspace/{one}', 'workspace/{other}'")
            lines.append(f"try:\n    {what}\nexcept (OSError, shutil.Error, sqlite3.Error): pass")
        code = HEAD + "\n".join(lines)
        if len(programs) == 1:
            await asyncio.to_thread(in_the_open, code, meant)
        run = await done(core, agent, code, state="property" if state else "")
        assert run.state is RunState.DONE, run.fault
        assert {name: tree(root).get(name) for name in users} == users
        runs.append((run, tree(root)))
    for run, _ in runs:
        if run.held:
            await core.api.decide_files(run.id, *((run.held, ()) if len(programs) == 1 else ((), run.held)))
    if len(programs) == 1:
        assert tree(root) == tree(meant / "workspace"), "allowed, it is what the program made"
    else:
        assert tree(root) == runs[-1][1], "denying changes nothing"
    assert held(core) == {}


async def test_a_run_that_is_stopped_while_its_changes_are_settled_tells_which_are_held(core, agent, monkeypatch):
    begun, go, settle = threading.Event(), threading.Event(), stages.Settling.settle

    def slow(*given, **more):
        begun.set()
        assert go.wait(HANGS)
        return settle(*given, **more)

    monkeypatch.setattr(stages.Settling, "settle", slow)
    (core.paths.workspace / "f").write_text("the user's")
    run = core.run_manager.submit("open('workspace/f', 'w').write('x')", agent, "to test")
    assert await asyncio.to_thread(begun.wait, HANGS)
    stopping = asyncio.create_task(core.run_manager.stop(run.id))
    while not core.run_manager.run(run.id).stopping:
        await asyncio.sleep(0.01)
    go.set()
    async with asyncio.timeout(HANGS):
        over = await stopping
    assert (over.state, over.held) == (RunState.STOPPED, ("f",))
    assert "the user decides" in over.model_view
    assert [one.id for one in await core.api.held_files()] == [run.id]


async def test_a_copy_that_nobody_can_look_through_harms_no_later_run_and_no_later_start(paths):
    core = await _opened(paths)
    (paths.workspace / "a.txt").write_text("old")
    agent = core.services.sessions.open("test agent")
    deep = "import os\nos.chdir('workspace')\nfor n in range(300):\n    os.mkdir('x')\n    os.chdir('x')\n"
    run = await done(core, agent, deep)
    assert "None of its changes was kept" in run.model_view
    assert "the next time" not in run.model_view
    left = stages.Stages(core.services.workspace_files.confined, paths.workspace_copies)
    for name, code in (("r1", "x"), ("r2", "")):
        stage = left.take()
        stage.begin({"id": name, "at": 0.0})
        place = os.open(stage.folder, os.O_RDONLY)
        if code:
            for _ in range(300):
                os.mkdir("x", dir_fd=place)
                inner = os.open("x", os.O_RDONLY, dir_fd=place)
                os.close(place)
                place = inner
        else:
            (stage.folder / "n").write_text("new")
        os.close(place)
    await core.close()
    core = await _opened(paths)
    try:
        await core.run_manager._settling
        assert set(held(core)) == {"r2"}
        assert (await done(core, core.services.sessions.open("test agent"), "print(1)")).state is RunState.DONE
    finally:
        await core.close()


@pytest.mark.parametrize("target", ["/etc/passwd", "../workbench.toml", "d/../../../x"])
async def test_a_new_link_that_leads_out_is_held(core, agent, target):
    code = f"import os\nos.symlink({target!r}, 'workspace/l.csv')\nos.symlink('a.csv', 'workspace/in.csv')"
    run = await done(core, agent, code)
    assert run.held == ("l.csv",)
    assert "leads out of the workspace" in run.model_view
    assert (core.paths.workspace / "in.csv").is_symlink()
