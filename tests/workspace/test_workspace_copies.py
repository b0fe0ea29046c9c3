"""Copies of the workspace, without a sandbox: what is copied again, what is free, what is held, what becomes of it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.settings import Settings
from workbench.workspace import workspace_copies
from workbench.workspace.confined_paths import Confined
from workbench.workspace.held_files import HeldFiles
from workbench.workspace.snapshots import NotQuick, Snapshots, Writer
from workbench.workspace.workspace_copies import (
    CHANGED,
    EXISTED,
    FULL,
    INTERRUPTED,
    RUNNABLE,
    Settling,
    StageOwner,
    Stages,
    Unstageable,
    stamp_at,
)


class Place:
    """A workspace with its stages, for one program after another."""

    def __init__(self, home: Path) -> None:
        self.root = home / "workspace"
        self.root.mkdir(parents=True)
        self.confined = Confined(self.root)
        self.snapshots = Snapshots(self.confined, home / "undo", Settings)
        self.held = HeldFiles(self.snapshots, home / "held")
        self.stages = Stages(self.confined, home / "stages")
        self.settling = Settling(self.snapshots, self.held)
        self.own: dict = {}
        self.runs = 0

    def begin(self):
        stage = self.stages.take()
        stage.refresh()
        return stage

    def end(self, stage, *, approved=False, room=1 << 30, files=1_000, own=None, hold="", give_back=True):
        self.runs += 1
        name = f"run{self.runs}"
        made = self.own if own is None else own
        words = {"name": name, "approved": approved, "room": room, "files": files, "hold": hold}
        settled = self.settling.settle(stage, Writer(name, "run", "agent"), made, **words)
        if give_back:
            self.stages.give_back(stage)
        return settled

    def close(self) -> None:
        self.stages.close()
        self.held.close()
        self.snapshots.close()


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.close()


def tree(root: Path) -> dict[str, object]:
    """Everything below a folder: what a file holds, where a link leads, and rights."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        name, mode = str(path.relative_to(root)), stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = (mode, path.read_bytes() if path.is_file() else None)
    return found


def test_a_copy_is_whole_and_only_what_changed_is_copied_again(place, monkeypatch):
    (place.root / "deep").mkdir()
    (place.root / "a.txt").write_text("a")
    (place.root / "deep" / "b.txt").write_text("b")
    (place.root / "deep" / "b.txt").chmod(0o640)
    (place.root / "out").symlink_to("/etc/passwd")
    os.mkfifo(place.root / "pipe")
    stage = place.begin()
    expected = tree(place.root)
    del expected["pipe"]
    assert tree(stage.folder) == expected
    assert stage.changes(quick=True) == {}
    copied = []
    real = workspace_copies._copy_file
    monkeypatch.setattr(workspace_copies, "_copy_file", lambda name, *more: (copied.append(name), real(name, *more)))
    stage.refresh(quick=True)
    assert copied == []
    (place.root / "a.txt").write_text("other")
    (place.root / "deep" / "b.txt").unlink()
    with pytest.raises(NotQuick):
        stage.refresh(quick=True)
    stage.refresh()
    assert copied == ["a.txt"]
    assert (stage.folder / "a.txt").read_text() == "other"
    assert not (stage.folder / "deep" / "b.txt").exists()
    assert not (stage.folder / "a.txt").samefile(place.root / "a.txt"), "no hard link"


def test_new_and_own_files_are_written_and_others_are_held(place):
    (place.root / "mine.txt").write_text("the user's")
    stage = place.begin()
    (stage.folder / "new").mkdir()
    (stage.folder / "new" / "a.txt").write_text("new")
    (stage.folder / "mine.txt").write_text("the program's")
    settled = place.end(stage)
    assert set(settled.written) == {"new", "new/a.txt"}
    assert settled.held == {"mine.txt": EXISTED}
    assert (place.root / "mine.txt").read_text() == "the user's"
    again = place.begin()
    assert again is stage
    assert (again.folder / "mine.txt").read_text() == "the user's", "what is held is seen by nobody"
    (again.folder / "new" / "a.txt").write_text("newer")
    assert place.end(again).held == {}
    assert (place.root / "new" / "a.txt").read_text() == "newer"
    (place.root / "new" / "a.txt").write_text("the user's by now")
    stage = place.begin()
    (stage.folder / "new" / "a.txt").write_text("newest")
    assert place.end(stage).held == {"new/a.txt": EXISTED}, "whoever writes it last, its it is"
    other = place.begin()
    (other.folder / "new").rmdir() if not list((other.folder / "new").iterdir()) else None
    (other.folder / "new" / "b.txt").write_text("b")
    assert place.end(other, own={}).held == {}


