"""Containers of a remote engine: files are transferred, and no container remains after the connection breaks."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sandbox.conftest import QUICK, echo
from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.container.engine import EngineSettings, ask, write_engine_settings
from workbench.sandbox.container.orphan_cleanup import sweep
from workbench.sandbox.program import Answer, Ending, Output, Program
from workbench.sandbox.sandbox import Sandbox

EVERYTHING = """
import os, pwd
from client import call_tool
from skills.greet import hello
def refused(path):
    try:
        open(path, "w")
    except OSError:
        return True
print("hello")
os.write(1, b"past the streams\\n")
write_file("out/kept.txt", "kept")
os.chmod("workspace/out", 0)
os.unlink("workspace/gone.txt")
open("workspace/in.txt", "a").write(" there")
os.symlink("/etc/passwd", "workspace/link")
answer = await call_tool("demo", "list", {"n": 1})
read_only = [refused(path) for path in ("/bench/skills/x", "/bench/servers/x", "/x")]
result = [hello(), answer["server"], read_only, pwd.getpwuid(os.getuid()).pw_name, os.getuid()]
"""


@pytest.fixture
async def maker(is_remote: EngineSettings) -> AsyncIterator[ContainerMaker]:
    made = ContainerMaker(Path(), is_remote)
    yield made
    await made.close()


def _unheard(stream: str, text: str) -> None:
    """Discards output."""


async def run(
    sandbox: Sandbox, code: str, project: Path, limits: Limits = QUICK, answer: Answer = echo, tell: Output = _unheard
) -> Ending:
    for name in ("workspace", "servers", "skills"):
        (project / name).mkdir(exist_ok=True)
    folders = (project / "workspace", project / "servers", project / "skills")
    program = Program(code, limits, *folders, True, level="container")
    return await sandbox.run(program, answer, tell)


def left(engine_settings: EngineSettings) -> str:
    return ask(engine_settings.command("ps", "-a", "-q", "--filter", f"ancestor={engine_settings.image}"))


async def nothing_left(engine_settings: EngineSettings) -> bool:
    until = time.monotonic() + 60
    while await asyncio.to_thread(left, engine_settings) and time.monotonic() < until:
        await asyncio.sleep(0.1)
    return not left(engine_settings)


async def test_what_it_is_and_what_that_means_is_said(maker: ContainerMaker, is_remote: EngineSettings) -> None:
    level = await maker.look()
    assert level.available
    assert level.backend == f"podman on {is_remote.remote}"  # as in the approval request and the audit
    assert f"on another machine, {is_remote.remote}" in level.sentence
    assert "are copied there and back; the workspace may hold at most 256 MB" in level.sentence


async def test_files_are_carried_there_and_changes_back(sandbox: Sandbox, tmp_path: Path) -> None:
    for name, text in (
        ("workspace/in.txt", "hi"),
        ("workspace/gone.txt", ""),
        ("skills/greet.py", "hello = lambda: 1"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    heard: list[str] = []
    ending = await run(sandbox, EVERYTHING, tmp_path, tell=lambda stream, text: heard.append(text))
    assert ending.ok, ending
    assert "hello" in ending.output
    assert "past the streams" in ending.output
    assert "'link': it is a link" in heard[-1]
    assert json.loads(ending.result) == [1, "demo", [True] * 3, "program", 65534]
    found = {path.name: path.read_text() for path in (tmp_path / "workspace").rglob("*") if path.is_file()}
    assert found == {"in.txt": "hi there", "kept.txt": "kept"}
    assert all(path.stat().st_uid == os.getuid() for path in (tmp_path / "workspace").rglob("*"))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os\nos._exit(3)", "killed"),
        ("x = bytearray(2_000_000_000)", "memory"),
        ("import os\nos.write(3, b'garbage' * 100)\nwhile True: pass", "protocol"),
        ("open('workspace/kept', 'w').write('x')\nimport time\ntime.sleep(60)", "timeout"),
    ],
)
async def test_every_end_has_its_reason_and_leaves_nothing(
    sandbox: Sandbox, is_remote: EngineSettings, tmp_path: Path, code: str, reason: str
) -> None:
    limits = Limits(seconds=1.0 if reason == "timeout" else 30.0, memory_mb=256, disk_mb=16)
    assert (await run(sandbox, code, tmp_path, limits)).reason == reason
    assert list((tmp_path / "workspace").iterdir()) == []
    await sandbox.close()
    assert await nothing_left(is_remote)


async def test_questions_that_nobody_answered_do_not_keep_a_program_from_ending(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    code = """
import asyncio
from client import call_tool
tasks = [asyncio.ensure_future(call_tool("demo", "wait", {})) for _ in range(100)]
await asyncio.sleep(0.2)
write_file("kept.txt", "x")
result = "left"
"""

    async def never(what: str, wish: JsonObject) -> JsonValue:
        await asyncio.get_running_loop().create_future()
        return None

    ending = await run(sandbox, code, tmp_path, answer=never)
    assert (ending.ok, ending.result) == (True, '"left"'), ending
    assert (tmp_path / "workspace/kept.txt").exists()


async def test_a_line_that_breaks_is_said_and_the_container_ends_by_itself(
    sandbox: Sandbox, maker: ContainerMaker, is_remote: EngineSettings, tmp_path: Path
) -> None:
    begun = asyncio.Event()
    (tmp_path / "w").mkdir()
    program = Program("print('in')\nimport time\ntime.sleep(600)", QUICK, tmp_path / "w", level="container")
    task = asyncio.ensure_future(sandbox.run(program, echo, lambda stream, text: begun.set()))
    await begun.wait()
    maker._ask_to_remove = _nothing  # type: ignore[method-assign]  # as if nobody there could be asked any more
    for container in tuple(maker._containers.values()):
        os.kill(container.client.pid, signal.SIGKILL)
    ending = await task
    assert (ending.reason, "broke while the program ran" in ending.message) == ("lost", True), ending
    assert await nothing_left(is_remote)


async def _nothing(engine_settings: EngineSettings, container: object) -> None:
    """Does not contact the engine."""


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from workbench.records import Limits
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.container.engine import read_engine_settings
from workbench.sandbox.program import Program
from workbench.sandbox.sandbox import profile_of

async def main():
    folder = Path(sys.argv[1])
    maker = ContainerMaker(folder, read_engine_settings(folder))
    await maker.look()
    cell = await maker.make(profile_of("podman", Program("", Limits(), folder / "workspace")))
    await cell.channel.ready
    print("ready", flush=True)
    os.kill(maker._cleanup.pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_core_that_is_killed_with_its_guard_leaves_no_container_elsewhere(
    is_remote: EngineSettings, tmp_path: Path
) -> None:
    (tmp_path / "workspace").mkdir()
    write_engine_settings(tmp_path, is_remote)
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = await asyncio.to_thread(
        subprocess.run, command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "ready\n"), done.stderr
    assert await nothing_left(is_remote)


def test_containers_of_other_machines_are_left_alone(is_remote: EngineSettings) -> None:
    create = ("create", "--label", "mcp-workbench.core=1.1.another", "--entrypoint", "python3", is_remote.image)
    number = ask(is_remote.command(*create))
    try:
        sweep(is_remote)
        assert number[:12] in left(is_remote)
    finally:
        ask(is_remote.command("rm", "-f", number))


async def test_a_state_is_not_kept_there(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="cannot hold a REPL session"):
        await sandbox.keep(Program("1", QUICK, tmp_path, level="container"))


async def test_a_machine_that_does_not_answer_is_named(is_remote: EngineSettings, tmp_path: Path) -> None:
    gone = replace(is_remote, options=("--url", "tcp://127.0.0.1:9"), remote="tcp://127.0.0.1:9")
    maker = ContainerMaker(tmp_path, gone)
    level = await maker.look()
    await maker.close()
    assert not level.available
    assert level.sentence.startswith("podman on tcp://127.0.0.1:9 cannot be used: podman refused")
