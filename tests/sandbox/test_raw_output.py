"""Output that bypasses Python's streams arrives, including output shortly before the end of the run."""

from __future__ import annotations

import asyncio
import os

from workbench.sandbox.channel.channel import RawOutput


async def test_what_is_written_comes_by_itself_or_when_it_is_taken() -> None:
    reading, writing = os.pipe()
    heard: list[bytes] = []
    silent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    raw = RawOutput(reading, heard.append, silent)
    os.write(writing, b"now")
    raw.take()
    raw.take()
    assert heard == [b"now"]
    os.write(writing, b"later")
    os.close(writing)
    await silent
    assert b"".join(heard) == b"nowlater"
    assert raw.is_closing()
    raw.take()


async def test_closing_ends_the_silence_once() -> None:
    reading, writing = os.pipe()
    silent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    raw = RawOutput(reading, lambda data: None, silent)
    raw.close()
    raw.close()
    assert silent.done()
    os.close(writing)
