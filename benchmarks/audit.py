"""Measures an audit with a million entries: writing, opening, searching, scrolling, verifying, and killing.

`benchmarks/audit.py [ENTRIES [FOLDER]]` also prints the goals. `audit_window.py` measures the window.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from workbench.audit.audit_database import open_to_read
from workbench.audit.audit_search import AuditSearch
from workbench.audit.chain_verification import verify, verify_in_processes
from workbench.audit.hash_chain import ALL_COLUMNS
from workbench.audit.journal import Journal
from workbench.audit.search_index import AuditIndex
from workbench.records import EntryQuery, Note

ROOT = Path(__file__).resolve().parents[1]
RISKS = ("low", "low", "low", "low", "medium", "medium", "high", "critical")
WORDS = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split()
QUESTIONS = (
    EntryQuery(),
    EntryQuery("judgement"),
    EntryQuery("the sandbox program"),
    EntryQuery("answered"),
    EntryQuery("needle77777"),
    EntryQuery("nowhere-at-all"),
    EntryQuery("zq"),
    EntryQuery("sandbox", server="server3", risk="critical"),
    EntryQuery("program", outcome="failed", actor="agent2"),
    EntryQuery(risk="critical", tool="tool_13"),
)


def notes(count: int) -> list[Note]:
    """Notes of a typical project: runs of twenty entries, most of them calls."""
    chance = random.Random(1)
    made: list[Note] = []
    while len(made) < count:
        run = uuid.UUID(int=chance.getrandbits(128)).hex[:12]
        agent, risk = f"agent{chance.randrange(5)}", chance.choice(RISKS)
        session = f"{agent}-{chance.randrange(40)}"
        text = " ".join(chance.choices(WORDS, k=30))
        about = {"actor": agent, "session": session, "run_id": run, "risk": risk}
        made.append(Note("run.proposed", f"{agent} proposed a program", **about, detail={"code": text}))
        made.append(Note("run.running", "is running", **about))
        for _ in range(17):
            tool, server, number = chance.randrange(40), chance.randrange(7), len(made)
            given = {"arguments": json.dumps({"text": " ".join(chance.choices(WORDS, k=8)), "id": f"needle{number}"})}
            ok, ms = chance.random() > 0.05, chance.random() * 400
            words = f"server{server}.tool_{tool} answered"
            call = {"server": f"server{server}", "tool": f"tool_{tool}", "ok": ok, "ms": ms, "tokens": 90}
            made.append(Note("call.done" if ok else "call.failed", words, **about, **call, detail=given))
        made.append(Note("run.done", "ended", **about, ms=900.0, tokens=400, detail={"direct": 9_000, "actual": 400}))
    return made[:count]


async def fill(place: Path, count: int) -> None:
    made = notes(min(count, 100_000))
    journal = Journal(place)
    took = -time.perf_counter()
    for number in range(count):
        note = made[number % len(made)]
        journal.append_soon(lambda note=note: note)  # type: ignore[misc]  # the loop's own note
        if number % 200 == 199:
            journal.settle()
        if number % 20_000 == 0:
            await asyncio.sleep(0)
    journal.settle()
    took += time.perf_counter()
    said("append, in batches of 200", f"{count / took:,.0f} entries/s", "2,000/s")
    durable = -time.perf_counter()
    for number in range(10_000):
        # The last note of each batch is of a kind that is synced to the disk, with all notes before it.
        kind = "server.noted" if number % 200 == 199 else "call.done"
        journal.append_soon(lambda kind=kind: Note(kind, "once more"))  # type: ignore[misc]
        if number % 200 == 199:
            journal.settle()
    durable += time.perf_counter()
    said("the same, each batch on the disk", f"{10_000 / durable:,.0f} entries/s", "2,000/s")
    one = -time.perf_counter()
    for _ in range(2_000):
        journal.append(Note("call.done", "one by one"))
    one += time.perf_counter()
    said("one by one", f"{2_000 / one:,.0f} entries/s")
    journal.close()


def index(place: Path, file: Path) -> None:
    made = AuditIndex(place, file)
    took = -time.perf_counter()
    while made.step():
        pass
    took += time.perf_counter()
    made.close()
    size, own = place.stat().st_size / 1e6, file.stat().st_size / 1e6
    said("index made, in the background", f"{took:.0f} s; audit {size:.0f} MB, index {own:.0f} MB")


def ask(finder: AuditSearch) -> None:
    for question in QUESTIONS:
        took, page = best(lambda question=question: finder.page(question))  # type: ignore[misc]
        told = {
            name: value for name in QUESTIONS[0].__slots__ if (value := getattr(question, name)) and name != "limit"
        }
        goal = "300 ms" if question.text else ""
        part = "" if page.complete or len(page.entries) == question.limit else f", so far (to {page.reached:,})"
        said(f"page of {told or 'everything'}", f"{took * 1000:.0f} ms, {len(page.entries)} found{part}", goal)
    took, marks = best(lambda: finder.marks(EntryQuery()), 1)
    said("where every page begins", f"{took * 1000:.0f} ms")
    took, marks = best(lambda: finder.marks(EntryQuery("judgement")), 1)
    said(f"the same of 'judgement', {marks.total:,} entries", f"{took * 1000:.0f} ms")
    took, _ = best(lambda: finder.facets())
    said("what to filter by", f"{took * 1000:.1f} ms")


def check(place: Path) -> None:
    """Print the speed of verification.

    Wall time depends on the load of the machine; compare processor time with the floor to judge the code.
    """
    begun, spent = time.perf_counter(), _spent(resource.RUSAGE_CHILDREN)
    report = asyncio.run(verify_in_processes(place))
    took, spent = time.perf_counter() - begun, _spent(resource.RUSAGE_CHILDREN) - spent
    assert report.whole, report
    busy = f"; {os.cpu_count()} processors, {os.getloadavg()[0]:.1f} programs want one"
    said("verify, by processes", f"{report.entries / took:,.0f} entries/s{busy}", "200,000/s")
    own = report.entries / spent
    floor = _floor(place, min(report.entries, 200_000))
    said("verify, for a second of a processor", f"{own:,.0f} entries/s; {own * (os.cpu_count() or 1):,.0f}/s by all")
    said("floor: their rows fetched and as many bytes hashed, no more", f"{floor:,.0f} entries/s; {floor / own:.2f} ×")
    begun = time.perf_counter()
    assert verify(place).whole
    said("verify, by one thread", f"{report.entries / (time.perf_counter() - begun):,.0f} entries/s")


def _spent(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def _floor(place: Path, count: int) -> float:
    """Entries per second of processor time for fetching and hashing alone."""
    with closing(open_to_read(place)) as store:
        asked = f"SELECT {ALL_COLUMNS} FROM entries WHERE seq <= ? ORDER BY seq"
        hashed = [json.dumps([row[14], *row[:14]]).encode() for row in store.execute(asked, (count,))]
        spent = -_spent(resource.RUSAGE_SELF)
        for _ in store.execute(asked, (count,)):
            pass
        for words in hashed:
            hashlib.sha256(words).hexdigest()
        return count / (spent + _spent(resource.RUSAGE_SELF))


def best(work, times: int = 5):  # type: ignore[no-untyped-def]
    fastest, answer = 1e9, None
    for _ in range(times):
        begun = time.perf_counter()
        answer = work()
        fastest = min(fastest, time.perf_counter() - begun)
    return fastest, answer


def said(what: str, figure: str, goal: str = "") -> None:
    print(f"{what:<58} {figure}{f'   (goal: {goal})' if goal else ''}", flush=True)


KILLED = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from workbench.audit.journal import Journal
from workbench.records import Note
journal = Journal(Path(sys.argv[2]))
while True:
    print(journal.append(Note("call.done", "one more")).seq, flush=True)
"""


def kill(folder: Path, times: int = 5) -> None:
    lost, chance = 0, random.Random(2)
    place = folder / "killed.sqlite"
    for _ in range(times):
        child = subprocess.Popen([sys.executable, "-c", KILLED, str(ROOT), str(place)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        told = int(child.stdout.readline())
        time.sleep(chance.random() * 0.3)
        os.kill(child.pid, signal.SIGKILL)
        whole = [line for line in child.stdout.read().split(b"\n")[:-1] if line]
        told = int(whole[-1]) if whole else told
        child.wait()
        report = verify(place)
        lost += max(0, told - report.entries) if report.whole else 1
    said(f"acknowledged entries lost in {times} kills while writing", str(lost), "0")


def main() -> None:
    """`audit.py [ENTRIES [FOLDER]]`: an audit written to FOLDER is kept for `audit_window.py`."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(name)
        folder.mkdir(exist_ok=True)
        place, file = folder / "audit.sqlite", folder / "index.sqlite"
        if not place.exists():
            asyncio.run(fill(place, count))
        index(place, file)
        ask(AuditSearch(place, file))
        check(place)
        kill(Path(name))


if __name__ == "__main__":
    main()
