"""`python -m workbench.policy FILE…|-`: one JSON verdict per program, for measuring the rules on sets of programs.

Standard input may be one program or JSON lines of {"code": …, "id": …}; an id comes back with its verdict.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from workbench.policy.assess import assess


def main(arguments: list[str]) -> int:
    """Print a verdict for each program; 2 when there is nothing to read."""
    if not arguments:
        print("usage: python -m workbench.policy FILE…|-", file=sys.stderr)
        return 2
    for name, code in _programs(arguments):
        print(json.dumps({"id": name, **asdict(assess(code, None))}, ensure_ascii=True))
    return 0


def _programs(arguments: list[str]) -> Iterator[tuple[str, str]]:
    for argument in arguments:
        if argument != "-":
            yield argument, Path(argument).read_text(encoding="utf-8", errors="surrogateescape")
            continue
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        yield from _lines(text) if _is_lines(text) else iter([("-", text)])


def _is_lines(text: str) -> bool:
    first = next((line for line in text.split("\n") if line.strip()), "")
    try:
        found = json.loads(first)
    except ValueError:
        return False
    return isinstance(found, dict) and "code" in found


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            entry = json.loads(line)
            yield str(entry.get("id", number)), str(entry["code"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
