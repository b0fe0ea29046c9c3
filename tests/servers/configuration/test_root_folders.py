"""MCP roots for a server: the folders exist, and relative paths stay inside the project."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.servers.configuration.root_folders import listed, resolved


def test_a_relative_root_lies_in_the_project(tmp_path):
    (tmp_path / "a b").mkdir()
    assert resolved(tmp_path, "a b") == (tmp_path / "a b").resolve()
    assert resolved(tmp_path, ".") == tmp_path.resolve()


@pytest.mark.parametrize("root", ["..", "a/../..", "link", "missing", "file", " ", "x\0y"])
def test_what_leads_out_or_is_no_folder_is_refused(tmp_path, root):
    project = tmp_path / "project"
    project.mkdir()
    (project / "link").symlink_to(tmp_path)
    (project / "file").write_text("")
    with pytest.raises(WorkbenchError) as refused:
        resolved(project, root)
    assert refused.value.hint


def test_a_full_path_may_lie_anywhere(tmp_path):
    assert resolved(tmp_path / "project", str(tmp_path)) == tmp_path.resolve()


def test_what_is_no_folder_now_is_left_out_of_the_list(tmp_path):
    (tmp_path / "docs").mkdir()
    told = listed(tmp_path, ("docs", "gone", "../.."))
    assert told == {"roots": [{"uri": (tmp_path / "docs").resolve().as_uri(), "name": "docs"}]}
    assert listed(tmp_path, ()) == {"roots": []}
