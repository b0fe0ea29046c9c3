"""One conversation of an agent with a real core, real sandbox and real demo server, whose answers the rows are held to.

It is had once for all rows, so that a hundred of them cost one core; each test below looks at its part.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp.types as T
from mcp import Client

from workbench.agent.message_stream import messages
from workbench.core import Core
from workbench.events import Event, RunChanged, spawn
from workbench.paths import Paths
from workbench.records import Decision, Entry, EntryQuery, JsonObject, Run, RunState

PROGRAMS: Mapping[str, str] = {
    "explore": """
import pathlib
listed = {"servers": sorted(path.name for path in pathlib.Path("servers").iterdir() if path.is_dir())}
listed["tools"] = sorted(path.stem for path in pathlib.Path("servers/demo").glob("*.py") if path.stem != "__init__")
listed["one"] = pathlib.Path("servers/demo/list_orders.py").read_text()
return listed
""",
    "discover": """
import time
from tool_discovery import ToolDiscovery, get_tool_definition, search_tools
began = time.perf_counter()
names = search_tools(detail_level="name_only")
took = (time.perf_counter() - began) * 1000
return {
    "took": took, "names": names, "names_text": str(names),
    "described": search_tools("orders", detail_level="with_description", limit=3),
    "full": search_tools("list orders", detail_level="full")[0],
    "full_text": str(search_tools("list orders", detail_level="full", limit=1)),
    "summary": search_tools("orders", category="demo", detail_level="summary", limit=8),
    "definition": get_tool_definition("mcp__demo__list_orders", category="demo"),
    "scoped": search_tools("demo refund", detail_level="name"), "class": ToolDiscovery().search_tools("orders"),
}
""",
    "wrapper": """
import time
began = time.perf_counter()
from servers.demo import list_orders, count_orders
took = (time.perf_counter() - began) * 1000
import servers.demo as demo
from client import MCPClient, call_mcp_tool, get_client
by_name = await call_mcp_tool("mcp__demo__count_orders", {}, dict)
one = await list_orders({"limit": 1})
same = await demo.list_orders(limit=1)
client = get_client()
return {"took": took, "same": one == same, "by_name": by_name, "calls": client.call_count,
        "tokens": client.total_tokens, "direct": await count_orders() == by_name}
""",
    "result": "result = {'answer': 6 * 7}\nprint('seen')",
    "helpers": """
write_file("notes/a.json", json.dumps({"x": 1}))
listed = list_files()
value = json.loads(read_file("notes/a.json"))
with open('./workspace/x.json', 'w') as f:
    json.dump([1, 2], f)
return {"value": value, "files": [str(one) for one in listed], "math": math.floor(2.5), "re": bool(re.match("a", "ab")),
        "now": datetime.datetime.now().year > 2000}
""",
    "later": "return json.load(open('workspace/x.json'))",
    "filter": """
from servers.demo import list_orders
page = await list_orders(limit=10_000)
pending = [order for order in page["orders"] if order["status"] == "pending"]
print(f"Found {len(pending)} of {len(page['orders'])}")
for order in pending[:5]:
    print(order["id"], order["amount"])
""",
    "flow": """
from servers.demo import create_ticket, get_channel_history
talk = await get_channel_history(channel="support", limit=500)
body = "\\n".join(said["text"] for said in talk)
ticket = await create_ticket(customer_id="CUS-0042", subject="The whole talk", body=body[:3000])
return {"read": len(body), "ticket": ticket["id"]}
""",
    "control": """
from servers.demo import get_order, list_orders
page = await list_orders(limit=30)
for attempt in range(20):
    if attempt == 2:
        break
    await asyncio.sleep(0.01)
scores = {"high": 0, "middle": 0, "low": 0}
for order in page["orders"]:
    if order["amount"] > 500:
        scores["high"] += 1
    elif order["amount"] > 100:
        scores["middle"] += 1
    else:
        scores["low"] += 1
ten = await asyncio.gather(*(get_order(order_id=order["id"]) for order in page["orders"][:10]))
return {"looks": attempt, "scores": sum(scores.values()), "ten": len(ten)}
""",
    "thousand": """
from servers.demo import count_orders
answers = await asyncio.gather(*(count_orders() for _ in range(1000)))
return {"calls": len(answers), "same": len({str(one) for one in answers})}
""",
    "network": """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), 0.5)
    told = "reached"
except OSError as fault:
    told = type(fault).__name__
return told
""",
    "outside": """
refused = []
for path in ("/etc/passwd", "/root", "workspace/../../x"):
    try:
        open(path).read()
    except OSError as fault:
        refused.append(type(fault).__name__)
return refused
""",
    "skill_import": """
from skills.mcp_progressive_discovery import mcp_progressive_discovery
return sorted(await mcp_progressive_discovery("list orders"))
""",
    "personal": """
