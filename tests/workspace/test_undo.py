"""Undoing restores exactly what a run changed, tells conflicts first, and can be undone itself."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.settings import Settings
from workbench.workspace.change_store import Change, Changes, PathState
from workbench.workspace.confined_paths import Confined
from workbench.workspace.held_files import HeldFiles
from workbench.workspace.snapshots import Snapshots, Writer
from workbench.workspace.undo import Undoing


@pytest.fixture
def home(store, root, tmp_path):
    root.mkdir()
    made = Snapshots(store.confined, tmp_path / "undo", Settings)
    yield made
    made.close()


@pytest.fixture
def undoing(home):
    return Undoing(home)


def run(name="r1"):
    return Writer(name, "run", "agent", "what for")


def picture(root):
    """Everything that can be seen of it."""
    found = {}
    for at, folders, names in os.walk(root):
        for name in (*folders, *names):
            place = Path(at, name)
            what = place.lstat()
            held = os.readlink(place) if place.is_symlink() else place.read_bytes() if place.is_file() else None
            found[str(place.relative_to(root))] = (stat.S_IMODE(what.st_mode), held)
    return found


def states(plan):
    return {step.path: step.state for step in plan[1]}


def undo_all(undoing, name):
    return undoing.undo(name, tuple(undoing.find(name).files), "you")


def test_row_137_a_runs_writes_are_taken_back_and_back_again(home, undoing, root):
    (root / "in").mkdir()
    (root / "in/a.txt").write_text("a")
    (root / "tool.sh").write_text("#!")
    (root / "tool.sh").chmod(0o744)
    (root / "link").symlink_to("in/a.txt")
    (root / "empty").mkdir(mode=0o700)
    (root / "was").write_text("a file")
    before = picture(root)
    when = (root / "in/a.txt").stat().st_mtime_ns
    home.begin(run())
    (root / "in/a.txt").unlink()
    (root / "in").rmdir()
    (root / "in").write_text("a file now")
    (root / "tool.sh").chmod(0o600)
    (root / "link").unlink()
    (root / "link").symlink_to("/etc/passwd")
    (root / "empty").rmdir()
    (root / "was").unlink()
    (root / "was").mkdir()
    (root / "was/inner.txt").write_text("x")
    (root / "made/deep").mkdir(parents=True)
    (root / "made/deep/x.bin").write_bytes(b"\0\1")
    home.end("r1")
    after = picture(root)
    assert set(states(undoing.plan("r1")).values()) == {"ready"}
    done = undo_all(undoing, "r1")
    assert done.note == ""
    assert picture(root) == before
    assert (root / "in/a.txt").stat().st_mtime_ns == when
    assert set(states(undoing.plan("r1")).values()) == {"done"}
    assert undoing.find("r1").undone_by == done.id
    again = undo_all(undoing, done.id)
    assert again.note == ""
    assert picture(root) == after
    assert undoing.find("r1").undone_by == ""


def test_files_are_undone_and_redone_one_by_one(home, undoing, root):
    def undone():
        found = undoing.find("r1")
        with home.opened() as book:
            (listed,) = [changes for changes, _ in book.newest(100) if changes.id == "r1"]
        assert (listed.undone, listed.undone_by) == (found.undone, found.undone_by)
        return found.undone, found.undone_by

    home.begin(run())
    for name in "abc":
        (root / name).write_text(name)
    home.end("r1")
    assert undone() == (set(), "")
    one = undoing.undo("r1", ["a"], "you")
    assert undone() == ({"a"}, one.id)
    two = undoing.undo("r1", ["b", "c"], "you")
    assert undone() == ({"a", "b", "c"}, two.id)
    redo = undoing.undo(two.id, ["b"], "you")
    assert (one.kind, two.kind, redo.kind) == ("undo", "undo", "redo")
    assert undone() == ({"a", "c"}, two.id)
    assert undoing.find(two.id).undone == {"b"}
    undoing.undo(two.id, ["c"], "you")
    assert undone() == ({"a"}, one.id)
    again = undoing.undo(redo.id, ["b"], "you")
    assert undone() == ({"a", "b"}, again.id)
    assert sorted(path.name for path in root.iterdir()) == ["c"]


def test_what_was_changed_since_is_told_and_left_alone_unless_it_is_named(home, undoing, root):
    for name in ("mine", "later", "shared", "free"):
        (root / name).write_text("before")
    home.begin(run())
    home.begin(run("r2"))
    (root / "shared").write_text("by one of two")
    home.end("r2")
    for name in ("mine", "later", "free"):
        (root / name).write_text("by the run")
    home.end("r1")
    (root / "mine").write_text("by a person")
    home.begin(run("r3"))
    (root / "later").write_text("by a later run")
    home.end("r3")
    _, steps = undoing.plan("r1")
    found = {step.path: (step.state, step.later.id if step.later else "") for step in steps}
    assert found == {"mine": ("conflict", ""), "later": ("conflict", "r3"), "shared": ("shared", ""),
                     "free": ("ready", "")}  # fmt: skip
    undoing.undo("r1", ["free"], "you")
    assert [(root / name).read_text() for name in ("mine", "free")] == ["by a person", "before"]
    undoing.undo("r1", ["mine", "nothing of the run"], "you")
    assert (root / "mine").read_text() == "before"


def test_what_was_too_large_to_be_kept_is_told_and_the_rest_comes_back(home, undoing, root, monkeypatch):
    (root / "big").write_bytes(b"x" * 1000)
    (root / "small").write_text("s")
    monkeypatch.setattr(type(home), "_most", property(lambda self: 500))
    home.begin(run())
    (root / "big").write_bytes(b"y" * 1000)
    (root / "small").write_text("t")
    home.end("r1")
    assert states(undoing.plan("r1")) == {"big": "lost", "small": "ready"}
    done = undoing.undo("r1", ["big", "small"], "you")
    assert done.note == "Not undone, because the content is no longer stored: 1 (big)."
    assert (root / "small").read_text() == "s"
    assert (root / "big").read_bytes() == b"y" * 1000


def test_a_held_change_whose_content_is_gone_is_dropped_and_the_note_says_so(home, tmp_path):
    held = HeldFiles(home, tmp_path / "held")
    held.keep(Changes("r9", "held", "agent", "", 0.0, {"gone": Change(None, PathState(0o100644, 5, 0, "0" * 64))}))
    done = held.decide("r9", ["gone"], [], "you")
    assert (done.files, held.all()) == ({}, [])
    assert done.note == "Not written, because the content is no longer stored: 1 (gone)."
    held.close()


def test_a_folder_swapped_for_a_link_leads_no_undo_outside(home, undoing, root, outside):
    (root / "sub").mkdir()
    (root / "sub/secret.txt").write_text("harmless")
    home.begin(run())
    (root / "sub/secret.txt").write_text("changed")
    home.end("r1")
    (root / "sub/secret.txt").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(outside.parent)
    done = undo_all(undoing, "r1")
    assert "Not undone: 1" in done.note
    assert (root / "sub").is_symlink()


@pytest.mark.parametrize("there", [True, False])
def test_a_file_that_a_program_writes_right_now_is_not_replaced(home, undoing, root, monkeypatch, there):
    if there:
        (root / "a").write_text("before")
    home.begin(run())
    (root / "a").write_text("after")
    home.end("r1")
    true = undoing._take_back

    def meanwhile(*words):
        (root / "a").write_text("somebody is quicker")
        true(*words)

    monkeypatch.setattr(undoing, "_take_back", meanwhile)
    assert "changed just now" in undo_all(undoing, "r1").note
    assert (root / "a").read_text() == "somebody is quicker"


def test_a_file_that_appears_during_an_undo_is_not_replaced(home, undoing, root, monkeypatch):
    (root / "a").write_text("before")
    home.begin(run())
    (root / "a").unlink()
    home.end("r1")
    take_back = undoing._take_back

    def meanwhile(*arguments):
        (root / "a").write_text("new")
        take_back(*arguments)

    monkeypatch.setattr(undoing, "_take_back", meanwhile)
    assert "created just now" in undo_all(undoing, "r1").note
    assert (root / "a").read_text() == "new"


def test_a_pipe_in_the_place_of_a_deleted_file_gives_way(home, undoing, root):
    """The scan lists no pipes; that must not look like a file that just appeared."""
    (root / "a").write_text("before")
    home.begin(run())
    (root / "a").unlink()
    home.end("r1")
    os.mkfifo(root / "a")
    assert undo_all(undoing, "r1").note == ""
    assert (root / "a").read_text() == "before"


def test_what_nobody_knows_cannot_be_undone(undoing):
    with pytest.raises(WorkbenchError, match="no recorded changes"):
        undoing.plan("r9")


NAMES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/f", "ü \u202e", "line\nbreak"])
STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "delete", "link", "rights"]), NAMES, st.binary(max_size=8)), max_size=8
)


def act(root, steps):
    for deed, name, data in steps:
        place = root / name
        try:
            if deed == "write":
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            elif deed == "delete":
                place.unlink()
            elif deed == "link":
                place.symlink_to("somewhere" + data.hex())
            elif not place.is_symlink():
                place.chmod(0o600 | (data[0] & 0o77 if data else 0))
        except OSError:
            continue


@settings(max_examples=25)
@given(STEPS, STEPS, STEPS)
def test_undoing_brings_back_exactly_what_was_there(earlier, during, later):
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "workspace")
        root.mkdir()
        home = Snapshots(Confined(root), Path(name, "undo"), Settings)
        undoing = Undoing(home)
        act(root, earlier)
        before = picture(root)
        home.begin(run())
        act(root, during)
        if home.end("r1").files:
            undo = undo_all(undoing, "r1")
            assert undo.note == ""
            assert picture(root) == before
            undo_all(undoing, undo.id)
            act(root, later)
            now = picture(root)
            for step in undoing.plan("r1")[1]:
                if step.state == "ready":
                    undoing.undo("r1", [step.path], "you")
            kept = {path: one for path, one in picture(root).items() if path not in undoing.find("r1").files}
            assert kept == {path: one for path, one in now.items() if path not in undoing.find("r1").files}
        home.close()