def test_allowing_writes_and_denying_drops(place):
    (place.root / "a.txt").write_text("old a")
    (place.root / "b.txt").write_text("old b")
    (place.root / "c.txt").write_text("old c")
    stage = place.begin()
    (stage.folder / "a.txt").write_text("new a")
    (stage.folder / "b.txt").unlink()
    (stage.folder / "c.txt").chmod(0o600)
    place.end(stage)
    asked = place.held.requested_changes("run1")
    assert set(asked.files) == {"a.txt", "b.txt", "c.txt"}
    done = place.held.decide("run1", ["a.txt"], ["c.txt"], "you")
    assert list(done.files) == ["a.txt"]
    assert (place.root / "a.txt").read_text() == "new a"
    assert set(place.held.requested_changes("run1").files) == {"b.txt"}
    assert (place.root / "b.txt").exists()
    place.held.decide("run1", ["b.txt"], [], "you")
    assert not (place.root / "b.txt").exists()
    assert place.held.all() == []
    assert place.held.contents.all() == {}, "nothing of it is left"
    with pytest.raises(WorkbenchError, match="wait for a decision"):
        place.held.decide("run1", ["a.txt"], [], "you")


def test_what_changed_meanwhile_is_a_conflict_that_only_naming_it_overwrites(place):
    (place.root / "a.txt").write_text("old")
    stage = place.begin()
    (stage.folder / "a.txt").write_text("program")
    (stage.folder / "new.txt").write_text("program")
    (place.root / "a.txt").write_text("the user, meanwhile")
    (place.root / "new.txt").write_text("the user, meanwhile")
    settled = place.end(stage)
    assert settled.held == {"a.txt": CHANGED, "new.txt": CHANGED}
    _, steps = place.held.plan("run1")
    assert {step.path: step.state for step in steps} == {"a.txt": "conflict", "new.txt": "conflict"}
    assert (place.root / "a.txt").read_text() == "the user, meanwhile"
    place.held.decide("run1", ["a.txt"], [], "you")
    assert (place.root / "a.txt").read_text() == "program"
    assert (place.root / "new.txt").read_text() == "the user, meanwhile"


def test_an_approved_programs_changes_are_all_written_but_what_changed_meanwhile(place):
    (place.root / "a.txt").write_text("old")
    (place.root / "b.txt").write_text("old")
    stage = place.begin()
    (stage.folder / "a.txt").write_text("program")
    (stage.folder / "b.txt").write_text("program")
    (place.root / "b.txt").write_text("the user, meanwhile")
    assert place.end(stage, approved=True).held == {"b.txt": CHANGED}
    assert (place.root / "a.txt").read_text() == "program"


