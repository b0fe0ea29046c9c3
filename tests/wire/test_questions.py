"""The person's vocabulary and what the wire makes of it."""

from __future__ import annotations

import contextlib
import inspect

import pytest

from workbench.errors import WorkbenchError
from workbench.records import EntryQuery
from workbench.wire.codec import decode, preview
from workbench.wire.questions import DECISIVE, Questions
from workbench.wire.vocabulary import vocabulary


def test_every_declared_question_can_be_asked_and_nothing_else():
    declared = {name for name in vars(Questions) if not name.startswith("_")}
    assert set(vocabulary()) == declared
    assert all(inspect.iscoroutinefunction(getattr(Questions, name)) for name in declared)


def test_what_decides_something_is_declared():
    assert set(vocabulary()) >= DECISIVE


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
