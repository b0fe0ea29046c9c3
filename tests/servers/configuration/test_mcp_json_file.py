"""`.mcp.json` is shared with a team and other programs: it is read leniently, and written without losing content."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client_configs.config_import import keep_apart
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.configuration import mcp_json_file
from workbench.servers.configuration.launch_command import references
from workbench.servers.configuration.mcp_json_file import McpJsonFile, entry_as_json, known_servers, parse_entry

# The error position: 3.13 and later point at the comma, earlier versions after it.
COMMA = 25 if sys.version_info >= (3, 13) else 26


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".mcp.json"


def test_the_demo_server_is_there_without_a_file(file: Path) -> None:
    (demo,) = McpJsonFile(file).read().configs
    assert demo.name == "demo"
    assert demo.builtin
    assert not file.exists()


def test_an_own_demo_server_takes_the_place_of_the_built_in_one(file: Path) -> None:
    file.write_text('{"mcpServers": {"demo": {"command": "mine"}}}')
    (demo,) = McpJsonFile(file).read().configs
    assert (demo.command, demo.builtin) == ("mine", False)


def test_all_fields_are_read(file: Path) -> None:
    entry = {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}, "cwd": "sub", "disabled": True}
    file.write_text(json.dumps({"mcpServers": {"one": entry, "far": {"url": "https://example.org/mcp"}}}))
    _, one, far = McpJsonFile(file).read().configs
    assert one == ServerConfig("one", "npx", ("-y", "x"), {"A": "1"}, "sub", "", True)
    assert far.url == "https://example.org/mcp"


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ('{\n  "mcpServers": {\n    "a": {"command": "x",}\n  }\n}', f"line 3, column {COMMA}", "comma"),
        ('{\n  // servers\n  "mcpServers": {}}', "line 2, column 3", "comments"),
        ('{"mcpServers": {', "line 1, column 17", "too early"),
        ("{'mcpServers': {}}", "line 1, column 2", "double quotes"),
        ('{"a": 1\n "b": 2}', "line 2, column 2", "Add a comma"),
    ],
)
def test_a_broken_file_is_told_with_its_place_and_a_hint(file: Path, text: str, place: str, hint: str) -> None:
    file.write_text(text)
    reading = McpJsonFile(file).read()
    assert reading.unreadable
    assert place in reading.notices[0].message
    assert hint in reading.notices[0].hint
    assert [config.name for config in reading.configs] == ["demo"]


@pytest.mark.parametrize(
    "entry",
    [
        "npx",
        {},
        {"command": 7},
        {"command": "x", "args": "y"},
        {"command": "x", "args": [1]},
        {"command": "x", "env": ["A"]},
        {"command": "x", "env": {"A": None}},
        {"command": "x", "disabled": "yes"},
        {"command": "x\0y"},
    ],
)
def test_one_wrong_entry_spoils_no_other(file: Path, entry: object) -> None:
    file.write_text(json.dumps({"mcpServers": {"wrong": entry, "good": {"command": "x"}}}))
    reading = McpJsonFile(file).read()
    assert [config.name for config in reading.configs] == ["demo", "good"]
    assert "'wrong'" in reading.notices[0].message


@pytest.mark.parametrize("text", ["[]", "7", '{"mcpServers": []}', "[" * 100_000, "1" * 5_000])
def test_valid_json_of_the_wrong_shape_is_a_notice(file: Path, text: str) -> None:
    file.write_text(text)
    assert McpJsonFile(file).read().notices


def test_bytes_that_are_no_text_are_a_notice(file: Path) -> None:
    file.write_bytes(b'{"a": "\xff"}')
    assert "UTF-8" in McpJsonFile(file).read().notices[0].message


@given(st.binary(max_size=200))
def test_no_content_whatever_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.json"
    file.write_bytes(content)
    assert McpJsonFile(file).read().configs[0].builtin


def test_writing_keeps_what_others_wrote(file: Path) -> None:
    before = {
        "theirs": {"x": [1]},
        "mcpServers": {"b": {"alwaysAllow": ["t"], "command": "old"}, "a": {"command": "é"}},
        "z": 1,
    }
    file.write_text(json.dumps(before, indent=4, ensure_ascii=False))
    McpJsonFile(file).put_entry(ServerConfig("b", "new", ("--x",)))
    after = json.loads(file.read_text())
    assert list(after) == ["theirs", "mcpServers", "z"]
    assert list(after["mcpServers"]) == ["b", "a"]
    assert after["mcpServers"]["b"] == {"alwaysAllow": ["t"], "command": "new", "args": ["--x"]}
    assert '\n    "theirs"' in file.read_text()
    assert "é" in file.read_text()


def test_a_new_file_is_made_and_an_entry_taken_out_again(file: Path) -> None:
    configuration = McpJsonFile(file)
    configuration.put_entry(ServerConfig("one", "x", env={"A": "1"}))
    assert configuration.read().configs[1] == ServerConfig("one", "x", env={"A": "1"})
    configuration.remove_entry("one")
    assert json.loads(file.read_text()) == {"mcpServers": {}}


def test_a_broken_file_is_never_overwritten(file: Path) -> None:
    file.write_text('{"mcpServers": {"precious": ')
    for change in (lambda c: c.put_entry(ServerConfig("a", "x")), lambda c: c.remove_entry("precious")):
        with pytest.raises(WorkbenchError, match="line 1"):
            change(McpJsonFile(file))
    assert file.read_text() == '{"mcpServers": {"precious": '


def test_a_link_stays_a_link_and_the_mode_stays(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("{}")
    real.chmod(0o640)
    file.symlink_to(real)
    McpJsonFile(file).put_entry(ServerConfig("a", "x"))
    assert file.is_symlink()
    assert "mcpServers" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    assert len(os.listdir(tmp_path)) == 2  # no temporary file is left


@pytest.mark.parametrize("config", [ServerConfig("a"), ServerConfig("", "x"), ServerConfig("a\nb", "x")])
def test_a_server_that_could_not_be_read_again_is_not_written(file: Path, config: ServerConfig) -> None:
    with pytest.raises(WorkbenchError):
        McpJsonFile(file).put_entry(config)
    assert not file.exists()


def test_a_pipe_or_a_device_in_the_place_of_the_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    os.mkfifo(file)
    assert "not a regular file" in McpJsonFile(file).read().notices[0].message
    file.unlink()
    file.symlink_to("/dev/zero")
    assert "not a regular file" in McpJsonFile(file).read().notices[0].message


FAR = {
    "type": "streamable-http",
    "url": "https://example.org/mcp",
    "headers": {"Authorization": "Bearer ${keyring:example}"},
    "oauth": {"clientId": "abc"},
    "roots": ["src"],
    "timeout": 90_000,
    "category": "work",
}


def test_a_remote_entry_is_read_and_written_in_its_own_spelling() -> None:
    config = parse_entry("far", FAR)
    assert (config.transport, config.timeout_seconds, config.roots) == ("http", 90, ("src",))
    assert config.remote
    assert entry_as_json(config, FAR) == FAR


@pytest.mark.parametrize(
    ("spelled", "meant"), [("stdio", "stdio"), ("http", "http"), ("streamableHttp", "http"), ("sse", "sse")]
)
def test_the_spellings_of_other_clients_are_known(spelled: str, meant: str) -> None:
    assert parse_entry("a", {"type": spelled, "command": "x", "url": "http://x"}).transport == meant


def test_without_a_type_a_command_counts_more_than_an_address() -> None:
    assert not parse_entry("a", {"command": "x", "url": "http://x"}).remote
    assert parse_entry("a", {"url": "http://x"}).remote


@pytest.mark.parametrize(("written", "seconds"), [(0, 0), (0.2, 1), (30, 30), (999, 999), (1_000, 1), (60_500, 61)])
def test_a_small_timeout_is_seconds_and_a_large_one_milliseconds(written: float, seconds: int) -> None:
    assert parse_entry("a", {"command": "x", "timeout": written}).timeout_seconds == seconds


def test_a_changed_timeout_or_type_is_written_and_an_unchanged_one_stays_as_it_was() -> None:
    before = {"command": "x", "url": "http://x", "type": "stdio", "timeout": 30}
    assert entry_as_json(parse_entry("a", before), before) == before
    after = entry_as_json(ServerConfig("a", url="http://x", transport="sse", timeout_seconds=5), before)
    assert (after["type"], after["timeout"]) == ("sse", 5_000)


def test_a_field_that_was_emptied_leaves_the_entry() -> None:
    assert entry_as_json(ServerConfig("a", "x"), {"type": "stdio", "command": "y", "timeout": 5}) == {"command": "x"}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "x", "type": "carrier pigeon"}, "type 'carrier pigeon' is not known"),
        ({"command": "x", "type": "http"}, "no url"),
        ({"url": "http://x", "type": "stdio"}, "no command"),
        ({"url": "http://x", "headers": {"A": 1}}, "headers"),
        ({"url": "http://x", "headers": {"A b": "x"}}, "cannot be sent"),
        ({"url": "http://x", "headers": {"A": "x\r\nB: y"}}, "cannot be sent"),
        ({"url": "http://x", "oauth": ["x"]}, "oauth"),
        ({"command": "x", "roots": "src"}, "roots"),
        ({"command": "x", "timeout": "5"}, "timeout"),
        ({"command": "x", "timeout": -1}, "timeout"),
        ({"command": "x", "timeout": float("nan")}, "timeout"),
        ({"command": "x", "timeout": True}, "timeout"),
    ],
)
def test_what_is_wrong_is_named(entry: dict[str, object], words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        parse_entry("a", entry)


_texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)


@given(
    st.builds(
        ServerConfig,
        name=st.just("a"),
        command=st.just("x"),
        url=_texts,
        args=st.lists(_texts).map(tuple),
        headers=st.dictionaries(st.from_regex(r"\A[A-Za-z-]{1,9}\Z"), st.just("${A}")),
        roots=st.lists(_texts).map(tuple),
        category=_texts.map(str.strip),
        timeout_seconds=st.integers(0, 86_400),
    )
)
def test_whatever_is_written_is_read_again(config: ServerConfig) -> None:
    assert parse_entry("a", entry_as_json(config, {})) == config


MAKERS = {"GitHub", "Supabase", "Upstash", "Slack", "Google", "Salesforce"}
PLACES = {
    "https://api.githubcopilot.com/mcp/",
    "https://mcp.supabase.com/mcp?read_only=true",
    "https://mcp.context7.com/mcp",
    "https://mcp.slack.com/mcp",
    "https://drivemcp.googleapis.com/mcp/v1",
}


def test_every_maker_is_there_and_every_title_is_its_own() -> None:
    assert {one.maker for one in known_servers()} == MAKERS
    assert len({one.title for one in known_servers()}) == len(known_servers())
    assert {one.config.url for one in known_servers()} - {""} == PLACES


@pytest.mark.parametrize("known", known_servers(), ids=lambda known: known.title)
def test_each_is_an_entry_that_says_what_it_needs(known) -> None:
    config = known.config
    assert (
        mcp_json_file.parse_entry(config.name, json.loads(json.dumps(mcp_json_file.entry_as_json(config, {}))))
        == config
    )
    assert not keep_apart(config).secrets, "nothing in it looks like a secret"
    assert bool(config.url) != bool(config.command)
    assert known.page.startswith("https://")
    assert all((known.licence, known.needs.endswith(".")))
    assert all(re.fullmatch(r"[a-z0-9 ]+", name) for name in references(config))
