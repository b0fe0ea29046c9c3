"""The shipped skills: well formed, and each really runs against the demo server through generated functions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workbench.paths import starter_skills
from workbench.records import SkillState, Tool
from workbench.skills.folder import LONGEST_DESCRIPTION, read_skill
from workbench.skills.frontmatter import read_head
from workbench.wrappers.package import write_package

if TYPE_CHECKING:
    from conftest import Shelf

FOLDERS = sorted(path for path in starter_skills().iterdir() if path.is_dir())
SPECIFIED = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

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
    return json.loads(await process.stdout.readline())["result"]

async def call_tool(server, tool, arguments):
    answer = (await ask("tools/call", name=tool, arguments=arguments))["structuredContent"]
    return answer["result"] if list(answer) == ["result"] else answer

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


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_starter_is_well_formed(folder: Path) -> None:
    skill = read_skill(folder, SkillState.KEPT)
    assert skill.faults == ()
    assert (skill.version, skill.starter) == (1, True)
    assert 40 < len(skill.description) <= LONGEST_DESCRIPTION
    head = read_head((folder / "SKILL.md").read_text(encoding="utf-8"))
    assert set(head.fields) <= SPECIFIED
    assert head.nested("metadata")["sha"] == skill.sha
    for title in ("## Usage", "## Features", "## Examples"):
        assert title in skill.notes


def test_pending_orders_are_summarised_in_a_few_lines(shelf: Shelf) -> None:
    found = run(shelf, "pending_orders_summary", "minimum_amount=500, show=3")
    assert found["read"] == 10_000
    assert 0 < found["pending"] < 1_000
    assert len(found["largest"]) == 3
    assert abs(sum(found["per_product"].values()) - found["amount"]) < 0.1
    assert len(json.dumps(found)) < 1_000


def test_waiting_ends_with_the_message(shelf: Shelf) -> None:
    found = run(shelf, "wait_for_message", "every=0.1, seconds=30")
    assert found["found"] is True
    assert found["message"].startswith("deployment complete")
    assert found["looks"] > 1


def test_waiting_gives_up_and_says_so(shelf: Shelf) -> None:
    found = run(shelf, "wait_for_message", "'never written', every=0.05, seconds=0.1")
    assert found["found"] is False


def test_discovery_asks_for_less_the_deeper_it_looks(shelf: Shelf) -> None:
    found = run(shelf, "mcp_progressive_discovery", "'orders'")
    assert found == {
        "names": "name of 20 for orders",
        "described": "description of 5 for orders",
        "best": "full of 1 for orders",
    }
