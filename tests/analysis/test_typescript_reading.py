"""Programs in TypeScript are put before a person, always, with what is certain."""

from __future__ import annotations

import pytest

from workbench.analysis.approval_gate import decide_gate
from workbench.analysis.reading import read_program
from workbench.analysis.typescript_verdict import UNREAD
from workbench.records import Gate, Hints, Risk, Tool, Verdict
from workbench.settings import Settings

READS = Tool("my-hub", "list_orders", hints=Hints(read_only=True), hash="1")
DELETES = Tool("my-hub", "delete_order", hash="2")
OTHER = Tool("elsewhere", "delete_order", hash="3")
TOOLS = (READS, DELETES, OTHER)


def assess_script(code: str) -> Verdict:
    return read_program(code, TOOLS, language="typescript").verdict


def named(code: str) -> list[str]:
    return [f"{use.server}.{use.tool}:{use.line}" for use in assess_script(code).tools]


def test_it_always_asks_whatever_is_allowed_without_asking() -> None:
    verdict = assess_script("1 + 1")
    assert (verdict.gate, verdict.risk) == (Gate.ASK, Risk.HIGH)
    assert verdict.not_assessed == (UNREAD,)
    assert "TypeScript" in verdict.sentence
    assert decide_gate(verdict, Settings(approval_auto_low=True, approval_auto_medium=True)) is Gate.ASK


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('import { delete_order } from "./servers/my_hub";\ndelete_order();', ["my-hub.delete_order:1"]),
        ('import * as hub from "servers/my-hub";\n\nhub.list_orders();', ["my-hub.list_orders:3"]),
        ('await callTool("my-hub", "delete_order", {});', ["my-hub.delete_order:1"]),
        ('await callMcpTool("mcp__my-hub__delete_order")', ["my-hub.delete_order:1"]),
        ('await callMCPTool("elsewhere__delete_order")', ["elsewhere.delete_order:1"]),
        ('const delete_order = 1; // of no server', []),
    ],
)  # fmt: skip
def test_tools_are_found_by_their_names(code: str, found: list[str]) -> None:
    assert named(code) == found


def test_what_may_change_something_is_an_effect_and_is_pinned() -> None:
    verdict = assess_script('import { delete_order, list_orders } from "./servers/my_hub";')
    assert [effect.text for effect in verdict.effects] == ["May call my-hub.delete_order, which can change data"]
    assert verdict.definitions == {"my-hub.list_orders": "1", "my-hub.delete_order": "2"}
    assert "my-hub.list_orders" in verdict.sentence


def test_what_cannot_be_shown_as_it_runs_is_blocked() -> None:
    verdict = assess_script("const a = 1; /* \u202e */")
    assert verdict.gate is Gate.BLOCKED
    assert verdict.tools == ()
