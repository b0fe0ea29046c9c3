"""Programs discover tools from inside the sandbox: with the discovery functions, and as files."""

from __future__ import annotations

import json
import re
from typing import Any

from workbench.core import Core
from workbench.records import RunState

PROGRAM = """
import os
from tool_discovery import get_tool_definition, search_tools

levels = ("name", "name_only", "description", "with_description", "summary", "full")
told = {level: str(search_tools("orders", detail_level=level, limit=2)) for level in levels}
result = {
    "told": told,
    "whole": str(search_tools()),
    "server": str(search_tools("", server="demo", limit=1)),
    "kind": str(search_tools("orders", category="demo", limit=3)),
    "awaited": str(await search_tools("orders", limit=2)) == told["name"],
    "definition": get_tool_definition("list_orders", category="demo")["inputSchema"]["properties"]["status"]["type"],
    "servers": sorted(os.listdir("servers")),
    "files": os.listdir("servers/demo"),
    "stub": open("servers/demo/list_orders.pyi").read(),
    "source": open("servers/demo/list_orders.py").read(),
}
"""


async def found_out(demo: Core) -> Any:
    done = await demo.run_manager.wait_until_finished(
        demo.run_manager.submit(PROGRAM, demo.services.sessions.person).id
    )
    assert done.state is RunState.DONE, done.fault
    return json.loads(done.result)


async def test_a_program_finds_its_tools_step_by_step_and_as_files(demo: Core) -> None:
    found = await found_out(demo)
    told = found["told"]
    assert told["name"] == told["name_only"]
    assert told["description"] == told["with_description"] == told["summary"]
    assert len(told["name"]) < len(told["description"]) < len(told["full"])
    assert all("2 of " in text.splitlines()[0] and "tools matching 'orders'" in text for text in told.values())
    assert re.match(r"(\d+) of \1 tools", found["whole"]), "without a query all of them"
    assert found["server"].splitlines()[1].startswith("demo: ")
    assert "3 of " in found["kind"]
    assert found["awaited"]
    assert found["definition"] == "string"
    assert found["servers"] == ["demo"]
    assert {"__init__.py", "__init__.pyi", "list_orders.py", "list_orders.pyi"} <= set(found["files"])
    assert "class ListOrdersInput(typing.TypedDict)" in found["stub"]
    assert "async def list_orders(" in found["source"]


AS_WRITTEN = """
from tool_discovery import search_tools
tools = search_tools(query="count orders", detail_level="name_only")
assert tools[0] == "count_orders" and [name for name in tools][:1] == ["count_orders"], tools
tools = search_tools(query="count_orders", detail_level="with_description")
assert tools[0]["name"] == "count_orders" and tools[0]["server"] == "demo", tools[0]
assert tools[0]["import"] == "from servers.demo import count_orders" and tools[0]["description"]
tool = search_tools(query="count_orders", detail_level="full")[0]
assert tool["input_schema"]["type"] == "object" and "count_orders" in tool["signature"], tool
assert len(search_tools(detail_level="name_only")) > 20
print(tools)
result = search_tools("count orders", limit=1)
"""


async def test_what_a_search_finds_is_a_list_that_prints_as_a_short_text(demo: Core) -> None:
    done = await demo.run_manager.wait_until_finished(
        demo.run_manager.submit(AS_WRITTEN, demo.services.sessions.person).id
    )
    assert done.state is RunState.DONE, done.fault
    assert "tools matching 'count_orders'" in done.output.splitlines()[0]
    assert "from servers.demo import count_orders  # " in done.output
    assert json.loads(done.result).splitlines()[1] == "demo: count_orders"


BY_NAME = """
from client import call_mcp_tool, call_tool
from servers.demo import get_channel_history
given = {"channel": "deployments"}
by_function = await get_channel_history(given)
by_name = [await call_tool("demo", "get_channel_history", given)]
by_name.append(await call_mcp_tool("mcp__demo__get_channel_history", given, dict))
whole = await call_tool("demo", "get_channel_history", given, whole=True)
result = [isinstance(by_function, list), by_function == by_name[0] == by_name[1], list(whole)]
"""


async def test_a_call_by_name_answers_as_the_tools_function_does(demo: Core) -> None:
    done = await demo.run_manager.wait_until_finished(
        demo.run_manager.submit(BY_NAME, demo.services.sessions.person).id
    )
    assert done.result == '[true, true, ["result"]]', done.model_view


PROGRAMS_OF_MODELS = [
    "    a = 1\n    if a:\n        return a + 1\n",
    "```python\nreturn 2\n```\n",
    "\n  ```py\n  return 2\n  ```",
    "```\n    x = 2\n    x\n```",
    "from servers.demo import get_customer\nresult = 2 if (await get_customer('CUS-0001'))['id'] else 0",
]


async def test_programs_as_models_write_them_run(demo: Core) -> None:
    for code in PROGRAMS_OF_MODELS:
        done = await demo.run_manager.wait_until_finished(
            demo.run_manager.submit(code, demo.services.sessions.person).id
        )
        assert done.result == "2", (code, done.model_view)


async def test_a_fence_costs_no_line_number(demo: Core) -> None:
    code = "```python\nx = 1\n1 / 0\n```"
    done = await demo.run_manager.wait_until_finished(demo.run_manager.submit(code, demo.services.sessions.person).id)
    assert "line 3" in done.model_view
