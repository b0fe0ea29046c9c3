"""A configuration entry selects a transport, or gives an error message with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.transport_selection import TransportSelection, nobody_signs_in

URL = "https://example.org/mcp"


@pytest.fixture
def ways(tmp_path: Path) -> TransportSelection:
    return TransportSelection(tmp_path, ProcessGroups(), {"token": "s3" + "same"}.get, nobody_signs_in)


@pytest.mark.parametrize(
    ("config", "known", "kinds"),
    [
        (ServerConfig("a", "x"), "", ("stdio",)),
        (ServerConfig("a", "x", url=URL), "http", ("stdio",)),
        (ServerConfig("a", url=URL), "", ("http", "sse")),
        (ServerConfig("a", url=URL), "sse", ("sse", "http")),
        (ServerConfig("a", url=URL, transport="http"), "sse", ("http",)),
        (ServerConfig("a", "x", url=URL, transport="sse"), "", ("sse",)),
    ],
)
def test_the_ways_to_a_server(
    ways: TransportSelection, config: ServerConfig, known: str, kinds: tuple[str, ...]
) -> None:
    assert ways.kinds_for(config, known) == kinds
    assert ways.build(kinds[0], config, 1 << 20, MessageLog("a")).kind == kinds[0]


def test_a_stored_secret_and_a_variable_are_put_in(ways: TransportSelection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AREA", "north")
    config = ServerConfig("a", url="https://${AREA}.example.org", headers={"X": "Bearer ${keyring:token}"})
    transport = ways.build("http", config, 1 << 20, MessageLog("a"))
    assert transport._target.url == "https://north.example.org"  # type: ignore[attr-defined]
    assert transport._target.headers == {"X": "Bearer s3" + "same"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "url", ["ftp://example.org", "https://", "https:///x", "http://[::1", "http://a b/", "http://x:99999/", "mcp"]
)
def test_an_address_that_is_none(ways: TransportSelection, url: str) -> None:
    with pytest.raises(WorkbenchError, match="address of a is not valid"):
        ways.build("http", ServerConfig("a", url=url), 1 << 20, MessageLog("a"))


def test_a_header_that_cannot_be_sent(ways: TransportSelection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "one\r\nX-Other: two")
    with pytest.raises(WorkbenchError, match="header X of a cannot be sent"):
        ways.build("http", ServerConfig("a", url=URL, headers={"X": "${LINES}"}), 1 << 20, MessageLog("a"))
