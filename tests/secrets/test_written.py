"""A private file is whole, private, and leaves nothing beside it."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.secrets.written import write_private


def test_the_file_and_its_new_folder_are_this_persons_alone(tmp_path):
    file = tmp_path / "new" / "file"
    write_private(file, b"one")
    write_private(file, b"two")
    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert list(file.parent.iterdir()) == [file]


def test_where_it_cannot_stand_is_a_sentence(tmp_path):
    (tmp_path / "place").write_text("a file")
    with pytest.raises(WorkbenchError, match="cannot be written"):
        write_private(tmp_path / "place" / "file", b"one")
