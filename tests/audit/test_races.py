"""The audit while worker threads read, verify and index it, with a change of threads every few bytecodes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from workbench.audit.audit_search import AuditSearch
from workbench.audit.audit_statistics import figures
from workbench.audit.chain_verification import verify
from workbench.audit.journal import Journal
from workbench.audit.search_index import AuditIndex
from workbench.records import EntryQuery, Note

pytestmark = pytest.mark.usefixtures("quick_switches")
MANY = 300


class Repeated:
    """Work that threads repeat until the test is done; what went wrong in one is kept."""

    def __init__(self, *work: Callable[[], object]) -> None:
        self.faults: list[object] = []
        self._rounds = [0] * len(work)
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(at, one)) for at, one in enumerate(work)]
        for thread in self._threads:
            thread.start()

    def _run(self, at: int, work: Callable[[], object]) -> None:
        while not self._done.is_set():
            try:
                if fault := work():
                    self.faults.append(fault)
            except BaseException as fault:  # raised on a thread, where nobody would see it
                self.faults.append(fault)
            self._rounds[at] += 1

    def reached(self, rounds: int) -> bool:
        """Whether each work was done so often, or one has failed."""
        return bool(self.faults) or min(self._rounds) >= rounds

    def end(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()


async def test_both_durabilities_keep_their_order_while_threads_read_and_verify(place):
    told, written = [], [0]
    journal = Journal(place, told.append)

    def read() -> object:
        least = written[0]
        numbers = [entry.seq for entry in journal.entries(EntryQuery(limit=5_000))]
        return None if numbers == list(range(len(numbers), 0, -1)) and len(numbers) >= least else numbers

    def check() -> object:
        report = journal.verify()
        return None if report.whole else report

    threads = Repeated(read, read, check)
    try:
        for number in range(MANY):
            if number % 3:
                journal.append_soon(lambda number=number: Note("call.done", str(number)))
            else:
                entry = journal.append(Note("call.sent", str(number)))
                assert entry.seq == number + 1, "everything noted before is written with it"
                written[0] = entry.seq
            while not threads.reached(number // 30):
                await asyncio.sleep(0.001)  # the timer of `append_soon` may come due
        journal.settle()
    finally:
        await asyncio.to_thread(threads.end)
    assert threads.faults == []
    entries = [entry.note.summary for entry in reversed(journal.entries(EntryQuery(limit=5_000)))]
    assert entries == [event.entry.note.summary for event in told] == [str(number) for number in range(MANY)]
    journal.close()
    assert verify(place).whole


def test_searches_pages_and_figures_agree_during_appends(place, tmp_path):
    """Whatever the index covers at this moment, an answer holds every entry that was written before the question."""
    journal, written = Journal(place), [0]
    finder, follower = AuditSearch(place, tmp_path / "index.sqlite"), []

    def search(query: EntryQuery, every: int) -> object:
        least = written[0] // every
        numbers = [entry.seq for entry in finder.entries(query)]
        if len(numbers) < least or numbers != sorted(set(numbers), reverse=True):
            return query, len(numbers), least
        total = finder.marks(query).total
        return None if total >= len(numbers) else (query, total, len(numbers))

    def count() -> object:
        least = written[0]
        found = figures(finder, 0.0, 4e9)
        calls = sum(server.calls for server in found.servers)
        return None if found.entries >= least and calls >= least // 2 else (found.entries, calls, least)

    def index() -> None:
        if not follower:
            follower.append(AuditIndex(place, tmp_path / "index.sqlite"))
        follower[0].step()

    threads = Repeated(
        lambda: search(EntryQuery(text="needle", limit=5_000), 1),
        lambda: search(EntryQuery(kind="connection.", limit=5_000), 2),
        lambda: search(EntryQuery(kind="call.done", server="demo", limit=5_000), 2),
        count,
        index,
    )
    try:
        for number in range(MANY):
            kind = "call.done" if number % 2 else "net.blocked"  # as version 0.1 wrote it
            journal.append(Note(kind, f"needle {number}", server="demo"))
            written[0] = number
            while not threads.reached(number // 30):
                time.sleep(0.001)
    finally:
        threads.end()
        for one in follower:
            one.close()
        journal.close()
    assert threads.faults == []
    assert verify(place).whole
