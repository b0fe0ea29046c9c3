"""`serve` carries an agent's bytes to a real core process and back, and says clearly when it cannot."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Thread

import pytest

from workbench.api.core_lock import lock_holder

CODE = """
import os
import sys
from pathlib import Path
from workbench.paths import paths_of
from workbench.api import core_launcher, stdio_bridge
core_launcher.COMMAND = tuple(sys.argv[2:])
sys.exit(stdio_bridge.serve(paths_of(Path(sys.argv[1])), os.environ.get("DIRECT", "").split()))
"""


@pytest.fixture
def serve(paths, core_command):
    """Start the proxy as an agent would; all are gone afterwards."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(direct: str = "") -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", CODE, str(paths.project), *core_command]
        pipe = subprocess.PIPE
        world = {**os.environ, "DIRECT": direct}
        started.append(subprocess.Popen(command, env=world, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    return process.wait(60), process.stderr.read().decode()


def test_lines_go_to_the_core_and_come_back(serve, paths):
    agent = serve()
    for number in range(100):
        agent.stdin.write(b"line %d\n" % number)
        assert agent.stdout.readline() == b"LINE %d\n" % number
    assert lock_holder(paths.lock)
    agent.stdin.close()
    assert ended(agent) == (0, "")


def test_the_servers_that_are_shown_directly_are_named_first(serve):
    agent = serve("demo git")
    agent.stdin.write(b"line\n")
    assert agent.stdout.readline() == b'{"WORKBENCH":{"DIRECT":["DEMO","GIT"]}}\n'
    assert agent.stdout.readline() == b"LINE\n"


def test_what_was_asked_last_is_still_answered(serve):
    agent = serve()
    agent.stdin.write(b"last words\n" * 1000)
    agent.stdin.close()
    assert agent.stdout.read() == b"LAST WORDS\n" * 1000
    assert ended(agent) == (0, "")


def test_a_large_message_passes_unchanged(serve):
    agent = serve()
    line = b"x" * 3_000_000 + b"\n"
    writer = Thread(target=agent.stdin.write, args=(line,))
    writer.start()
    got = b""
    while not got.endswith(b"\n") and (part := agent.stdout.read(1 << 16)):
        got += part
    writer.join()
    assert got == line.upper()


def test_two_agents_have_a_line_each(serve):
    one, other = serve(), serve()
    one.stdin.write(b"one\n")
    other.stdin.write(b"other\n")
    assert (one.stdout.readline(), other.stdout.readline()) == (b"ONE\n", b"OTHER\n")


def test_the_death_of_the_core_is_said_and_is_not_success(serve):
    agent = serve()
    agent.stdin.write(b"die\n")
    code, words = ended(agent)
    assert code == 1
    assert "The core has ended" in words


def test_an_agent_that_stops_listening_ends_the_proxy(serve):
    agent = serve()
    agent.stdin.write(b"hello\n")
    agent.stdout.readline()
    agent.stdout.close()
    agent.stdin.write(b"anybody there\n" * 10)
    assert ended(agent) == (0, "")


def test_a_core_that_cannot_start_is_a_sentence_on_stderr(serve, paths):
    (paths.project / "broken").touch()
    agent = serve()
    assert ended(agent) == (1, "mcp-workbench: The rooms cannot open. Remove the file broken.\n")
    assert agent.stdout.read() == b""


def test_a_stopped_core_lets_go_of_its_agents(serve, paths):
    agent = serve()
    agent.stdin.write(b"hello\n")
    agent.stdout.readline()
    os.kill(lock_holder(paths.lock), signal.SIGTERM)
    assert ended(agent)[0] == 1


def test_the_proxy_imports_almost_nothing():
    code = "import sys, workbench.api.stdio_bridge; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"asyncio", "mcp", "sqlite3", "PySide6", "workbench.records"} & set(loaded)
