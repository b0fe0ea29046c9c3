"""The doctor with real faults: commands that do not start, servers that answer wrongly, connections that fail."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.paths import Paths
from workbench.records import Check, CheckState, ServerConfig
from workbench.servers.doctor.command_check import launcher
from workbench.servers.doctor.diagnosis import Diagnosis
from workbench.servers.doctor.http_probe import ProbeAnswer, _check_issuer, judge_answer
from workbench.servers.doctor.network_check import ServerAddress
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings import Settings

ABOVE = str(Path(__file__).resolve().parents[3])  # the parent folder of the package
Examine = Callable[..., Any]


@pytest.fixture
async def examine(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Examine]:
    """A function that examines a server of the project after the user has allowed it."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    catalogs: list[ServerCatalog] = []

    async def look(config: ServerConfig, *, allow: bool = True) -> tuple[Check, ...]:
        entry: dict[str, object] = {"url": config.url} if config.url else {"command": config.command}
        entry |= {"args": list(config.args), "env": dict(config.env), "cwd": config.cwd}
        paths.servers_file.write_text(json.dumps({"mcpServers": {config.name: entry}}))
        catalog = ServerCatalog(paths, lambda: Settings(server_start_seconds=60), lambda event: None)
        catalogs.append(catalog)
        await catalog.open()
        server = catalog.server(config.name)
        if allow:
            server.allow()
        told: list[Check] = []
        checks = await Diagnosis(
            server, launcher(paths.project), lambda one: (one.url, one.headers), told.append
        ).make()
        assert told == list(checks)
        return tuple(checks)

    yield look
    for catalog in catalogs:
        await catalog.close()


@pytest.fixture
def listening(callers: Any) -> Callable[..., Any]:
    """A TCP server that sends everyone the same answer after these bytes, or after any bytes."""

    @contextlib.asynccontextmanager
    async def listen(
        answer: bytes, context: ssl.SSLContext | None = None, *, after: bytes = b"\r\n\r\n"
    ) -> AsyncIterator[int]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(ValueError):
                await (reader.readuntil(after) if after else reader.read(1))
                writer.write(answer)
                await writer.drain()
            writer.close()

        async with callers(serve, tls=context) as server:
            yield server.port

    return listen


