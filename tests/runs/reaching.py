"""Helpers for tests of program networking in all sandboxes: a local server, a core, and hostile programs."""

from __future__ import annotations

import contextlib
import functools
import json
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.network.conftest import LOOPBACK, Names
from tests.runs.steps import reached
from workbench import events
from workbench.core import Core
from workbench.network.network_access import Network
from workbench.paths import Paths
from workbench.records import Decision, EntryQuery, Run, RunState


class _Echo(BaseHTTPRequestHandler):
    """Answers with the host name of the request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        said = f"hello {self.headers['Host'].split(':')[0]}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *words: object) -> None:
        """Discards log messages, which would mix with the test's output."""


@contextlib.contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@contextlib.asynccontextmanager
async def housed(paths: Paths) -> AsyncIterator[Core]:
    """A core whose network resolves two names and allows connections to this machine, which is for tests only."""
    names = Names({"ok.test": ["127.0.0.1"], "rebind.test": ["127.0.0.1", "169.254.169.254"]})
    core = Core(paths, make_network=functools.partial(Network, resolve=names, exempt=LOOPBACK))
    await core.open()
    try:
        yield core
    finally:
        await core.close()
        assert not [name for name in events.living() if name.startswith("relay")]


def allow(house: Core, *entries: str, settings: str = "") -> None:
    """Set the user's network rules and other settings."""
    house.paths.user_settings.parent.mkdir(parents=True, exist_ok=True)
    house.paths.user_settings.write_text(
        settings + "".join(f"[[network.allow]]\n{entry}\n" for entry in entries), "utf-8"
    )


async def waiting_run(house: Core, code: str) -> Run:
    """Submit a program of an agent and return its run once it waits for approval or has ended."""
    agent = house.services.sessions.open("test agent")
    run = house.run_manager.submit(code, agent)
    return await reached(house, run, RunState.WAITING, RunState.REFUSED)


async def ran(house: Core, code: str, *hosts: str) -> Run:
    run = await waiting_run(house, code)
    assert run.state is RunState.WAITING, run.fault
    house.run_manager.decide(
        Decision(run.id, run.proposal.sha, allow=True, by="you", hosts=hosts, fingerprint=run.fingerprint)
    )
    return await house.run_manager.wait_until_finished(run.id)


def audited(house: Core, kind: str) -> list[dict[str, object]]:
    entries = house.journal.entries(EntryQuery(kind=kind))
    return [{"summary": entry.note.summary, **entry.note.detail} for entry in entries]


GET = 'import urllib.request\nresult = urllib.request.urlopen("http://ok.test:{port}/").read().decode()\n'


HOSTILE = """
import http.client, json, socket, urllib.request
def told(attempt):
    try:
        return str(attempt())[:60]
    except OSError as fault:
        return type(fault).__name__
urllib.request.urlopen("http://ok.test:{port}/").read()
def other_host():
    line = http.client.HTTPConnection("ok.test", {port})
    line.request("GET", "/", headers={"Host": "evil.test"})
    return line.getresponse().read()
def other_words():
    line = socket.create_connection(("ok.test", {port}), timeout=50)
    line.sendall(b"SSH-2.0-evil\\r\\n\\r\\n\\r\\n")
    return line.recv(10) or "ConnectionError"
tries = ["http://%s/" % host for host in (
    "169.254.169.254", "127.0.0.1:{port}", "localhost:{port}", "2130706433:{port}",
    "0x7f000001:{port}", "10.0.0.1", "[::1]:{port}", "[::ffff:127.0.0.1]:{port}", "rebind.test:{port}", "ok.test:22",
    "ok.test.evil.test", "0177.0.0.1", "metadata.google.internal", "user@ok.test:22", "168.63.129.16", "198.18.0.77")]
result = [told(lambda: urllib.request.urlopen(url, timeout=50).read()) for url in tries]
result += [told(other_host), told(other_words)]
"""


async def stays_inside(house: Core, code: str) -> Run:
    """Check that the hostile program ran, reached only allowed hosts, and that the audit has the refusals."""
    done = await ran(house, code)
    assert done.state is RunState.DONE, done.fault
    answers = json.loads(done.result)
    assert len(answers) == 18
    assert not [answer for answer in answers if "hello" in answer]
    *spellings, host, words = answers
    assert set(spellings) <= {"URLError", "ConnectionError"}, answers
    assert host in ("RemoteDisconnected", "ConnectionResetError", "ConnectionError"), answers
    assert words in ("ConnectionError", "ConnectionResetError"), answers
    blocked = " ".join(str(entry["summary"]) for entry in audited(house, "connection.blocked"))
    refusals = ("its local network", "not among the hosts", "exactly one Host header that names", "valid HTTP requests")
    for words in refusals:
        assert words in blocked, blocked
    assert "169.254.169.254" in {entry["address"] for entry in audited(house, "connection.blocked")}
    return done
