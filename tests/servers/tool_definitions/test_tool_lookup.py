"""One definition for an agent: named in any way, and never one that nobody approved."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Fault
from workbench.servers.server_catalog import one_tool

SPELLINGS = ("list_orders", "demo.list_orders", "mcp__demo__list_orders", "demo__list_orders")


async def test_every_spelling_finds_it(house) -> None:
    home = await house()
    await home.catalog.connect("demo")
    for name in SPELLINGS:
        for category in ("", "demo", "DEMO ", "no such thing"):
            found = one_tool(home.catalog, name, category)
            assert found.tool.name == "list_orders"
            assert found.import_line == "from servers.demo import list_orders"


async def test_a_blocked_tool_is_refused_with_the_reason(house, monkeypatch: pytest.MonkeyPatch) -> None:
    home = await house()
    await home.catalog.connect("demo")
    monkeypatch.setattr(home.catalog, "blocked", lambda tool: Fault("It changed.", "Look at it."))
    with pytest.raises(WorkbenchError, match=r"It changed\."):
        one_tool(home.catalog, "list_orders")
