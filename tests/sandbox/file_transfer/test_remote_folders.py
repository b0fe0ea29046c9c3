"""The complete file transfer without a machine: files sent, changes made by a program, and changes received."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.file_transfer import remote_folders
from workbench.sandbox.file_transfer.change_import import ChangeImport
from workbench.sandbox.file_transfer.remote_folders import RemoteFolders
from workbench.sandbox.file_transfer.transfer_frames import TransferReader
from workbench.sandbox.file_transfer.transfer_host import FolderReader, TransferTarget

FAR = TransferTarget("the far end", "Try again.")


class Trip:
    """A project, and its folders as a machine would see them."""

    def __init__(self, root: Path) -> None:
        self.project, self.inside = root / "project", root / "inside"
        for name in ("workspace", "servers", "skills"):
            (self.project / name).mkdir(parents=True)
            (self.inside / name).mkdir(parents=True)
        self.folders = RemoteFolders(self.inside, os.getuid())
        self.folder_reader = FolderReader(self.profile(), FAR)

    def profile(self, disk_mb: int = 16) -> ChildProfile:
        folders = (str(self.project / name) for name in ("workspace", "servers", "skills"))
        return ChildProfile("qemu", *folders, True, memory_mb=64, cpu_seconds=1, pids=1, disk_mb=disk_mb)

    def bring(self) -> None:
        reader = TransferReader()
        for transfer_frame in self.folder_reader.transfer_frames():
            for head, data in reader.feed(transfer_frame):
                if head["kind"] != "filled":
                    self.folders.take(head, data)
        self.folders.remember()

    def collect(self) -> list[str]:
        reader, change_import = (
            TransferReader(),
            ChangeImport(self.project / "workspace", 1 << 24, self.folder_reader.sent),
        )
        try:
            for transfer_frame in self.folders.changes():
                for head, data in reader.feed(transfer_frame):
                    change_import.take(head, data)
            change_import.apply()
            return change_import.notes
        finally:
            change_import.close()


@pytest.fixture
def trip(tmp_path: Path) -> Trip:
    return Trip(tmp_path)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_machine_sees_the_project_as_it_is(trip: Trip) -> None:
    (trip.project / "workspace/a/b").mkdir(parents=True)
    (trip.project / "workspace/a/b/large").write_bytes(os.urandom(700_000))
    (trip.project / "workspace/a/run.sh").write_text("x")
    (trip.project / "workspace/a/run.sh").chmod(0o755)
    (trip.project / "workspace/link").symlink_to("a/run.sh")
    (trip.project / "servers/demo.py").write_text("v = 7")
    (trip.project / "servers/__pycache__").mkdir()
    trip.bring()
    assert trip.folders.fault == ""
    assert tree(trip.inside / "workspace") == tree(trip.project / "workspace")
    assert tree(trip.inside / "servers") == {"demo.py": b"v = 7"}
    assert (trip.inside / "workspace/link").is_symlink()
    old, new = (root / "workspace/a/run.sh" for root in (trip.project, trip.inside))
    assert (old.stat().st_mode, old.stat().st_mtime_ns) == (new.stat().st_mode, new.stat().st_mtime_ns)


def test_only_changes_come_back(trip: Trip) -> None:
    for name in ("same", "changed", "removed"):
        (trip.project / "workspace" / name).write_text(name)
    (trip.project / "workspace/folder").mkdir()
    trip.bring()
    before = (trip.project / "workspace/same").stat()
    inside = trip.inside / "workspace"
    (inside / "changed").write_text("CHANGED")
    (inside / "removed").unlink()
    (inside / "folder").rmdir()
    (inside / "new/deep").mkdir(parents=True)
    (inside / "new/deep/file").write_bytes(os.urandom(600_000))
    (inside / "link").symlink_to("/etc/passwd")
    os.mkfifo(inside / "pipe")
    notes = trip.collect()
    assert tree(trip.project / "workspace") == {
        "same": b"same",
        "changed": b"CHANGED",
        "new/deep/file": (inside / "new/deep/file").read_bytes(),
    }
    assert not (trip.project / "workspace/folder").exists()
    assert (trip.project / "workspace/same").stat().st_ino == before.st_ino
    assert notes == ["'link': it is a link", "'pipe': it is not a regular file"]


def test_a_file_that_became_a_folder_and_the_other_way_round_arrive(trip: Trip) -> None:
    (trip.project / "workspace/file").write_text("x")
    (trip.project / "workspace/folder").mkdir()
    (trip.project / "workspace/folder/x").write_text("x")
    trip.bring()
    inside = trip.inside / "workspace"
    (inside / "file").unlink()
    (inside / "file").mkdir()
    (inside / "file/in").write_text("in")
    (inside / "folder/x").unlink()
    (inside / "folder").rmdir()
    (inside / "folder").write_text("now a file")
    trip.collect()
    assert tree(trip.project / "workspace") == {"file/in": b"in", "folder": b"now a file"}


def test_a_workspace_that_is_too_large_is_refused_with_a_hint(trip: Trip) -> None:
    with open(trip.project / "workspace/large", "wb") as file:
        file.truncate(2 << 20)
    folder_reader = FolderReader(trip.profile(disk_mb=1), FAR)
    with pytest.raises(
        WorkbenchError, match="workspace holds too much data for the far end, to which at most 1 MB"
    ) as refused:
        list(folder_reader.transfer_frames())
    assert refused.value.hint


def test_what_cannot_be_looked_into_any_more_is_not_taken_for_gone(trip: Trip, monkeypatch: pytest.MonkeyPatch) -> None:
    (trip.project / "workspace/folder").mkdir()
    (trip.project / "workspace/folder/kept").write_text("kept")
    trip.bring()

    def closed(place: str, rights: int) -> None:
        if place.endswith("/folder"):
            raise PermissionError(errno.EACCES, "closed")

    monkeypatch.setattr(remote_folders, "_make_accessible", closed)
    notes = trip.collect()
    assert notes == ["'folder': it cannot be read"]
    assert tree(trip.project / "workspace") == {"folder/kept": b"kept"}


def test_a_file_that_was_closed_comes_out_all_the_same(trip: Trip) -> None:
    trip.bring()
    for name, mode in (("closed", 0o000), ("open", 0o644)):
        (trip.inside / "workspace" / name).write_text(name)
        (trip.inside / "workspace" / name).chmod(mode)
    assert trip.collect() == []
    assert tree(trip.project / "workspace") == {"closed": b"closed", "open": b"open"}


def test_folders_deeper_than_a_path_may_be_are_noted(trip: Trip) -> None:
    trip.bring()
    (trip.inside / "workspace").joinpath(*["d"] * 70).mkdir(parents=True)
    assert [note.endswith(": it is nested too deeply") for note in trip.collect()] == [True]


def test_a_file_that_finds_no_room_is_named(trip: Trip) -> None:
    trip.folders.take({"kind": "file", "area": "workspace", "path": "a/b", "mode": 0o644, "time": 0}, b"")
    assert trip.folders.fault.startswith("a/b: ")
    other = RemoteFolders(trip.inside, os.getuid())
    other.take({"kind": "file", "area": "workspace", "path": "full", "mode": 0o644, "time": 0}, b"")
    (trip.inside / "workspace/full").unlink()
    (trip.inside / "workspace/full").symlink_to("/dev/full")
    other.take({"kind": "data"}, b"x")
    assert other.fault == "full: No space left on device"


def test_what_is_no_file_stays_outside(trip: Trip) -> None:
    os.mkfifo(trip.project / "workspace/pipe")
    trip.bring()
    assert list((trip.inside / "workspace").iterdir()) == []


def test_a_full_machine_says_which_file_it_could_not_take(trip: Trip) -> None:
    (trip.project / "workspace/a").write_text("x")
    (trip.inside / "workspace").rmdir()
    trip.folders.take({"kind": "file", "area": "workspace", "path": "a", "mode": 0o644, "time": 0}, b"")
    assert trip.folders.fault.startswith("a: No such file")
