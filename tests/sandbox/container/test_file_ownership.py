"""As real root, a folder belongs to `nobody` while a program may write it, and to root again after the last program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.sandbox.container.container_maker import FileOwnership


def test_a_folder_is_taken_back_after_its_last_user(tmp_path: Path) -> None:
    if os.getuid():
        pytest.skip("Only root has to lend: others run programs with their own number.")
    outside = tmp_path / "outside"
    outside.touch()
    folder = tmp_path / "workspace"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/file").touch()
    (folder / "link").symlink_to(outside)
    owners = FileOwnership()
    owners.give_to_program(str(folder))
    owners.give_to_program(str(folder))
    assert (folder / "deep/file").stat().st_uid == folder.stat().st_uid == 65534
    assert outside.stat().st_uid == 0
    owners.take_back(str(folder))
    assert folder.stat().st_uid == 65534
    owners.take_back(str(folder))
    assert (folder / "deep/file").stat().st_uid == folder.stat().st_uid == 0
