"""What the wire makes of the person's vocabulary."""

from __future__ import annotations

import contextlib

import pytest

from workbench.errors import WorkbenchError
from workbench.records import EntryQuery
from workbench.wire.codec import decode, preview
from workbench.wire.vocabulary import vocabulary


@pytest.mark.parametrize("name", sorted(vocabulary()))
def test_the_wire_has_words_for_every_argument_and_answer(name):
    question = vocabulary()[name]
    for hint in (*question.hints.values(), question.answer):
        with contextlib.suppress(WorkbenchError):  # the value does not fit; a hint without words is a TypeError
            decode(hint, object())


def test_arguments_travel_by_name_however_they_were_given():
    question = vocabulary()["search"]
    assert question.encode_arguments("orders", limit=3, depth="name") == {
        "query": "orders", "depth": "name", "limit": 3,
    }  # fmt: skip
    entries = vocabulary()["entries"]
    query = EntryQuery(text="x")
    assert entries.decode_arguments(entries.encode_arguments(query), preview) == {"query": query}


@pytest.mark.parametrize("given", [{}, {"path": "a", "mode": "w"}, {"paht": "a"}])
def test_wrong_arguments_are_named(given):
    with pytest.raises(WorkbenchError, match="wrong arguments"):
        vocabulary()["read_file"].decode_arguments(given, preview)
