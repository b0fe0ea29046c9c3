"""FastMCP's CodeMode over its proxy, with its client in the same process. `fast.py SERVER TOOLS`, in its own venv."""

from __future__ import annotations

import asyncio
import sys

from fastmcp import Client
from fastmcp.experimental.transforms.code_mode import CodeMode
from fastmcp.server import create_proxy
from line import QUERY, calls, serve_async

PARALLEL = (
    "import asyncio\nawait asyncio.gather(*[call_tool('list_orders_0', {'limit': 100}) for _ in range(10)])\nreturn 1"
)


async def main(server: str, tools: str) -> None:
    proxy = create_proxy({"mcpServers": {"many": {"command": sys.executable, "args": [server, tools]}}})
    proxy.add_transform(CodeMode(max_tool_calls=None))
    async with Client(proxy, mode="legacy") as client:

        async def run(code: str) -> None:
            await client.call_tool("execute", {"code": code})

        await serve_async(
            {
                "trivial": lambda: run("return 1"),
                "calls": lambda: run(f"{calls('await call_tool(' + repr('NAME') + ', {})')}return 1"),
                "parallel": lambda: run(PARALLEL),
                "search": lambda: client.call_tool("search", {"query": QUERY}),
            }
        )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
