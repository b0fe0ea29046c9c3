"""Compares the data flows that the analysis reports with those that happen: a taint oracle.

    python benchmarks/flow_oracle.py [--programs 200] [--misses] [--held-out-misses]

Programs are generated (`flow_oracle_programs.py`) and written by hand as models write them
(`flow_oracle_written.txt`). Each runs on fake servers whose answers are marked (`flow_oracle_run.py`), so the calls
that an argument was made of are known. A flow is a tool, its line, an argument, and the tool and line of a source.
Recall is the share of the flows that happened and were reported with the right call and line; precision is the share
of the reported flows that happened in at least one run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from flow_oracle_programs import ANSWERS, IMPORTS, READING, generated

from workbench.analysis.reading import assess
from workbench.records import Hints, Tool

HERE = Path(__file__).parent
WRITTEN = HERE / "flow_oracle_written.txt"
HELD_OUT_SEEDS = 5_000_000  # first seed of the programs that were not looked at
MOST_SECONDS = 600
Flows: TypeAlias = set[tuple[str, str, int]]  # "server.tool.argument@line", source, its line


class Score(NamedTuple):
    """Flows of a set of programs."""

    programs: int
    happened: int
    reported: int
    right: int
    perfect: int  # programs whose flows are exactly those that happened

    @property
    def recall(self) -> float:
        return self.right / self.happened if self.happened else 1.0

    @property
    def precision(self) -> float:
        return self.right / self.reported if self.reported else 1.0


def catalogue() -> tuple[Tool, ...]:
    """Return the fake servers' tools, trusted and described."""
    made = []
    for full, (fields, _) in ANSWERS.items():
        server, name = full.split(".")
        reads = full in READING
        hints = Hints(
            read_only=reads, destructive="delete" in name or "refund" in name, open_world=server in ("web", "mail")
        )
        schema = {"type": "object", "properties": {field: {} for field in fields}}
        made.append(Tool(server, name, hints=hints, input_schema=schema, hash=full))
    return tuple(made)


def written() -> dict[str, str]:
    """Return the programs written by hand, by name. Names that begin with "held" were not looked at."""
    parts = WRITTEN.read_text(encoding="utf-8").split("### ")[1:]
    return {head.strip(): IMPORTS + code for head, _, code in (part.partition("\n") for part in parts)}


def observe(programs: Sequence[tuple[str, str]]) -> dict[str, tuple[Flows, list[str]]]:
    """Run programs in a child process. Returns the flows and the errors of each."""
    sent = "\n".join([json.dumps(ANSWERS), *(json.dumps({"id": name, "code": code}) for name, code in programs)]) + "\n"
    child = subprocess.run(
        [sys.executable, "-I", str(HERE / "flow_oracle_run.py")],
        input=sent, capture_output=True, text=True, timeout=MOST_SECONDS, check=False,
    )  # fmt: skip
    found: dict[str, tuple[Flows, list[str]]] = {}
    for text in child.stdout.splitlines():
        told = json.loads(text)
        reached = {sink: sources for sink, sources in told["flows"].items() if _is_sink(sink)}
        flows = {(sink, source, line) for sink, sources in reached.items() for source, line in sources}
        found[told["id"]] = flows, told["errors"]
    return found


def _is_sink(sink: str) -> bool:
    return sink.partition("@")[0].rpartition(".")[0] not in READING


def predict(code: str, tools: Sequence[Tool]) -> Flows:
    """Return the flows that the analysis reports."""
    found = assess(code, tools).flows
    flows = {(f"{flow.sink}@{flow.sink_line}", flow.source, flow.line) for flow in found}
    return {flow for flow in flows if _is_sink(flow[0])}


def compare(programs: Sequence[tuple[str, str]], misses: bool = False) -> Score:
    """Return the score of the analysis on programs."""
    tools, observed = catalogue(), observe(programs)
    sums = [0, 0, 0, 0, 0]
    for name, code in programs:
        if name not in observed:
            raise SystemExit(f"{name} did not end")
        happened, errors = observed[name]
        reported = predict(code, tools)
        right = happened & reported
        for place, many in enumerate((1, len(happened), len(reported), len(right), happened == reported)):
            sums[place] += many
        if misses and happened != reported:
            _print_miss(name, code, happened - reported, reported - happened, errors)
    return Score(*sums)


def _print_miss(name: str, code: str, missed: Flows, invented: Flows, errors: Iterable[str]) -> None:
    print(f"\n── {name}")
    for number, line in enumerate(code.splitlines(), 1):
        if number > IMPORTS.count("\n"):
            print(f"{number:4} {line}")
    for flow in sorted(missed):
        print("   missed  ", *flow)
    for flow in sorted(invented):
        print("   invented", *flow)
    for error in dict.fromkeys(errors):
        print("   error   ", error[:200])


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=200, help="generated programs of each family")
    parser.add_argument("--misses", action="store_true", help="print the wrong flows of the tuned programs")
    parser.add_argument("--held-out-misses", action="store_true", help="print those of the held-out programs, too")
    chosen = parser.parse_args(arguments)
    hand = written()
    held = {name: code for name, code in hand.items() if name.startswith("held")}
    sets = {
        "generated": list(generated("tuned", range(chosen.programs))),
        "generated, other seeds": list(generated("tuned", range(HELD_OUT_SEEDS, HELD_OUT_SEEDS + chosen.programs))),
        "second templates": list(generated("second", range(chosen.programs))),
        "held-out templates": list(generated("held out", range(HELD_OUT_SEEDS, HELD_OUT_SEEDS + chosen.programs))),
        "by hand": [(name, code) for name, code in hand.items() if name not in held],
        "by hand, held out": list(held.items()),
    }
    print(f"{'programs':30}{'n':>6}{'flows':>8}{'reported':>10}{'recall':>9}{'precision':>11}{'all right':>11}")
    every = [0] * 5
    for words, programs in sets.items():
        shown = chosen.held_out_misses if "other" in words or "held" in words else chosen.misses
        score = compare(programs, shown)
        every = [one + other for one, other in zip(every, score, strict=True)]
        _print_row(words, score)
    _print_row("all", Score(*every))


def _print_row(words: str, score: Score) -> None:
    print(
        f"{words:30}{score.programs:>6}{score.happened:>8}{score.reported:>10}{score.recall:>9.1%}"
        f"{score.precision:>11.1%}{score.perfect / max(1, score.programs):>11.1%}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
