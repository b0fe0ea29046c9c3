"""Definitions of demo tools."""

from __future__ import annotations

from workbench.demo.tool import READS, DemoAnswer, DemoTool, record, text


def tool(output: bool, *required: str) -> DemoTool:
    return DemoTool(
        name="read",
        title="Read",
        description="Read it.",
        properties={"what": text("What to read", minLength=1)},
        work=lambda company, given, progress: DemoAnswer(),
        hints=READS,
        required=required,
        output=record({"words": text("What it says")}) if output else None,
    )


def test_a_definition_holds_what_the_protocol_wants() -> None:
    found = tool(True, "what").definition()
    assert found["inputSchema"] == {
        "type": "object",
        "properties": {"what": {"type": "string", "description": "What to read", "minLength": 1}},
        "additionalProperties": False,
        "required": ["what"],
    }
    assert found["annotations"]["readOnlyHint"] is True
    assert found["outputSchema"]["required"] == ["words"]


def test_what_a_tool_does_not_have_is_left_out() -> None:
    found = tool(False).definition()
    assert "outputSchema" not in found
    assert "required" not in found["inputSchema"]


def test_optional_keys_of_a_record_are_not_required() -> None:
    assert record({"a": text("A"), "b": text("B")}, optional=("b",))["required"] == ["a"]
