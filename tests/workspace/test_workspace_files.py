"""The file store: what it keeps, and that no name and no link leads out of it."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.workspace.workspace_files import LARGEST_READ, WorkspaceFiles


def test_what_was_written_is_listed_read_and_deleted(store: WorkspaceFiles) -> None:
    written = store.write("reports/2025/q1.txt", "grün\n")
    assert (written.path, written.size) == ("reports/2025/q1.txt", 6)
    assert store.list() == (written,)
    assert store.read("reports/2025/q1.txt") == "grün\n"
    store.delete("reports/2025/q1.txt")
    assert store.list() == ()


def test_an_empty_workspace_is_made_when_first_asked_for(store: WorkspaceFiles, root: Path) -> None:
    assert store.list() == ()
    assert root.is_dir()


def test_writing_replaces_the_whole_file(store: WorkspaceFiles) -> None:
    store.write("a.txt", "x" * 1000)
    store.write("./a.txt", "short")
    assert store.read("a.txt") == "short"
    assert len(store.list()) == 1


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "/etc/passwd", "..", "../outside/secret.txt", "a/../../b", "~/x", "a/", ".", "a\0b", "a\nb"),
        *("x" * 300, "/".join("x" * 50), "\ud800", "a/" * 1500 + "b"),
    ],
)
def test_paths_that_lead_out_or_are_no_names_are_refused(store: WorkspaceFiles, outside: Path, path: str) -> None:
    with pytest.raises(WorkbenchError, match="cannot be used"):
        store.read(path)
    with pytest.raises(WorkbenchError, match="cannot be used"):
        store.write(path, "x")
    with pytest.raises(WorkbenchError, match="cannot be used"):
        store.delete(path)


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(["..", ".", "", "a", "outside", "link", "secret.txt"])).map("/".join))
def test_no_path_reaches_outside(path: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name).resolve()
        (base / "outside").mkdir()
        (base / "outside" / "secret.txt").write_text("secret")
        (base / "workspace").mkdir()
        os.symlink(base / "outside", base / "workspace" / "link")
        store = WorkspaceFiles(base / "workspace", quota_mb=lambda: 1)
        for act in (lambda: store.write(path, "mine"), lambda: store.read(path), lambda: store.delete(path)):
            try:
                assert act() != "secret"
            except WorkbenchError as fault:
                assert fault.message  # noqa: PT017
        assert (base / "outside" / "secret.txt").read_text() == "secret"
        assert sorted(path.name for path in base.iterdir()) == ["outside", "workspace"]
        assert [path.name for path in (base / "outside").iterdir()] == ["secret.txt"]


def test_links_are_not_followed(store: WorkspaceFiles, root: Path, outside: Path) -> None:
    root.mkdir()
    os.symlink(outside, root / "file")
    os.symlink(outside.parent, root / "folder")
    for path in ("file", "folder/secret.txt"):
        with pytest.raises(WorkbenchError):
            store.read(path)
        with pytest.raises(WorkbenchError):
            store.write(path, "mine")
        with pytest.raises(WorkbenchError):
            store.delete(path)
    assert store.list() == ()


def test_a_workspace_that_is_itself_a_link_is_refused(tmp_path: Path, outside: Path) -> None:
    os.symlink(outside.parent, tmp_path / "workspace")
    with pytest.raises(WorkbenchError, match="cannot be opened"):
        WorkspaceFiles(tmp_path / "workspace", lambda: 1).read("secret.txt")


def test_a_hard_link_to_a_file_outside_is_refused(store: WorkspaceFiles, root: Path, outside: Path) -> None:
    root.mkdir()
    os.link(outside, root / "inside.txt")
    with pytest.raises(WorkbenchError, match="not a regular file"):
        store.read("inside.txt")
    with pytest.raises(WorkbenchError, match="not a regular file"):
        store.write("inside.txt", "mine")
    assert store.list() == ()


def test_pipes_sockets_and_folders_are_refused_without_waiting(store: WorkspaceFiles, root: Path) -> None:
    root.mkdir()
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(root / "door"))
        for name in ("pipe", "door", "folder"):
            with pytest.raises(WorkbenchError):
                store.read(name)
            with pytest.raises(WorkbenchError):
                store.write(name, "x")
            with pytest.raises(WorkbenchError):
                store.delete(name)
    assert store.list() == ()


def test_a_folder_swapped_for_a_link_meanwhile_never_leads_out(
    store: WorkspaceFiles, root: Path, outside: Path
) -> None:
    (root / "real").mkdir(parents=True)
    (root / "real" / "secret.txt").write_text("harmless")
    os.symlink(outside.parent, root / "bad")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for source in ("real", "bad"):
                try:
                    os.rename(root / source, root / "here")
                    os.rename(root / "here", root / source)
                except OSError:  # the store made a folder of that name in between
                    shutil.rmtree(root / "here", ignore_errors=True)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(500):
            try:
                assert store.read("here/secret.txt") == "harmless"
                store.write("here/new.txt", "mine")
            except WorkbenchError as fault:
                assert fault.message  # noqa: PT017
    finally:
        stop.set()
        thread.join()


def test_a_file_that_is_no_text_is_told_so(store: WorkspaceFiles, root: Path) -> None:
    root.mkdir()
    for data in (b"\x89PNG\r\n\0", b"\xff\xfe\xfd"):
        (root / "image.png").write_bytes(data)
        with pytest.raises(WorkbenchError, match=r"image\.png is not text"):
            store.read("image.png")


def test_a_large_file_is_cut_and_the_cut_is_announced(store: WorkspaceFiles, root: Path) -> None:
    root.mkdir()
    (root / "big.txt").write_text("ü" * LARGEST_READ, encoding="utf-8")
    text = store.read("big.txt")
    assert text.endswith("cut: 10,000,000 of 20,000,000 bytes shown. A program in the sandbox can read the rest.")
    assert text.startswith("üü")


def test_text_that_is_half_a_character_is_refused_and_nothing_changes(store: WorkspaceFiles) -> None:
    store.write("a.txt", "before")
    with pytest.raises(WorkbenchError, match="not valid Unicode"):
        store.write("a.txt", "x\ud800")
    assert store.read("a.txt") == "before"


def test_the_quota_counts_everything_and_replacing_counts_only_what_is_more(store: WorkspaceFiles) -> None:
    store.write("a", "x" * 1_500_000)
    with pytest.raises(WorkbenchError, match="full: its limit is 2 MB"):
        store.write("b", "x" * 600_000)
    store.write("a", "x" * 1_900_000)
    store.write("b", "x" * 100_000)
    assert store.workspace_usage().size == 2_000_000
    assert [info.path for info in store.list()] == ["a", "b"]


def test_a_changed_quota_counts_at_once(root: Path) -> None:
    quota = [1]
    store = WorkspaceFiles(root, lambda: quota[0])
    with pytest.raises(WorkbenchError, match="1 MB"):
        store.write("a.txt", "x" * 1_500_000)
    quota[0] = 2
    assert store.write("a.txt", "x" * 1_500_000).size == 1_500_000


def test_a_missing_file_is_told(store: WorkspaceFiles) -> None:
    for path in ("nothing.txt", "no/folder.txt"):
        with pytest.raises(WorkbenchError, match="There is no file"):
            store.read(path)
    assert store.list() == ()


def test_a_name_that_is_no_unicode_on_disk_is_listed_readably(store: WorkspaceFiles, root: Path) -> None:
    root.mkdir()
    os.close(os.open(os.fsencode(root) + b"/bad\xff.txt", os.O_CREAT | os.O_WRONLY))
    assert [info.path for info in store.list()] == ["bad\\xff.txt"]


def test_nothing_stays_open(store: WorkspaceFiles, root: Path) -> None:
    store.write("a/b/c.txt", "x")
    for path in ("a/b/c.txt", "a/b/none", "a/none/c", "a/b", "a/b/c.txt/d"):
        for act in (store.read, store.delete if path != "a/b/c.txt" else store.read):
            try:
                act(path)
            except WorkbenchError:
                continue
    store.list()
    opened = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    assert not [name for name in opened if os.path.lexists(name) and os.readlink(name).startswith(str(root))]


def test_one_folder_is_listed_without_what_is_in_its_folders(tmp_path):
    store = WorkspaceFiles(tmp_path, lambda: 10)
    for path in ("a/b.txt", "a/c/d.txt", "e.txt"):
        store.write(path, "x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert [info.path for info in store.inside("a")] == ["a/b.txt"]
    assert store.inside("link") == store.inside("nothing") == ()
