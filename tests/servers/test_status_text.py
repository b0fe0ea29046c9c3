"""The words for the steps of a server's life."""

from __future__ import annotations

from workbench.records import Fault, ServerConfig, ServerState, ServerStatus
from workbench.servers.server import status_text


def test_each_step_says_what_happened() -> None:
    state = ServerState(ServerConfig("one"), ServerStatus.READY, protocol="2025-06-18", pid=7)
    assert status_text(state) == "The server is ready: protocol 2025-06-18, process 7."
    fallen = ServerState(ServerConfig("one"), ServerStatus.FAILED, fault=Fault("It left with code 3."))
    assert "left with code 3" in status_text(fallen)
    assert len({status_text(ServerState(ServerConfig("one"), status)) for status in ServerStatus}) == len(ServerStatus)
