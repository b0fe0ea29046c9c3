"""Recorded states of a server at different times, and the difference between two of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.records import ChangeKind, Prompt, ResourceTemplate, ServerConfig, ServerState, Tool
from workbench.servers.tool_definitions.definition_history import DefinitionHistory
from workbench.servers.tool_definitions.definition_parsing import read


def tools(**described: str) -> tuple[Tool, ...]:
    listed = [{"name": name, "description": words, "inputSchema": {}} for name, words in described.items()]
    return read("one", listed).tools


def state(version: str, instructions: str = "") -> ServerState:
    return ServerState(ServerConfig("one"), version=version, instructions=instructions)


async def test_a_moment_is_kept_only_when_something_changed(tmp_path: Path) -> None:
    moments = DefinitionHistory("one", tmp_path)
    await moments.keep(state("1"), tools(a="A"))
    await moments.keep(state("1"), tools(a="A"))
    await moments.keep(state("2"), tools(a="A", b="B"))
    assert [(one.version, one.tools) for one in await moments.list()] == [("2", 2), ("1", 1)]


async def test_two_moments_are_compared_also_by_the_next_core(tmp_path: Path) -> None:
    moments = DefinitionHistory("one", tmp_path)
    await moments.keep(state("1", "Be kind."), tools(a="A", gone="G"))
    await moments.keep(state("2", "Be quick."), tools(a="A changed", version="tool of that name"))
    again = DefinitionHistory("one", tmp_path)
    newest, oldest = await again.list()
    changes = await again.compare(oldest.at, newest.at)
    assert {(one.tool, one.kind) for one in changes} == {
        ("instructions", ChangeKind.CHANGED),
        ("version", ChangeKind.CHANGED),
        ("version", ChangeKind.NEW),
        ("a", ChangeKind.CHANGED),
        ("gone", ChangeKind.REMOVED),
    }
    (changed,) = [one for one in changes if one.tool == "a"]
    assert ("A changed" in changed.after, "A changed" in changed.before, changed.blocked) == (True, False, False)
    assert await again.compare(newest.at, newest.at) == ()


async def test_prompts_and_capabilities_belong_to_a_moment(tmp_path: Path) -> None:
    moments = DefinitionHistory("one", tmp_path)
    await moments.keep(state("1"), tools(a="A"))
    note, greet = ResourceTemplate("one", "note://{id}", "note"), Prompt("one", "greet", "", "Hello.")
    await moments.keep_offers((note,), (greet,))
    # The next start, before its prompts are read.
    await moments.keep(replace(state("1"), capabilities=("tools", "prompts")), tools(a="A"))
    await moments.keep_offers((), (Prompt("one", "greet", "", "Hello, you."),))
    newest, started, listed, _ = await moments.list()
    changes = await moments.compare(listed.at, newest.at)
    assert {(one.tool, one.kind) for one in changes} == {
        ("capabilities", ChangeKind.NEW),
        ("prompt greet", ChangeKind.CHANGED),
        ("template note://{id}", ChangeKind.REMOVED),
    }
    assert [one.tool for one in await moments.compare(listed.at, started.at)] == ["capabilities"]


async def test_only_so_many_are_kept(tmp_path: Path) -> None:
    moments = DefinitionHistory("one", tmp_path)
    for number in range(30):
        await moments.keep(state(str(number)), tools(a="x" * 1_000_000 + str(number)))
    kept = await moments.list()
    assert 1 < len(kept) <= 20
    assert kept[0].version == "29"
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 9 << 20


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1, "then": 5}', '{"format": 1, "then": [[1]], "texts": {}}'])
async def test_a_broken_file_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    moments = DefinitionHistory("one", tmp_path)
    await moments.keep(state("1"), ())
    next(tmp_path.iterdir()).write_text(text, encoding="utf-8")
    again = DefinitionHistory("one", tmp_path)
    assert await again.list() == ()


async def test_a_real_server_leaves_a_moment_each_time_it_changes(house: Any, paths: Any) -> None:
    home = await house(house.faulty("turning"))
    await home.catalog.connect("turning")
    await home.catalog.disconnect("turning")
    (paths.project / "version.txt").write_text("gone", encoding="utf-8")
    await home.catalog.connect("turning")
    server = home.catalog.server("turning")
    newest, oldest = await server.definition_history.list()
    (change,) = await server.definition_history.compare(oldest.at, newest.at)
    assert (change.tool, change.kind) == ("helper", ChangeKind.REMOVED)
