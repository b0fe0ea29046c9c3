"""The cache preserves data about a server between its runs, and its faults never stop a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.records import ServerConfig
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.resources_and_prompts import resource_parsing
from workbench.servers.server_cache import CachedResources, CachedServer, ServerCache
from workbench.servers.tool_definitions import definition_parsing

CONFIG = ServerConfig("one", "run")
RAW = {"name": "t", "description": "d", "inputSchema": {"type": "object"}, "theirs": ["é"]}


def test_what_was_known_is_known_again(tmp_path: Path) -> None:
    facts = CachedServer("T", "1", "2025-06-18", "hi", "legacy", definition_parsing.read("one", [RAW]).tools)
    ServerCache(tmp_path).keep(CONFIG, facts)
    assert ServerCache(tmp_path).recall(CONFIG) == facts
    assert ServerCache(tmp_path).recall(replace(CONFIG, args=("x",))) == CachedServer()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1, "tools": 7}', '{"format": 99, "tools": []}'])
def test_a_damaged_or_foreign_file_is_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / f"{fingerprint(CONFIG)}.json").write_text(content)
    assert ServerCache(tmp_path).recall(CONFIG) == CachedServer()


def test_a_cache_that_cannot_be_written_is_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    ServerCache(tmp_path / "file").keep(CONFIG, CachedServer())
    assert "cannot be cached" in caplog.text


RESOURCES = CachedResources(
    resource_parsing.resources("one", [{"uri": "a://b", "name": "é", "mimeType": "text/plain", "size": 3}]).entries,
    resource_parsing.templates("one", [{"uriTemplate": "a://{b}", "title": "T"}]).entries,
    resource_parsing.prompts("one", [{"name": "p", "arguments": [{"name": "x", "required": True}]}]).entries,
)


def test_resources_are_known_again_beside_the_tools(tmp_path: Path) -> None:
    cache = ServerCache(tmp_path)
    cache.keep(CONFIG, CachedServer())
    cache.keep_resources(CONFIG, RESOURCES)
    assert ServerCache(tmp_path).recall(CONFIG).offers == RESOURCES


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": 1, "resources": 7, "prompts": [1, {}, {"name": ""}]}', '{"format": 9}']
)
def test_damaged_or_foreign_resources_are_nothing(tmp_path: Path, content: str) -> None:
    cache = ServerCache(tmp_path)
    cache.keep(CONFIG, CachedServer("T"))
    (tmp_path / f"{fingerprint(CONFIG)}.offers.json").write_text(content)
    assert cache.recall(CONFIG) == CachedServer("T")


def test_resources_that_cannot_be_written_are_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    ServerCache(tmp_path / "file").keep_resources(CONFIG, CachedResources())
    assert "cannot be cached" in caplog.text
