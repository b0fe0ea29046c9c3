"""Raw answers about resources, prompts and completions are parsed into records, whatever a server sends."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from workbench.records import Content
from workbench.servers.resources_and_prompts import resource_parsing

JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(
            some.sampled_from(
                ("contents", "messages", "content", "role", "type", "text", "blob", "uri", "mimeType", "completion",
                 "values", "total", "hasMore", "resource")
            ) | some.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


def test_text_pictures_and_bytes_are_told_apart() -> None:
    raw = {
        "contents": [
            {"uri": "a://t", "mimeType": "text/markdown", "text": "# Hi"},
            {"uri": "a://i", "mimeType": "image/png", "blob": "iVBORw0KGgo="},
            {"uri": "a://b", "mimeType": "application/zip", "blob": "UEs="},
            {"uri": "a://e", "text": ""},
            {"odd": 1},
        ]
    }
    found = resource_parsing.resource("id", raw, 3.0)
    assert found.ok
    assert found.content == (
        Content("text", "# Hi", "text/markdown", uri="a://t"),
        Content("image", "", "image/png", "iVBORw0KGgo=", "a://i"),
        Content("resource", "", "application/zip", "UEs=", "a://b"),
        Content("text", "", uri="a://e"),
        Content("text", '{"odd": 1}'),
    )
    assert found.bytes == 4 + 12 + 4 + 10
    assert found.tokens > 0


def test_an_answer_of_endless_parts_is_cut_and_says_so() -> None:
    found = resource_parsing.resource("id", {"contents": [{"uri": "a", "text": "x"}] * 5_000}, 0.0)
    assert len(found.content) == 1_001
    assert found.content[-1].text == "… 4000 more parts were left out."
    messages = [{"role": "user", "content": {"type": "text", "text": "x"}}] * 1_500
    filled = resource_parsing.prompt("p", {"messages": messages}, 0.0)
    assert filled.messages[-1].content.text == "… 500 more messages were left out."


def test_a_prompt_keeps_roles_and_what_the_server_sent() -> None:
    messages = [
        {"role": "user", "content": {"type": "text", "text": "hello"}},
        {"role": "assistant", "content": {"type": "image", "data": "iVBO", "mimeType": "image/png"}},
        {"role": "user", "content": {"type": "resource", "resource": {"uri": "a://1", "text": "t"}}},
        "bare",
    ]
    found = resource_parsing.prompt("p", {"description": "d", "messages": messages}, 1.0)
    assert [(one.role, one.content.kind) for one in found.messages] == [
        ("user", "text"),
        ("assistant", "image"),
        ("user", "resource"),
        ("", "text"),
    ]
    assert '"bare"' in found.raw


def test_proposals_are_texts_each_once_and_no_more_than_the_protocol_allows() -> None:
    values = ["a", "b", "a", 5, "x" * 3_000, *map(str, range(500))]
    found = resource_parsing.completion({"completion": {"values": values, "total": 503, "hasMore": True}})
    assert found.values[:3] == ("a", "b", "0")
    assert len(found.values) == 100
    assert (found.total, found.more) == (503, True)
    assert resource_parsing.completion({"completion": {"values": "abc", "total": True}}).values == ()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(some.dictionaries(some.sampled_from(("contents", "messages", "completion", "description")), JSON, max_size=4))
def test_nothing_a_server_answers_breaks_it(raw: dict[str, object]) -> None:
    assert resource_parsing.resource("id", raw, 0.0).ok
    resource_parsing.prompt("p", raw, 0.0)
    resource_parsing.completion(raw)
