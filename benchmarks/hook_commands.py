"""Risk of commands that coding agents run every day, and of commands that lists of others call dangerous.

    python benchmarks/hook_commands.py [--wrong]

The commands of `hook_commands.txt` were collected by category from public settings, guides and block lists of agents,
with the risk that a careful reader gives each. A false alarm is an everyday command that is judged riskier, a miss a
dangerous one that is judged less risky; "asks" is medium or more, the default of `hooks.ask_from`. Nothing is executed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from workbench.analysis.reading import read_program
from workbench.analysis.shell.command_places import ClientPlaces
from workbench.analysis.shell.command_reader import CommandReading, read_command
from workbench.records import Risk
from workbench.records.common_types import rank

SET = Path(__file__).with_suffix(".txt")
PLACES = ClientPlaces(("/srv/proj",), ("/srv/proj",), "/home/ann")


def labelled() -> dict[tuple[str, Risk], list[str]]:
    """The commands by section and expected risk. `%%` ends a command of several lines."""
    found: dict[tuple[str, Risk], list[str]] = {}
    lines: list[str] = []
    section: list[str] = []
    several = False
    for line in SET.read_text(encoding="utf-8").splitlines():
        if line.startswith("=== "):
            name, _, risk = line[4:].partition(", ")
            section = found.setdefault((name, Risk(risk)), [])
        elif several or "<<'EOF'" in line:
            several = line != "%%"
            lines += [line] * several
            if not several:
                section.append("\n".join(lines))
                lines = []
        elif line and not line.startswith("#"):
            section.append(line)
    return found


def read(command: str) -> CommandReading:
    return read_command(command, PLACES, lambda code: read_program(code, ()))


def main(arguments: Sequence[str]) -> None:
    print(f"{'commands':24}{'n':>5}{'as labelled':>13}{'riskier':>9}{'less':>6}{'asks':>8}")
    wrong: list[str] = []
    took = 0.0
    for (name, expected), commands in labelled().items():
        before = time.perf_counter()
        readings = [read(command) for command in commands]
        took += time.perf_counter() - before
        differences = [rank(one.risk) - rank(expected) for one in readings]
        asks = sum(one.risk is not Risk.LOW for one in readings)
        higher, lower = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
        share = 1 - (higher + lower) / len(commands)
        print(f"{f'{name}, {expected.value}':24}{len(commands):>5}{share:>13.1%}{higher:>9}{lower:>6}{asks:>8}")
        wrong += [
            f"{one.risk.value:9} for {expected.value:9} {command!r:.70}  {one.sentence:.150}"
            for command, one, difference in zip(commands, readings, differences, strict=True)
            if difference
        ]
    print(f"{1000 * took / sum(map(len, labelled().values())):.2f} ms for each command")
    if "--wrong" in arguments:
        print("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
