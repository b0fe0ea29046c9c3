"""What a person asked about or forbade is met in every writing that some server could take for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.permissions.argument_patterns import UNDER, exactly, touches
from workbench.records import JsonValue, Predicate

EVIL = (Predicate("to", "*@evil.com"),)


@pytest.mark.parametrize(
    "to",
    [
        "eve@evil.com",
        "Eve@EVIL.com",
        "bob@acme.com,eve@evil.com",
        "eve@evil.com, bob@acme.com",
        "Eve <eve@evil.com>",
        " eve@evil.com\n",
        "mailto:eve@evil.com",
        "eve%40evil.com",
        "eve@ｅｖｉｌ.com",
        "eve@ev\u200bil.com",
        ["bob@acme.com", ["eve@evil.com"]],
        {"email": "eve@evil.com"},
        {"eve@evil.com": 1},
        ["bob@acme.com"] * 600,
    ],
)
def test_an_address_that_is_denied_is_found_however_it_is_written(to: JsonValue) -> None:
    assert touches(EVIL, {"to": to})


def test_others_are_not_and_every_argument_of_the_rule_needs_one() -> None:
    assert not touches(EVIL, {"to": "bob@acme.com"})
    assert not touches(EVIL, {"to": "eve@evil.com.example"})
    assert not touches(EVIL, {"cc": "eve@evil.com"})
    assert not touches((*EVIL, Predicate("cc", "*")), {"to": "eve@evil.com"})
    assert touches((Predicate("amount", "5"),), {"amount": 5.0})
    assert touches((Predicate("name", exactly("a[1]*?")),), {"name": "A[1]*?"})
    assert not touches((Predicate("name", exactly("a[1]*?")),), {"name": "a1x"})


def test_what_lies_too_deep_to_be_read_counts() -> None:
    deep: JsonValue = "eve@evil.com"
    for _ in range(30):
        deep = {"x": deep}
    assert touches(EVIL, {"to": deep})


@pytest.mark.parametrize("path", ["/etc/passwd", "/x/../etc/passwd", "//etc/passwd", "file:///etc/passwd", "/etc/"])
def test_a_path_that_is_denied_is_found_behind_its_detours(path: str) -> None:
    assert touches((Predicate("path", "/etc/*"),), {"path": path})
    assert not touches((Predicate("path", "/etc/*"),), {"path": "/home/etc/x"})


def test_the_workspace_is_found_through_links_and_as_itself(tmp_path: Path) -> None:
    workspace = tmp_path / "project" / "workspace"
    workspace.mkdir(parents=True)
    (tmp_path / "way").symlink_to(workspace)
    rule = (Predicate("path", UNDER),)
    for path in ("workspace", "workspace/a", f"{tmp_path}/way/a", f"file://{workspace}/a", "x/../workspace/a"):
        assert touches(rule, {"path": path}, str(workspace), os.path.realpath)
    for path in ("elsewhere/a", "/etc/passwd", "workspace2/a"):
        assert not touches(rule, {"path": path}, str(workspace), os.path.realpath)


def test_many_wildcards_and_a_long_text_take_no_time() -> None:
    assert not touches((Predicate("body", "*a*" * 30 + "b"),), {"body": "a" * 20_000})
