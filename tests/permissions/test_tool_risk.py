"""How risky a tool is, by its hints and its name."""

from __future__ import annotations

import pytest

from workbench.permissions.tool_annotations import contradicts, sends, tool_risk
from workbench.records import Hints, Risk, Tool


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
    assert sends(Tool("s", "send_email"))
    assert sends(Tool("s", "create_issue", hints=Hints(read_only=False, open_world=True)))
    assert not sends(Tool("s", "fetch", hints=Hints(read_only=True, open_world=True)))
    assert not sends(Tool("s", "create_note", hints=Hints(destructive=False, open_world=False)))
