"""A workspace is measured by its disk usage, without following links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.sandbox.process import scratch_folders
from workbench.sandbox.supervision import workspace_quota


def test_a_workspace_over_its_size_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_bytes(b"x" * (2 << 20))
    assert workspace_quota.over(str(tmp_path), 3) == ""
    assert "1 MB" in workspace_quota.over(str(tmp_path), 1)


def test_a_hole_weighs_nothing_and_a_link_is_not_followed(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 30)
    (tmp_path / "up").symlink_to("/")
    assert workspace_quota.over(str(tmp_path), 1) == ""


def test_too_many_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_quota, "MOST_FILES", 10)
    for number in range(11):
        (tmp_path / str(number)).touch()
    assert "10 files" in workspace_quota.over(str(tmp_path), 1)


def test_a_folder_that_is_gone_is_empty(tmp_path: Path) -> None:
    assert workspace_quota.over(str(tmp_path / "nowhere"), 1) == ""


def test_what_is_too_deep_to_be_counted_is_over_any_limit(tmp_path: Path) -> None:
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=at)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    assert "too deep" in workspace_quota.over(str(tmp_path), 1)
    scratch_folders.remove(str(tmp_path))


@pytest.mark.skipif(os.getuid() == 0, reason="root opens every folder")
def test_a_folder_that_a_program_closed_to_us_is_over_any_limit(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(0)
    assert "closed" in workspace_quota.over(str(tmp_path), 1)
