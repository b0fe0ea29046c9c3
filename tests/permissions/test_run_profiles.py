"""The bounds of a run: how two compare, and which tools are inside."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.permissions.run_profiles import (
    BUILT_IN,
    EXECUTE_FULL,
    READ_ONLY,
    WRITE_RESTRICTED,
    described,
    outside,
    within,
)
from workbench.records import Hints, RunProfile, Tool

READS = Tool("shop", "list_orders", hints=Hints(read_only=True))
VERB = Tool("shop", "get_order")
ADDS = Tool("shop", "create_order", hints=Hints(read_only=False, destructive=False))
ENDS = Tool("shop", "delete_order", hints=Hints(destructive=True))
LIAR = Tool("shop", "delete_all", hints=Hints(read_only=True))
ALL = (READS, VERB, ADDS, ENDS, LIAR)


@pytest.mark.parametrize(
    ("tools", "inside"),
    [("none", ()), ("read", (READS, VERB)), ("add", (READS, VERB, ADDS)), ("all", ALL)],
)
def test_a_class_of_tools_holds_the_ones_before_it(tools: str, inside: tuple[Tool, ...]) -> None:
    profile = RunProfile("mine", tools=tools)
    assert tuple(tool for tool in ALL if outside(profile, (), tool) is None) == inside


def test_a_run_limited_to_tools_calls_no_other() -> None:
    fault = outside(WRITE_RESTRICTED, ("shop.list_orders",), VERB)
    assert fault is not None
    assert fault.message == "shop.get_order is not among the required_tools of this program."
    assert outside(None, ("shop.get_order",), VERB) is None


def test_a_profile_is_kept_to_its_servers_and_tools() -> None:
    kept = RunProfile("mine", only=("mail", "shop.list_*"))
    assert outside(kept, (), READS) is None
    assert outside(kept, (), VERB) is not None
    assert outside(kept, (), replace(VERB, server="mail")) is None
    assert outside(kept, (), replace(VERB, server="mailer")) is not None


def test_every_profile_is_within_itself_and_read_only_within_the_usual_one() -> None:
    assert all(within(one, one) for one in BUILT_IN.values())
    assert within(READ_ONLY, WRITE_RESTRICTED)
    assert not within(WRITE_RESTRICTED, READ_ONLY)
    assert not within(EXECUTE_FULL, WRITE_RESTRICTED)


@pytest.mark.parametrize(
    "wider",
    [
        {"workspace": "write"},
        {"tools": "add"},
        {"network": True},
        {"times": 2},
    ],
)
def test_whatever_allows_more_is_not_within(wider: dict[str, object]) -> None:
    assert not within(replace(READ_ONLY, **wider), READ_ONLY)  # type: ignore[arg-type]


def test_less_asking_less_isolation_and_higher_limits_are_more() -> None:
    strict = RunProfile("strict", ask=True, isolation="container", seconds=5, only=("mail",))
    assert within(replace(strict, isolation="vm", seconds=1), strict)
    for loose in ({"ask": False}, {"isolation": ""}, {"seconds": 0}, {"seconds": 6}, {"only": ()}, {"only": ("shop",)}):
        assert not within(replace(strict, **loose), strict)  # type: ignore[arg-type]


def test_a_profile_says_what_it_allows() -> None:
    assert described(READ_ONLY).sentence == (
        "Reads the workspace and cannot change it; calls tools that only read; reaches no network."
    )
    assert "always asks a person first" in described(EXECUTE_FULL).sentence