def test_what_other_tools_run_and_journals_of_foreign_databases_are_held_although_new(place):
    (place.root / "data.db").write_text("not read")
    stage = place.begin()
    (stage.folder / ".git" / "hooks").mkdir(parents=True)
    (stage.folder / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh")
    (stage.folder / "data.db-journal").write_text("hot")
    (stage.folder / "data.db-wal").write_text("hot")
    (stage.folder / "own.db").write_text("")
    (stage.folder / "own.db-wal").write_text("")
    settled = place.end(stage)
    assert settled.held == {
        ".git/hooks/pre-commit": RUNNABLE,
        "data.db-journal": EXISTED,
        "data.db-wal": EXISTED,
    }
    assert (place.root / "own.db-wal").exists()


def test_a_file_in_a_folders_place_and_the_other_way_round(place):
    (place.root / "file").write_text("f")
    (place.root / "folder").mkdir()
    (place.root / "folder" / "in").write_text("i")
    before = tree(place.root)
    stage = place.begin()
    (stage.folder / "file").unlink()
    (stage.folder / "file").mkdir()
    (stage.folder / "file" / "x").write_text("x")
    (stage.folder / "folder" / "in").unlink()
    (stage.folder / "folder").rmdir()
    (stage.folder / "folder").symlink_to("elsewhere")
    after = tree(stage.folder)
    assert set(place.end(stage).held) == {"file", "file/x", "folder", "folder/in"}
    assert tree(place.root) == before
    assert tree(place.begin().folder) == before
    place.held.decide("run1", list(place.held.requested_changes("run1").files), [], "you")
    assert tree(place.root) == after


def test_closed_folders_hide_nothing(place):
    (place.root / "closed").mkdir()
    (place.root / "closed" / "a.txt").write_text("a")
    stage = place.begin()
    (stage.folder / "closed" / "a.txt").write_text("b")
    (stage.folder / "closed").chmod(0)
    assert set(place.end(stage).held) == {"closed", "closed/a.txt"}
    assert (place.root / "closed" / "a.txt").read_text() == "a"
    stage = place.begin()
    assert (stage.folder / "closed" / "a.txt").read_text() == "a"
    assert place.end(stage).files == {}


def test_what_has_no_room_is_held_and_not_lost(place):
    (place.root / "there.bin").write_bytes(b"x" * 8_000)
    first, second = place.begin(), place.begin()
    (first.folder / "one.bin").write_bytes(b"1" * 8_000)
    (second.folder / "two.bin").write_bytes(b"2" * 8_000)
    assert place.end(first, room=20_000).held == {}
    assert place.end(second, room=20_000).held == {"two.bin": FULL}
    assert not (place.root / "two.bin").exists()
    place.held.decide("run2", ["two.bin"], [], "you")
    assert (place.root / "two.bin").read_bytes() == b"2" * 8_000


def test_two_programs_at_once_make_the_same_folder(place):
    first, second = place.begin(), place.begin()
    for stage, name in ((first, "one"), (second, "two")):
        (stage.folder / "out").mkdir()
        (stage.folder / "out" / name).write_text(name)
    assert place.end(first).held == {}
    assert place.end(second).held == {}
    assert sorted(os.listdir(place.root / "out")) == ["one", "two"]


def test_what_a_killed_core_left_is_held_whole(place, tmp_path):
    (place.root / "a.txt").write_text("old")
    (place.root / "b.txt").write_text("old")
    (place.root / "same.txt").write_text("same")
    stage = place.begin()
    stage.begin(StageOwner("run0", "agent", "x", 1e12))
    (stage.folder / "a.txt").write_text("program")
    (stage.folder / "b.txt").unlink()
    (stage.folder / "new.txt").write_text("new")
    idle = place.begin()  # no program was at work in this one
    stages = Stages(place.confined, tmp_path / "stages")
    ((found, run),) = stages.leftovers()
    assert run.id == "run0"
    assert not idle.folder.exists()
    found.recover(run.at)
    settled = place.end(found, hold=INTERRUPTED, own={}, give_back=False)
    assert settled.held == dict.fromkeys(("a.txt", "b.txt", "new.txt"), INTERRUPTED)
    assert tree(place.root).keys() == {"a.txt", "b.txt", "same.txt"}
    found.remove()
    place.held.decide("run1", ["new.txt", "b.txt"], ["a.txt"], "you")
    assert tree(place.root).keys() == {"same.txt", "a.txt", "new.txt"}


def test_the_next_core_goes_on_with_the_copy_of_the_one_before(place, tmp_path, monkeypatch):
    (place.root / "a.txt").write_text("a")
    (place.root / "b.txt").write_text("b")
    place.stages.give_back(place.begin())
    place.stages.close()
    (place.root / "b.txt").write_text("other")
    copied = []
    real = workspace_copies._copy_file
    monkeypatch.setattr(workspace_copies, "_copy_file", lambda name, *more: (copied.append(name), real(name, *more)))
    place.stages = Stages(place.confined, tmp_path / "stages")
    assert place.stages.leftovers() == []
    stage = place.begin()
    assert copied == ["b.txt"]
    assert (stage.folder / "b.txt").read_text() == "other"
    place.stages.give_back(stage)
    place.stages.close()
    (stage.folder / "a.txt").write_text("not ours")
    place.stages = Stages(place.confined, tmp_path / "stages")
    assert place.stages.leftovers() == []
    assert place.begin().folder != stage.folder, "one that somebody touched is of no use"
    assert not stage.folder.exists()


def test_a_workspace_that_cannot_be_copied_says_so(place, monkeypatch):
    (place.root / "a.txt").write_text("a" * 100)
    stage = place.stages.take()
    monkeypatch.setattr(workspace_copies, "MOST", 0)
    with pytest.raises(Unstageable, match="more than 0 entries"):
        stage.refresh()
    monkeypatch.undo()
    monkeypatch.setattr(workspace_copies, "_SPARE", 1 << 62)
    with pytest.raises(Unstageable, match="no room on the disk"):
        stage.refresh()


NAMES = st.sampled_from(["a", "b", "d", "d/x", "d/y", "new", "d/new", "e", "e/z"])
DEEDS = st.one_of(
    st.tuples(st.just("write"), NAMES, st.sampled_from(["", "1", "22", "old a"])),
    st.tuples(st.just("append"), NAMES, st.just("+")),
    st.tuples(st.just("touch"), NAMES, st.just("")),
    st.tuples(st.just("delete"), NAMES, st.just("")),
    st.tuples(st.just("folder"), NAMES, st.just("")),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.just("link"), NAMES, st.sampled_from(["a", "/etc/passwd", ".."])),
    st.tuples(st.just("hard"), NAMES, NAMES),
    st.tuples(st.just("chmod"), NAMES, st.sampled_from(["600", "755", "400"])),
)


