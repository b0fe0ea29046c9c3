"""Single calls: by the verdict of their run, or by a person's own confirmation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.policy.calls import check_call, contradicts, outward, tool_risk
from workbench.records import Gate, Hints, Origin, Risk, Tool, ToolCall, ToolUse, Verdict


@pytest.mark.parametrize(
    ("name", "hints", "risk"),
    [
        ("get_order", Hints(read_only=True), Risk.LOW),
        ("summary", Hints(read_only=True), Risk.LOW),
        ("delete_all", Hints(read_only=True), Risk.HIGH),
        ("send_it", Hints(read_only=True), Risk.HIGH),
        ("get_sent_mail", Hints(read_only=True), Risk.LOW),
        ("getOrder", Hints(), Risk.MEDIUM),
        ("list_items", Hints(), Risk.MEDIUM),
        ("get_and_delete", Hints(), Risk.HIGH),
        ("frobnicate", Hints(), Risk.HIGH),
        ("create_ticket", Hints(read_only=False, destructive=False), Risk.MEDIUM),
        ("purge_cache", Hints(read_only=False, destructive=False), Risk.HIGH),
        ("update", Hints(read_only=False), Risk.HIGH),
        ("update", Hints(destructive=True), Risk.HIGH),
    ],
)
def test_a_tool_is_judged_by_its_hints_and_its_name(name: str, hints: Hints, risk: Risk) -> None:
    assert tool_risk(Tool("s", name, hints=hints)) is risk


def test_a_reading_tool_called_delete_contradicts_itself() -> None:
    assert contradicts(Tool("s", "delete_all", hints=Hints(read_only=True)))
    assert not contradicts(Tool("s", "delete_all", hints=Hints(destructive=True)))


def test_what_sends_or_reaches_the_open_world_goes_outward() -> None:
    assert outward(Tool("s", "send_email"))
    assert outward(Tool("s", "create_issue", hints=Hints(read_only=False, open_world=True)))
    assert not outward(Tool("s", "fetch", hints=Hints(read_only=True, open_world=True)))
    assert not outward(Tool("s", "create_note", hints=Hints(destructive=False, open_world=False)))


READ = Tool("demo", "list_orders", hints=Hints(read_only=True), hash="a")
ADD = Tool("demo", "create_ticket", hints=Hints(destructive=False, open_world=False), hash="b")
SEND = Tool("demo", "send_email", hints=Hints(destructive=False, open_world=True), hash="c")
DELETE = Tool("demo", "delete_customer", hints=Hints(destructive=True), hash="d")


def call(tool: Tool, origin: Origin = Origin.AGENT, *, confirmed: bool = False) -> ToolCall:
    return ToolCall("1", tool.server, tool.name, {}, origin, "session", confirmed=confirmed)


def verdict(*tools: Tool) -> Verdict:
    uses = tuple(ToolUse(tool.server, tool.name, 1) for tool in tools)
    return Verdict(
        "sha", Risk.HIGH, Gate.ASK, "", tools=uses, definitions={f"{t.server}.{t.name}": t.hash for t in tools}
    )


@pytest.mark.parametrize("tool", [READ, ADD, SEND, DELETE])
def test_an_approved_program_calls_what_was_seen_in_it(tool: Tool) -> None:
    assert check_call(call(tool), tool, verdict(tool), approved=True).allow


def test_a_destructive_tool_needs_approval_even_when_it_was_seen() -> None:
    said = check_call(call(DELETE), DELETE, verdict(DELETE), approved=False)
    assert not said.allow
    assert not said.confirm
    assert "Nobody approved" in said.reason


def test_an_adding_tool_passes_when_the_settings_let_medium_run() -> None:
    assert check_call(call(ADD), ADD, verdict(ADD), approved=False).allow


@pytest.mark.parametrize("tool", [ADD, SEND, DELETE])
def test_a_call_outside_of_what_was_assessed_is_refused_even_with_approval(tool: Tool) -> None:
    said = check_call(call(tool), tool, verdict(READ), approved=True)
    assert not said.allow
    assert f"demo.{tool.name}" in said.reason
    assert said.hint


def test_reading_more_than_was_seen_is_allowed_once_the_program_is_approved() -> None:
    assert check_call(call(READ), READ, verdict(), approved=True).allow
    said = check_call(call(READ), READ, verdict(), approved=False)
    assert (said.allow, said.pause) == (False, True)  # a private answer would come that no reading follows


@pytest.mark.parametrize("tool", [READ, DELETE])
def test_a_changed_definition_is_refused(tool: Tool) -> None:
    said = check_call(call(tool), replace(tool, hash="changed"), verdict(tool), approved=True)
    assert not said.allow
    assert "changed after this program was assessed" in said.reason


def test_a_tool_of_the_same_name_on_another_server_is_another_tool() -> None:
    assert not check_call(call(DELETE), replace(DELETE, server="other"), verdict(DELETE), approved=True).allow


def test_an_agent_calls_nothing_outside_of_a_program() -> None:
    assert not check_call(call(READ), READ, None, approved=True).allow


@pytest.mark.parametrize("tool", [SEND, DELETE, Tool("s", "purge_cache")])
def test_a_person_confirms_what_cannot_be_taken_back(tool: Tool) -> None:
    said = check_call(call(tool, Origin.PERSON), tool, None, approved=False)
    assert (said.allow, said.confirm) == (False, True)
    assert said.reason.startswith(f"{tool.name} may ")
    assert said.reason.endswith(".")
    assert check_call(call(tool, Origin.PERSON, confirmed=True), tool, None, approved=False).allow


@pytest.mark.parametrize("tool", [READ, ADD, Tool("s", "get_thing"), Tool("s", "frobnicate")])
def test_a_person_reads_and_adds_without_being_asked(tool: Tool) -> None:
    assert check_call(call(tool, Origin.PERSON), tool, None, approved=False).allow
