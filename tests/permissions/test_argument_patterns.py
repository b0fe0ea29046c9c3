"""Patterns over arguments: what they reach, and everything that must not slip in beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.permissions.argument_patterns import UNDER, destinations, exactly, holds, says_something, values
from workbench.records import Predicate

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
    for path in ("workspace/deep/../secret", "workspace/%2e%2e/x", "workspace/$HOME/x", "workspace/a\n/../b"):
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
