"""What an agent looks up holds no sign that a server could steer a terminal with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workbench.records import ServerConfig

HOSTILE = Path(__file__).parents[1] / "mcp_servers" / "hostile.py"


@pytest.mark.parametrize("depth", ["description", "full"])
async def test_no_control_or_direction_character_of_a_server_reaches_an_agent(core, agent, depth):
    await core.catalog.add(ServerConfig("deep", sys.executable, (str(HOSTILE), "deep")))
    await core.catalog.connect("deep")
    async with agent() as client:
        found = await client.call_tool("search_tools", {"query": "oddly", "detail_level": depth})
        whole = await client.call_tool("get_tool_definition", {"name": "deep.odd"})
    for answer in (found, whole):
        text = answer.content[0].text
        assert "oddly" in text
        assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(text)
