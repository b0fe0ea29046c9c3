"""Private folders are removed whatever a program did in them, and only after their owner has ended."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.sandbox.process import scratch_folders


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch_folders.tempfile, "tempdir", str(tmp_path))


def test_a_folder_is_removed_however_deep_it_is() -> None:
    folder = scratch_folders.make()
    os.symlink("/", f"{folder}/everything")
    at = os.open(folder, os.O_RDONLY)
    for _ in range(3000):  # a path of 6,000 characters is too long for the kernel
        os.mkdir("x", dir_fd=at)
        inner = os.open("x", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.mkdir("closed", 0, dir_fd=at)
    os.close(at)
    scratch_folders.remove(folder)
    assert not os.path.exists(folder)


def test_only_what_nobody_holds_is_swept(tmp_path: Path) -> None:
    held = scratch_folders.make()
    (tmp_path / "mcp-workbench-private-left").mkdir()
    (tmp_path / "mcp-workbench-private-left/file").touch()
    (tmp_path / "mcp-workbench-private-link").symlink_to("/")
    (tmp_path / "other").mkdir()
    scratch_folders.sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [os.path.basename(held), "mcp-workbench-private-link", "other"]
    )
