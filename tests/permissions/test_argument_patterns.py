"""Patterns over arguments: what they reach, and everything that must not slip in beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.permissions.argument_patterns import UNDER, destinations, exactly, holds, says_something, touches, values
from workbench.records import JsonValue, Predicate

ACME = (Predicate("to", "*@acme.com"),)
ADDRESSES = st.text(alphabet='abcm@.,; <>"\\\n\tACME\u2028/', max_size=30)


@pytest.mark.parametrize("to", ["bob@acme.com", "Bob.Miller@ACME.com", ["a@acme.com", "b@acme.com"]])
def test_an_address_of_that_domain_is_meant(to: object) -> None:
    assert holds(ACME, {"to": to})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "to",
    [
        "eve@evil.com",
        "eve@evil.com,bob@acme.com",
        "eve@evil.com bob@acme.com",
        '"eve@evil.com" <bob@acme.com>',
        "eve@evil.com\nbcc: bob@acme.com",
        "bob@acme.com.evil.com",
        "bob@acme.com\n",
        "eve%evil.com@acme.com",
        "eve＠evil.com，bob@acme.com",
        "@acme.com.evil.com/@acme.com",
        "=?utf-8?q?eve=40evil.com=3e=20?=@acme.com",
        "bob|sh@acme.com",
        "bob\u200b@acme.com",
        ["bob@acme.com", "eve@evil.com"],
        [["bob@acme.com"]],
        {"address": "bob@acme.com"},
        [],
        None,
        7,
    ],
)
def test_nothing_else_slips_in(to: object) -> None:
    assert not holds(ACME, {"to": to})  # type: ignore[dict-item]


@given(ADDRESSES)
def test_whatever_matches_is_one_address_of_that_domain(left: str) -> None:
    to = left + "@acme.com"
    if holds(ACME, {"to": to}):
        assert to.count("@") == 1
        assert not set(to) & set(',;<>"\\/ \n\t\u2028')


@pytest.mark.parametrize("key", ["bcc", "cc", "channel", "repository", "email_address", "webhook_url"])
def test_a_rule_about_one_destination_says_nothing_of_another(key: str) -> None:
    assert not holds(ACME, {"to": "bob@acme.com", key: "eve@evil.com"})
    assert holds(ACME, {"to": "bob@acme.com", key: ""})
    assert holds((*ACME, Predicate(key, "*")), {"to": "bob@acme.com", key: "x"})


def test_a_destination_inside_another_argument_is_seen() -> None:
    assert not holds(ACME, {"to": "bob@acme.com", "options": {"bcc": "eve@evil.com"}})
    assert destinations({"options": [{"mail": {"recipient": "x"}}], "text": "to: eve"}) == ("options",)


@pytest.mark.parametrize(
    "given",
    [
        {"message": {"to": "bob@acme.com", "bcc": "eve@evil.com"}},
        {"message": {"to": "bob@acme.com"}, "message.to": "eve@evil.com"},
        {"message": [{"to": "bob@acme.com"}, {"webhookUrl": "https://evil.com"}]},
        {"message": {"to": "bob@acme.com", "more": [[{"cc": ["eve@evil.com"]}]]}},
    ],
)
def test_nothing_that_leads_elsewhere_stands_beside_a_named_one_inside_an_object(given: dict[str, object]) -> None:
    rule = (Predicate("message.to", "*@acme.com"),)
    assert holds(rule, {"message": {"to": "bob@acme.com", "text": "hello", "bcc": []}})
    assert not holds(rule, given)  # type: ignore[arg-type]


def test_every_object_of_a_list_says_where_it_goes_by_the_name_of_the_rule() -> None:
    rule = (Predicate("recipients[].email", "*@acme.com"),)
    assert holds(rule, {"recipients": [{"email": "a@acme.com"}, {"email": "b@acme.com"}]})
    assert not holds(rule, {"recipients": [{"email": "a@acme.com"}, {"address": "eve@evil.com"}]})


def test_paths_lead_into_lists_and_objects() -> None:
    given = {"message": {"to": [{"email": "a@acme.com"}, {"email": "b@acme.com"}]}, "n": 5}
    assert values(given, "message.to[].email") == ["a@acme.com", "b@acme.com"]
    assert holds((Predicate("message.to[].email", "*@acme.com"),), given)
    assert holds((Predicate("n", "5"),), {"n": 5})
    assert values(given, "message.cc") == []


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("https://api.acme.com/v1", True),
        ("https://evil.com/.acme.com/v1", False),
        ("https://eve@evil.com#.acme.com/v1", False),
        ("https://evil.com\\.acme.com/v1", False),
        ("https://api.acme.com/../x", False),
        ("https://api.acme.com/%2e%2e/x", False),
        ("https://api.acme.com/..;/x", False),
    ],
)
def test_a_host_stays_a_host(value: str, fits: bool) -> None:
    assert holds((Predicate("url", "https://*.acme.com/*"),), {"url": value}) is fits


def test_below_the_workspace_is_where_a_path_really_leads(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "project" / "workspace", tmp_path / "outside"
    workspace.mkdir(parents=True)
    outside.mkdir()
    (outside / "deep").mkdir()
    (workspace / "link").symlink_to(outside)
    (workspace / "deep").symlink_to(outside / "deep")
    rule = (Predicate("path", UNDER),)

    def fits(path: str) -> bool:
        return holds(rule, {"path": path}, str(workspace), os.path.realpath)

    assert all(map(fits, ("workspace/a.csv", f"{workspace}/far/a.csv", "workspace/x/../a.csv")))
    for path in ("/etc/passwd", "workspace/../x", "workspace", "a.csv", "workspace/link/x", "~/x", "file:///x", "a\0b"):
        assert not fits(path)
    assert not fits("workspace/.git/hooks/x")
    for path in (
        "workspace/deep/../secret",
        "workspace/%2e%2e/x",
        "workspace/$HOME/x",
        "workspace/a\n/../b",
        "workspace/.git/x",
    ):
        assert not fits(path)
    assert not holds(rule, {"path": "workspace/a.csv"})  # nobody said where that is


@given(st.text(max_size=40))
def test_the_exact_value_is_met_by_itself_and_by_nothing_else(text: str) -> None:
    rule = (Predicate("name", exactly(text)),)
    assert holds(rule, {"name": text}) or ".." in text
    assert not holds(rule, {"name": text + "x"})


def test_a_pattern_of_wildcards_says_nothing() -> None:
    assert not any(map(says_something, ("*", "*.*", "*@*", "**")))
    assert all(map(says_something, ("*@acme.com", UNDER, "x")))


# what a person asked about or forbade is met in every writing that some server could take for it


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