def do(root: Path, deed: str, name: str, what: str) -> None:
    """As a program would; what cannot be done is left."""
    path = root / name
    try:
        match deed:
            case "write":
                path.write_text(what)
            case "append":
                with path.open("a") as file:
                    file.write(what)
            case "touch":
                os.utime(path, ns=(1, 1), follow_symlinks=False)
            case "delete":
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
            case "folder":
                path.mkdir()
            case "rename":
                path.rename(root / what)
            case "link":
                path.symlink_to(what)
            case "hard":
                os.link(path, root / what, follow_symlinks=False)
            case "chmod":
                path.chmod(int(what, 8), follow_symlinks=True) if not path.is_symlink() else None
    except OSError:
        return


@given(st.lists(st.lists(DEEDS, max_size=6), min_size=1, max_size=3))
def test_whatever_programs_do_foreign_files_stay_until_allowed_and_then_are_what_they_made(tmp_path_factory, programs):
    place = Place(tmp_path_factory.mktemp("place"))
    try:
        for name, text in (("a", "old a"), ("d/x", "old x"), ("e/z", "old z")):
            (place.root / name).parent.mkdir(exist_ok=True)
            (place.root / name).write_text(text)
        foreign = tree(place.root)
        for number, deeds in enumerate(programs, 1):
            stage = place.begin()
            assert tree(stage.folder) == tree(place.root)
            for deed in deeds:
                do(stage.folder, *deed)
            wanted = tree(stage.folder)
            settled = place.end(stage)
            now = tree(place.root)
            assert {name: now.get(name) for name in foreign} == foreign
            assert not any(name.startswith(".writing-") for name in now)
            for name in settled.written:
                assert now.get(name) == wanted.get(name)
            if number == len(programs) and settled.held:
                others = {name for name in now if name not in settled.held}
                place.held.decide(f"run{number}", list(settled.held), [], "you")
                after = tree(place.root)
                assert after == wanted
                assert others <= after.keys()
    finally:
        place.close()


def test_stamps_of_what_is_not_there(place):
    with place.confined.open_root() as root:
        assert stamp_at(root, "none") is None
        assert stamp_at(root, "none/deeper") is None


def test_new_files_are_written_where_there_are_no_hard_links(place, monkeypatch):
    def refuse(*given, **more):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(workspace_copies.os, "link", refuse)
    stage = place.begin()
    (stage.folder / "new.txt").write_text("new")
    settled = place.end(stage)
    assert (settled.written, settled.held) == (("new.txt",), {})
    assert tree(place.root)["new.txt"][1] == b"new"
    assert list(tree(place.root)) == ["new.txt"], "no draft stays"


def test_what_is_held_while_the_user_decides_waits_on(place, monkeypatch):
    (place.root / "a").write_text("the user's")
    (place.root / "b").write_text("the user's")
    stage, more = place.begin(), place.begin()
    (stage.folder / "a").write_text("the program's")
    place.end(stage)
    (more.folder / "a").write_text("the program's, later")
    (more.folder / "b").write_text("the program's")
    take_back = place.held._take_all_back

    def meanwhile(*given):
        place.runs = 0  # the same run, in a kept state
        place.end(more)
        return take_back(*given)

    monkeypatch.setattr(place.held, "_take_all_back", meanwhile)
    place.held.decide("run1", ["a"], [], "you")
    assert (place.root / "a").read_text() == "the program's"
    assert set(place.held.requested_changes("run1").files) == {"a", "b"}
    monkeypatch.undo()
    place.held.decide("run1", ["a", "b"], [], "you")
    assert [(place.root / name).read_text() for name in "ab"] == ["the program's, later", "the program's"]
