"""Ways into a workspace: with the kernel's promise and without, for names nobody should write, and with an end."""

from __future__ import annotations

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.workspace import confined_paths
from workbench.workspace.file_names import displayed_name
from workbench.workspace.workspace_files import WorkspaceFiles, is_text


@pytest.fixture(params=[True, False], ids=["openat2", "step by step"])
def kernel(request, monkeypatch):
    monkeypatch.setattr(confined_paths._kernel, "knows", request.param)


def test_links_and_odd_files_are_refused_by_every_verb_either_way(kernel, store, root, outside):
    (root / "a/b").mkdir(parents=True)
    os.symlink(outside.parent, root / "a/b/link")
    os.symlink("/proc/self/root", root / "a/magic")
    os.mkfifo(root / "a/b/pipe")
    for path in ("a/b/link/secret.txt", "a/b/link", "a/magic/etc/passwd", "a/b/pipe", "a/b/pipe/x"):
        for act in (
            lambda path=path: store.read(path),
            lambda path=path: store.read_bytes(path, 0, 5),
            lambda path=path: store.write(path, "mine"),
            lambda path=path: store.delete(path),
        ):
            with pytest.raises(WorkbenchError):
                act()
    assert {one.path: one.kind for one in store.level("a/b")} == {"a/b/link": "link", "a/b/pipe": "odd"}
    store.remove("a")
    assert not (root / "a").exists()


def test_a_folder_swapped_while_everything_below_is_removed_or_moved_costs_nothing_outside(store, root, outside):
    (root / "real").mkdir(parents=True)
    os.symlink(outside.parent, root / "bad")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for source in ("real", "bad"):
                try:
                    os.rename(root / source, root / "here")
                    os.rename(root / "here", root / source)
                except OSError:
                    continue

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for number in range(200):
            for act in (
                lambda: store.remove("here/secret.txt"),
                lambda: store.rename("here/secret.txt", "stolen.txt"),
                lambda number=number: store.write(f"here/{number}.txt", "x"),
                lambda: store.remove("here"),
            ):
                try:
                    act()
                except WorkbenchError as fault:
                    assert fault.message  # noqa: PT017
    finally:
        stop.set()
        thread.join()
    assert not (root / "stolen.txt").exists()


def test_nothing_is_replaced_by_a_move_and_no_folder_goes_into_itself(store):
    store.write("a/x.txt", "x")
    store.write("b.txt", "b")
    with pytest.raises(WorkbenchError, match="already"):
        store.rename("a/x.txt", "b.txt")
    with pytest.raises(WorkbenchError, match="into itself"):
        store.rename("a", "a/b/c")
    assert store.rename("a", "new/place").kind == "folder"
    assert store.read("new/place/x.txt") == "x"
    with pytest.raises(WorkbenchError, match="already"):
        store.make_folder("new")
    with pytest.raises(WorkbenchError, match="already"):
        store.write_bytes("b.txt", b"c", new=True)


@pytest.mark.parametrize(
    "name", [b"a\nb", b"\xe2\x80\xaegpj.exe", b"bad\xff", b"tab\t", b"\xc2\x85", b"zero\xe2\x80\x8bwidth"]
)
def test_what_a_program_named_badly_is_shown_with_escapes_and_found_by_them(store, root, name):
    root.mkdir()
    (root / "in").mkdir()
    os.close(os.open(os.fsencode(root / "in") + b"/" + name, os.O_CREAT | os.O_WRONLY))
    (info,) = store.list()
    assert info.path.isprintable()
    assert "\\" in info.path
    assert store.read(info.path) == ""
    store.rename(info.path, "good.txt")
    assert [one.path for one in store.list()] == ["good.txt"]
    with pytest.raises(WorkbenchError, match="cannot be used"):
        store.write(name.decode("utf-8", "surrogateescape"), "x")


@given(st.text(min_size=1, max_size=40))
def test_every_name_is_shown_on_one_line_of_what_can_be_seen(text):
    name = text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    said = displayed_name(name)
    assert len(said.splitlines()) <= 1
    assert displayed_name(said) == said


def test_there_may_be_only_so_many_files(root):
    store = WorkspaceFiles(root, lambda: 1, lambda: 2)
    store.write("a", "")
    store.write("b", "")
    with pytest.raises(WorkbenchError, match="2 files"):
        store.write("c", "")
    store.write("a", "replaced")
    room = store.workspace_usage()
    assert (room.files, room.most_files, room.size, room.most_size) == (2, 2, 8, 1_000_000)


def test_text_and_anything_else_are_told_apart():
    assert is_text(b"")
    assert is_text("grün".encode())
    assert is_text(("a" + "ü" * 5000).encode())
    assert not is_text(b"\x89PNG\0")
    assert not is_text(b"\xff\xfe")
