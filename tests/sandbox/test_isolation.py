"""A hostile program finds no network, no host files, and no processes, and none of its processes survive."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import workbench
from workbench.records import Limits
from workbench.sandbox.child_profile import ENVIRONMENT

QUICK = Limits(seconds=60.0, cpu_seconds=10.0, memory_mb=384, disk_mb=16)
ROOT = Path(workbench.__file__).parents[1]


async def test_there_is_no_network(room: Any) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.2)
    port = listener.getsockname()[1]
    ending = await room.run(
        "import socket, ctypes\nfound = []\n"
        f"attempts = [lambda: socket.create_connection(('127.0.0.1', {port}), 1),"
        " lambda: socket.socket(socket.AF_UNIX), lambda: socket.socket(40, socket.SOCK_STREAM),"
        " lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM), lambda: socket.if_nameindex()]\n"
        "for attempt in attempts:\n"
        "    try:\n        attempt()\n        found.append('open')\n"
        "    except OSError as e:\n        found.append(type(e).__name__)\nfound"
    )
    with listener, pytest.raises(TimeoutError):
        listener.accept()
    assert "open" not in json.loads(ending.result)


async def test_nothing_of_the_host_can_be_read(room: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("CANARY")
    monkeypatch.setenv("CANARY_TOKEN", "CANARY")
    places = [
        str(tmp_path / "secret"),
        "/etc/shadow",
        "/root",
        str(Path.home()),
        "/proc/1/environ",
        "/proc/1/maps",
        "/proc/self/environ",
        "/proc/self/mountinfo",
        "/proc/1/root/etc/shadow",
        "/sys",
        "/var",
        "/run",
        str(ROOT / "tests"),
    ]
    ending = await room.run(
        "import os\nfound = []\n"
        f"for place in {places!r}:\n"
        "    try:\n"
        "        found.append([place, str(os.listdir(place) if os.path.isdir(place) else open(place).read())])\n"
        "    except OSError:\n        pass\n"
        "users = open('/etc/passwd').read().count('\\n') if os.access('/tmp', os.R_OK) and os.getpid() == 1 else 1\n"
        "[[f for f in found if f[1] != '[]'], dict(os.environ), users]"
    )
    found, environment, users = json.loads(ending.result)
    library = [place for place in found if sys.base_prefix.startswith(place[0] + "/")]
    assert [place for place in found if place not in library] == []
    assert all("CANARY" not in text for _, text in found)
    assert set(environment) == set(ENVIRONMENT)
    assert users == 1


async def test_nothing_outside_the_workspace_can_be_written(room: Any) -> None:
    ending = await room.run(
        "import os, sys\nwritten = []\n"
        "for folder in ['/', '/bench', '/usr/lib', '/etc', '/dev', '/proc', '/home', '/bench/servers', '/bench/skills',"
        " os.path.dirname(os.__file__)]:\n"
        "    try:\n        open(f'{folder}/attack', 'w').close()\n        written.append(folder)\n"
        "    except OSError:\n        pass\nwritten"
    )
    assert json.loads(ending.result) == []


async def test_no_process_can_be_made_and_no_program_started(room: Any) -> None:
    ending = await room.run(
        "import os, ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nfound = []\n"
        "for attempt in (os.fork, lambda: os.execv('/usr/bin/env', ['env']),\n"
        "                lambda: os.posix_spawn('/bin/true', ['true'], {})):\n"
        "    try:\n        attempt()\n        found.append('made')\n"
        "    except OSError as e:\n        found.append('refused')\n"
        "found + [libc.vfork() if False else libc.unshare(0x10000000), libc.ptrace(0, 0, 0, 0)]"
    )
    assert json.loads(ending.result) == ["refused"] * 3 + [-1, -1]


async def test_nothing_dangerous_is_left_in_the_workspace(room: Any) -> None:
    ending = await room.run(
        "import os\ntried = {}\n"
        "def attempt(name, step):\n"
        "    try:\n        step()\n        tried[name] = 'done'\n"
        "    except OSError:\n        tried[name] = 'refused'\n"
        "open('workspace/plain', 'w').close()\n"
        "attempt('chmod', lambda: os.chmod('workspace/plain', 0o4755))\n"
        "attempt('open', lambda: os.open('workspace/born', os.O_CREAT | os.O_WRONLY, 0o4755))\n"
        "attempt('fifo', lambda: os.mkfifo('workspace/fifo'))\n"
        "attempt('node', lambda: os.mknod('workspace/node', 0o60600, 0x800))\n"
        "attempt('chown', lambda: os.chown('workspace/plain', 0, 0))\n"
        "attempt('huge', lambda: open('workspace/huge', 'wb').truncate(1 << 40))\n"
        "attempt('mode', lambda: os.chmod('workspace/plain', 0o755))\ntried"
    )
    assert json.loads(ending.result) == {
        "chmod": "refused",
        "open": "refused",
        "fifo": "refused",
        "node": "refused",
        "chown": "refused",
        "huge": "refused",
        "mode": "done",
    }
    for path in (room.project / "workspace").iterdir():
        found = path.lstat()
        assert stat.S_ISREG(found.st_mode)
        assert not found.st_mode & 0o6000
        assert found.st_uid == (os.getuid() or (0 if room.sandbox.strength.level == "full" else 65534))


async def test_it_is_nobody_without_any_right(room: Any) -> None:
    ending = await room.run("import os\n[os.getuid(), os.getgroups(), os.getpid()]")
    user, groups, process = json.loads(ending.result)
    assert user == (os.getuid() or 65534)
    assert 0 not in groups
    assert (process == 1) == (room.sandbox.strength.level == "full")
    raised = await room.run("import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))")
    assert raised.error_type == "ValueError"


async def test_private_folders_have_a_size_and_inodes_an_end(native: Any) -> None:
    ending = await native.run(
        "found = []\n"
        "try:\n    open('/tmp/a', 'wb').write(bytes(15 << 20)); open('/home/program/b', 'wb').write(bytes(15 << 20))\n"
        "    open('/home/program/c', 'wb').write(bytes(15 << 20))\nexcept OSError as e:\n    found.append(e.errno)\n"
        "try:\n    for i in range(10000): open(f'/tmp/{i}', 'w').close()\n"
        "except OSError as e:\n    found.append(e.errno)\nfound"
    )
    assert json.loads(ending.result) == [28, 28]


async def test_a_broken_channel_ends_the_run_with_its_own_word(room: Any) -> None:
    for attack in (
        "s.sendall(struct.pack('>I', 0xffffffff) + b'x' * 1000)",
        "s.sendall(struct.pack('>I', 5) + b'rubbi')",
        "s.sendall(struct.pack('>I', 100000) + b'[' * 100000)",
        "b = b'{\"id\":' + b'9' * 9000 + b'}'; s.sendall(struct.pack('>I', len(b)) + b)",
        'b = b\'{"kind":"output","stream":"stdout","text":"\\\\ud800"}\'; s.sendall(struct.pack(\'>I\', len(b)) + b)',
        'b = b\'{"kind":"end","ok":true,"result":"{"}\'; s.sendall(struct.pack(\'>I\', len(b)) + b)',
    ):
        ending = await room.run(f"import socket, struct, time\ns = socket.socket(fileno=3)\n{attack}\ntime.sleep(10)")
        assert ending.reason == "protocol", (attack, ending)


async def test_a_forged_approval_is_refused(room: Any) -> None:
    asked: list[str] = []

    async def answer(what: str, wish: Any) -> Any:
        asked.append(what)
        return True

    ending = await room.run(
        "import socket, struct\ns = socket.socket(fileno=3)\n"
        "b = json.dumps({'kind': 'approve', 'id': 7, 'all': True}).encode()\ns.sendall(struct.pack('>I', len(b)) + b)\n"
        "found = s.recv(4096)[4:].decode()\ns.detach()\njson.loads(found)['error']['code']",
        answer=answer,
    )
    assert json.loads(ending.result) == "refused"
    assert asked == []


async def test_a_flood_of_frames_is_ended(native: Any) -> None:
    ending = await native.run(
        "import socket, struct\ns = socket.socket(fileno=3)\n"
        "b = json.dumps({'kind': 'output', 'stream': 'stdout', 'text': ''}).encode()\n"
        "while True: s.sendall(struct.pack('>I', len(b)) + b)",
        replace(QUICK, output_bytes=50_000),
    )
    assert ending.reason == "output"


async def test_a_program_that_takes_no_answers_does_not_fill_our_memory(native: Any) -> None:
    waiting = 0
    most = 0

    async def answer(what: str, wish: Any) -> Any:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.01)
        waiting -= 1
        return "x" * 100_000

    ending = await native.run(
        "import socket, struct\ns = socket.socket(fileno=3)\n"
        "for i in range(1, 5000):\n"
        "    b = json.dumps({'kind': 'ask', 'id': i, 'what': 'call', 'wish': {}}).encode()\n"
        "    s.sendall(struct.pack('>I', len(b)) + b)",
        replace(QUICK, seconds=1.5),
        answer=answer,
    )
    assert ending.reason == "timeout"
    assert most < 2000


async def test_a_cancelled_run_leaves_no_process(room: Any, processes: Any) -> None:
    before = processes()
    started = asyncio.Event()

    async def answer(what: str, wish: Any) -> Any:
        started.set()

    run = asyncio.ensure_future(room.run("await call_tool('s', 't', {})\nwhile True: pass", answer=answer))
    await started.wait()
    assert processes() > before
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert processes() <= before


async def test_a_killed_launcher_takes_its_children_along_and_comes_back(room: Any, processes: Any) -> None:
    started = asyncio.Event()

    async def answer(what: str, wish: Any) -> Any:
        started.set()

    run = asyncio.ensure_future(room.run("await call_tool('s', 't', {})\nwhile True: pass", answer=answer))
    await started.wait()
    below = processes()
    os.kill(room.sandbox.launcher, signal.SIGKILL)
    ending = await run
    assert ending.reason == "lost"
    await _gone(below)
    assert (await room.run("1 + 1")).result == "2"


async def test_after_closing_no_process_is_left(room: Any, processes: Any) -> None:
    started = asyncio.Event()

    async def answer(what: str, wish: Any) -> Any:
        started.set()

    run = asyncio.ensure_future(room.run("await call_tool('s', 't', {})\nwhile True: pass", answer=answer))
    await started.wait()
    await room.sandbox.close()
    assert (await run).reason == "lost"
    assert processes() == set()


@pytest.mark.parametrize("backend", ["native", "bubblewrap", "reduced"])
def test_a_core_killed_in_the_middle_leaves_no_survivor(backend: str, tmp_path: Path) -> None:
    if backend == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    command = [sys.executable, "-m", "tests.attacks", "--backend", backend, "--seconds", "60", "--attack", "-"]
    (tmp_path / "temp").mkdir()
    command += ["--workspace", str(tmp_path / "workspace")]  # the killed process cannot remove a temporary folder
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temp")}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as core:
        assert core.stdin is not None
        assert core.stdout is not None
        core.stdin.write(b"print('running')\nwhile True: pass\n")
        core.stdin.close()
        assert core.stdout.readline() == b"running\n"
        below = _below(core.pid)
        assert len(below) >= 2
        core.kill()
    asyncio.run(_gone(below))
    assert list((tmp_path / "temp").iterdir()) == []


TOOL_KILLED = """
import os, signal
from workbench.sandbox.locks import kernel_calls
from workbench.sandbox.process import launcher
kernel_calls.adopt_orphans()
inner = os.fork()
if not inner:
    if os.fork():
        os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()
