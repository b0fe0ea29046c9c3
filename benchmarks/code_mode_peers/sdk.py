"""The mcp SDK's own client beside the same server, without any code mode. `sdk.py SERVER TOOLS`."""

from __future__ import annotations

import asyncio
import sys

from line import SIX, serve_async
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(server: str, tools: str) -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[server, tools])
    async with stdio_client(parameters) as (incoming, outgoing), ClientSession(incoming, outgoing) as client:
        await client.initialize()

        async def hundred() -> None:
            for at in range(100):
                await client.call_tool(SIX[at % 6], {})

        async def parallel() -> None:
            await asyncio.gather(*(client.call_tool(SIX[0], {"limit": 100}) for _ in range(10)))

        await serve_async({"calls": hundred, "parallel": parallel})


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
