"""The end of a run is reported immediately, and from then on the child can do nothing."""

from __future__ import annotations

import asyncio
import json
from typing import Any


async def test_output_past_the_streams_is_there_when_the_end_is(room: Any) -> None:
    for number in range(5):
        ending = await room.run(f"import os\nos.write(1, b'raw {number}')")
        assert (ending.reason, ending.output) == ("done", f"raw {number}")


async def test_a_program_that_tells_a_false_end_is_killed_then(room: Any, processes: Any) -> None:
    before = processes()
    ending = await room.run(
        "import socket, struct, threading, time\n"
        "def work():\n"
        "    while True:\n"
        "        with open('workspace/grows', 'a') as file:\n            file.write('x')\n"
        "write_file('grows', 'x')\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "s = socket.socket(fileno=3)\n"
        "b = json.dumps({'kind': 'end', 'ok': True, 'result': '1', 'memory_mb': -5.0}).encode()\n"
        "s.sendall(struct.pack('>I', len(b)) + b)\n"
        "time.sleep(60)"
    )
    assert (ending.reason, ending.result, ending.memory_mb) == ("done", "1", 0.0)
    while processes() - before:
        await asyncio.sleep(0.01)
    size = (room.project / "workspace/grows").stat().st_size
    assert json.loads((await room.run("len(read_file('grows'))")).result) == size


async def test_the_processes_of_ended_runs_go_away_by_themselves(room: Any, processes: Any) -> None:
    before = processes()
    for number in range(4):
        assert (await room.run(f"{number}")).result == str(number)
    while processes() - before:
        await asyncio.sleep(0.01)
