"""`python -m workbench.policy FILE…|-`: one JSON verdict per program, for measuring the rules on sets of programs.

Standard input may be one program or JSON lines of {"code": …, "id": …}; an id comes back with its verdict.
With `--sarif` all findings come as one SARIF log instead.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from workbench.policy.assess import assess
from workbench.policy.sarif import sarif


def main(arguments: list[str]) -> int:
    """Print a verdict for each program; 2 when there is nothing to read."""
    log, names = "--sarif" in arguments, [argument for argument in arguments if argument != "--sarif"]
    if not names:
        print("usage: python -m workbench.policy [--sarif] FILE…|-", file=sys.stderr)
        return 2
    verdicts = ((name, assess(code, None)) for name, code in _programs(names))
    if log:
        print(json.dumps(sarif(verdicts), indent=1, ensure_ascii=True))
        return 0
    for name, verdict in verdicts:
        print(json.dumps({"id": name, **asdict(verdict)}, ensure_ascii=True))
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
