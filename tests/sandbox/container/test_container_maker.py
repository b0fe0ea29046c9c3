"""Programs in real containers: the same messages, limits and restrictions as in other sandboxes, and complete
cleanup.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.sandbox.conftest import QUICK, echo
from workbench.errors import WorkbenchError
from workbench.records import Limits
from workbench.sandbox.child_profile import ENVIRONMENT
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.container.engine import EngineSettings, ask, write_engine_settings
from workbench.sandbox.container.orphan_cleanup import owner
from workbench.sandbox.program import Ending, Program
from workbench.sandbox.sandbox import Sandbox, profile_of

LOOK = """
import ctypes, os, socket, sys
def attempt(deed):
    try:
        return f"DONE {deed()}"
    except Exception as fault:
        return type(fault).__name__
result = {
    "user": os.getuid(),
    "environment": sorted(os.environ),
    "descriptors": attempt(lambda: os.fstat(5)),
    "fork": attempt(os.fork),
    "socket": attempt(socket.socket),
    "root": attempt(lambda: open("/probe", "w")),
    "processes": attempt(lambda: open("/proc/1/environ").read()),
    "mounts": attempt(lambda: open("/proc/mounts").read()),
    "devices": attempt(lambda: os.listdir("/dev")),
    "system": attempt(lambda: os.listdir("/sys")),
    "shell": os.path.exists("/bin/sh") or os.path.exists("/usr/bin/sh"),
    "names": sorted(os.listdir("/bench")),
    "ours": "workbench" in sys.modules or any("app" in place for place in sys.path),
    "libc": ctypes.CDLL(None).unshare(0x10000000),
}
"""


async def run(sandbox: Sandbox, code: str, project: Path, limits: Limits = QUICK, *, writable: bool = True) -> Ending:
    for name in ("workspace", "servers", "skills"):
        (project / name).mkdir(exist_ok=True)
    program = Program(
        code, limits, project / "workspace", project / "servers", project / "skills", writable, level="container"
    )
    return await sandbox.run(program, echo, lambda stream, text: None)


def left(engine_settings: EngineSettings) -> str:
    """All containers of this image, running or exited."""
    return ask(engine_settings.command("ps", "-a", "-q", "--filter", f"ancestor={engine_settings.image}"))


async def test_a_program_runs_prints_answers_calls_and_writes_its_workspace(sandbox: Sandbox, tmp_path: Path) -> None:
    code = """
from client import call_tool
print("hello")
answer = await call_tool("demo", "list", {"n": 1})
write_file("out/kept.txt", "kept")
result = [answer["server"], list_files()]
"""
    ending = await run(sandbox, code, tmp_path)
    assert (ending.ok, ending.output) == (True, "hello\n"), ending
    assert json.loads(ending.result) == ["demo", ["out/kept.txt"]]
    kept = tmp_path / "workspace/out/kept.txt"
    assert kept.read_text() == "kept"


async def test_inside_there_is_nothing_to_hold_on_to(sandbox: Sandbox, tmp_path: Path) -> None:
    ending = await run(sandbox, LOOK, tmp_path)
    assert ending.ok, ending
    found = json.loads(ending.result)
    assert found["user"] == (os.getuid() or 65534)
    assert found["names"] == ["client.py", "mcp_content.py", "servers", "skills", "tool_discovery.py", "workspace"]
    refused = ("fork", "socket", "root", "processes", "mounts", "devices", "system", "descriptors")
    assert {name: found[name] for name in refused if found[name].startswith("DONE")} == {}
    assert (found["shell"], found["ours"], found["libc"]) == (False, False, -1)
    assert found["environment"] == sorted(ENVIRONMENT)


async def test_what_is_lent_for_reading_is_not_written(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/greet.py").write_text("def hello():\n    return 'hi'\n")
    code = """
from skills.greet import hello
def refused(path):
    try:
        open(path, "w")
    except OSError:
        return True
