"""An MCP server for measuring calls: `waiting_server.py TOOLS` offers that many tools; each call says how long to wait.

Calls wait concurrently; a call without a wait is answered immediately.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from gui_server import messages


async def main(count: int) -> None:
    reader = asyncio.StreamReader(limit=1 << 24)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        message = json.loads(line)
        if "id" in message and "method" in message:
            given = (message.get("params") or {}).get("arguments") or {}
            loop.call_later(given.get("limit", 0) / 1000, answer, message, count)


def answer(message: dict[str, Any], count: int) -> None:  # Any: JSON
    for told in messages(message, count):
        sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
