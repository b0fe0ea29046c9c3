"""The core as a process: refused projects, one per project, signals, and a clean end."""

from __future__ import annotations

import importlib.util
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench import process
from workbench.api.core_launcher import ANOTHER_RUNS
from workbench.api.core_lock import CoreLock, lock_holder
from workbench.errors import WorkbenchError
from workbench.paths import paths_of

FAKE = Path(__file__).parent / "api" / "fake_core.py"


def fake_rooms():
    spec = importlib.util.spec_from_file_location("fake_core", FAKE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Rooms


def until(condition, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def foreground(paths):
    """A core in the foreground, as a service manager would start it."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(*extra: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(FAKE), "core", "--project", str(paths.project), *extra]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return started[-1]

    yield begin
    for child in started:
        child.kill()
        child.communicate()


def heeds(process: int, number: int) -> bool:
    """Whether a signal would be heard: one that comes before ends a process at once."""
    words = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").split()
    return bool(int(words[words.index("SigCgt:") + 1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(foreground, paths, number):
    core = foreground()
    until(paths.agent_socket.exists)
    core.send_signal(number)
    assert core.wait(60) == 0
    assert not paths.user_socket.exists()
    assert lock_holder(paths.lock) == 0
    assert "the core is closed" in paths.core_log.read_text()


def test_a_second_core_of_the_same_project_is_refused_with_a_sentence(foreground, paths):
    first = foreground()
    until(paths.agent_socket.exists)
    second = foreground()
    _, words = second.communicate(timeout=60)
    assert second.returncode == ANOTHER_RUNS
    assert f"A core already runs for this project (process {first.pid})." in words.decode()
    assert first.poll() is None
    assert paths.user_socket.exists()


def test_sockets_of_a_killed_core_do_not_stop_the_next(foreground, paths):
    first = foreground()
    until(paths.agent_socket.exists)
    first.kill()
    first.wait()
    assert paths.user_socket.exists()
    second = foreground()
    until(lambda: lock_holder(paths.lock) == second.pid and heeds(second.pid, signal.SIGTERM))
    second.send_signal(signal.SIGTERM)
    assert second.wait(60) == 0


def test_a_thread_that_never_ends_does_not_keep_it(foreground, paths):
    (paths.project / "stuck").touch()
    core = foreground()
    until(paths.agent_socket.exists)
    core.send_signal(signal.SIGTERM)
    core.wait(60)
    assert lock_holder(paths.lock) == 0
    words = paths.core_log.read_text()
    assert "the core is closed" in words
    assert "is killed now" in words


def test_a_start_that_never_ends_heeds_a_signal(foreground, paths):
    (paths.project / "busy").touch()
    core = foreground()
    until((paths.project / "opening").exists)
    core.send_signal(signal.SIGTERM)
    core.wait(60)
    assert lock_holder(paths.lock) == 0


def test_a_start_that_waits_for_something_is_given_up_on_a_signal(foreground, paths):
    (paths.project / "waits").touch()
    core = foreground()
    until((paths.project / "opening").exists)
    core.send_signal(signal.SIGTERM)
    _, words = core.communicate(timeout=60)
    assert "The core was asked to stop before it was open." in words.decode()
    assert "the core is closed" in paths.core_log.read_text()
    assert "is killed now" not in paths.core_log.read_text()


def test_private_folders_are_closed_to_others(foreground, paths):
    foreground()
    until(paths.agent_socket.exists)
    for folder in (paths.state, paths.cache, paths.runtime):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("arguments", [[], ["--project"], ["--detached"], ["--project", "a", "b"], ["--folder", "x"]])
def test_wrong_arguments_are_a_usage(capsys, arguments):
    assert process.main(arguments) == 2
    assert "usage:" in capsys.readouterr().err


def test_a_project_that_is_missing_is_a_sentence(tmp_path, capsys, paths):
    assert process.main(["--project", str(tmp_path / "nowhere")]) == 1
    assert capsys.readouterr().err.startswith(f"There is no folder {tmp_path / 'nowhere'}.")


def test_the_persons_own_project_is_made_when_it_is_missing(paths):
    own = paths_of()
    assert not own.project.exists()
    process.prepare(own)
    assert own.project.is_dir()


def test_a_project_that_cannot_be_written_is_a_sentence_with_a_hint(paths, monkeypatch):
    def refuse(dir):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(process.tempfile, "TemporaryFile", refuse)
    with pytest.raises(WorkbenchError, match=r"cannot be written: Permission denied") as caught:
        process.prepare(paths)
    assert "Choose a folder of your own" in caught.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_project_without_write_permission_is_noticed(paths):
    paths.project.chmod(0o500)
    with pytest.raises(WorkbenchError, match="cannot be written"):
        process.prepare(paths)
    paths.project.chmod(0o700)


def test_a_state_folder_that_cannot_be_made_is_a_sentence(paths):
    paths.state.parent.parent.mkdir(parents=True)
    paths.state.parent.write_text("a file where a folder should be")
    with pytest.raises(WorkbenchError, match="cannot be created"):
        process.prepare(paths)


def test_rooms_that_do_not_open_end_the_process_and_free_the_lock(paths):
    reports = []
    (paths.project / "broken").touch()
    code = process.run_core(paths, fake_rooms(), lambda code, words: reports.append((code, words)))
    assert code == 1
    assert reports == [(1, "The rooms cannot open.\nRemove the file broken.")]
    CoreLock(paths.lock).free()


def test_a_fault_of_ours_is_a_sentence_with_the_place_of_the_log(paths, caplog):
    def fail(paths, on_shut_down):
        raise ZeroDivisionError("of ours")

    reports = []
    assert process.run_core(paths, fail, lambda code, words: reports.append(words)) == 1
    assert "ZeroDivisionError: of ours" in reports[0]
    assert str(paths.core_log) in reports[0]


def test_only_complaints_of_others_reach_the_log(paths, foreground):
    foreground()
    until(paths.core_log.exists)
    until(
        lambda: f"the core listens for {paths.project}" in paths.core_log.read_text()
    )  # written after the sockets exist
    assert "asyncio" not in paths.core_log.read_text()
