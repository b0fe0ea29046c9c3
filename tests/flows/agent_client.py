"""An MCP client in a process of its own, as every agent's is: it starts `serve` and whatever else its agent asks for.

A line of JSON on stdin is one order, a line on stdout its answer: {"tool", "arguments", "timeout"} calls a tool,
{"shell": [...]} starts a process as an agent's shell tool would, on a terminal of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

from mcp import Client, MCPError, StdioServerParameters
from on_a_terminal import OnTerminal


async def main() -> None:
    door = StdioServerParameters(
        command=sys.executable, args=["-m", "workbench", "serve", "--project", *sys.argv[1:]], env=dict(os.environ)
    )
    async with Client(door, mode="legacy") as client:
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            order = json.loads(line)
            if "shell" in order:
                answer = await shell(order["shell"])
            else:
                answer = await call(client, order)
            print(json.dumps(answer), flush=True)


async def call(client: Client, order: dict) -> dict:
    try:
        answer = await client.call_tool(
            order["tool"], order.get("arguments", {}), read_timeout_seconds=order.get("timeout")
        )
    except MCPError as fault:
        return {"fault": str(fault)}
    return {"text": answer.content[0].text, "facts": answer.structured_content or {}, "failed": answer.is_error}


async def shell(words: list[str]) -> dict:
    """With a terminal, so that only who started it stands against it; and once more with a pipe instead."""
    there = OnTerminal(words)
    said = await there.end()
    piped = await asyncio.create_subprocess_exec(
        *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    _, words_of_pipe = await piped.communicate(b"allow\n")
    return {"code": there.code, "said": said, "piped": [piped.returncode, words_of_pipe.decode()]}


asyncio.run(main())
