"""Measures what masking costs when a program reads much and prints little.

    python benchmarks/privacy_egress.py [MB …] [--core]

For each size (1, 10 and 100 MB without arguments), a session keeps generated answers of up to 4 MB, half of them
records of customers as JSON and half of them log lines. Then it masks outputs: 100 names without keys, and of 25 kB
each names without keys, consecutive records, records from everywhere, log lines, and figures that no answer contains.
Printed are CPU times of this process: for keeping, in MB a second (goal: 50), and for masking each output (goal:
150 ms), beside the time for the same output without any answers; the memory that the kept answers take; the values that
a model could read; and the longest block of an event loop while a thread keeps 10 MB and masks.

`--core` measures a real core instead: an agent's programs read 1, 10 and 100 MB from a server and print 25 kB; printed
are seconds from submission to result, of which the server's generation of the data is a part, the growth of the core's
memory, and the longest gap of its event loop. Then the user calls a tool that answers with 10 MB.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from workbench.core import Core
from workbench.events import Event, RunChanged, spawn
from workbench.paths import OVERRIDE, paths_of
from workbench.privacy.vault import Vault
from workbench.records import Decision, Origin, RunState, ToolCall

SEED = 20261120
ANSWER = 4_000_000  # characters of one answer
OUTPUT = 25_000
GOAL_MB_S = 50.0
GOAL_MS = 150.0
_SYLLABLES = ["ka", "lo", "mi", "ren", "tas", "vor", "bel", "dun", "fir", "gol", "hap", "jun", "sem", "tor", "vil"]
_ENDINGS = ["ter", "mon", "sel", "nik", "dor", "pal", "vin", "gar", "bus", "lem", "tok", "ria", "dan"]


class Answers:
    """Generates answers, and remembers what is in them."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words = [first + last for first in _SYLLABLES for last in _ENDINGS]
        self._names = [first + word for first in _SYLLABLES for word in self._words]
        self.records: list[dict[str, str]] = []
        self.lines: list[str] = []

    def make(self, megabytes: float) -> Iterator[str]:
        """Answers of this size together."""
        left, size = int(megabytes * 1_000_000), min(ANSWER, int(megabytes * 500_000))
        while left > 0:
            yield (answer := self.records_text(size))
            yield (log := self.log_text(size))
            left -= len(answer) + len(log)

    def _name(self) -> str:
        return " ".join(self._chance.choice(self._names).title() + self._chance.choice("aeiou") for _ in range(2))

    def records_text(self, size: int) -> str:
        """Records of customers as JSON, of about this size."""
        rows = []
        for number in range(size // 230):
            name = self._name()
            rows.append(
                {
                    "id": f"C-{number}",
                    "name": name,
                    "email": f"{name.lower().replace(' ', '.')}{number}@example.org",
                    "phone": f"+44 20 {self._chance.randint(1000, 9999)} {self._chance.randint(1000, 9999)}",
                    "status": self._chance.choice(["open", "closed"]),
                    "note": " ".join(self._chance.choices(self._words, k=12)),
                }
            )
        self.records += rows
        return json.dumps({"customers": rows})

    def log_text(self, size: int) -> str:
        """A log in a JSON answer, of about this size."""
        lines = [
            f"2026-11-{number % 28 + 1:02}T10:{number % 60:02}:{number % 59:02}Z INFO job={number} took"
            f" {number % 977} ms user={self._chance.choice(self._words)}{number % 1231} from"
            f" 81.{number % 200}.{number % 250}.{number % 240} {' '.join(self._chance.choices(self._words, k=5))}"
            for number in range(size // 125)
        ]
        self.lines += lines
        return json.dumps({"content": "\n".join(lines)})

    def outputs(self) -> dict[str, tuple[str, Sequence[str]]]:
        """Outputs of 25 kB, each with the values that must not be readable; names first, because the others make parts
        of them known."""
        middle = len(self.records) // 2
        near, far = self.records[middle : middle + 110], self._chance.sample(self.records, 110)
        names = [one["name"] for one in self._chance.sample(self.records, min(1500, len(self.records)))]
        start = len(self.lines) // 2
        figures = (f"{self._chance.random() * 1e5:.2f} {self._chance.choice(self._words)}" for _ in range(1500))
        return {
            "few names without keys": ("\n".join(names[:100]), names[:100]),
            "names without keys": ("\n".join(names)[:OUTPUT], names[:1200]),
            "consecutive records": (json.dumps(near)[:OUTPUT], _values(near[:90])),
            "records from everywhere": (json.dumps(far)[:OUTPUT], _values(far[:90])),
            "consecutive log lines": ("\n".join(self.lines[start : start + 200])[:OUTPUT], ()),
            "log lines from everywhere": ("\n".join(self._chance.sample(self.lines, 200))[:OUTPUT], ()),
            "figures": ("\n".join(figures)[:OUTPUT], ()),
        }


def _values(records: Sequence[dict[str, str]]) -> list[str]:
    return [one[key] for one in records for key in ("name", "email", "phone")]


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def measure(megabytes: float) -> None:
    """Print the figures of one size."""
    answers, vault = Answers(SEED), Vault("session")
    vault.sanitize("Rosa Lund, 12 Lime Street")  # loads the model
    size, took = 0, 0.0
    for text in answers.make(megabytes):
        size += len(text)
        took += _milliseconds(lambda text=text: (vault.keep(text, "crm"), vault.answers.index()))
    speed = size / 1000 / took
    print(f"\n{size / 1e6:.0f} MB kept: {speed:.0f} MB/s{' <' if speed < GOAL_MB_S else ''}, {took:.0f} ms, "
          f"{vault.answers.weight / 1e6:.0f} MB of memory")  # fmt: skip
    print(f"{'output':28}{'kB':>5}{'masked':>10}{'alone':>10}{'readable values':>18}")
    for name, (text, values) in answers.outputs().items():
        alone = _milliseconds(lambda text=text: Vault("alone").sanitize(text))
        shown: list[str] = []
        ms = _milliseconds(lambda text=text, shown=shown: shown.append(vault.sanitize(text)))
        left = sum(value in shown[0] for value in values)
        line = f"{name:28}{len(text) / 1000:5.0f}{ms:7.0f} ms{alone:7.0f} ms{left:11} of {len(values)}"
        print(line + (" <" if ms > GOAL_MS or left else ""))


async def longest_gap(work: Callable[[], object]) -> float:
    """The longest time in milliseconds for which an event loop does not run while a thread works."""
    thread = spawn("work on a thread", asyncio.to_thread(work))
    longest, last = 0.0, time.perf_counter()
    while not thread.done():
        await asyncio.sleep(0)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return 1000 * longest


PROGRAM = """
from servers.bulk import customers, log
for _ in range({times}):
    text = await log(megabytes={half})
    page = (await customers(megabytes={half}))["customers"]
print(str(page[100:210])[:12000])
print(chr(10).join(text.splitlines()[500:600])[:12000])
"""


async def measure_core() -> None:
    """Print the figures of programs in a real core, and of a call of the user."""
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-project-") as folder:
        os.environ[OVERRIDE] = f"{folder}/home"
        project = Path(folder, "project")
        project.mkdir()
        server = {"command": sys.executable, "args": [str(Path(__file__).with_name("privacy_egress_server.py"))]}
        (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"bulk": server}}))
        core = Core(paths_of(project))
        await core.open()
        try:
            await core.api.connect("bulk", (await core.api.consent("bulk")).sha)
            await _print_programs(core)
            began = time.perf_counter()
            call = ToolCall("", "bulk", "customers", {"megabytes": 5}, Origin.PERSON, "person", confirmed=True)
            outcome = await core.api.call(call)
            took = time.perf_counter() - began
            size, server = f"{outcome.bytes / 1e6:.0f} MB", outcome.ms / 1000
            print(f"the user's own answer of {size}: shown after {took:.1f} s, {server:.1f} s of them the server")
            await core.services.sessions.person.registrations.wait_until_done()
        finally:
            await core.close()


