"""Sockets live in a folder that is ours alone, or nowhere."""

from __future__ import annotations

import os
import socket

import pytest

from workbench.errors import WorkbenchError
from workbench.wire.private import check_private, listen_private, make_private


def test_the_folder_and_its_parent_are_closed_to_others(tmp_path):
    folder = tmp_path / "run" / "bench"
    (tmp_path / "run").mkdir(mode=0o777)
    make_private(folder)
    make_private(folder)
    assert [part.stat().st_mode & 0o777 for part in (folder, folder.parent)] == [0o700, 0o700]


@pytest.mark.parametrize("where", ["run", "run/bench"])
def test_a_link_is_refused(tmp_path, where):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / where
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkbenchError):
        make_private(tmp_path / "run" / "bench")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(WorkbenchError):
        make_private(tmp_path / "run" / "bench")


def test_another_users_folder_is_refused(tmp_path, monkeypatch):
    make_private(tmp_path / "run" / "bench")
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(WorkbenchError, match="belongs to another user"):
        check_private(tmp_path / "run" / "bench")


def test_a_socket_is_ours_alone_and_a_stale_one_is_replaced(tmp_path):
    path = tmp_path / "s"
    for _ in range(2):
        with listen_private(path):
            assert path.stat().st_mode & 0o777 == 0o600
            with socket.socket(socket.AF_UNIX) as caller:
                caller.connect(str(path))
    before = os.umask(0o022)
    os.umask(before)
    assert before != 0o177


def test_a_path_too_long_for_the_kernel_is_a_sentence(tmp_path):
    with pytest.raises(WorkbenchError, match="cannot listen") as caught:
        listen_private(tmp_path / ("x" * 120))
    assert "XDG_RUNTIME_DIR" in caught.value.hint
