"""Clients of every version learn at the beginning that there are skills, and that the list of tools may change."""

from __future__ import annotations

import pytest

from workbench.agent.protocol_identity import SKILLS as EXTENSION
from workbench.agent.protocol_identity import with_extensions


async def test_older_clients_find_the_extension_under_both_names_and_can_use_it(by_hand):
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        await _begin(by_hand, version)


async def _begin(by_hand, version: str) -> None:
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    async with by_hand() as ask:
        answer = await ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
        await ask({"jsonrpc": "2.0", "method": "notifications/initialized"}, answers=False)
        skills = await ask({"jsonrpc": "2.0", "id": 2, "method": "skills/list", "params": {}})
    found = answer["result"]
    assert found["protocolVersion"] == version
    assert found["capabilities"]["extensions"] == {EXTENSION: {}}
    assert found["capabilities"]["experimental"] == {EXTENSION: {}}
    assert found["capabilities"]["tools"] == {"listChanged": True}
    assert skills["result"]["skills"][0]["uri"].startswith("skill://")


@pytest.mark.parametrize("result", [{"capabilities": {}}, {"content": []}, [], None])
def test_nothing_else_is_touched(result):
    message = {"jsonrpc": "2.0", "id": 1, "result": result}
    assert with_extensions(message) is message
