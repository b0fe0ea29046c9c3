"""Network access with connections from the core: the standard library works as outside the sandbox."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.sandbox.conftest import QUICK, Room
from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue
from workbench.sandbox.channel.connection_passing import ConnectionPassing
from workbench.sandbox.program import Ending, Program, ToolFailure


class _Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *words: object) -> None:
        """Discards log messages, which would mix with the test's output."""


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hello) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@dataclass
class Way:
    """Answers connection requests of a program: `ok.test` is this machine, everything else is refused."""

    port: int
    handing: ConnectionPassing

    async def answer(self, what: str, wish: JsonObject) -> JsonValue:
        if what != "connect" or wish["host"] != "ok.test":
            raise ToolFailure(f"{wish.get('host')} is not among the places.", "network.blocked")
        with contextlib.closing(socket.create_connection(("127.0.0.1", self.port))) as end:
            return {"number": self.handing.hand(end)}


async def _run(room: Room, port: int, code: str) -> Ending:
    way = Way(port, ConnectionPassing())
    program = Program(code, QUICK, room.project / "workspace", network=way.handing)
    try:
        return await room.sandbox.run(program, way.answer, lambda stream, text: room.heard.append((stream, text)))
    finally:
        way.handing.close()


WAYS = {
    "urllib": 'import urllib.request\nresult = urllib.request.urlopen("http://ok.test:{port}/").read().decode()',
    "http.client": (
        'import http.client\nline = http.client.HTTPConnection("ok.test", {port}, timeout=50)\n'
        'line.request("GET", "/")\nfirst = line.getresponse().read()\nline.request("GET", "/")\n'
        "result = line.getresponse().read().decode()\nline.close()"
    ),
    "socket": (
        'import socket\nwith socket.create_connection(("OK.TEST".lower(), {port}), timeout=50) as line:\n'
        "    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)\n    assert line.getpeername()[1] == {port}\n"
        '    line.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")\n    line.shutdown(socket.SHUT_WR)\n    said = b""\n'
        "    while piece := line.recv(99):\n        said += piece\nresult = said[-5:].decode()"
    ),
    "a bare socket": (
        'import socket\nline = socket.socket()\nline.settimeout(50)\nline.connect(("ok.test", {port}))\n'
        'line.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")\nfile = line.makefile("rb")\nresult = file.read()[-5:].decode()'
    ),
    "asyncio": (
        "import asyncio\nasync def get():\n"
        '    reader, writer = await asyncio.open_connection("ok.test", {port})\n'
        '    writer.write(b"GET / HTTP/1.0\\r\\n\\r\\n")\n    said = await reader.read()\n    writer.close()\n'
        "    await writer.wait_closed()\n    return said[-5:].decode()\n"
        "found = await asyncio.gather(*(get() for _ in range(5)))\nassert len(found) == 5\nresult = found[0]"
    ),
    "threads": (
        "import concurrent.futures, urllib.request\n"
        'def get(_):\n    return urllib.request.urlopen("http://ok.test:{port}/").read().decode()\n'
        "with concurrent.futures.ThreadPoolExecutor(4) as pool:\n    result = set(pool.map(get, range(12))).pop()"
    ),
}


async def test_unmodified_code_reaches_what_the_core_connects(room: Room, port: int) -> None:
    for way, code in WAYS.items():
        ending = await _run(room, port, code.replace("{port}", str(port)))
        assert (ending.ok, ending.result, ending.message) == (True, '"hello"', ""), way


async def test_a_refusal_is_an_error_that_says_why(room: Room, port: int) -> None:
    code = """
import asyncio, socket, urllib.error, urllib.request
told = []
try:
    urllib.request.urlopen("http://other.test/")
except urllib.error.URLError as fault:
    told.append(type(fault.reason).__name__)
    told.append(str(fault.reason))
try:
    await asyncio.open_connection("other.test", 80)
except PermissionError as fault:
    told.append(str(fault))
told.append(socket.socket().connect_ex(("other.test", 80)))
result = told
"""
    ending = await _run(room, port, code)
    words = "[Errno 13] other.test is not among the places."
    assert ending.ok, ending.message
    assert ending.result == f'["PermissionError", "{words}", "{words}", 13]'


async def test_the_systems_certificates_are_there(room: Room, port: int) -> None:
    ending = await _run(room, port, "import ssl\nresult = len(ssl.create_default_context().get_ca_certs()) > 20")
    assert ending.result == "true", ending.message


async def test_other_sockets_stay_locked(room: Room, port: int) -> None:
    code = """
import socket
result = 0
for family, kind in ((socket.AF_UNIX, 1), (socket.AF_INET, 2), (socket.AF_NETLINK, 3), (socket.AF_PACKET, 3)):
    try:
        socket.socket(family, kind)
    except OSError:
        result += 1
try:
    socket.socket().bind(("127.0.0.1", 0))
except OSError:
    result += 1
"""
    assert (await _run(room, port, code)).result == "5"


async def test_without_a_network_nothing_is_handed(room: Room) -> None:
    code = """
import os, socket, stat
try:
    socket.socket()
except PermissionError:
    print("locked")
result = []
for number in range(5, 60):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode):
            result.append(number)
    except OSError:
        pass
"""
    ending = await room.run(code)
    assert (ending.output, ending.result) == ("locked\n", "[]")


async def test_nothing_can_be_handed_to_whom_nothing_was_given() -> None:
    ours, theirs = socket.socketpair()
    handing = ConnectionPassing()
    assert not handing.received
    with ours, theirs, pytest.raises(AssertionError):
        handing.hand(ours)


async def test_a_program_that_takes_no_connections_gets_no_more(native: Room, port: int) -> None:
    """File descriptors that the program does not receive are not queued without limit."""
    handing = ConnectionPassing()
    refused: list[str] = []

    async def answer(what: str, wish: JsonObject) -> JsonValue:
        with contextlib.closing(socket.create_connection(("127.0.0.1", port))) as end:
            try:
                for _ in range(2000):
                    handing.hand(end)
            except WorkbenchError as fault:
                refused.append(fault.message)
        return {"number": 1}

    program = Program("import socket\nsocket.socket().connect(('a', 1))", QUICK, native.project / "w", network=handing)
    await native.sandbox.run(program, answer, lambda stream, text: None)
    handing.close()
    assert refused == ["The program cannot receive more connections."]
