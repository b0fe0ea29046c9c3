"""What is no plain file is refused at once, whatever it would give."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.files import LARGEST, read_plain


def test_a_plain_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("grün", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    assert read_plain(tmp_path / "link") == "grün"


def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no plain file"):
        read_plain(tmp_path / "pipe")


def test_an_endless_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "endless").symlink_to("/dev/zero")
    with pytest.raises(OSError, match="no plain file"):
        read_plain(tmp_path / "endless")


def test_a_giant_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "giant").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(OSError, match="larger than 4 MB"):
        read_plain(tmp_path / "giant")


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "none")
