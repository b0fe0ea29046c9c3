"""The engine's client inherits the channel's file descriptor at the expected number, and no others of ours."""

from __future__ import annotations

import asyncio
import os
import socket

import pytest

from workbench.sandbox.container.container_maker import EngineClient


@pytest.mark.parametrize("descriptor", [True, False])
async def test_the_channel_is_where_the_client_looks_for_it(descriptor: bool) -> None:
    at = 3 if descriptor else 1
    words = f"import os; os.write({at}, b'frame'); os.write(2, str(sorted(os.listdir('/proc/self/fd'))).encode())"
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    ended = asyncio.get_running_loop().create_future()
    try:
        client = EngineClient(
            ["/usr/bin/env", "python3", "-I", "-S", "-c", words], theirs, writing, descriptor=descriptor
        )
        client.watch(ended.set_result)
        theirs.close()
        os.close(writing)
        assert await asyncio.wait_for(ended, 60) == 0
        assert ours.recv(100) == b"frame"
        had = os.read(reading, 1000).decode()
        assert not any(f"'{one}'" in had for one in (ours.fileno(), reading) if one > 4)
    finally:
        ours.close()
        os.close(reading)
