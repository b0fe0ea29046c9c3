"""The example agent: a real MCP client in its own process that searches tools and proposes a program with effects.

It connects as any agent does, so that a new user sees the same approval request as for a real agent.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import Event, Noticed, spawn
from workbench.records import Fault
from workbench.records.runs import EXAMPLE_AGENT

if TYPE_CHECKING:
    import mcp.types as T

# Python imports modules from the folder where a process starts, and a project may contain a `json.py`.
PACKAGE_PARENT = Path(__file__).resolve().parents[2]

PURPOSE = "Tell customers whose order is still pending that we are looking into it."
PROGRAM = """\
from servers.demo import list_orders, get_customer, send_email

page = await list_orders(status="pending", limit=3)
written = []
for order in page["orders"]:
    customer = await get_customer(customer_id=order["customer_id"])
    await send_email(
        to=customer["email"],
        subject=f"Your order {order['id']}",
        body=f"Dear {customer['name']}, your order is late. We are looking into it.",
    )
    written.append({"order": order["id"], "to": customer["email"]})

print(f"{page['total']} orders are pending; wrote to the first {len(written)}.")
result = written
"""


class ExampleAgents:
    """Starts the example agent of one core, one at a time, and ends it with the core."""

    def __init__(self, project: Path, tell: Callable[[Event], None]) -> None:
        self._project = project
        self._tell = tell
        self._processes: set[asyncio.subprocess.Process] = set()
        self._starting = asyncio.Lock()

    @api(decides=True)
    async def start_example_agent(self) -> None:
        """Start a real MCP client that proposes a program, so that a new user can see an approval request."""
        async with self._starting:
            if self._processes:
                raise WorkbenchError("The example agent is already running.", "Decide on its program first.")
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "workbench.agent.example_agent", str(self._project),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
                start_new_session=True, cwd=PACKAGE_PARENT,
            )  # fmt: skip
            self._processes.add(process)
        spawn("example agent", self._wait(process))

    async def close(self) -> None:
        """End the example agent if it is running."""
        for process in tuple(self._processes):
            await _end(process)

    async def _wait(self, process: asyncio.subprocess.Process) -> None:
        _, errors = await process.communicate()
        self._processes.discard(process)
        if process.returncode not in (0, -signal.SIGTERM, -signal.SIGKILL):
            detail = errors.decode("utf-8", "replace")[-2_000:]
            self._tell(Noticed(Fault("The example agent failed.", "See the details.", detail)))


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(2):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def converse(project: str) -> int:
    """Search tools, propose the program, and print the answers."""
    import mcp.types as T
    from mcp import Client, StdioServerParameters

    arguments = ["-m", "workbench", "serve", "--project", project]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ), cwd=os.getcwd())
    info = T.Implementation(name=EXAMPLE_AGENT, version="1")
    async with Client(parameters, client_info=info) as client:
        found = await client.call_tool("search_tools", {"query": "pending orders customers e-mail"})
        _show(found)
        _show(await client.call_tool("execute_code", {"code": PROGRAM, "description": PURPOSE}))
    return 0


def _show(result: T.CallToolResult) -> None:
    for block in result.content:
        if block.type == "text":
            print(block.text, flush=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(converse(sys.argv[1])))
