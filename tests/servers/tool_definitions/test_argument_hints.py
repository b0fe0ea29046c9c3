"""The hint after wrong arguments names the right ones, and only then."""

from __future__ import annotations

from workbench.records import Tool
from workbench.servers.tool_definitions.tool_error_messages import hint, list_parameters, names

TOOL = Tool(
    "s",
    "t",
    input_schema={
        "type": "object",
        "properties": {"body": {"type": ["string", "null"]}, "title": {"type": "string"}, "kind": {"enum": ["a", 1]}},
        "required": ["title"],
    },
)


def test_required_ones_come_first_with_their_types() -> None:
    assert list_parameters(TOOL) == "Parameters: title (string, required), body (string or null), kind ('a' | 1)."


def test_a_strange_argument_is_named_with_its_neighbour() -> None:
    assert hint(TOOL, {"titel": "x"}, "boom").startswith("There is no parameter titel. Did you mean title?")


def test_programs_get_the_same_as_names() -> None:
    assert names(TOOL, {"titel": "x"}, "boom") == (["title", "body", "kind"], ["title"])
    assert names(TOOL, {"title": "x"}, "Validation failed") == (["title", "body", "kind"], [])
    assert names(TOOL, {"title": "x"}, "The disk is full") == ([], [])


def test_a_complaint_about_arguments_brings_the_list() -> None:
    assert hint(TOOL, {"title": "x"}, "Validation failed").startswith("Parameters:")


def test_another_trouble_brings_nothing() -> None:
    assert hint(TOOL, {"title": "x"}, "The disk is full") == ""


def test_a_tool_without_parameters_says_so_and_a_long_list_is_cut() -> None:
    assert list_parameters(Tool("s", "t")) == "It takes no parameters."
    many = {"type": "object", "properties": {f"p{number}": {} for number in range(205)}}
    assert list_parameters(Tool("s", "t", input_schema=many)).endswith("… and 175 more.")


def test_odd_schemas_do_no_harm() -> None:
    for schema in ({"properties": 7, "required": 7}, {"properties": {"a": True}, "required": [1, "a"]}):
        assert list_parameters(Tool("s", "t", input_schema=schema))
