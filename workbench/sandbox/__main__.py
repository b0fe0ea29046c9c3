"""Runs one snippet in the sandbox and prints what it prints: `python -m workbench.sandbox --attack FILE`.

For trying what hostile code can do. It gets an empty workspace, no tools, and small limits; its end goes to stderr.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.paths import images_folder
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.engines import engines
from workbench.sandbox.levels import LEVELS
from workbench.sandbox.probe import BACKENDS
from workbench.sandbox.program import Ending, Program, ToolFailure
from workbench.sandbox.sandbox import Sandbox


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m workbench.sandbox", description=__doc__)
    words.add_argument("--attack", type=Path, required=True, metavar="FILE", help="the snippet; - reads standard input")
    words.add_argument("--backend", choices=BACKENDS, default="", help="instead of the strongest")
    words.add_argument(
        "--level", choices=LEVELS, default=LEVELS[0], help="the least that isolates it (default process)"
    )
    words.add_argument("--seconds", type=float, default=8.0, help="wall clock limit (default 8)")
    words.add_argument("--memory", type=int, default=384, metavar="MB", help="memory limit (default 384)")
    words.add_argument("--workspace", type=Path, help="use this folder instead of an empty one")
    given = words.parse_args()
    code = sys.stdin.read() if str(given.attack) == "-" else given.attack.read_text(encoding="utf-8")
    limits = Limits(seconds=given.seconds, cpu_seconds=given.seconds, memory_mb=given.memory, disk_mb=64)
    try:
        ending = asyncio.run(_run(given.backend, given.level, code, limits, given.workspace))
    except WorkbenchError as fault:
        print(fault, file=sys.stderr)
        return 2
    print(ending.traceback, end="", file=sys.stderr)
    print(f"[{ending.reason}] {ending.message} ({ending.seconds:.2f} s, {ending.memory_mb:.0f} MB)", file=sys.stderr)
    return 0 if ending.ok else 1


async def _run(backend: str, level: str, code: str, limits: Limits, workspace: Path | None) -> Ending:
    sandbox = Sandbox(backend, ready=0, engines=engines(images_folder()))
    try:
        await sandbox.open()
        with tempfile.TemporaryDirectory(prefix="mcp-workbench-attack-") as empty:
            program = Program(code, limits, workspace or Path(empty), level=level)
            return await sandbox.run(program, _nobody, _print)
    finally:
        await sandbox.close()


def _print(stream: str, text: str) -> None:
    target = sys.stdout if stream == "stdout" else sys.stderr
    target.write(text)
    target.flush()


async def _nobody(what: str, wish: JsonObject) -> JsonValue:
    raise ToolFailure("There are no tools here.", "unknown_tool")


if __name__ == "__main__":
    sys.exit(main())
