"""The copy of a workspace: whole, apart, told, and gone."""

from __future__ import annotations

import os

import pytest

from workbench.runs import spare as module
from workbench.runs.spare import Spare


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "workspace"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "deep" / "b.txt").write_text("b")
    (folder / "out").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    return folder


def test_what_changes_in_the_copy_is_told_and_the_source_stays(source, tmp_path):
    spare = Spare(source, tmp_path / "above")
    assert spare.fill()
    assert spare.changes() == ({}, ())
    assert (spare.folder / "out").is_symlink()
    assert not (spare.folder / "pipe").exists(), "what is no file stays behind"
    (spare.folder / "a.txt").write_text("other")
    (spare.folder / "deep" / "b.txt").unlink()
    (spare.folder / "new.txt").write_text("12")
    written, deleted = spare.changes()
    assert written == {"workspace/a.txt": 5, "workspace/new.txt": 2}
    assert deleted == ("workspace/deep/b.txt",)
    (spare.folder / "deep").chmod(0)
    spare.close()
    assert list((tmp_path / "above").iterdir()) == []
    assert (source / "a.txt").read_text() == "a"
    assert (source / "deep" / "b.txt").read_text() == "b"


def test_too_much_is_not_copied_and_leaves_nothing(source, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_FILES", 2)
    spare = Spare(source, tmp_path / "above")
    assert not spare.fill()
    spare.close()
    assert list((tmp_path / "above").iterdir()) == []


def test_one_that_was_closed_before_it_began_copies_nothing(source, tmp_path):
    spare = Spare(source, tmp_path / "above")
    spare.close()
    assert not spare.fill()
    assert not (tmp_path / "above").exists()


def test_a_workspace_that_is_not_there_is_an_empty_one(tmp_path):
    spare = Spare(tmp_path / "none", tmp_path / "above")
    assert spare.fill()
    assert spare.changes() == ({}, ())
    spare.close()
