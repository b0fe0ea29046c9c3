"""Network access of programs through a complete core: real sandbox, real servers on this machine, real audit.

The core's network gets a table of names and one exempt address. No configuration can set either.
"""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import json
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.network.conftest import LOOPBACK
from tests.runs.reaching import GET, HOSTILE, allow, audited, housed, ran, serving, stays_inside, waiting_run
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import Event, Noticed, RunCall
from workbench.paths import Paths
from workbench.records import Decision, Gate, RunState
from workbench.runs.program_network import network_of
from workbench.sandbox.channel.connection_passing import ConnectionPassing


@pytest.fixture
def port() -> Iterator[int]:
    with serving() as found:
        yield found


@pytest.fixture
async def house(paths: Paths) -> AsyncIterator[Core]:
    async with housed(paths) as core:
        yield core


# ── approval ─────────────────────────────────────────────────────────────────────────────────────
async def test_a_host_ticked_for_one_run_is_reached_in_it(house: Core, port: int) -> None:
    code = GET.format(port=port)
    run = await waiting_run(house, code)
    assert run.verdict is not None
    assert (run.verdict.gate, run.verdict.hosts) == (Gate.ASK, (f"ok.test:{port}",))
    assert f"Contacts ok.test:{port}, if you allow it" in run.verdict.sentence
    house.run_manager.decide(
        Decision(
            run.id, run.proposal.sha, allow=True, by="you", hosts=(f"ok.test:{port}",), fingerprint=run.fingerprint
        )
    )
    done = await house.run_manager.wait_until_finished(run.id)
    assert (done.state, done.result) == (RunState.DONE, '"hello ok.test"'), done.fault
    (closed,) = audited(house, "connection.closed")
    assert (closed["host"], closed["port"], closed["address"]) == ("ok.test", port, "127.0.0.1")
    assert closed["protocol"] == "tcp"
    assert int(str(closed["sent"])) > 30
    assert int(str(closed["received"])) > 30
    assert len(audited(house, "connection.opened")) == 1
    (call,) = done.calls
    assert (call.server, call.tool, call.state) == ("network", f"ok.test:{port}", "done")
    assert audited(house, "run.decided")[0]["hosts"] == [f"ok.test:{port}"]


async def test_an_unticked_host_is_not_reached_and_the_author_learns_why(house: Core, port: int) -> None:
    allow(house, 'domain = "other.example.org"')
    done = await ran(house, GET.format(port=port))
    assert done.state is RunState.FAILED
    assert f"The network refused: ok.test:{port} is not among the hosts" in done.model_view
    assert audited(house, "connection.blocked")
    assert not audited(house, "connection.opened")


async def test_without_any_open_place_nothing_is_handed_and_the_author_gets_a_hint(house: Core, port: int) -> None:
    done = await ran(house, GET.format(port=port))
    assert done.state is RunState.FAILED
    assert "There is no network here; use the tools instead." in done.model_view


async def test_only_hosts_that_the_text_names_can_be_allowed(house: Core, port: int) -> None:
    run = await waiting_run(house, GET.format(port=port))
    for wrong in ("evil.test:443", "ok.test:22", f"OK.test:{port}"):
        with pytest.raises(WorkbenchError, match="names hosts"):
            house.run_manager.decide(
                Decision(run.id, run.proposal.sha, allow=True, by="you", hosts=(wrong,), fingerprint=run.fingerprint)
            )
    with pytest.raises(WorkbenchError, match="different version"):
        house.run_manager.decide(Decision(run.id, "0" * 64, allow=True, by="you", hosts=(f"ok.test:{port}",)))
    await house.run_manager.stop(run.id)


async def test_a_denied_host_stays_closed_though_a_person_ticks_it(house: Core, port: int) -> None:
    code = GET.format(port=port).replace("ok.test", "rebind.test")
    done = await ran(house, code, f"rebind.test:{port}")
    assert done.state is RunState.FAILED
    assert "as used for cloud metadata. No rule can allow this address." in done.model_view
    assert audited(house, "connection.blocked")[0]["address"] == "169.254.169.254"


async def test_a_program_without_a_named_host_goes_back_at_once(house: Core) -> None:
    run = await waiting_run(house, "import urllib.request\nfor url in open('urls'):\n    urllib.request.urlopen(url)")
    assert run.state is RunState.REFUSED
    assert run.verdict is not None
    assert run.verdict.gate is Gate.REFUSED


async def test_a_text_that_tells_of_no_network_gets_none(house: Core, port: int) -> None:
    """The approval request did not mention the network, so the user has not agreed to it. A rule alone is not
    enough.
    """
    allow(house, f'domain = "ok.test"\nports = [{port}]\nprotocols = ["tcp"]')
    person = house.services.sessions.person
    run = house.run_manager.submit("print(sum(range(10)))", person)
    assert (await house.run_manager.wait_until_finished(run.id)).state is RunState.DONE
    assert network_of(house.run_manager._runs[run.id]) is None


# ── connections ──────────────────────────────────────────────────────────────────────────────────
async def test_a_place_that_a_rule_opens_is_reached_and_told_as_certain(house: Core, port: int) -> None:
    allow(house, f'domain = "ok.test"\nports = [{port}]\nprotocols = ["http"]')
    run = await waiting_run(house, GET.format(port=port))
    assert run.verdict is not None
    assert run.verdict.hosts == ()
    assert run.verdict.sentence == f"Will connect to ok.test:{port}, which is allowed."
    house.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await house.run_manager.wait_until_finished(run.id)
    assert done.result == '"hello ok.test"', done.fault
    assert audited(house, "connection.closed")[0]["protocol"] == "http"


