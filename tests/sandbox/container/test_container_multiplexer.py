"""The multiplexer that runs inside a container, tested without one: file transfer, and its exit when the line ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.sandbox.file_transfer.transfer_frames import Head, TransferReader, pack

ROOT = Path(__file__).parents[3]
CARRIER = """
import json, os, socket, sys
from workbench.sandbox.container.entry import _run_multiplexer
from workbench.sandbox.container import entry
from workbench.sandbox.container.entry import ContainerMultiplexer
from workbench.sandbox.child_profile import ChildProfile
entry._EXIT_SECONDS = 0.2
project, writable, silence = json.loads(sys.argv[1])
os.chdir(project)
ours, theirs = socket.socketpair()
reading, writing = os.pipe()
child = os.fork()
if not child:
    ours.close()
    os.close(reading)
    channel = theirs
{body}
    os._exit(0)
theirs.close()
os.close(writing)
profile = ChildProfile("podman", "", "", "", writable, memory_mb=64, cpu_seconds=1, pids=1, disk_mb=1)
os._exit(_run_multiplexer(ContainerMultiplexer(ours, reading, profile, project, silence), child))
"""
FILLED = pack("file", area="workspace", path="in", mode=0o644, time=0) + pack("data", b"hello") + pack("filled")
WAIT = "channel.recv(100)"  # a program starts when its text has arrived


def carrier(project: Path, body: str, *, writable: bool = True, silence: float = 60.0) -> subprocess.Popen[bytes]:
    for name in ("workspace", "servers", "skills"):
        (project / name).mkdir()
    code = CARRIER.format(body="\n".join(f"    {line}" for line in body.splitlines()))
    command = [sys.executable, "-c", code, json.dumps([str(project), writable, silence])]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)


def talk(running: subprocess.Popen[bytes], said: bytes) -> list[tuple[Head, bytes]]:
    """Everything the process sends until its end. Its input stays open."""
    assert running.stdin is not None
    assert running.stdout is not None
    with running, running.stdin, running.stdout:
        running.stdin.write(said)
        running.stdin.flush()
        heard = list(TransferReader().feed(running.stdout.read()))
        running.wait(60)
    return [(head, data) for head, data in heard if head["kind"] != "beat"]


def test_files_frames_and_prints_go_their_ways(tmp_path: Path) -> None:
    body = f"""
got = {WAIT}
os.write(writing, b"print")
open("workspace/out", "w").write(open("workspace/in").read() + " back")
os.unlink("workspace/in")
os.symlink("/etc", "workspace/link")
channel.sendall(got[::-1])
"""
    heard = talk(carrier(tmp_path, body), FILLED + pack("frames", b"abc"))
    kinds = [head["kind"] for head, _ in heard]
    assert kinds[0] == "filled"
    assert kinds[-1] == "over"
    assert b"".join(data for head, data in heard if head["kind"] == "frames") == b"cba"
    assert b"".join(data for head, data in heard if head["kind"] == "raw") == b"print"
    assert b"".join(data for head, data in heard if head["kind"] == "data") == b"hello back"
    assert {(head["kind"], head.get("path")) for head, _ in heard} >= {
        ("gone", "in"),
        ("file", "out"),
        ("left", "link"),
    }
    assert (heard[-1][0]["code"], heard[-1][0]["sent"]) == (0, 3)


@pytest.mark.parametrize(("body", "code"), [("os._exit(3)", 3), ("os.kill(os.getpid(), 9)", -9)])
def test_it_tells_how_the_program_s_process_ended(tmp_path: Path, body: str, code: int) -> None:
    assert talk(carrier(tmp_path, body), FILLED)[-1][0]["code"] == code


def test_a_process_that_closes_its_channel_and_stays_is_ended(tmp_path: Path) -> None:
    body = f"{WAIT}\nchannel.close()\nimport time\ntime.sleep(600)"
    assert talk(carrier(tmp_path, body), FILLED + pack("frames", b"x"))[-1][0]["code"] == -9


def test_what_may_not_be_written_is_not_told(tmp_path: Path) -> None:
    body = f"{WAIT}\nopen('workspace/x', 'w').close()"
    heard = talk(carrier(tmp_path, body, writable=False), FILLED + pack("frames", b"x"))
    assert [head["kind"] for head, _ in heard] == ["filled", "over"]


def test_a_workspace_that_holds_too_much_is_told_and_stays_there(tmp_path: Path) -> None:
    body = f"{WAIT}\nopen('workspace/x', 'w').truncate(2 << 20)"
    heard = talk(carrier(tmp_path, body), FILLED + pack("frames", b"x"))
    assert [head["kind"] for head, _ in heard if head["kind"] != "beat"] == ["filled", "full", "over"]


def test_folders_that_were_closed_or_lie_too_deep_break_nothing(tmp_path: Path) -> None:
    body = f"""
{WAIT}
os.mkdir("workspace/closed")
open("workspace/closed/x", "w").write("kept")
os.chmod("workspace/closed/x", 0)
os.chmod("workspace/closed", 0)
os.chdir("workspace")
for _ in range(300):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
"""
    heard = talk(carrier(tmp_path, body), FILLED + pack("frames", b"x"))
    assert ("file", "closed/x") in {(head["kind"], head.get("path")) for head, _ in heard}
    assert [head["why"] for head, _ in heard if head["kind"] == "left"] == ["it is nested too deeply"]
    assert heard[-1][0]["kind"] == "over"


def test_it_ends_when_the_line_is_closed_and_takes_the_program_along(tmp_path: Path) -> None:
    running = carrier(tmp_path, f"{WAIT}\nopen('pid', 'w').write(str(os.getpid()))\nimport time\ntime.sleep(600)")
    assert running.stdin is not None
    assert running.stdout is not None
    with running.stdin:
        running.stdin.write(FILLED + pack("frames", b"x"))
        running.stdin.flush()
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.01)
    with running.stdout:
        running.stdout.read(1)
    assert running.wait(60) == 70
    os.kill(
        int((tmp_path / "pid").read_text()), 9
    )  # in a container, the sandbox ties it to its parent; here nothing does


def test_it_ends_when_nobody_speaks_any_more(tmp_path: Path) -> None:
    running = carrier(tmp_path, "channel.recv(100)", silence=0.3)
    assert running.stdin is not None
    assert running.stdout is not None
    with running, running.stdin, running.stdout:
        assert running.wait(60) == 70
