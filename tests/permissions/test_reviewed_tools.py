"""The built-in annotations of tools: none makes a dangerous tool harmless; they count only for what was reviewed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.permissions import tool_verbs
from workbench.permissions.reviewed_tools import (
    Review,
    ReviewedTool,
    definition_hash,
    find_review,
    parse_facts,
    reviewed_servers,
)
from workbench.permissions.tool_annotations import effective_tool, tool_risk, unverified
from workbench.records import Hints, Risk, ServerDecision, Standing, Tool, ToolGroup, Trust

TOOLS = Path(__file__).resolve().parents[2] / "tools"
HARMLESS = (ToolGroup.READS, ToolGroup.ADDS)
FETCH = Tool("any", "fetch", description="Gets a page.", input_schema={"properties": {"url": {"type": "string"}}})


def reviewed() -> Iterator[tuple[str, ReviewedTool, Review]]:
    for server in reviewed_servers():
        for name, tool in server.tools.items():
            yield name, tool, parse_facts(tool.facts)


def test_no_tool_whose_name_destroys_or_sends_is_harmless_without_a_reason() -> None:
    wrong = [
        name
        for name, tool, review in reviewed()
        if review.group in HARMLESS and not tool.why
        if tool_verbs.destroys(name) or tool_verbs.sends(name)
    ]
    assert not wrong


def test_no_tool_that_can_send_only_reads_or_adds() -> None:
    assert not [name for name, _, review in reviewed() if review.sends and review.group in HARMLESS]


def test_the_file_says_what_its_source_says() -> None:
    sys.path.insert(0, str(TOOLS))
    try:
        from review_tools import SOURCE, read_source
    finally:
        sys.path.remove(str(TOOLS))
    notes = {one.packages: one for one in read_source(SOURCE.read_text("utf-8"))}
    for server in reviewed_servers():
        said = {name: (tool.facts, tool.why) for name, tool in server.tools.items()}
        one = notes[server.packages]
        assert said == {name: (one.facts_of(name), one.reason_of(name)) for name in server.tools}
        assert all(package.split(":")[0] in ("npm", "pypi", "host") for package in server.packages)


def test_a_definition_counts_as_reviewed_whatever_its_parameters_texts_are_and_no_other_does() -> None:
    sha = definition_hash(FETCH)
    described = {"properties": {"url": {"type": "string", "description": "On this machine.", "default": "x"}}}
    assert definition_hash(replace(FETCH, input_schema=described, description="Gets  a\npage.")) == sha
    for other in (
        replace(FETCH, description="Gets a page, and sends it to others."),
        replace(FETCH, name="fetch_all"),
        replace(FETCH, input_schema={"properties": {"url": {"type": "string"}, "body": {"type": "string"}}}),
    ):
        assert definition_hash(other) != sha
        assert find_review("pypi:mcp-server-fetch", other) is None
    assert find_review("", FETCH) is None


@pytest.mark.parametrize("facts", ["", "looks", "reads kindly"])
def test_facts_that_cannot_be_read_are_refused(facts: str) -> None:
    with pytest.raises(ValueError):
        parse_facts(facts)


def test_before_the_user_decides_a_review_only_makes_a_tool_stricter() -> None:
    liar = Tool("s", "get_context", hints=Hints(read_only=True), hash="h")
    harmless = effective_tool(Tool("s", "frobnicate", hash="h"), Trust(), review=Review(ToolGroup.READS))
    assert (unverified(harmless), harmless.standing) == (True, Standing.UNDECIDED)
    assert tool_risk(effective_tool(liar, Trust(), review=Review(ToolGroup.CHANGES))) is Risk.HIGH
    assert effective_tool(liar, Trust(), review=Review(ToolGroup.OUTSIDE, sends=True)).sends


def test_once_the_user_has_decided_the_review_counts_in_place_of_the_servers_words() -> None:
    decided = Trust(decisions={"s": ServerDecision(groups=HARMLESS, definitions={"look": "h", "add": "h"})})
    silent, liar = Hints(destructive=True, open_world=True), Hints(read_only=True)
    look = effective_tool(Tool("s", "look", hints=silent, hash="h"), decided, review=Review(ToolGroup.READS))
    assert (tool_risk(look), look.private, look.sends) == (Risk.LOW, False, False)
    add = effective_tool(Tool("s", "add", hints=liar, hash="h"), decided, review=Review(ToolGroup.ADDS))
    assert (tool_risk(add), add.hints.read_only) == (Risk.MEDIUM, False)


def test_a_reviewed_reading_tool_runs_before_the_decision_if_the_setting_says_so_and_no_other_tool_does() -> None:
    tool = Tool("shop", "list_orders", hints=Hints(read_only=True))
    nobody = Trust({}, False, {})
    reads = Review(ToolGroup.READS, private=True)

    def judged(tool: Tool, review: Review | None, *, runs: bool = True, trust: Trust = nobody) -> Tool:
        return effective_tool(tool, trust, review=review, run_reviewed_reads=runs)

    assert (judged(tool, reads).standing, tool_risk(judged(tool, reads))) == (Standing.RUNS, Risk.LOW)
    assert judged(tool, reads).private
    assert unverified(judged(tool, reads, runs=False))
    assert unverified(judged(tool, None)), "what its server says is not a review"
    assert judged(tool, Review(ToolGroup.ADDS)).standing is Standing.UNDECIDED
    asks = Trust({}, False, {"shop": ServerDecision("entry", (), {"list_orders": tool.hash})})
    assert judged(tool, reads, trust=asks).standing is Standing.ASKS, "the user's decision wins"
