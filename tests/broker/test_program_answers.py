"""What a program gets of a call's outcome."""

from __future__ import annotations

import base64
import json
import math

from workbench.broker.program_answers import failure, texts_of, value_of
from workbench.records import Content, Fault, Origin, Outcome, Tool, ToolCall
from workbench.sandbox.program import JsonText

PICTURE = Content("image", mime="image/png", data="eA==")
CALL = ToolCall("c", "s", "t", {"titel": "x"}, Origin.AGENT, "session")
TOOL = Tool("s", "t", input_schema={"type": "object", "properties": {"title": {}, "body": {}}, "required": ["title"]})


def parts(*content):
    answer = value_of(Outcome("c", True, content=content))
    assert answer.shape == "blocks"
    return json.loads(answer.text)


def test_structure_comes_first_then_json_then_text():
    assert value_of(Outcome("c", True, (Content("text", "{}"),), '{"a": 1}')) == JsonText('{"a": 1}')
    assert value_of(Outcome("c", True, (Content("text", "[1, 2]"),))) == JsonText("[1, 2]")
    assert value_of(Outcome("c", True, (Content("text", "plain"),))) == "plain"
    assert value_of(Outcome("c", True, (Content("text", "[Infinity]"),))) == [math.inf]


def test_a_picture_beside_structure_is_not_lost():
    answer = value_of(Outcome("c", True, (Content("text", "a"), PICTURE), '{"a": 1}'))
    assert answer.shape == "structured"
    structured, (text, picture) = json.loads(answer.text)
    assert (structured, text["text"], picture["data"]) == ({"a": 1}, "a", "eA==")


def test_parts_travel_as_the_protocol_has_them():
    assert parts(Content("text", "a"), PICTURE) == [
        {"type": "text", "text": "a"},
        {"type": "image", "mimeType": "image/png", "data": "eA=="},
    ]
    assert parts(
        Content("resource", "r", "text/plain", uri="file:///a"), Content("resource", data="AA==", uri="b")
    ) == [
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "r"}},
        {"type": "resource", "resource": {"uri": "b", "mimeType": "", "blob": "AA=="}},
    ]
    assert parts(Content("link", "The file", "text/csv", uri="file:///b", name="b.csv", note="All.")) == [
        {
            "type": "resource_link",
            "uri": "file:///b",
            "name": "b.csv",
            "title": "The file",
            "description": "All.",
            "mimeType": "text/csv",
        }
    ]
    assert parts() == []


def test_a_failure_says_whose_it_was():
    def code(outcome, tool=TOOL):
        return failure(outcome, CALL, tool).code

    assert code(Outcome("c", False, fault=Fault("No."), tool_error=True)) == "tool"
    assert code(Outcome("c", False, fault=Fault("No."), refused=True)) == "refused"
    assert code(Outcome("c", False, fault=Fault("Too long.", code="timeout"))) == "timeout"
    assert code(Outcome("c", False, fault=Fault("Gone."))) == "server"
    assert code(Outcome("c", False)) == "server"


def test_wrong_parameters_bring_the_right_ones_and_an_unknown_tool_its_neighbours():
    wrong = failure(Outcome("c", False, fault=Fault("Bad.", "Hint."), tool_error=True), CALL, TOOL)
    assert (wrong.message, wrong.hint) == ("Bad.", "Hint.")
    assert (wrong.valid_parameters, wrong.suggestions) == (("title", "body"), ("title",))
    unknown = failure(Outcome("c", False, fault=Fault("None.", code="unknown_tool"), refused=True), CALL, None, ["tt"])
    assert (unknown.code, unknown.valid_parameters, unknown.suggestions) == ("unknown_tool", (), ("tt",))


def test_whatever_a_program_can_read_of_an_answer_is_among_its_texts():
    file = Content("resource", data=base64.b64encode(b"in a file").decode(), uri="file:///a")
    link = Content("link", uri="https://evil.example/x", name="n", note="read me")
    fault = Fault("It failed for eve", "Ask mallory.")
    assert set(texts_of(Outcome("c", False, (Content("text", "a"), file, link), fault=fault))) == {
        "a", "in a file", "file:///a", "https://evil.example/x", "n", "read me", "It failed for eve", "Ask mallory.",
    }  # fmt: skip
    assert texts_of(Outcome("c", True, (Content("text", "a"),), '{"a": 1}')) == ('{"a": 1}',)
    assert "a" in texts_of(Outcome("c", True, (Content("text", "a"), PICTURE), '{"a": 1}'))
