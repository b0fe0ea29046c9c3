"""What differs between two definitions, as pieces and places."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.gui.servers.definition_changes import ChangedValue, TextPiece, diff_texts, find_changed_values


def test_descriptions_are_compared_word_by_word() -> None:
    assert diff_texts("Sends a mail to you.", "Sends a copy to evil.") == (
        TextPiece("=", "Sends a "),
        TextPiece("-", "mail"),
        TextPiece("+", "copy"),
        TextPiece("=", " to "),
        TextPiece("-", "you"),
        TextPiece("+", "evil"),
        TextPiece("=", "."),
    )


def test_a_replaced_sentence_reads_as_one_that_left_and_one_that_came() -> None:
    assert diff_texts("It reads files.", "It sends mail.") == (
        TextPiece("=", "It "),
        TextPiece("-", "reads files"),
        TextPiece("+", "sends mail"),
        TextPiece("=", "."),
    )


@given(st.text(), st.text())
def test_both_texts_can_be_read_from_the_pieces(before: str, after: str) -> None:
    pieces = diff_texts(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "+") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "-") == after


def test_long_texts_are_compared_by_lines() -> None:
    long = "\n".join(f"line {number} of the text" for number in range(3_000))
    changed = [piece for piece in diff_texts(long, long.replace("line 7 ", "line seven ")) if piece.kind != "="]
    assert [piece.text for piece in changed] == ["line 7 of the text\n", "line seven of the text\n"]


def test_a_schema_is_compared_place_by_place() -> None:
    before = {
        "description": "x",
        "inputSchema": {"properties": {"to": {"type": "string"}, "old": {}}, "required": ["to"]},
    }
    after = {"description": "y", "inputSchema": {"properties": {"to": {"type": "array"}, "key": {}}, "required": []}}
    assert find_changed_values(before, after, without=frozenset({"description"})) == (
        ChangedValue("inputSchema.properties.to.type", '"string"', '"array"'),
        ChangedValue("inputSchema.properties.key", "", "{}"),
        ChangedValue("inputSchema.properties.old", "{}", ""),
        ChangedValue("inputSchema.required", '["to"]', "[]"),
    )


def test_lists_of_objects_are_looked_into_and_true_is_not_1() -> None:
    assert find_changed_values({"anyOf": [{"a": 1}, {"b": 1}]}, {"anyOf": [{"a": 1}, {"b": True}, {"c": 1}]}) == (
        ChangedValue("anyOf[1].b", "1", "true"),
        ChangedValue("anyOf[2]", "", '{"c": 1}'),
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, JSON)
def test_equal_values_have_no_difference_and_others_have_one(one: Any, other: Any) -> None:
    assert find_changed_values(one, one) == ()
    assert bool(find_changed_values(one, other)) or one == other
