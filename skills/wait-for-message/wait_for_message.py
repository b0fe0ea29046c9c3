"""Waits for a message in a channel without a model looking again and again."""

import asyncio
from typing import Any

from servers.demo import get_channel_history


async def wait_for_message(
    words: str = "deployment complete", channel: str = "deployments", seconds: float = 20, every: float = 0.5
) -> dict[str, Any]:
    """Look at a channel until a message holds the words or the time is over."""
    looks = 0
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while True:
        looks += 1
        for message in await get_channel_history(channel=channel):
            if words.casefold() in message["text"].casefold():
                return {"found": True, "message": message["text"], "looks": looks}
        if loop.time() + every > end:
            return {"found": False, "message": "", "looks": looks}
        await asyncio.sleep(every)
