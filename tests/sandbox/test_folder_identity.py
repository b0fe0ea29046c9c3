"""A folder is identified by device and inode, not by its name alone."""

from __future__ import annotations

from pathlib import Path

from workbench.sandbox.child_profile import NOWHERE, mark_of, marks_of, real_place


def test_links_are_followed_and_what_stands_there_is_marked(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert real_place(tmp_path / "link") == (str((tmp_path / "real").resolve()), mark_of(str(tmp_path / "real")))


def test_what_is_no_folder_is_nowhere(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert real_place(None) == real_place(tmp_path / "none") == real_place(tmp_path / "file") == ("", NOWHERE)
    assert marks_of(str(tmp_path), "") == (mark_of(str(tmp_path)), NOWHERE)


def test_a_link_that_leads_elsewhere_now_is_followed_anew(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")
    first = real_place(link)
    link.unlink()
    link.symlink_to("two")
    assert real_place(link) == (str((tmp_path / "two").resolve()), mark_of(str(tmp_path / "two")))
    assert real_place(link) != first
