"""The workbench as an agent meets it: `mcp-workbench serve`, a core of its own, JSON-RPC lines. `ours.py SERVER TOOLS`.

A person's rule lets the measuring server's tools run unasked; all else is as it comes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from floor import Pipe
from line import QUERY, SIX, calls, serve

PARALLEL = "import asyncio\nawait asyncio.gather(*(list_orders_0(limit=100) for _ in range(10)))"
RULE = '[approval]\nauto_medium = true\n[isolation]\nmedium = "process"\n[core]\nlinger_seconds = 60\n'


class Workbench:
    """A project with one server, and an agent at its door."""

    def __init__(self, folder: str, server: str, tools: str) -> None:
        os.environ["MCP_WORKBENCH_HOME"] = f"{folder}/home"
        self._project, self._number = Path(folder, "project"), 0
        self._project.mkdir()
        entry = {"command": sys.executable, "args": [server, tools]}
        (self._project / ".mcp.json").write_text(json.dumps({"mcpServers": {"many": entry}}))
        from workbench.paths import paths_of

        settings = paths_of(self._project).user_settings
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(RULE)
        self.command("call", "many", "list_orders_0", "--allow", "--yes")
        self.pipe = self._connect()

    def run(self, code: str) -> None:
        self._number += 1
        arguments = {"code": f"{code}\n# {self._number}", "description": "measure"}
        answer = self.pipe.ask("tools/call", {"name": "execute_code", "arguments": arguments})
        if answer.get("isError"):
            raise RuntimeError(answer["content"][0]["text"])

    def search(self) -> None:
        self.pipe.ask("tools/call", {"name": "search_tools", "arguments": {"query": QUERY, "detail_level": "name"}})

    def cold(self) -> float:
        """From nothing at all to the first result; the core of before is gone."""
        self.end()
        began = time.perf_counter()
        self.pipe = self._connect()
        self.run("result = 1")
        return (time.perf_counter() - began) * 1000

    def end(self) -> None:
        self.pipe.end()
        self.command("stop")

    def command(self, *words: str) -> None:
        command = [sys.executable, "-m", "workbench", *words, "--project", str(self._project)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stderr}")

    def _connect(self) -> Pipe:
        pipe = Pipe(sys.executable, "-m", "workbench", "serve", "--project", str(self._project))
        pipe.greet()
        return pipe


def main(server: str, tools: str) -> None:
    with tempfile.TemporaryDirectory(prefix="wb-") as folder:
        ours = Workbench(folder, server, tools)
        names = f"from servers.many import {', '.join(SIX)}"
        serve(
            {
                "trivial": lambda: ours.run("result = 1"),
                "calls": lambda: ours.run(f"{names}\n{calls('await NAME()')}"),
                "parallel": lambda: ours.run(f"{names}\n{PARALLEL}"),
                "search": ours.search,
                "cold": ours.cold,
            }
        )
        ours.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