result = [hello(), refused("/bench/skills/x"), refused("/bench/servers/x"), refused("/workspace/x")]
"""
    ending = await run(sandbox, code, tmp_path, writable=False)
    assert json.loads(ending.result) == ["hi", True, True, True], ending


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", "cpu"),
        ("import time\ntime.sleep(60)", "timeout"),
        ("x = bytearray(2_000_000_000)", "memory"),
        ("while True: print('x' * 10_000)", "output"),
        ("import os\nos._exit(3)", "killed"),
        ("raise ValueError('mine')", "failed"),
    ],
)
async def test_each_limit_ends_it_with_its_reason(sandbox: Sandbox, tmp_path: Path, code: str, reason: str) -> None:
    seconds = 1.0 if reason == "timeout" else 30.0
    limits = Limits(seconds=seconds, cpu_seconds=1.0, memory_mb=256, disk_mb=16, output_bytes=100_000)
    assert (await run(sandbox, code, tmp_path, limits)).reason == reason
    assert (await run(sandbox, "result = 1", tmp_path)).result == "1"


async def test_files_without_end_meet_a_bound_in_the_private_folder(sandbox: Sandbox, tmp_path: Path) -> None:
    code = """
made = 0
try:
    for made in range(100_000):
        open(f"/tmp/{made}", "w").close()
except OSError as fault:
    result = [made < 10_000, fault.errno]
"""
    assert json.loads((await run(sandbox, code, tmp_path)).result) == [True, 28]


async def test_a_state_is_kept_in_a_container_too(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    programs = [Program(code, QUICK, tmp_path / "workspace", level="container") for code in ("x = 40", "x + 2")]
    kept = await sandbox.keep(programs[0])
    try:
        endings = [await kept.run(program, echo, lambda stream, text: None) for program in programs]
    finally:
        await kept.end("the test is over")
    assert [(ending.ok, ending.result) for ending in endings] == [(True, ""), (True, "42")]


async def test_the_processor_time_of_a_state_s_programs_is_counted(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    limits = replace(QUICK, cpu_seconds=0.5, seconds=60.0)
    programs = [
        Program(code, limits, tmp_path / "workspace", level="container") for code in ("x = 1", "while True: pass")
    ]
    kept = await sandbox.keep(programs[0])
    try:
        endings = [await kept.run(program, echo, lambda stream, text: None) for program in programs]
    finally:
        await kept.end("the test is over")
    assert [(ending.ok, ending.reason) for ending in endings] == [(True, "done"), (False, "cpu")]


async def test_stopping_a_run_ends_its_container(
    sandbox: Sandbox, engine_settings: EngineSettings, tmp_path: Path
) -> None:
    task = asyncio.create_task(run(sandbox, "import time\nprint('in')\ntime.sleep(600)", tmp_path))
    while not (tmp_path / "workspace").exists() or not left(engine_settings):
        await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait([task])
    await sandbox.close()
    assert left(engine_settings) == ""


async def test_containers_at_once_do_not_meet(
    sandbox: Sandbox, engine_settings: EngineSettings, tmp_path: Path
) -> None:
    code = "import os\nopen('/tmp/mine', 'x').close()\nresult = os.listdir('/tmp')"
    endings = await asyncio.gather(*(run(sandbox, code, tmp_path) for _ in range(3)))
    assert [sorted(json.loads(ending.result)) for ending in endings] == [["home", "mine"]] * 3
    await sandbox.close()
    assert left(engine_settings) == ""


async def test_an_engine_that_refuses_is_told_in_its_own_words(engine_settings: EngineSettings, tmp_path: Path) -> None:
    sandbox = Sandbox(
        ready=0,
        engines={"container": Missing(tmp_path, dataclasses.replace(engine_settings, image="localhost/nothing:0"))},
    )
    await sandbox.look_again()
    try:
        with pytest.raises(WorkbenchError, match=r"could not be built: .*nothing"):
            await run(sandbox, "result = 1", tmp_path)
    finally:
        await sandbox.close()


class Missing(ContainerMaker):
    """A container backend whose image does not exist."""

    async def look(self) -> object:
        from workbench.records import Level

        return Level("container", True, "podman")


async def test_an_image_of_another_version_is_not_used(engine_settings: EngineSettings, tmp_path: Path) -> None:
    write_engine_settings(tmp_path, dataclasses.replace(engine_settings, source="0" * 16))
    maker = ContainerMaker(tmp_path)
    level = await maker.look()
    await maker.close()
    assert (level.available, level.hint) == (False, "Run `mcp-workbench sandbox build container`.")
    assert "another version" in level.sentence


KILLED = """
import asyncio, os, signal, sys
import dataclasses
from msgspec.structs import replace
from pathlib import Path
from workbench.records import Limits
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.container.engine import read_engine_settings
from workbench.sandbox.program import Program
from workbench.sandbox.sandbox import Sandbox, profile_of

