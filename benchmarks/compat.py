"""Runs the compatibility snippets, each in a new sandbox, and prints a table: `python benchmarks/compat.py [BACKEND]`.

`ok`: the result equals that of plain Python; `refused`: failed with the documented message; `WRONG`: neither. Snippets
and results are those of tests/sandbox/compat. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "sandbox" / "compat")]

from probes import probes  # noqa: E402

from workbench.records import Limits  # noqa: E402
from workbench.sandbox.importable_packages import packages  # noqa: E402
from workbench.sandbox.sandbox import Program, Sandbox  # noqa: E402

NAMES, AHEAD = "numpy pandas matplotlib pydantic", "numpy pandas matplotlib.pyplot pydantic"


async def main(backend: str) -> int:
    """Run all snippets and return the number of wrong ones."""
    sandbox, wrong = Sandbox(backend, ready=0), 0
    strength = await sandbox.open()
    print(f"{strength.backend}, {strength.level}\n")
    try:
        for part in ("standard", "packages", "refused"):
            wrong += await _part(sandbox, part)
    finally:
        await sandbox.close()
    print(f"\n{wrong} wrong")
    return wrong


async def _part(sandbox: Sandbox, part: str) -> int:
    chosen, wrong = packages(NAMES, AHEAD) if part == "packages" else packages("", ""), 0
    if chosen.missing:
        print(f"not installed: {', '.join(chosen.missing)}")
    for probe in probes(part):
        with tempfile.TemporaryDirectory(prefix="mcp-workbench-compat-") as folder:
            program = Program(probe.code, Limits(), Path(folder), packages=chosen.mounts, preload=chosen.preload)
            began = time.perf_counter()
            ending = await sandbox.run(program, _nobody, lambda stream, text: None)
            took = 1000 * (time.perf_counter() - began)
        fits = probe.fits(ending.result, ending.error_type)
        wrong += not fits
        word = ("refused" if probe.error else "ok") if fits else "WRONG"
        said = f"{ending.error_type}: {ending.message}" if ending.error_type else ""
        print(f"{word:8} {took:7.1f} ms  {probe.name:58} {said[:90]}")
    return wrong


async def _nobody(what: str, wish: object) -> None:
    return None


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "")) else 0)
