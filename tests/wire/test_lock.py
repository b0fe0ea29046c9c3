"""One holder at a time, and none after its death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from workbench.wire.lock import AnotherRuns, Lock, holder


def test_the_second_taker_learns_who_holds_it(tmp_path):
    lock = Lock(tmp_path / "lock")
    try:
        assert holder(tmp_path / "lock") == os.getpid()
        with pytest.raises(AnotherRuns, match=f"process {os.getpid()}"):
            Lock(tmp_path / "lock")
    finally:
        lock.free()
    assert holder(tmp_path / "lock") == 0
    Lock(tmp_path / "lock").free()


def test_nobody_holds_what_is_not_there(tmp_path):
    assert holder(tmp_path / "lock") == 0


def test_a_killed_holder_lets_go(tmp_path):
    code = "import sys, pathlib, workbench.wire.lock as l; k = l.Lock(pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"  # noqa: E501
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"held\n"
        assert holder(tmp_path / "lock") == child.pid
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert holder(tmp_path / "lock") == 0


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        Lock(tmp_path / "lock")
    assert not (tmp_path / "elsewhere").exists()