from servers.demo import get_customer
one = await get_customer(customer_id="CUS-0042")
print(one)
""",
}
LOADS = """
skill = load_skill("mcp-progressive-discovery")
exec(skill)
result = sorted(await mcp_progressive_discovery("list orders"))
"""
REQUIRED = (
    "from servers.demo import count_orders, list_orders\nreturn [await count_orders(), await list_orders(limit=1)]"
)
SENDS = "from servers.demo import send_email\nawait send_email(to='{}', subject='s', body='b')\nreturn 'sent'"


@dataclass
class Conversation:
    """What was said, by the name of the step."""

    text: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # Any: structured content
    failed: dict[str, bool] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    tools: list[Any] = field(default_factory=list)  # Any: the SDK's own tools
    entries: tuple[Entry, ...] = ()
    events: list[Event] = field(default_factory=list)
    status: Any = None

    def result(self, step: str) -> Any:  # Any: JSON
        """What the program returned, for the person; a step that failed says so."""
        run = self.runs[step]
        assert run.state is RunState.DONE, f"{step}: {self.text[step]}"
        return json.loads(run.result)


async def converse(paths: Paths) -> Conversation:
    """All of it."""
    core, talk = Core(paths), Conversation()
    await core.open()
    core.bus.listen(talk.events.append)
    near, far = socket.socketpair()
    try:
        serving = spawn("door", core.serve_agent(*await asyncio.open_connection(sock=far)))
        streams = messages(*await asyncio.open_connection(sock=near), _plain)
        name = T.Implementation(name="seeds", version="1")
        async with Client(streams, mode="legacy", client_info=name) as agent:
            await _say_all(core, agent, talk)
        near.close()
        await asyncio.wait_for(serving, 60)
        talk.entries = core.journal.entries(EntryQuery(limit=3000))
    finally:
        await core.close()
    return talk


async def _plain(message: JsonObject) -> bytes:
    return json.dumps(message).encode() + b"\n"


async def _say_all(core: Core, agent: Client, talk: Conversation) -> None:
    talk.tools = list((await agent.list_tools()).tools)
    for step, code in PROGRAMS.items():
        await _run(core, agent, talk, step, code=code)
    await asyncio.gather(_run(core, agent, talk, "skill_text", code=LOADS), _answer(core, allow=True))
    await _run(core, agent, talk, "required", code=REQUIRED, required_tools=["demo.count_orders"])
    await _run(core, agent, talk, "required_server", code=REQUIRED, required_tools=["demo"])
    await asyncio.gather(
        _run(core, agent, talk, "denied", code=SENDS.format("a@acme.example")), _answer(core, allow=False)
    )
    await asyncio.gather(
        _run(core, agent, talk, "allowed", code=SENDS.format("b@acme.example")), _answer(core, allow=True)
    )
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("search", "search_tools", {"query": "count orders", "detail_level": "name"}),
        ("define", "get_tool_definition", {"name": "list_orders", "category": "demo"}),
        ("save", "save_skill", {"name": "mine", "code": "return 1", "description": "One."}),
        ("load", "load_skill", {"name": "pending-orders-summary"}),
        ("skills", "list_skills", {}),
        ("sanitize", "sanitize_pii", {"text": "Write to ada.lovelace@acme.example or +1 415 555 0132."}),
        ("write", "write_workspace_file", {"path": "reports/a.txt", "content": "hello"}),
        ("read", "read_workspace_file", {"path": "reports/a.txt"}),
        ("files", "list_workspace_files", {}),
        ("stats", "get_execution_stats", {}),
    )
    for step, tool, arguments in calls:
        await _call(agent, talk, step, tool, arguments)
    await _call(agent, talk, "restore", "restore_pii", {"text": talk.text["sanitize"]})
    talk.status = await core.api.status()


async def _run(core: Core, agent: Client, talk: Conversation, step: str, **arguments: Any) -> None:  # Any: JSON
    await _call(agent, talk, step, "execute_code", {"description": step, **arguments})
    with contextlib.suppress(KeyError):
        talk.runs[step] = core.run_manager.run(talk.facts[step]["run"])


async def _call(agent: Client, talk: Conversation, step: str, tool: str, arguments: dict[str, Any]) -> None:
    began = time.monotonic()
    answer = await agent.call_tool(tool, arguments)
    talk.seconds[step] = time.monotonic() - began
    talk.text[step] = answer.content[0].text  # type: ignore[union-attr]
    talk.facts[step] = dict(answer.structured_content or {})
    talk.failed[step] = bool(answer.is_error)


async def _answer(core: Core, *, allow: bool) -> None:
    """A person's word about the next program that waits."""
    waits: asyncio.Queue[Run] = asyncio.Queue()
    forget = core.bus.listen(lambda event: waits.put_nowait(event.run) if isinstance(event, RunChanged) else None)
    try:
        while (run := await asyncio.wait_for(waits.get(), 60)).state is not RunState.WAITING:
            pass
        reason = "" if allow else "Not today."
        await core.api.decide(Decision(run.id, run.proposal.sha, allow, "", reason, fingerprint=run.fingerprint))
    finally:
        forget()
