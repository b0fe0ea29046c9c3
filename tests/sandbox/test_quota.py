"""A workspace is counted as it lies on the disk, and links lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.sandbox import quota


def test_a_workspace_over_its_size_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_bytes(b"x" * (2 << 20))
    assert quota.over(str(tmp_path), 3) == ""
    assert "1 MB" in quota.over(str(tmp_path), 1)


def test_a_hole_weighs_nothing_and_a_link_is_not_followed(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 30)
    (tmp_path / "up").symlink_to("/")
    assert quota.over(str(tmp_path), 1) == ""


def test_too_many_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "MOST_FILES", 10)
    for number in range(11):
        (tmp_path / str(number)).touch()
    assert "10 files" in quota.over(str(tmp_path), 1)


def test_a_folder_that_is_gone_is_empty(tmp_path: Path) -> None:
    assert quota.over(str(tmp_path / "nowhere"), 1) == ""
