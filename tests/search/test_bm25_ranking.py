"""Names weigh most; a schema of any shape can be indexed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.records import Tool
from workbench.search.bm25_ranking import Bm25Ranking, SearchedTool


def ranking(*tools: Tool) -> Bm25Ranking:
    return Bm25Ranking([SearchedTool(tool, tool.name, "") for tool in tools])


def test_a_name_weighs_more_than_a_description_and_that_more_than_a_parameter() -> None:
    parameter = {"type": "object", "properties": {"weather": {}}}
    found = ranking(
        Tool("s", "c", input_schema=parameter), Tool("s", "b", description="weather"), Tool("s", "weather_report")
    )
    assert found.rank("weather today", 10)[0] == [2, 1, 0]


def test_nested_parameters_are_found() -> None:
    inner = {"type": "object", "properties": {"postcode": {"description": "of the parcel"}}}
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": inner}}}
    found = ranking(Tool("s", "a"), Tool("s", "b", input_schema=schema))
    assert found.rank("postcode", 10) == ([1], 1)
    assert found.rank("parcel", 10) == ([1], 1)


def test_one_clause_of_a_long_wish_is_enough() -> None:
    found = ranking(
        Tool("s", "take_screenshot", description="Take a screenshot."),
        Tool("s", "report", description="Open log in page write report open log in page."),
    )
    best, _ = found.rank("open the page. then take a screenshot", 1)
    assert best == [0]


def test_equal_scores_are_in_a_stable_order() -> None:
    tools = [Tool("s", name, description="same") for name in "cab"]
    assert ranking(*tools).rank("same", 10)[0] == [1, 2, 0]


@given(
    st.recursive(
        st.none() | st.text(max_size=5),
        lambda x: (
            st.lists(x) | st.dictionaries(st.sampled_from(["properties", "items", "description", "a"]), x, max_size=4)
        ),
        max_leaves=10,
    ),
    st.text(),
)
def test_no_schema_and_no_query_raises(schema: object, query: str) -> None:
    found = ranking(Tool("s", "a", input_schema={"type": "object", "properties": schema}))
    positions, total = found.rank(query, 5)
    assert len(positions) == total
