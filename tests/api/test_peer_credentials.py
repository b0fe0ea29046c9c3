"""Who asks the core, as the system tells it: the client behind a connection, and what was started by one."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys

import pytest

from workbench.api.peer_credentials import (
    ApiCaller,
    answering_caller,
    caller_at,
    check_is_user,
    client_at,
    current_caller,
    process_of,
)
from workbench.errors import WorkbenchError

# A process that connects to a socket, says so, and stays until its standard input ends.
CALLER = "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\nsys.stdin.read()"


@pytest.fixture
async def listening(tmp_path):
    """Starts a caller by these words and gives the connection that it made."""
    arrived: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
    path = tmp_path / "peer.sock"
    server = await asyncio.start_unix_server(lambda reader, writer: arrived.put_nowait(writer), path)
    begun, writers = [], []

    async def start(*before, **more):
        words = [*before, sys.executable, "-c", CALLER, str(path)]
        more = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, **more}
        begun.append(await asyncio.to_thread(subprocess.Popen, words, **more))
        writers.append(await asyncio.wait_for(arrived.get(), 60))
        return writers[-1].get_extra_info("socket")

    yield start
    for one in begun:
        if one.stdin is not None:
            one.stdin.close()
        one.wait()
    for writer in writers:
        writer.close()
    server.close()


async def test_the_client_is_whoever_holds_the_other_end_of_its_input_whatever_stands_between(listening):
    direct = await listening()
    launched = await listening("sh", "-c", '"$@"; true', "launcher")
    nobody = await listening(stdin=subprocess.DEVNULL)
    me = process_of(os.getpid())
    assert client_at(direct) == client_at(launched) == me
    assert client_at(nobody) is None, "nobody pipes anything to it"
    assert me.name


async def test_what_a_client_started_is_refused_and_the_client_itself_is_not(listening):
    me, other = process_of(os.getpid()), process_of(1)
    child = caller_at(await listening("sh", "-c", '"$@"; true', "shell"), "terminal", lambda: [me])
    own = caller_at(await listening(), "window", lambda: [other])
    with answering_caller(child), pytest.raises(WorkbenchError, match="must not answer for its user"):
        check_is_user()
    with answering_caller(own):
        check_is_user()
        assert current_caller() is own
    with answering_caller(ApiCaller("terminal", me, clients=lambda: [me])):
        check_is_user()
    assert current_caller() is None
    check_is_user()  # inside the core itself
    assert (child.user, child.terminal) == (own.user, own.terminal)
    assert f"process {child.process.pid}" in child.description


async def test_a_connection_that_is_no_local_socket_tells_nothing():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0, family=socket.AF_INET)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    assert caller_at(writer.get_extra_info("socket"), "terminal", tuple) == ApiCaller("terminal")
    assert client_at(writer.get_extra_info("socket")) is None
    writer.close()
    server.close()
