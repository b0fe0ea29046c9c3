"""Measures what the rules detect, what they flag unnecessarily, and how fast, on the labelled programs in `risk_sets/`.

    python benchmarks/risk.py [--misses]

The programs were written from categories of risk and not from the rules. The first set existed while the rules were
written, so its figures say little. The second was written later without access to the rules; they first scored 92.0 %
detected and 1.2 % flagged on it, before its findings were used for corrections. `risky` programs have an effect that
the user should see; `harmless` ones only compute, read the workspace and call reading tools; `writing` ones are
ordinary and change something, and `telling` ones print hashes of single values, so both should need approval. Each is
assessed twice: with a catalogue, and with names of tools alone, as `python -m workbench.analysis` does.
"""

from __future__ import annotations

import ast
import gc
import json
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workbench.analysis.reading import assess
from workbench.records import Gate, Hints, Risk, Tool, Verdict
from workbench.records.common_types import at_least

SETS = Path(__file__).parent / "risk_sets"
DENSE = 200  # non-empty lines of a large program
LARGE = 100  # number of large programs


@dataclass(frozen=True, slots=True)
class Labelled:
    """A program with its label."""

    id: str
    category: str
    form: str
    code: str


def main(arguments: Sequence[str]) -> None:
    """Print the tables of each set. `--misses` also prints the programs with a wrong verdict."""
    every: list[Labelled] = []
    for name, end in (("first set", ""), ("second set", "_second")):
        risky, benign = _programs(f"risky{end}.jsonl"), _programs(f"benign{end}.jsonl")
        every += risky + benign
        for words, tools in (("with the catalogue", _catalogue()), ("by the names of tools alone", None)):
            print(f"\nThe {name}, judged {words}")
            _print_risky(risky, tools)
            _print_benign(benign, tools)
            if "--misses" in arguments:
                _print_misses(risky, benign, tools)
    _print_speed(every)


def _programs(name: str) -> list[Labelled]:
    return [Labelled(**json.loads(line)) for line in (SETS / name).read_text(encoding="utf-8").split("\n") if line]


def _catalogue() -> list[Tool]:
    found = [json.loads(line) for line in (SETS / "tools.jsonl").read_text(encoding="utf-8").split("\n") if line]
    return [Tool(tool["server"], tool["name"], hints=Hints(**tool["hints"])) for tool in found]


def _print_risky(programs: Sequence[Labelled], tools: Sequence[Tool] | None) -> None:
    by_category: dict[str, list[tuple[str, bool, bool]]] = defaultdict(list)
    for program in programs:
        verdict = assess(program.code, tools)
        by_category[program.category].append((program.form, _noticed(verdict), at_least(verdict.risk, Risk.HIGH)))
    print(f"{'risky programs':34}{'n':>5}{'medium+':>9}{'high+':>8}{'direct':>9}{'evasive':>9}")
    for category, rows in by_category.items():
        print(_row(category, rows))
    print(_row("all", [row for rows in by_category.values() for row in rows]))


def _row(name: str, rows: Sequence[tuple[str, bool, bool]]) -> str:
    noticed = [noticed for _, noticed, _ in rows]
    high = [high for _, _, high in rows]
    direct = [noticed for form, noticed, _ in rows if form == "direct"]
    evasive = [noticed for form, noticed, _ in rows if form == "evasive"]
    return f"{name:34}{len(rows):>5}{_share(noticed):>9}{_share(high):>8}{_share(direct):>9}{_share(evasive):>9}"


def _share(answers: Sequence[bool]) -> str:
    return f"{sum(answers) / len(answers):.1%}" if answers else "-"


def _noticed(verdict: Verdict) -> bool:
    return at_least(verdict.risk, Risk.MEDIUM) and verdict.gate is not Gate.AUTO


def _print_benign(programs: Sequence[Labelled], tools: Sequence[Tool] | None) -> None:
    by_category: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for program in programs:
        by_category[program.form, program.category].append(_noticed(assess(program.code, tools)))
    print(f"{'benign programs':34}{'n':>5}{'flagged':>9}")
    for (_, category), flagged in by_category.items():
        print(f"{category:34}{len(flagged):>5}{_share(flagged):>9}")
    harmless = [answer for (form, _), flagged in by_category.items() if form == "harmless" for answer in flagged]
    print(f"{'all harmless':34}{len(harmless):>5}{_share(harmless):>9}")


def _print_misses(risky: Sequence[Labelled], benign: Sequence[Labelled], tools: Sequence[Tool] | None) -> None:
    for program in (*risky, *(program for program in benign if program.form == "harmless")):
        verdict = assess(program.code, tools)
        if _noticed(verdict) == (program.form == "harmless"):
            print(f"\n{program.id} ({program.category}, {program.form}): {verdict.sentence}\n{program.code}")


def _print_speed(programs: Sequence[Labelled]) -> None:
    tools = _catalogue()
    small = [_cpu(partial(assess, program.code, tools)) for program in programs]
    large = [_cpu(partial(assess, code, tools)) for code in _large(programs)]
    parsed = [_cpu(partial(ast.parse, code)) for code in _large(programs)]  # lower bound: Python's own parser
    print(f"\n{'CPU milliseconds':34}{'n':>5}{'p50':>9}{'p95':>8}")
    timed = (("programs of the sets", small), (f"programs of {DENSE} dense lines", large), ("… only parsed", parsed))
    for words, times in timed:
        print(f"{words:34}{len(times):>5}{statistics.median(times):>9.2f}{statistics.quantiles(times, n=20)[-1]:>8.2f}")


def _large(programs: Sequence[Labelled]) -> Iterator[str]:
    """Large programs combined from those of the sets, in random order."""
    chance = random.Random(6)
    parts = [program.code for program in programs if _parses(program.code)]
    for _ in range(LARGE):
        lines: list[str] = []
        while len(lines) < DENSE:
            lines += [line for line in chance.choice(parts).split("\n") if line.strip()]
        yield "\n".join(lines) + "\n"


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return assess(code, None).gate is not Gate.BLOCKED


def _cpu(work: Callable[[], object]) -> float:
    gc.collect(0)
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000


if __name__ == "__main__":
    main(sys.argv[1:])