status = launcher._reap_all(inner)
print(os.WTERMSIG(status))
"""


def test_a_tool_that_is_killed_while_it_starts_leaves_nobody_waiting_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", TOOL_KILLED], cwd=ROOT, capture_output=True, timeout=60, check=True)
    assert done.stdout == b"9\n"


@pytest.fixture
def records_library() -> Iterator[Path]:
    """A copy of msgspec that every user can read, because a virtual environment is often in a home folder."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(Path(msgspec.__file__).parent, Path(folder, "msgspec"))
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="the other tests already run as an ordinary user")
@pytest.mark.parametrize("backend", ["native", "bubblewrap", "reduced"])
def test_an_ordinary_user_has_the_same_isolation(backend: str, records_library: Path) -> None:
    python = shutil.which("python3", path="/usr/bin")
    environment = {"PATH": "/usr/bin", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(records_library)}
    if python is None or not _starts_for_all(python, environment):
        pytest.skip("needs a system Python of this version and a checkout that every user can read")
    command = [python, "-m", "tests.attacks", "--backend", backend, "--attack", "-"]
    code = b"import os\nopen('workspace/x', 'w').close()\n"
    code += b"try: seen = os.listdir('/var')\nexcept OSError: seen = 'nothing'\n"
    code += b"print('user', os.getuid(), seen, os.listdir('workspace'))\nos.fork()"
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=code,
        capture_output=True,
        user=65534,
        group=65534,
        extra_groups=[],
        env=environment,
        timeout=60,
        check=False,
    )
    assert done.stdout == b"user 65534 nothing ['x']\n", done
    assert b"PermissionError" in done.stderr


async def _gone(processes: set[int]) -> None:
    for _ in range(3000):
        if not any(_living(process) for process in processes):
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"still there: {[process for process in processes if _living(process)]}")


def _living(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def _below(process: int) -> set[int]:
    found: set[int] = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(Path("/proc", name, "stat").read_text().rsplit(")", 1)[1].split()[1]) == process:
                found |= {int(name), *_below(int(name))}
        except OSError:
            continue
    return found


def _starts_for_all(python: str, environment: dict[str, str]) -> bool:
    """Whether an ordinary user can start the attack command with this Python."""
    done = subprocess.run(
        [python, "-m", "tests.attacks", "--help"], cwd=ROOT, capture_output=True, user=65534, group=65534,
        extra_groups=[], env=environment, check=False,
    )  # fmt: skip
    return done.returncode == 0
