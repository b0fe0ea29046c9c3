"""Measures how fast an edited program is assessed in the approval dialog: `python benchmarks/reassess.py [EDITS]`.

A program of 200 dense lines waits in a real core. Each edit changes a line and requests an assessment through the API,
as the window does shortly after the last key. Goal: 50 ms.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import tempfile
import time
from pathlib import Path

from workbench.api.in_memory import connect_in_memory
from workbench.core import Core
from workbench.events import Event, RunChanged
from workbench.paths import Paths
from workbench.records import RunState

LINE = "totals[{0}] = [order['total'] * {0} for order in orders if order['state'] == 'open' and order['total'] > {0}]"
HEAD = "from servers.demo import list_orders, send_email\norders = await list_orders(limit=20)\ntotals = {}\n"
TAIL = "await send_email(to='a@example.org', subject='Totals', body=str(totals))\n"


async def main(edits: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        core = Core(Paths(*(folder / name for name in ("project", "state", "cache", "run"))))
        await core.open()
        try:
            await core.catalog.connect("demo")
            gc.freeze()  # the core does the same shortly after its start
            await measure(core, edits)
        finally:
            await core.close()


async def measure(core: Core, edits: int) -> None:
    waits = asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
            waits.set()

    core.bus.listen(hear)
    run = core.run_manager.submit(program(0), core.services.sessions.open("benchmark"))
    async with asyncio.timeout(30):
        await waits.wait()
    connection = await connect_in_memory(core.methods, core.bus)
    times = []
    for number in range(edits):
        began = time.perf_counter()
        await connection.api.assess_edit(run.id, program(number))
        times.append(1000 * (time.perf_counter() - began))
    await connection.close()
    times.sort()
    p95 = times[int(0.95 * (len(times) - 1))]
    print(
        f"{edits} edits of 200 lines: p50 {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, max {times[-1]:.1f} ms"
    )


def program(number: int) -> str:
    lines = [LINE.format(line) for line in range(196)]
    lines[number % 196] += f"  # edit {number}"
    return HEAD + "\n".join(lines) + "\n" + TAIL


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
