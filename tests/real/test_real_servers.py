"""The servers that everybody tries first work: their tools, and everything else that they offer."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Origin, ServerConfig, ServerStatus, ToolCall

pytestmark = pytest.mark.real


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.02)


def text(outcome: Any) -> str:
    assert outcome.ok, outcome.fault
    return "\n".join(block.text for block in outcome.content)


async def test_everything_answers_each_kind_of_content(project: Any, npm: Path) -> None:
    await project.connect(npm / "mcp-server-everything")
    assert "hello" in text(await project.call("echo", message="hello"))
    assert "5" in text(await project.call("get-sum", a=2, b=3))
    structured = await project.call("get-structured-content", location="Chicago")
    assert structured.structured
    assert structured.schema_fault == ""
    image = await project.call("get-tiny-image")
    assert "image" in {block.kind for block in image.content}
    links = await project.call("get-resource-links", count=2)
    assert [block.kind for block in links.content].count("link") == 2


async def test_everything_s_resources_prompts_and_completions(project: Any, npm: Path) -> None:
    await project.connect(npm / "mcp-server-everything")
    listed = (await project.ask("resources/list"))["resources"]
    assert (await project.ask("resources/read", uri=listed[0]["uri"]))["contents"]
    assert (await project.ask("resources/templates/list"))["resourceTemplates"]
    prompts = {prompt["name"]: prompt for prompt in (await project.ask("prompts/list"))["prompts"]}
    simple = next(name for name, prompt in prompts.items() if not prompt.get("arguments"))
    assert (await project.ask("prompts/get", name=simple))["messages"]
    completed = next(prompt for prompt in prompts.values() if "complet" in prompt["name"])
    given = {"name": completed["arguments"][0]["name"], "value": ""}
    found = await project.ask(
        "completion/complete", ref={"type": "ref/prompt", "name": completed["name"]}, argument=given
    )
    assert found["completion"]["values"]
    await project.ask("resources/subscribe", uri=listed[0]["uri"])
    await project.ask("logging/setLevel", level="debug")
    await project.call("toggle-simulated-logging")
    await until(lambda: "notifications/message" in project.host.heard)


async def test_everything_asks_for_words_a_model_and_folders(project: Any, npm: Path) -> None:
    await project.connect(npm / "mcp-server-everything")
    assert "sampled words" in text(await project.call("trigger-sampling-request", prompt="say", maxTokens=10))
    assert (await project.call("trigger-elicitation-request")).ok
    assert project.folder.as_uri() in text(await project.call("get-roots-list"))
    assert {"sampling/createMessage", "elicitation/create", "roots/list"} <= set(project.host.asked_for)


async def test_everything_tells_its_progress_and_is_cancelled(project: Any, npm: Path) -> None:
    await project.connect(npm / "mcp-server-everything")
    heard: list[float] = []
    wish = ToolCall("1", "real", "trigger-long-running-operation", {"duration": 1, "steps": 4}, Origin.PERSON, "s")
    assert (await project.catalog.call(wish, lambda done, total, words: heard.append(done))).ok
    assert sorted(heard) == [1, 2, 3, 4]
    calling = asyncio.ensure_future(project.call("trigger-long-running-operation", duration=60, steps=2))
    traffic = project.catalog.server("real").traffic
    await until(lambda: any('"duration":60' in frame.text for frame in traffic.frames()))
    calling.cancel()
    await asyncio.wait([calling])
    await until(lambda: any("notifications/cancelled" in frame.text for frame in traffic.frames()))
    assert "still" in text(await project.call("echo", message="still here"))


@pytest.fixture
async def everything_at(npm: Path) -> AsyncIterator[Callable[..., Any]]:
    """server-everything at an address of this machine."""
    started: list[asyncio.subprocess.Process] = []

    async def start(kind: str, port: int = 0) -> int:
        if not port:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
        command = [str(npm / "mcp-server-everything"), kind]
        where = {**os.environ, "PORT": str(port)}
        quiet = subprocess.DEVNULL
        made = await asyncio.create_subprocess_exec(*command, env=where, stdout=quiet, stderr=quiet, stdin=quiet)
        started.append(made)
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    await writer.wait_closed()
                    return port

    async def stop() -> None:
        for process in started:
            process.kill()
            await process.wait()
        started.clear()

    start.stop = stop  # type: ignore[attr-defined]  # a function that can do a second thing
    yield start
    await stop()


@pytest.mark.parametrize(("kind", "path"), [("streamableHttp", "mcp"), ("sse", "sse")])
async def test_everything_at_an_address(project: Any, everything_at: Any, kind: str, path: str) -> None:
    port = await everything_at(kind)
    await project.catalog.add(ServerConfig("real", url=f"http://127.0.0.1:{port}/{path}"))
    state = await project.catalog.connect("real")
    assert state.tool_count > 10
    assert "hello" in text(await project.call("echo", message="hello"))
    assert (await project.call("trigger-elicitation-request")).ok
    assert "sampled words" in text(await project.call("trigger-sampling-request", prompt="say", maxTokens=10))
    await everything_at.stop()
    await project.call("echo", message="gone")
    await until(lambda: project.catalog.server("real").state.status is ServerStatus.FAILED)
    await everything_at(kind, port)
    await until(lambda: project.catalog.server("real").state.status is ServerStatus.READY)
    assert "back" in text(await project.call("echo", message="back"))


async def test_the_filesystem_server_reads_writes_and_refuses(project: Any, npm: Path, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    project.host.root = inside
    await project.connect(npm / "mcp-server-filesystem", str(inside))
    assert (await project.call("write_file", path=str(inside / "note.txt"), content="words")).ok
    assert "words" in text(await project.call("read_text_file", path=str(inside / "note.txt")))
    outside = await project.call("read_text_file", path="/etc/hostname")
    assert not outside.ok
    assert "denied" in outside.fault.message.lower()


async def test_the_memory_server_remembers(project: Any, npm: Path) -> None:
    await project.catalog.add(
        ServerConfig(
            "real", str(npm / "mcp-server-memory"), env={"MEMORY_FILE_PATH": str(project.folder / "memory.json")}
        )
    )
    await project.catalog.connect("real")
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    assert (await project.call("create_entities", entities=[entity])).ok
    found = await project.call("search_nodes", query="Ada")
    assert "counts" in text(found)
    assert found.schema_fault == ""


async def test_the_thinking_server_thinks(project: Any, npm: Path) -> None:
    await project.connect(npm / "mcp-server-sequential-thinking")
    thought = {"thought": "x", "thoughtNumber": 1, "totalThoughts": 1, "nextThoughtNeeded": False}
    assert "thoughtNumber" in text(await project.call("sequentialthinking", **thought))


async def test_the_git_server_reads_a_repository(project: Any, pypi: Path) -> None:
    for command in ("init -q", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m one"):
        await (await asyncio.create_subprocess_exec("git", "-C", str(project.folder), *command.split())).wait()
    await project.connect(pypi / "mcp-server-git", "--repository", str(project.folder))
    assert "one" in text(await project.call("git_log", repo_path=str(project.folder)))


async def test_the_time_server_tells_the_time(project: Any, pypi: Path) -> None:
    state = await project.connect(pypi / "mcp-server-time")
    assert state.era == "modern"
    assert "UTC" in text(await project.call("get_current_time", timezone="Etc/UTC"))


async def test_the_fetch_server_lists_its_tool_and_says_what_it_cannot_reach(project: Any, pypi: Path) -> None:
    await project.connect(pypi / "mcp-server-fetch")
    outcome = await project.call("fetch", url="http://127.0.0.1:9/")
    assert not outcome.ok
    assert outcome.fault.message
