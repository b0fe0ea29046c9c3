"""`python -m workbench.analysis FILE…|-`: prints one JSON verdict per program, to measure rules on sets of programs.

Standard input may be one program or JSON lines of {"code": …, "id": …}; the `id` is returned with the verdict. Each
input line gives one output line. A line that is not such JSON, or whose analysis failed, gives an `error` and the gate
`ask`. With `--sarif`, all findings are printed as one SARIF log instead.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import to_builtins

from workbench.analysis.reading import assess
from workbench.analysis.sarif import sarif
from workbench.analysis.verdict import RULES
from workbench.errors import WorkbenchError
from workbench.records import Gate, Risk, Verdict


def main(arguments: list[str]) -> int:
    """Print a verdict for each program. The exit code is 2 if no program was named."""
    log, names = "--sarif" in arguments, [argument for argument in arguments if argument != "--sarif"]
    if not names:
        print("usage: python -m workbench.analysis [--sarif] FILE…|-", file=sys.stderr)
        return 2
    if log:
        print(json.dumps(sarif(_verdicts(names)), indent=1, ensure_ascii=True))
        return 0
    for name, code in _programs(names):
        print(json.dumps({"id": name, **_judged(code)}, ensure_ascii=True), flush=True)
    return 0


def _verdicts(names: list[str]) -> Iterator[tuple[str, Verdict]]:
    return ((name, assess(code, None)) for name, code in _programs(names) if isinstance(code, str))


def _judged(code: str | WorkbenchError) -> dict[str, object]:
    """Return the verdict as JSON.

    A program that makes the analysis fail does not stop the analysis of other programs."""
    if isinstance(code, WorkbenchError):
        return _failed(code.message)
    try:
        judged: dict[str, object] = to_builtins(assess(code, None))
        return judged
    except Exception as fault:
        return _failed(f"The analysis failed: {type(fault).__name__}.")


def _failed(words: str) -> dict[str, object]:
    return {"error": words, "risk": Risk.HIGH, "gate": Gate.ASK, "sentence": words, "findings": [], "rules": RULES}


def _programs(arguments: list[str]) -> Iterator[tuple[str, str | WorkbenchError]]:
    for argument in arguments:
        if argument != "-":
            yield argument, _file(argument)
            continue
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        yield from _lines(text) if _is_lines(text) else iter([("-", text)])


def _file(name: str) -> str | WorkbenchError:
    try:
        return Path(name).read_bytes().decode("utf-8", "surrogateescape")
    except OSError as fault:
        return WorkbenchError(f"{name} cannot be read: {fault.strerror}.", "Give the path of an existing file.")


def _is_lines(text: str) -> bool:
    """Return whether the text is JSON lines. Looks at the first five lines, so that one of them may be broken."""
    first = list(islice((line for line in text.split("\n") if line.strip()), 5))
    return any("code" in _entry(line) for line in first)


def _lines(text: str) -> Iterator[tuple[str, str | WorkbenchError]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            entry = _entry(line)
            code = entry.get("code")
            wrong = WorkbenchError(
                f'Line {number} is not JSON of the form {{"code": …}}.', "Write one object per line."
            )
            yield str(entry.get("id", number)), code if isinstance(code, str) else wrong


def _entry(line: str) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
