"""Without namespaces: the seccomp filter covers what Landlock does not, and cleanup is complete."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
async def reduced(open_room: Callable[[str], Awaitable[Any]]) -> Any:
    return await open_room("reduced")


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user as the program's, if that user is not root."""
    user = 65534 if os.getuid() == 0 else None
    with subprocess.Popen(["/bin/sleep", "600"], user=user) as process:
        yield process
        process.kill()


async def test_it_is_said_to_be_reduced_and_why(reduced: Any) -> None:
    strength = reduced.sandbox.strength
    assert (strength.backend, strength.level) == ("reduced", "reduced")
    assert not strength.features["namespaces"]
    assert strength.features["Landlock"]
    assert strength.features["seccomp"]
    assert strength.hint


async def test_another_process_cannot_be_signalled_limited_or_watched(
    reduced: Any, victim: subprocess.Popen[bytes]
) -> None:
    ending = await reduced.run(
        "import ctypes, fcntl, os, resource, signal\n"
        f"other = {victim.pid}\n"
        "reading, writing = os.pipe()\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "found = []\n"
        "for attempt in (\n"
        "    lambda: os.kill(other, 0), lambda: os.kill(-1, 0), lambda: os.kill(0, 0),\n"
        "    lambda: resource.prlimit(other, resource.RLIMIT_CPU, (0, 0)),\n"
        "    lambda: fcntl.fcntl(reading, fcntl.F_SETOWN, other), lambda: fcntl.fcntl(reading, 10, signal.SIGKILL),\n"
        "    lambda: os.readlink(f'/proc/{other}/exe'), lambda: open(f'/proc/{other}/maps'),\n"
        "    lambda: os.sched_setaffinity(other, {0}), lambda: os.setpriority(os.PRIO_PROCESS, other, 5),\n"
        "):\n"
        "    try:\n        attempt()\n        found.append('done')\n"
        "    except OSError:\n        found.append('refused')\n"
        "found"
    )
    assert set(json.loads(ending.result)) == {"refused"}, ending
    assert victim.poll() is None


async def test_modes_times_and_lengths_of_files_outside_stay(reduced: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("kept")
    outside.chmod(0o666)
    os.utime(outside, (1, 1))
    tmp_path.chmod(0o777)
    ending = await reduced.run(
        "import ctypes, os\n"
        f"path = {str(outside)!r}\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "found = []\n"
        "for attempt in (\n"
        "    lambda: os.chmod(path, 0o600), lambda: os.utime(path), lambda: os.truncate(path, 0),\n"
        "    lambda: os.open(path, os.O_TRUNC), lambda: os.chown(path, os.getuid(), -1), lambda: os.listxattr(path),\n"
        "    lambda: os.link(path, 'workspace/link'), lambda: os.rename(path, 'workspace/x'),\n"
        "    lambda: os.unlink(path),\n"
        "    lambda: os.chmod('workspace', 0o6777), lambda: os.symlink(path, path + '2'),\n"
        "):\n"
        "    try:\n        attempt()\n        found.append('done')\n"
        "    except OSError:\n        found.append('refused')\n"
        "found + [libc.chmod(path.encode(), 0o777), libc.utime(path.encode(), None), libc.truncate(path.encode(), 0)]"
    )
    assert set(json.loads(ending.result)) == {"refused", -1}, ending
    assert outside.read_text() == "kept"
    assert (outside.stat().st_mode & 0o777, outside.stat().st_mtime) == (0o666, 1)


async def test_copies_of_files_work_without_their_modes(reduced: Any) -> None:
    ending = await reduced.run(
        "import shutil, tarfile\nwrite_file('a', 'text')\nshutil.copy2('workspace/a', 'workspace/b')\n"
        "with tarfile.open('workspace/t.tar', 'w') as tar: tar.add('workspace/a', 'c')\n"
        "with tarfile.open('workspace/t.tar') as tar: tar.extractall('workspace/out')\n"
        "read_file('b') + read_file('out/c')"
    )
    assert ending.result == '"texttext"', ending


async def test_its_private_folders_have_an_end(reduced: Any) -> None:
    ending = await reduced.run(
        "import os, time\n"
        "for n in range(6): open(f\"{os.environ['HOME']}/{n}\", 'wb').write(bytes(15 << 20))\ntime.sleep(15)"
    )
    assert ending.reason == "disk", ending
    assert "temporary" in ending.message


async def test_no_private_folder_outlives_its_run(reduced: Any) -> None:
    before = set(_private())
    ending = await reduced.run(
        "import os\nos.chdir(os.environ['HOME'])\n"
        "for n in range(300):\n    os.mkdir('deep')\n    os.chdir('deep')\nos.mkdir('closed', 0)\n'made'"
    )
    assert ending.ok, ending
    await _only(before)


async def test_what_a_killed_run_left_is_swept_away(reduced: Any, processes: Any) -> None:
    before = set(_private())
    ending = await reduced.run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert ending.reason == "killed"
    for process in processes():
        if process != reduced.sandbox.launcher:
            os.kill(process, signal.SIGKILL)
    assert (await reduced.run("1")).ok
    await _only(before)


async def _only(before: set[Path]) -> None:
    left = set(_private()) - before  # folders that other programs of this machine create are not counted
    for _ in range(10_000):
        left &= set(_private())
        if not left:
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"still there: {left}")


def _private() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob("mcp-workbench-private-*"))
