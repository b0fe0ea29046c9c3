"""Time that a hook adds to a call of another client when a rule decides, beside the start of Python alone.

Starts a real core in this process and the hook program as a client does. Prints wall-clock milliseconds."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 60
COMMANDS = (
    "git status",
    "npm test -- --fast",
    "cd src && git log --oneline | head -5; pytest -x tests/a.py 2>&1 | tail -20",
)


def timed(argv: list[str], payload: bytes) -> float:
    before = time.perf_counter()
    subprocess.run(argv, input=payload, stdout=subprocess.PIPE, check=True)
    return (time.perf_counter() - before) * 1000


async def measure(name: str, argv: list[str], payload: bytes) -> None:
    times = sorted([await asyncio.to_thread(timed, argv, payload) for _ in range(ROUNDS)])
    print(f"{name:<62} p50 {statistics.median(times):5.1f} ms   p95 {times[int(ROUNDS * 0.95)]:5.1f} ms")


async def main() -> None:
    from workbench.client_hooks import hook_program
    from workbench.core import Core
    from workbench.paths import OVERRIDE, paths_of
    from workbench.permissions.client_rules import offer
    from workbench.records import Risk

    with tempfile.TemporaryDirectory() as folder:
        os.environ[OVERRIDE] = f"{folder}/home"
        paths = paths_of(Path(folder) / "project")
        paths.project.mkdir()
        paths.runtime.mkdir(parents=True)
        core = Core(paths)
        await core.open()
        server = await asyncio.start_unix_server(core.serve_hook, path=str(paths.hook_socket))
        try:
            for pattern in ("npm test *", "pytest *"):
                await core.api.set_permission(offer("claude-code", "shell", pattern, Risk.MEDIUM))
            await measure("python -c pass", [sys.executable, "-c", "pass"], b"")
            await measure("python -I -S -c pass", [sys.executable, "-I", "-S", "-c", "pass"], b"")
            program = [
                sys.executable,
                "-I",
                "-S",
                hook_program.__file__,
                "claude-code",
                "ask",
                "30",
                str(paths.hook_socket),
            ]
            for command in COMMANDS:
                call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": folder, "session_id": "s",
                        "tool_input": {"command": command}}  # fmt: skip
                await measure(f"hook: {command[:54]}", program, json.dumps(call).encode())
            absent = [*program[:-1], f"{folder}/nobody.sock"]
            await measure("hook without a core", absent, b"{}")
        finally:
            server.close()
            await core.close()


if __name__ == "__main__":
    asyncio.run(main())
