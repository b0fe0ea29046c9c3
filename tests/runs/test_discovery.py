"""What programs find out about tools from inside the sandbox: by asking step by step, and as files."""

from __future__ import annotations

import json
from typing import Any

from workbench.core import Core
from workbench.records import RunState

PROGRAM = """
import os
from tool_discovery import get_tool_definition, search_tools

levels = ("name", "name_only", "description", "with_description", "summary", "full")
told = {level: search_tools("orders", detail_level=level, limit=2) for level in levels}
result = {
    "told": told,
    "whole": search_tools(),
    "server": search_tools("", server="demo", limit=1),
    "kind": search_tools("orders", category="demo", limit=3),
    "awaited": (await search_tools("orders", limit=2)) == told["name"],
    "definition": get_tool_definition("list_orders", category="demo")["inputSchema"]["properties"]["status"]["type"],
    "servers": sorted(os.listdir("servers")),
    "files": os.listdir("servers/demo"),
    "stub": open("servers/demo/list_orders.pyi").read(),
    "source": open("servers/demo/list_orders.py").read(),
}
"""


async def found_out(demo: Core) -> Any:
    done = await demo.conveyor.finished(demo.conveyor.submit(PROGRAM, demo.rooms.sessions.person).id)
    assert done.state is RunState.DONE, done.fault
    return json.loads(done.result)


async def test_a_program_finds_its_tools_step_by_step_and_as_files(demo: Core) -> None:
    found = await found_out(demo)
    told = found["told"]
    assert told["name"] == told["name_only"]
    assert told["description"] == told["with_description"] == told["summary"]
    assert len(told["name"]) < len(told["description"]) < len(told["full"])
    assert all("2 of " in text.splitlines()[0] and "tools matching 'orders'" in text for text in told.values())
    assert found["whole"].splitlines()[0].startswith("20 of ")
    assert found["server"].splitlines()[1].startswith("demo: ")
    assert "3 of " in found["kind"]
    assert found["awaited"]
    assert found["definition"] == "string"
    assert found["servers"] == ["demo"]
    assert {"__init__.py", "__init__.pyi", "list_orders.py", "list_orders.pyi"} <= set(found["files"])
    assert "class ListOrdersInput(typing.TypedDict)" in found["stub"]
    assert "async def list_orders(" in found["source"]
