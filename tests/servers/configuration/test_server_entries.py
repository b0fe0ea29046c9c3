"""An entry becomes a record and an entry again; what is wrong in it is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.configuration.mcp_json_file import entry_as_json, parse_entry

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
