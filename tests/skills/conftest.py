"""A library on an empty project."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from workbench.events import Event
from workbench.paths import starter_skills
from workbench.records import Skill, Tool
from workbench.skills.library import Library
from workbench.wrappers.python_package import write_package

# What the sandbox offers a program, on a pipe to the demo server.
CLIENT = """
import asyncio, json, sys

process = None

async def ask(method, **params):
    global process
    if process is None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "workbench.demo", "--deployment", "0.3",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24)
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\\n")
    while "result" not in (message := json.loads(await process.stdout.readline())):
        pass  # what the server logs
    return message["result"]

def as_arguments(given, name):
    return (given or {}) if given is None or hasattr(given, "keys") else {name: given}

async def call_tool(server, tool, arguments, *, whole=False):
    return (await ask("tools/call", name=tool, arguments=arguments))["structuredContent"]

async def close():
    process.stdin.close()
    await process.wait()
"""
DISCOVERY = """
def search_tools(query="", detail_level="name", server=None, limit=20):
    return f"{detail_level} of {limit} for {query}"
"""
PROGRAM = """
import asyncio, json
import client

async def main():
    from skills.{function} import {function}
    result = await {function}({arguments})
    if client.process:
        await client.close()
    print(json.dumps(result))

asyncio.run(main())
"""


@dataclass
class Shelf:
    """A library, the folders it works on, and what it told."""

    root: Path
    told: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.skills, self.drafts = self.root / "skills", self.root / "drafts"
        self.library = self.open()

    def open(self) -> Library:
        return Library(self.skills, self.drafts, starter_skills(), self.told.append)

    def kept(self, name: str, code: str, description: str = "Does something.") -> Skill:
        draft = self.library.draft(name, description, code, "run-1", "agent")
        return self.library.keep(draft.name, draft.sha, "ines")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def run_starter(shelf: Shelf) -> Callable[[str, str], Any]:
    """Any: what the skill gives back, as JSON."""
    return lambda function, arguments: run(shelf, function, arguments)


def run(shelf: Shelf, function: str, arguments: str) -> Any:
    """Run a starter in a fresh interpreter, beside generated functions of the real demo server."""
    root = shelf.root / "sandbox"
    root.mkdir()
    (root / "client.py").write_text(CLIENT)
    (root / "tool_discovery.py").write_text(DISCOVERY)
    (root / "program.py").write_text(PROGRAM.format(function=function, arguments=arguments))
    assert write_package("demo", demo_tools(), root / "servers") == ()
    shelf.library.install_starters()
    shelf.library.write_modules(root / "skills")
    checkout = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=root,
        env={"PYTHONPATH": checkout, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def demo_tools() -> list[Tool]:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    command = [sys.executable, "-m", "workbench.demo"]
    done = subprocess.run(command, input=json.dumps(request) + "\n", capture_output=True, text=True, timeout=60)
    return [
        Tool("demo", one["name"], one["title"], one["description"], one["inputSchema"], one.get("outputSchema"))
        for one in json.loads(done.stdout)["result"]["tools"]
    ]
