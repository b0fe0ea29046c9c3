"""Untrusted lists of file changes: nothing outside the workspace is changed, and changes are applied completely or not
at all.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sandbox.file_transfer.change_import import ChangeImport
from workbench.sandbox.file_transfer.transfer_frames import TransferFault

Parcel = tuple[dict[str, Any], bytes]


@contextlib.contextmanager
def change_import(workspace: Path, room: int = 1 << 20, sent: tuple[str, ...] = ()) -> Iterator[ChangeImport]:
    made = ChangeImport(workspace, room, sent)
    try:
        yield made
    finally:
        made.close()


def file(path: Any, data: bytes, mode: int = 0o644) -> list[Parcel]:
    head = {"kind": "file", "path": path, "mode": mode, "time": 10**18, "length": len(data)}
    return [(head, b""), *[({"kind": "data"}, data)] * bool(data)]


def reap(workspace: Path, *transfer_frames: Parcel, room: int = 1 << 20, sent: tuple[str, ...] = ()) -> list[str]:
    with change_import(workspace, room, sent) as made:
        for head, data in transfer_frames:
            made.take(head, data)
        made.apply()
        return made.notes


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("SECRET")
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def untouched(workspace: Path) -> bool:
    outside = workspace.parent / "outside"
    return {path.name: path.read_text() for path in outside.iterdir()} == {"secret": "SECRET"} and {
        path.name for path in workspace.parent.iterdir()
    } == {"outside", "workspace"}


def test_new_changed_and_removed_files_arrive(workspace: Path) -> None:
    (workspace / "old").write_text("old")
    (workspace / "gone").write_text("gone")
    reap(
        workspace,
        *file("old", b"new"),
        ({"kind": "folder", "path": "a/b"}, b""),
        *file("a/b/c.sh", b"x", 0o755),
        *file("empty", b""),
        ({"kind": "gone", "path": "gone"}, b""),
        sent=("old", "gone"),
    )
    found = {str(path.relative_to(workspace)): path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    assert found == {"old": b"new", "a/b/c.sh": b"x", "empty": b""}
    assert (workspace / "a/b/c.sh").stat().st_mode & 0o777 == 0o755
    assert (workspace / "a/b/c.sh").stat().st_mtime_ns == 10**18


def test_no_file_comes_with_the_rights_of_its_owner(workspace: Path) -> None:
    reap(workspace, *file("x", b"x", 0o106755))
    assert (workspace / "x").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    "path",
    ["../outside/secret", "/etc/passwd", "a/../../outside/x", "", ".", "..", "a//b", "a/", "a\0b", 7, None, "x" * 256,
     "/".join("a" * 70), "\ud800", ".mcp-workbench-abc/x"],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(workspace: Path, path: Any) -> None:
    others = [[({"kind": kind, "path": path}, b"")] for kind in ("gone", "folder")]
    for transfer_frames in (file(path, b"x"), *others):
        with pytest.raises(TransferFault):
            reap(workspace, *transfer_frames)
    assert untouched(workspace)
    assert list(workspace.iterdir()) == []


def test_a_link_that_stands_in_the_workspace_is_not_followed(workspace: Path) -> None:
    (workspace / "door").symlink_to(workspace.parent / "outside")
    (workspace / "file").symlink_to(workspace.parent / "outside/secret")
    notes = reap(
        workspace,
        *file("door/secret", b"PWNED"),
        *file("door/new", b"PWNED"),
        *file("file", b"mine"),
        ({"kind": "folder", "path": "door/made"}, b""),
        ({"kind": "gone", "path": "door/secret"}, b""),
        sent=("door/secret", "file", "door"),
    )
    assert untouched(workspace)
    assert (workspace / "file").read_bytes() == b"mine"
    assert not (workspace / "file").is_symlink()
    assert len(notes) == 2


def test_only_what_the_machine_was_given_can_be_removed(workspace: Path) -> None:
    (workspace / "mine").write_text("x")
    (workspace / "full").mkdir()
    (workspace / "full/new").write_text("made meanwhile")
    transfer_frames = [({"kind": "gone", "path": name}, b"") for name in ("mine", "full", "never")]
    reap(workspace, *transfer_frames, sent=("full", "never"))
    assert (workspace / "mine").exists()
    assert (workspace / "full/new").exists()


@pytest.mark.parametrize(
    "transfer_frames",
    [
        [*file("a", b"x"), *file("a", b"y")],
        [*file("a", b"xy")[:1]],
        [*file("a", b"xy")[:1], ({"kind": "data"}, b"x")],
        [*file("a", b"xy")[:1], ({"kind": "data"}, b"xyz")],
        [*file("a", b"xy")[:1], *file("b", b"x")],
        [({"kind": "data"}, b"x")],
        [({"kind": "data"}, b"")],
        file("a", bytes(2000)),
        [*file("a", bytes(600)), *file("b", bytes(600))],
        [({"kind": "file", "path": "a", "mode": "x", "time": 0, "length": 0}, b"")],
        [({"kind": "file", "path": "a", "mode": 0, "time": 0, "length": -1}, b"")],
        [({"kind": "file", "path": "a", "mode": 0, "time": 0, "length": True}, b"")],
        [({"kind": "file", "path": "a"}, b"")],
        [({"kind": "link", "path": "a", "to": "/"}, b"")],
        [({"kind": "left", "path": 1, "why": "x"}, b"")],
    ],
)
def test_a_dishonest_stream_changes_nothing(workspace: Path, transfer_frames: list[Parcel]) -> None:
    (workspace / "a").write_text("before")
    with pytest.raises(TransferFault):
        reap(workspace, *transfer_frames, room=1000, sent=("a",))
    assert [path.name for path in workspace.iterdir()] == ["a"]
    assert (workspace / "a").read_text() == "before"


def test_what_is_not_applied_leaves_nothing_behind(workspace: Path) -> None:
    with change_import(workspace) as made:
        for head, data in file("a", b"x"):
            made.take(head, data)
        assert len(list(workspace.iterdir())) == 1
    assert list(workspace.iterdir()) == []


def test_the_stage_of_a_workbench_that_was_killed_is_swept(workspace: Path) -> None:
    for name, age in ((".mcp-workbench-old", 10_000), (".mcp-workbench-now", 0)):
        (workspace / name).mkdir()
        (workspace / name / "0").write_text("x")
        when = (workspace / name).stat().st_mtime - age
        os.utime(workspace / name, (when, when))
    reap(workspace, *file("a", b"x"))
    assert sorted(path.name for path in workspace.iterdir()) == [".mcp-workbench-now", "a"]


def test_few_words_are_kept_of_many_that_stayed_behind(workspace: Path) -> None:
    left = [({"kind": "left", "path": f"l{n}\x1b[31m", "why": "it is a link"}, b"") for n in range(100)]
    notes = reap(workspace, *left)
    assert len(notes) == 20
    assert "\x1b" not in "".join(notes)


_PARTS = st.sampled_from(["a", "b", "..", ".", "door", "", "c\0", "outside", "secret"])
_PATHS = st.lists(_PARTS, max_size=4).map("/".join)
_NUMBERS = {"mode": st.integers(), "time": st.integers(), "length": st.integers(0, 9)}
_HEADS = st.one_of(
    st.fixed_dictionaries({"kind": st.sampled_from(["folder", "gone"]), "path": _PATHS}),
    st.fixed_dictionaries({"kind": st.just("file"), "path": _PATHS, **_NUMBERS}),
    st.fixed_dictionaries({"kind": st.just("data")}),
    st.dictionaries(st.sampled_from(["path", "why", "mode"]), st.none() | st.text(max_size=5)).map(
        lambda words: {"kind": "left", **words}
    ),
)


@given(st.lists(st.tuples(_HEADS, st.binary(max_size=9)), max_size=8))
def test_no_stream_reaches_past_the_workspace(
    tmp_path_factory: pytest.TempPathFactory, transfer_frames: list[Parcel]
) -> None:
    root = tmp_path_factory.mktemp("harvest")
    (root / "outside").mkdir()
    (root / "outside/secret").write_text("SECRET")
    (root / "workspace").mkdir()
    (root / "workspace/door").symlink_to(root / "outside")
    with contextlib.suppress(TransferFault):
        reap(root / "workspace", *transfer_frames, sent=("a", "b", "door", "door/secret", "outside"))
    assert untouched(root / "workspace")
    assert not [path for path in (root / "workspace").iterdir() if path.name.startswith(".mcp-workbench-")]