async def main():
    folder = Path(sys.argv[1])
    maker = ContainerMaker(folder, read_engine_settings(folder))
    await maker.look()
    cell = await maker.make(profile_of("podman", Program("", Limits(), folder / "workspace")))
    await cell.channel.ready
    print("ready", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_a_core_that_is_killed_leaves_no_container(engine_settings: EngineSettings, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    write_engine_settings(tmp_path, engine_settings)
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # the killed process cannot remove its temporary folder
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "ready\n"), done.stderr
    until = time.monotonic() + 60
    while left(engine_settings) and time.monotonic() < until:
        time.sleep(0.1)
    assert left(engine_settings) == ""


async def test_what_nobody_uses_any_more_is_swept_when_the_next_core_looks(
    engine_settings: EngineSettings, tmp_path: Path
) -> None:
    label = f"mcp-workbench.core=1.1.{owner().rpartition('.')[2]}"
    ask(engine_settings.command("create", "--label", label, "--entrypoint", "python3", engine_settings.image))
    write_engine_settings(tmp_path, engine_settings)
    maker = ContainerMaker(tmp_path)
    await maker.look()
    await maker.close()
    assert left(engine_settings) == ""


async def test_the_workspace_is_the_owner_s_again_afterwards(
    maker: ContainerMaker, sandbox: Sandbox, tmp_path: Path
) -> None:
    await run(sandbox, "open('workspace/x', 'w').close()", tmp_path)
    await sandbox.close()
    assert (tmp_path / "workspace/x").stat().st_uid == os.getuid()
    assert (tmp_path / "workspace").stat().st_uid == os.getuid()


async def test_one_is_kept_ready_after_the_level_was_used_but_not_as_root(
    maker: ContainerMaker, tmp_path: Path
) -> None:
    sandbox = Sandbox(ready=1, engines={"container": maker})
    await sandbox.look_again()
    pool = sandbox._places["container"].pool
    try:
        assert (await run(sandbox, "result = 1", tmp_path)).result == "1"
        while pool._later is not None or pool._filling is not None:
            await asyncio.sleep(0.02)
        ready = [child for children in pool._spares.values() for child in children]
        assert len(ready) == (0 if os.getuid() == 0 else 1)
        assert (await run(sandbox, "result = 2", tmp_path)).result == "2"
    finally:
        await sandbox.close()


async def test_an_engine_that_is_gone_by_now_is_said_and_the_workspace_is_given_back(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    maker = ContainerMaker(tmp_path, EngineSettings("podman", str(tmp_path / "podman"), image="none", source="none"))
    before = len(os.listdir("/proc/self/fd"))
    program = Program("1", QUICK, tmp_path / "workspace", level="container")
    try:
        with pytest.raises(WorkbenchError, match="podman cannot be started"):
            await maker.make(profile_of("podman", program))
        assert (tmp_path / "workspace").stat().st_uid == os.getuid()
    finally:
        await maker.close()
    assert len(os.listdir("/proc/self/fd")) <= before