async def test_hostile_spellings_and_words_are_kept_in(house: Core, port: int) -> None:
    allow(house, f'domain = "ok.test"\nports = [{port}]\nprotocols = ["http"]', 'domain = "rebind.test"')
    heard: list[Event] = []
    house.bus.listen(heard.append)
    code = HOSTILE.replace("{port}", str(port))
    await stays_inside(house, code)
    notices = [event.fault.message for event in heard if isinstance(event, Noticed)]
    assert len([words for words in notices if words.startswith("A program's network connection was blocked.")]) == 1
    assert [event for event in heard if isinstance(event, RunCall) and event.trace.state == "refused"]


async def test_connections_end_with_a_run_that_is_stopped(house: Core) -> None:
    """The program holds a connection open and waits. Stopping the program closes the host's side."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        code = (
            f'import socket, time\nline = socket.create_connection(("ok.test", {port}))\n'
            'line.sendall(b"here")\ntime.sleep(20)\n'
        )
        run = await waiting_run(house, code)
        house.run_manager.decide(
            Decision(
                run.id, run.proposal.sha, allow=True, by="you", hosts=run.verdict.hosts, fingerprint=run.fingerprint
            )
        )
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(60):
            line, _ = await loop.sock_accept(server)
            with line:
                line.setblocking(False)
                assert await loop.sock_recv(line, 4) == b"here"
                await house.run_manager.stop(run.id)
                assert await loop.sock_recv(line, 4) == b""
    assert audited(house, "connection.closed")[0]["sent"] == 4


async def test_the_rate_of_connections_is_kept(house: Core, port: int) -> None:
    allow(house, f'domain = "ok.test"\nports = [{port}]\nprotocols = ["http"]')
    house.services.settings.set(replace(house.settings, network_per_minute=3))
    code = GET.format(port=port) + (
        "count = 1\ntry:\n    while count < 10:\n"
        f'        urllib.request.urlopen("http://ok.test:{port}/").read()\n        count += 1\n'
        "except OSError as fault:\n    result = [count, str(fault)]\n"
    )
    done = await ran(house, code)
    count, words = json.loads(done.result)
    assert count == 3
    assert "more than 3 connections to ok.test within a minute" in words


async def test_where_no_descriptor_can_be_handed_the_bytes_are_carried(
    house: Core, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container or a virtual machine, to which no file descriptor can be passed."""
    far = property(lambda self: False, lambda self, nearby: None)
    monkeypatch.setattr(ConnectionPassing, "nearby", far, raising=False)
    done = await ran(house, GET.format(port=port), f"ok.test:{port}")
    assert (done.state, done.result) == (RunState.DONE, '"hello ok.test"'), done.fault
    assert len(audited(house, "connection.closed")) == 1


# ── TLS ──────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A key and a certificate for ok.test that no other test trusts."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ok.test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("ok.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    file = tmp_path / "ok.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


TLS = """
import asyncio, http.client, ssl, urllib.request
trust = ssl.create_default_context(cadata={certificate!r})
url = "https://ok.test:{port}/"
said = [urllib.request.urlopen("https://ok.test:{port}/", context=trust).read().decode()]
line = http.client.HTTPSConnection("ok.test", {port}, context=trust)
line.request("GET", "/")
said.append(line.getresponse().read().decode())
line.close()
reader, writer = await asyncio.open_connection("ok.test", {port}, ssl=trust)
writer.write(b"GET / HTTP/1.1\\r\\nHost: ok.test\\r\\nConnection: close\\r\\n\\r\\n")
said.append((await reader.read()).decode()[-13:])
writer.close()
def fails(attempt):
    try:
        attempt()
    except OSError as fault:
        return type(fault.reason if type(fault).__name__ == "URLError" else fault).__name__
said.append(fails(lambda: urllib.request.urlopen("https://ok.test:{port}/").read()))
loose = ssl.create_default_context(cadata={certificate!r})
loose.check_hostname = False
import socket
def fronted():
    with socket.create_connection(("ok.test", {port})) as plain:
        loose.wrap_socket(plain, server_hostname="evil.test")
said.append(fails(fronted) is not None)
said.append(fails(lambda: urllib.request.urlopen("http://ok.test:{port}/").read()) is not None)
result = said
"""


async def test_tls_works_end_to_end_and_must_name_its_host(house: Core, certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    text = certificate.read_text("utf-8")
    public = text[text.index("-----BEGIN CERT") :]
    with serving(context) as port:
        allow(house, f'domain = "*.test"\nports = [{port}]', f'domain = "ok.test"\nports = [{port}]')
        done = await ran(house, TLS.replace("{port}", str(port)).replace("{certificate!r}", repr(public)))
    assert done.state is RunState.DONE, done.fault
    said = ["hello ok.test", "hello ok.test", "hello ok.test", "SSLCertVerificationError", True, True]
    assert json.loads(done.result) == said
    blocked = " ".join(str(entry["summary"]) for entry in audited(house, "connection.blocked"))
    assert "The TLS client hello names a host other than ok.test" in blocked
    assert "allowed for tls only" in blocked


def test_only_this_machine_is_exempt_in_these_tests() -> None:
    assert (ipaddress.ip_network("127.0.0.1/32"),) == LOOPBACK
