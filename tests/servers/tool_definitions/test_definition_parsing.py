"""Tool lists of servers: usable tools are used, whatever else the list contains."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.records import Hints
from workbench.servers.tool_definitions import definition_parsing

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
odd_tools = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "unheardOf"), json_values
    ),
)
GOOD = {"name": "good", "inputSchema": {"type": "object"}}


@given(st.lists(json_values | odd_tools, max_size=8))
def test_no_neighbour_harms_a_good_tool(neighbours: list[object]) -> None:
    found = definition_parsing.read("one", [*neighbours, GOOD])
    assert "good" in {tool.name for tool in found.tools}
    assert len({tool.name for tool in found.tools}) == len(found.tools)
    assert all(tool.input_schema["type"] == "object" for tool in found.tools)


def test_everything_a_server_says_is_kept() -> None:
    raw = {
        "name": "one.two",
        "title": "One",
        "description": "Does one.",
        "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "destructiveHint": "yes"},
        "_meta": {"theirs": 1},
    }
    (tool,) = definition_parsing.read("one", [raw]).tools
    assert (tool.title, tool.description, tool.output_schema) == ("One", "Does one.", {"type": "object"})
    assert tool.hints == Hints(read_only=True)
    assert tool.raw == raw
    assert tool.definition_tokens > 10


def test_the_hash_sees_what_matters_and_nothing_else() -> None:
    base = {**GOOD, "description": "d", "annotations": {"readOnlyHint": True}}
    same = {"annotations": {"readOnlyHint": True}, **GOOD, "description": "d", "_meta": {"x": 1}, "icons": []}
    assert definition_parsing.digest(base) == definition_parsing.digest(same)
    for change in (
        {"name": "x"},
        {"title": "T"},
        {"description": "e"},
        {"inputSchema": {"type": "object", "required": ["a"]}},
        {"outputSchema": {}},
        {"annotations": {"readOnlyHint": False}},
    ):
        assert definition_parsing.digest({**base, **change}) != definition_parsing.digest(base)


def test_each_oddity_is_told_once_with_the_tools_name() -> None:
    listed = [
        {"name": "no_schema"},
        {"name": "array", "inputSchema": {"type": "array"}},
        {**GOOD, "outputSchema": 7},
        GOOD,
        "text",
    ]
    warnings = definition_parsing.read("one", listed).warnings
    assert [
        word in warning
        for word, warning in zip(
            ("no_schema has no inputSchema", "array was left out", "outputSchema", "listed twice", "number 5"),
            warnings,
            strict=True,
        )
    ] == [True] * 5


def test_all_definitions_of_a_server_together_have_a_limit(monkeypatch) -> None:
    monkeypatch.setattr("workbench.servers.tool_definitions.definition_parsing.LARGEST_LIST", 1_000)
    listed = [{"name": f"tool_{at}", "description": "d" * 300, "inputSchema": {"type": "object"}} for at in range(9)]
    found = definition_parsing.read("s", listed)
    assert [tool.name for tool in found.tools] == ["tool_0", "tool_1"]
    assert len(found.warnings) == 7
    assert found.warnings[0] == "Tool tool_2 was left out: the server's definitions exceed 1,000 characters."


def test_the_length_of_a_definition_is_counted_in_its_own_characters():
    raw = {"name": "search", "description": "調" * 100_000, "inputSchema": {"type": "object"}}
    assert [tool.name for tool in definition_parsing.read("office", [raw]).tools] == ["search"]