def http(status: str, body: str = "", **headers: str) -> bytes:
    told = {"Content-Length": str(len(body.encode())), "Connection": "close"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n{body}".encode()


def found(checks: tuple[Check, ...], name: str) -> Check:
    return next(check for check in checks if check.name == name)


def remote(port: int, scheme: str = "http", path: str = "/mcp") -> ServerConfig:
    return ServerConfig("far", url=f"{scheme}://127.0.0.1:{port}{path}")


# commands


async def test_a_server_that_works_is_good_in_every_line(examine: Examine) -> None:
    checks = await examine(ServerConfig("near", sys.executable, ("-m", "workbench.demo"), {"PYTHONPATH": ABOVE}))
    assert {check.state for check in checks} == {CheckState.GOOD}
    assert [check.name for check in checks] == ["Configuration", "Executable", "Connection", "Tools", "Output"]


async def test_a_command_that_is_nowhere_is_told_with_what_brings_it(examine: Examine) -> None:
    checks = await examine(ServerConfig("near", "uvx", ("x",), {"PATH": "/nowhere"}))
    assert checks[-1].state is CheckState.BAD
    assert "uvx was not found" in checks[-1].sentence
    assert "uv" in checks[-1].fix


async def test_a_script_whose_interpreter_is_missing_says_which(examine: Examine, paths: Paths) -> None:
    script = paths.project / "serve"
    script.write_text("#!/usr/bin/env no-such-interpreter\n")
    script.chmod(0o755)
    check = found(await examine(ServerConfig("near", "./serve")), "Executable")
    assert check.state is CheckState.BAD
    assert "needs no-such-interpreter" in check.sentence


async def test_a_file_that_may_not_be_executed_is_told_with_the_command(examine: Examine, paths: Paths) -> None:
    (paths.project / "serve").write_text("#!/bin/sh\n")
    check = found(await examine(ServerConfig("near", "./serve")), "Executable")
    assert check.fix.startswith("Make it executable: chmod +x")


async def test_a_variable_that_is_not_set_stops_at_the_configuration(examine: Examine) -> None:
    checks = await examine(ServerConfig("near", "sh", (), {"KEY": "${SURELY_NOT_SET_ANYWHERE}"}))
    assert "SURELY_NOT_SET_ANYWHERE" in found(checks, "Configuration").sentence
    assert found(checks, "Executable").state is CheckState.SKIPPED


async def test_last_words_of_a_server_that_left_are_explained(examine: Examine) -> None:
    code = "import sys; sys.stderr.write(\"ModuleNotFoundError: No module named 'acme'\\n\"); sys.exit(3)"
    check = found(await examine(ServerConfig("near", sys.executable, ("-c", code))), "Connection")
    assert "exited with code 3" in check.sentence
    assert "The Python module acme is not installed" in check.sentence
    assert "uvx" in check.fix


async def test_rubbish_on_stdout_is_quoted(examine: Examine) -> None:
    code = "print('Listening on port 3000', flush=True); input()"  # the process exits when it receives input
    checks = await examine(ServerConfig("near", sys.executable, ("-c", code)))
    assert found(checks, "Connection").state is CheckState.BAD
    assert "Listening on port 3000" in found(checks, "Output").detail


async def test_nothing_starts_without_a_persons_consent(examine: Examine, paths: Paths) -> None:
    started = paths.project / "started"
    code = f"open({str(started)!r}, 'w')"
    checks = await examine(ServerConfig("near", sys.executable, ("-c", code)), allow=False)
    assert found(checks, "Connection").state is CheckState.SKIPPED
    assert not started.exists()


# addresses


@pytest.mark.parametrize("url", ["ftp://x/mcp", "https://", "http://[broken", "https://me:pass@host/mcp"])
async def test_what_is_no_address_is_told_without_asking_anybody(examine: Examine, url: str) -> None:
    checks = await examine(ServerConfig("far", url=url))
    assert [check.name for check in checks] == ["Address"]
    assert checks[0].state is CheckState.BAD


async def test_a_closed_port_is_told_as_such(listening: Any, examine: Examine) -> None:
    async with listening(b"") as port:
        pass
    check = found(await examine(remote(port)), "TCP")
    assert f"Nothing listens on port {port}" in check.sentence
    assert "Start the server" in check.fix


async def test_a_name_nobody_knows_is_told(examine: Examine) -> None:
    check = found(await examine(ServerConfig("far", url="https://no-such-host.invalid/mcp")), "DNS")
    assert check.state is CheckState.BAD


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (http("200 OK", "<!DOCTYPE html><title>Acme Login</title>", Content_Type="text/html"), "called “Acme Login”"),
        (http("404 Not Found"), "Nothing was found at this path (404)."),
        (http("405 Method Not Allowed"), "does not accept POST (405)."),
        (http("429 Too Many Requests"), "too many requests"),
        (http("503 Service Unavailable", "down"), "failed (503)"),
        (http("307 Temporary Redirect", Location="https://elsewhere.invalid/"), "https://elsewhere.invalid/"),
        (http("200 OK", "[]", Content_Type="application/json"), "not a JSON-RPC message"),
        (http("200 OK", "[" * 50_000, Content_Type="application/json"), "not a JSON-RPC message"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "The request failed"),
    ],
)
async def test_each_wrong_answer_has_its_own_sentence(
    listening: Any, examine: Examine, answer: bytes, words: str
) -> None:
    async with listening(answer) as port:
        check = found(await examine(remote(port)), "Answer")
    assert check.state is CheckState.BAD
    assert words in check.sentence


