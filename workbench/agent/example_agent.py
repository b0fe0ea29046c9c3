"""A small real agent for newcomers: it connects as any MCP client does, searches, and proposes a program with effects.

Nothing about it is special: the same socket, the same tools, the same waiting for a person.
"""

from __future__ import annotations

import asyncio
import os
import sys

import mcp.types as T
from mcp import Client, StdioServerParameters

NAME = "Example agent"
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


async def converse(project: str) -> int:
    """Search, propose, show what came back."""
    arguments = ["-m", "workbench", "serve", "--project", project]
    door = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ), cwd=os.getcwd())
    info = T.Implementation(name=NAME, version="1")
    async with Client(door, client_info=info) as client:
        found = await client.call_tool("search_tools", {"query": "pending orders customers e-mail"})
        _show(found)
        _show(await client.call_tool("execute_code", {"code": PROGRAM, "description": PURPOSE}))
    return 0


def _show(result: T.CallToolResult) -> None:
    for block in result.content:
        if isinstance(block, T.TextContent):
            print(block.text, flush=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(converse(sys.argv[1])))
