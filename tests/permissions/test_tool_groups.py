"""What a tool does at worst, to judge by its name, its hints and its parameters."""

from __future__ import annotations

import pytest

from workbench.permissions.tool_annotations import examine
from workbench.records import Hints, Tool, ToolGroup, UserAnnotations

SAYS_READS, SAYS_ADDS = Hints(read_only=True), Hints(read_only=False, destructive=False)
R, A, C, D, X = ToolGroup.READS, ToolGroup.ADDS, ToolGroup.CHANGES, ToolGroup.DESTROYS, ToolGroup.OUTSIDE


@pytest.mark.parametrize(
    ("name", "hints", "group"),
    [
        ("get_order", Hints(), R),
        ("git_log", SAYS_READS, R),
        ("git_log", Hints(), C),
        ("delete_all", SAYS_READS, D),
        ("send_mail", SAYS_READS, X),
        ("create_note", Hints(), A),
        ("create_or_update_file", Hints(), C),
        ("update_note", SAYS_ADDS, C),
        ("frobnicate", SAYS_ADDS, A),
        ("frobnicate", Hints(), C),
        ("write_file", Hints(destructive=True), C),
        ("frobnicate", Hints(destructive=True), D),
        ("purge_cache", SAYS_ADDS, D),
        ("post_message", Hints(), X),
        ("create_issue", Hints(read_only=False, open_world=True), X),
        ("get_page", Hints(read_only=False), C),
        ("get_and_delete", Hints(), D),
        ("delеte_row", SAYS_READS, D),
    ],
)
def test_the_group_is_the_worst_that_nothing_speaks_against(name: str, hints: Hints, group: ToolGroup) -> None:
    found = examine(Tool("s", name, hints=hints), None, UserAnnotations())
    assert found.group is group, found
    harmless = hints.read_only or hints.destructive is False
    assert bool(found.doubt) == bool(harmless and group not in (R, A) and group is not X) or group is X


@pytest.mark.parametrize(
    ("name", "parameter", "group"),
    [("frobnicate", "command", D), ("get_result", "script", D), ("calculate", "code", D), ("get_coupon", "code", R),
     ("frobnicate", "sql", C)],
)  # fmt: skip
def test_a_tool_that_does_what_a_parameter_says_may_do_anything(name: str, parameter: str, group: ToolGroup) -> None:
    schema = {"properties": {parameter: {"type": "string"}}}
    for hints in (Hints(), SAYS_READS):
        found = examine(Tool("s", name, input_schema=schema, hints=hints), None, UserAnnotations())
        assert found.group is (R if parameter == "sql" and hints.read_only else group), (hints, found)


def test_a_description_makes_a_tool_stricter_only() -> None:
    described = Tool("s", "deliver_note", description="Sends the note to a customer.")
    assert examine(described, None, UserAnnotations()).group is X
    promised = Tool("s", "delete_note", description="Only reads, promised.")
    assert examine(promised, None, UserAnnotations()).group is D


def test_the_users_word_about_a_tool_decides() -> None:
    tool = Tool("s", "delete_all")
    assert examine(tool, None, UserAnnotations(read_only=True)).group is R
    assert examine(Tool("s", "get_row"), None, UserAnnotations(sends=True)).group is X