async def test_a_401_is_followed_to_the_authorization_server(callers: Any, examine: Examine) -> None:
    documents: dict[str, dict[str, object]] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            document = documents.get(head.split()[1])
            answer = http("200 OK", json.dumps(document)) if document else http("401 Unauthorized")
            writer.write(answer)
            await writer.drain()
        writer.close()

    async with callers(serve) as server:
        base = f"http://127.0.0.1:{server.port}"
        documents["/.well-known/oauth-protected-resource/mcp"] = {"resource": base, "authorization_servers": [base]}
        documents["/.well-known/oauth-authorization-server"] = {
            "authorization_endpoint": f"{base}/a",
            "token_endpoint": f"{base}/t",
            "code_challenge_methods_supported": ["S256"],
        }
        checks = await examine(remote(server.port))
    assert "requires authentication (401)" in found(checks, "Answer").sentence
    assert found(checks, "Sign-in").state is CheckState.GOOD
    assert "does not register clients" in found(checks, "Authorization").sentence


def test_a_key_that_is_not_taken_is_told_apart_from_none() -> None:
    refused = ProbeAnswer(401, {}, "")
    assert "requires authentication" in judge_answer(refused).sentence
    assert "did not accept the key" in judge_answer(refused, keyed=True).sentence


async def test_a_server_cannot_make_the_doctor_ask_its_neighbours(
    callers: Any, listening: Any, examine: Examine
) -> None:
    asked: list[bytes] = []

    async def overhear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read(100))
        writer.close()

    async with callers(overhear, "127.0.0.2") as neighbour:
        challenge = f'Bearer resource_metadata="http://127.0.0.2:{neighbour.port}/secret"'
        async with listening(http("401 Unauthorized", WWW_Authenticate=challenge)) as port:
            checks = await examine(remote(port))
    assert found(checks, "Sign-in").state is CheckState.DOUBT
    assert asked == []


# encryption


async def test_a_certificate_that_is_not_trusted_is_told_with_what_to_do(
    listening: Any, examine: Examine, certified: Any
) -> None:
    async with listening(http("200 OK"), certified().context) as port:
        check = found(await examine(remote(port, "https")), "TLS")
    assert check.state is CheckState.BAD
    assert "SSL_CERT_FILE" in check.fix


@pytest.mark.parametrize(
    ("days", "host", "words"), [(-1, "127.0.0.1", "has expired"), (30, "elsewhere.example", "a different address")]
)
async def test_a_trusted_certificate_may_be_wrong_in_other_ways(
    listening: Any,
    examine: Examine,
    certified: Any,
    monkeypatch: pytest.MonkeyPatch,
    days: int,
    host: str,
    words: str,
) -> None:
    pair = certified(days, host)
    monkeypatch.setenv("SSL_CERT_FILE", str(pair.public))
    async with listening(http("200 OK"), pair.context) as port:
        check = found(await examine(remote(port, "https")), "TLS")
    assert check.state is CheckState.BAD
    assert words in check.sentence


async def test_https_where_only_http_is_spoken_is_recognised(listening: Any, examine: Examine) -> None:
    async with listening(http("400 Bad Request"), after=b"") as port:
        check = found(await examine(remote(port, "https")), "TLS")
    assert check.state is CheckState.BAD
    assert "http://" in check.fix


async def test_nothing_is_sent_to_an_address_that_nobody_has_allowed(callers: Any, examine: Examine) -> None:
    knocked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        knocked.append(b"somebody")
        writer.close()

    async with callers(serve) as server:
        checks = await examine(remote(server.port), allow=False)
    assert [check.state for check in checks] == [CheckState.SKIPPED]
    assert "Press Connect" in checks[0].fix
    assert knocked == []


async def test_metadata_leads_the_doctor_nowhere_else() -> None:
    resource = {"authorization_servers": ["http://169.254.169.254/latest"]}
    address = ServerAddress("https://far.example/mcp", "https", "far.example", 443)
    checked = await _check_issuer(resource, address)
    assert (checked.state, "which the workbench does not contact" in checked.sentence) == (CheckState.BAD, True)
