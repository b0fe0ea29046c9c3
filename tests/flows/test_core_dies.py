"""Kill -9 of the core in the middle of a run: nothing survives it, nothing is lost, and the next core says so."""

from __future__ import annotations

import asyncio
import os
import signal

import psutil

from workbench.api.client import CoreConnection, connect
from workbench.audit.journal import Journal
from workbench.events import EntryWritten, Event, RunOutput
from workbench.records import Entry, EntryQuery, RunState

SLOW = """\
import time
from servers.demo import list_orders
await list_orders(limit=1)
print("working", flush=True)
time.sleep(25)
"""


def family(pid: int) -> list[psutil.Process]:
    root = psutil.Process(pid)
    return [root, *root.children(recursive=True)]


async def gone(processes: list[psutil.Process], seconds: float = 60.0) -> list[psutil.Process]:
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, timeout=seconds)
    return [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


async def working(connection: CoreConnection) -> str:
    """Start the slow program and wait until it printed from inside the sandbox, after a tool call."""
    printed = asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, RunOutput) and "working" in event.text:
            printed.set()

    connection.listen(hear)
    await connection.api.connect("demo")
    run = await connection.api.submit(SLOW, "take long", "")
    await asyncio.wait_for(printed.wait(), 60)
    return run.id


async def test_a_killed_core_leaves_no_process_and_its_run_is_shown_as_interrupted(paths):
    first = await connect(paths)
    run_id = await working(first)
    pid = (await first.api.status()).pid
    relatives = family(pid)
    assert len(relatives) >= 3, "core, server and sandbox"
    os.kill(pid, signal.SIGKILL)
    await asyncio.wait_for(first.closed.wait(), 60)
    await first.close()
    assert await gone(relatives) == []
    second = await connect(paths)
    try:
        status = await second.api.status()
        assert status.pid != pid
        assert status.interrupted == 1
        assert (await second.api.run(run_id)).state is RunState.INTERRUPTED
        kinds = [entry.note.kind for entry in await second.api.entries(EntryQuery(run_id=run_id))]
        assert kinds[0] == "run.interrupted"
        assert (await second.api.verify_audit()).whole
    finally:
        await second.api.shut_down()
        await asyncio.wait_for(second.closed.wait(), 60)
        await second.close()


BUSY = """\
from servers.demo import list_orders
while True:
    await list_orders(limit=1)
"""


async def test_a_core_killed_between_two_calls_keeps_every_entry_it_told_of_and_no_broken_chain(paths):
    first = await connect(paths)
    told: list[Entry] = []
    enough = asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, EntryWritten):
            told.append(event.entry)
            if len(told) > 200:
                enough.set()

    first.listen(hear)
    await first.api.connect("demo")
    run = await first.api.submit(BUSY, "call without an end", "")
    await asyncio.wait_for(enough.wait(), 60)
    pid = (await first.api.status()).pid
    relatives = family(pid)
    os.kill(pid, signal.SIGKILL)
    await asyncio.wait_for(first.closed.wait(), 60)
    await first.close()
    assert await gone(relatives) == []
    journal = Journal(paths.audit)
    try:
        kept = {entry.seq: entry.hash for entry in journal.entries(EntryQuery(limit=5000))}
        assert all(kept.get(entry.seq, entry.hash) == entry.hash for entry in told)
        assert max(kept) >= told[-1].seq
        assert journal.verify().whole
        assert not journal.entries(EntryQuery(kind="audit.gap"))
        assert journal.interrupted_runs() == (run.id,)
    finally:
        journal.close()


async def test_a_core_that_is_asked_to_stop_takes_everything_with_it(paths):
    connection = await connect(paths)
    await working(connection)
    relatives = family((await connection.api.status()).pid)
    await connection.api.shut_down()
    await asyncio.wait_for(connection.closed.wait(), 60)
    await connection.close()
    assert await gone(relatives, 15) == []
