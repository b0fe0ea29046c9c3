"""Results of real servers are converted to outcomes. No result can raise an exception."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.records import Content, Tool
from workbench.servers import call_results

TOOL = Tool("one", "tool", input_schema={"type": "object", "properties": {"text": {"type": "string"}}})
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
odd_blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "resource", "resource_link", "x"])},
    optional=dict.fromkeys(("text", "data", "mimeType", "resource", "uri", "name"), json_values),
)
odd_results = st.fixed_dictionaries(
    {},
    optional={
        "content": json_values | st.lists(odd_blocks, max_size=4),
        "structuredContent": json_values,
        "isError": json_values,
        "resultType": json_values,
    },
)


@given(odd_results)
def test_whatever_comes_is_an_outcome(raw: dict[str, object]) -> None:
    outcome = call_results.read("1", TOOL, {}, raw, 1.0)
    assert outcome.ok is (outcome.fault is None)
    assert outcome.tokens >= 0
    if outcome.structured:
        json.loads(outcome.structured, parse_constant=lambda name: 1 / 0)  # strict: no NaN, no Infinity


def test_every_kind_of_block() -> None:
    blocks = [
        {"type": "text", "text": "t"},
        {"type": "image", "data": "aQ==", "mimeType": "image/png"},
        {"type": "audio", "data": "YQ==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "r"}},
        {"type": "resource_link", "uri": "file:///b", "name": "b"},
    ]
    assert call_results.read("1", TOOL, {}, {"content": blocks}, 0).content == (
        Content("text", "t"),
        Content("image", mime="image/png", data="aQ=="),
        Content("audio", mime="audio/wav", data="YQ=="),
        Content("resource", "r", "text/plain", uri="file:///a"),
        Content("link", "b", uri="file:///b", name="b"),
    )


def test_of_text_and_structure_the_fuller_one_is_counted() -> None:
    words = {"content": [{"type": "text", "text": "two rows, and many more words than the rows have"}]}
    both = {**words, "structuredContent": {"rows": [1, 2]}}
    rows = {"content": [{"type": "text", "text": "rows"}], "structuredContent": {"rows": list(range(200))}}
    assert call_results.read("1", TOOL, {}, both, 0).tokens == call_results.read("1", TOOL, {}, words, 0).tokens
    assert call_results.read("1", TOOL, {}, rows, 0).tokens > 200
    assert call_results.read("1", TOOL, {}, {"structuredContent": {"said": "some words here"}}, 0).tokens > 0


def test_a_tool_that_fails_silently_still_has_a_sentence() -> None:
    assert "without an error message" in call_results.read("1", TOOL, {}, {"isError": True}, 0).fault.message


def test_a_promise_of_structure_that_is_not_kept_is_told() -> None:
    tool = Tool("one", "tool", output_schema={"type": "object"})
    assert "no structured content" in call_results.read("1", tool, {}, {"content": []}, 0).schema_fault


def test_a_question_back_is_a_fault() -> None:
    assert "requests input" in call_results.read("1", TOOL, {}, {"resultType": "input_required"}, 0).fault.message


async def test_a_large_answer_is_the_same_as_a_small_one() -> None:
    raw = {"content": [{"type": "text", "text": "word " * 100_000}]}
    outcome = await call_results.outcome("1", TOOL, {}, raw, 0)
    assert outcome.bytes == 500_000
    assert 90_000 < outcome.tokens < 110_000