async def _print_programs(core: Core) -> None:
    print(f"{'program reads':16}{'seconds':>10}{'memory':>10}{'gap':>10}")
    session = core.services.sessions.open("benchmark")
    allow = core.bus.listen(lambda event: _allow(core, event))
    for megabytes, times in ((1, 1), (10, 2), (100, 20)):
        before = _resident()
        code = PROGRAM.format(times=times, half=megabytes / times / 2)
        began, gap = time.perf_counter(), spawn("gaps of the loop", _longest_gap())
        run = await core.run_manager.wait_until_finished(core.run_manager.submit(code, session, "x").id)
        took = time.perf_counter() - began
        gap.cancel()
        assert run.model_view.count("[EMAIL_") > 10, run.model_view[:2000]
        longest = 1000 * _gaps[-1]
        print(f"{megabytes:12} MB {took:10.1f}{_resident() - before:7.0f} MB{longest:7.0f} ms")
    allow()


def _allow(core: Core, event: Event) -> None:
    if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
        decision = Decision(event.run.id, event.run.proposal.sha, True, "benchmark", fingerprint=event.run.fingerprint)
        core.run_manager.decide(decision)


_gaps: list[float] = []


async def _longest_gap() -> None:
    _gaps.append(0.0)
    last = time.perf_counter()
    while True:
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        _gaps[-1], last = max(_gaps[-1], now - last), now


def _resident() -> float:
    """Megabytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    if "--core" in arguments:
        asyncio.run(measure_core())
        return
    for megabytes in map(float, arguments or ("1", "10", "100")):
        measure(megabytes)
    answers, vault = Answers(SEED), Vault("session")
    texts = [*answers.make(10)]
    keeping = asyncio.run(longest_gap(lambda: [(vault.keep(text, "crm"), vault.answers.index()) for text in texts]))
    outputs = [text for text, _ in answers.outputs().values()]
    masking = asyncio.run(longest_gap(lambda: [*map(vault.sanitize, outputs)]))
    print(f"\nlongest gap of a loop while a thread keeps 10 MB: {keeping:.0f} ms; masks the outputs: {masking:.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
