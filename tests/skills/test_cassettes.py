"""A cassette is a file in a skill's folder that anybody may have written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.skills.cassettes import (
    LARGEST,
    Cassette,
    CassetteStep,
    cassette_name,
    read_cassette,
    read_cassettes,
    remove_cassette,
    restamp,
    write_cassette,
)

CALL = CassetteStep("call", {"server": "demo", "tool": "get", "arguments": {"id": 1}}, {"a": [1, None]}, "blocks")
WHOLE = Cassette(
    "one",
    "f" * 64,
    {"limit": 3},
    (
        CALL,
        CassetteStep("search", {"query": "x"}, "text", text=True),
        CassetteStep("call", {"server": "d"}, failure={"message": "no"}),
    ),
    {"total": 1.5},
    "",
    ("at",),
    {"demo.get": {"name": "get", "inputSchema": {"type": "object"}}},
    {"other": "e" * 64},
    "2026-01-01T00:00:00+00:00",
    "run-1",
)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write_cassette(tmp_path, WHOLE)
    assert read_cassettes(tmp_path) == ([WHOLE], {})
    restamp(tmp_path, "f" * 64, "a" * 64)
    assert read_cassettes(tmp_path)[0][0].code == "a" * 64
    remove_cassette(tmp_path, "one")
    assert read_cassettes(tmp_path) == ([], {})
    with pytest.raises(WorkbenchError, match="no cassette"):
        remove_cassette(tmp_path, "../../SKILL")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"format": 2}', '{"format": 1}', "[" * 5_000, '{"format": 1, "steps": [{"kind": "run"}]}',
     '{"format":1,"code":"","arguments":[],"expected":{},"steps":[]}'],
)  # fmt: skip
def test_what_cannot_be_read_is_told_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "cassettes").mkdir()
    (tmp_path / "cassettes" / "odd.json").write_text(text)
    whole, faults = read_cassettes(tmp_path)
    assert whole == []
    assert "The cassette odd cannot be read" in faults["odd"]


def test_links_and_giants_are_not_read_and_giants_not_written(tmp_path: Path) -> None:
    (tmp_path / "cassettes").mkdir()
    (tmp_path / "cassettes" / "link.json").symlink_to("/etc/passwd")
    with pytest.raises(WorkbenchError, match="cannot be read"):
        read_cassette(tmp_path / "cassettes" / "link.json")
    with pytest.raises(WorkbenchError, match="smaller limit"):
        write_cassette(tmp_path, Cassette("large", "", {}, (CassetteStep("call", {}, "x" * LARGEST),)))


def test_names_are_names_of_files() -> None:
    assert cassette_name("Three pending Orders!") == "three-pending-orders"
    with pytest.raises(WorkbenchError, match="needs a name"):
        cassette_name("…")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5
)


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from(["format", "code", "arguments", "expected", "steps", "tools"]), VALUES))
def test_any_json_is_read_or_refused(tmp_path: Path, data: dict[str, object]) -> None:
    (tmp_path / "cassettes").mkdir(exist_ok=True)
    (tmp_path / "cassettes" / "any.json").write_text(json.dumps(data))
    found, faults = read_cassettes(tmp_path)
    assert len(found) + len(faults) == 1
