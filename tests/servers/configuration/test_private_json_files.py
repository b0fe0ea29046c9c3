"""Private JSON files: written atomically, readable by the user only, and a damaged file does not stop the core."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.servers.configuration import private_json_files


def test_what_is_saved_is_loaded_and_private(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "file.json"
    private_json_files.save(file, {"é": [1, None]})
    assert private_json_files.load(file) == {"é": [1, None]}
    assert file.stat().st_mode & 0o077 == 0
    assert file.parent.stat().st_mode & 0o077 == 0


def test_a_failed_save_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    private_json_files.save(file, [1])
    with pytest.raises(TypeError):
        private_json_files.save(file, [object()])
    assert private_json_files.load(file) == [1]
    assert [one.name for one in tmp_path.iterdir()] == ["file.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file.json").write_bytes(content)
    assert private_json_files.load(tmp_path / "file.json") is None
    assert private_json_files.load(tmp_path / "missing.json") is None
