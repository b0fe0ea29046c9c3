"""One core per project: its lock, the private folder of its sockets, and clients that start it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys

import psutil
import pytest

from workbench.api import core_launcher
from workbench.api.client import connect
from workbench.api.core_launcher import launch_ahead
from workbench.api.core_lock import AnotherCoreRuns, CoreLock, check_private, listen_private, lock_holder, make_private
from workbench.errors import WorkbenchError
from workbench.events import Noticed


def test_the_second_taker_learns_who_holds_it(tmp_path):
    lock = CoreLock(tmp_path / "lock")
    try:
        assert lock_holder(tmp_path / "lock") == os.getpid()
        with pytest.raises(AnotherCoreRuns, match=f"process {os.getpid()}"):
            CoreLock(tmp_path / "lock")
    finally:
        lock.free()
    assert lock_holder(tmp_path / "lock") == 0
    CoreLock(tmp_path / "lock").free()


def test_nobody_holds_what_is_not_there(tmp_path):
    assert lock_holder(tmp_path / "lock") == 0


def test_a_killed_holder_lets_go(tmp_path):
    code = "import sys, pathlib, workbench.api.core_lock as l; k = l.CoreLock(pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"  # noqa: E501
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"held\n"
        assert lock_holder(tmp_path / "lock") == child.pid
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert lock_holder(tmp_path / "lock") == 0


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        CoreLock(tmp_path / "lock")
    assert not (tmp_path / "elsewhere").exists()


def test_the_folder_and_its_parent_are_closed_to_others(tmp_path):
    folder = tmp_path / "run" / "project"
    (tmp_path / "run").mkdir(mode=0o777)
    make_private(folder)
    make_private(folder)
    assert [part.stat().st_mode & 0o777 for part in (folder, folder.parent)] == [0o700, 0o700]


@pytest.mark.parametrize("where", ["run", "run/project"])
def test_a_link_is_refused(tmp_path, where):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / where
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkbenchError):
        make_private(tmp_path / "run" / "project")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(WorkbenchError):
        make_private(tmp_path / "run" / "project")


def test_another_users_folder_is_refused(tmp_path, monkeypatch):
    make_private(tmp_path / "run" / "project")
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(WorkbenchError, match="belongs to another user"):
        check_private(tmp_path / "run" / "project")


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


pytestmark = pytest.mark.usefixtures("core_command")


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def until(condition, seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def test_without_a_core_and_without_starting_one_a_sentence_says_so(paths):
    with pytest.raises(WorkbenchError, match="No core is running"):
        await connect(paths, start=False)
    assert not paths.runtime.exists()


async def test_a_door_starts_the_core_it_needs_and_it_is_nobodys_child(paths):
    connection = await connect(paths)
    status = await connection.api.status()
    assert status.pid == lock_holder(paths.lock)
    assert status.project == str(paths.project)
    assert psutil.Process(status.pid).nice() >= 5
    assert status.pid not in [child.pid for child in psutil.Process().children(recursive=True)]
    await connection.close()


async def test_a_core_launched_ahead_is_the_one_that_is_used(paths):
    launch_ahead(paths)
    connection = await connect(paths)
    assert (await connection.api.status()).pid == lock_holder(paths.lock)
    await connection.close()


async def test_a_core_launched_ahead_that_answers_already_leaves_nothing_to_bury(paths):
    launch_ahead(paths)
    (begun,) = core_launcher._launched.values()
    await until(paths.user_socket.exists)
    connection = await connect(paths)
    assert begun.returncode == 0
    assert core_launcher._launched == {}
    await connection.close()


async def test_nothing_is_launched_ahead_where_a_core_answers(paths):
    connection = await connect(paths)
    launch_ahead(paths)
    assert core_launcher._launched == {}
    await connection.close()


async def test_sockets_and_their_folder_are_ours_alone(paths):
    connection = await connect(paths)
    assert paths.runtime.stat().st_mode & 0o777 == 0o700
    for private in (paths.user_socket, paths.agent_socket, paths.audit, paths.lock):
        assert private.stat().st_mode & 0o777 == 0o600
    await connection.close()


async def test_two_doors_at_once_share_one_core_and_hear_the_same(paths):
    connections = await asyncio.gather(*(connect(paths) for _ in range(3)))
    pids = {(await connection.api.status()).pid for connection in connections}
    assert pids == {lock_holder(paths.lock)}
    heard: list[list[object]] = [[] for _ in connections]
    for connection, events in zip(connections, heard, strict=True):
        connection.listen(events.append)
    await connections[0].api.change_setting("run.seconds", 3)
    await until(lambda: all(heard))
    assert [[type(event) for event in events] for events in heard] == [[Noticed]] * 3
    for connection in connections:
        await connection.close()


async def test_a_killed_core_is_noticed_and_the_next_door_starts_a_new_one(paths):
    connection = await connect(paths)
    pid = (await connection.api.status()).pid
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(60):
        await connection.closed.wait()
    with pytest.raises(WorkbenchError, match="was lost"):
        await connection.api.status()
    await connection.close()
    again = await connect(paths)
    assert (await again.api.status()).pid != pid
    assert (await again.api.verify_audit()).whole
    await again.close()


async def test_shut_down_answers_and_then_the_core_and_its_files_are_gone(paths):
    connection = await connect(paths)
    pid = (await connection.api.status()).pid
    assert await connection.api.shut_down() is None
    await connection.closed.wait()
    await connection.close()
    await until(lambda: gone(pid))
    assert not paths.user_socket.exists()
    assert not paths.agent_socket.exists()


async def test_what_daemonized_itself_is_gone_with_the_core(paths):
    connection = await connect(paths)
    pid = (await connection.api.status()).pid
    await connection.api.start_example_agent()
    await until(lambda: len(psutil.Process(pid).children(recursive=True)) == 2)
    left = [child.pid for child in psutil.Process(pid).children(recursive=True)]
    await connection.api.shut_down()
    await connection.close()
    await until(lambda: all(gone(child) for child in left))


async def test_a_core_that_nobody_needs_any_more_ends_by_itself(paths):
    (paths.project / "workbench.toml").write_text("[core]\nlinger_seconds = 0\n")
    connection = await connect(paths)
    pid = (await connection.api.status()).pid
    await asyncio.sleep(0.6)
    assert not gone(pid)
    await connection.close()
    await until(lambda: gone(pid))


async def test_rooms_that_cannot_open_say_why(paths):
    (paths.project / "broken").touch()
    with pytest.raises(WorkbenchError) as caught:
        await connect(paths)
    assert (caught.value.message, caught.value.hint) == ("The rooms cannot open.", "Remove the file broken.")


async def test_a_core_that_crashes_while_opening_is_a_fault_with_its_log(paths):
    (paths.project / "crash").touch()
    with pytest.raises(WorkbenchError, match="could not be started") as caught:
        await connect(paths)
    assert str(paths.core_log) in caught.value.hint


async def test_a_project_that_is_not_there_is_a_sentence(paths):
    paths.project.rmdir()
    with pytest.raises(WorkbenchError, match="There is no folder"):
        await connect(paths)


async def test_a_project_cannot_slip_its_own_modules_into_the_core(paths, monkeypatch):
    (paths.project / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(paths.project)
    connection = await connect(paths)
    assert (await connection.api.status()).pid
    await connection.close()
