"""Records survive the wire; what does not fit is refused with the name of the field."""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import records
from workbench.errors import WorkbenchError
from workbench.events import CallProgress, Event, RunOutput
from workbench.records import Fault, Hints, Outcome, Risk, Tool, ToolSummary
from workbench.settings import Settings
from workbench.wire.codec import LARGE, PREVIEW, Shelved, decode, decode_event, encode, encode_event
from workbench.wire.shelf import Shelf

RECORDS = [kind for name in records.__all__ if dataclasses.is_dataclass(kind := getattr(records, name))] + [Settings]
EVENTS = get_args(Event)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
PLAIN = {
    str: st.text(max_size=20),
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(allow_nan=False),
    Any: JSON,
    type(None): st.none(),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a hint, made from the hint alone: a new field of a record is covered without a word here."""
    if hint in PLAIN:
        return PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    if dataclasses.is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{f.name: values(hints[f.name]) for f in dataclasses.fields(hint)})
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values, arguments))
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    assert issubclass(origin, Mapping)
    return st.dictionaries(st.text(max_size=5), values(arguments[1]), max_size=2)


def over_the_wire(plain: Any) -> Any:
    return json.loads(json.dumps(plain))


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_comes_back_as_it_went(kind):
    @given(values(kind))
    def comes_back(record):
        back = decode(kind, over_the_wire(encode(kind, record)))
        assert back == record
        assert repr(back) == repr(record)

    comes_back()


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_comes_back_as_it_went(kind):
    @given(values(kind))
    def comes_back(event):
        assert decode_event(over_the_wire(encode_event(event))) == event

    comes_back()


@given(st.sampled_from([*RECORDS, *EVENTS, tuple[Tool, ...], Mapping[str, Risk], str, bool]), JSON)
def test_any_json_is_decoded_or_refused_but_never_crashes(hint, value):
    refused = "decoded"
    try:
        decode(hint, value)
    except WorkbenchError as fault:
        refused = fault.message
    assert refused


def test_unknown_keys_are_ignored_and_missing_ones_take_their_default():
    assert decode(Fault, {"message": "No.", "colour": "red"}) == Fault("No.")


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (Fault, {}, "Fault came without message"),
        (Fault, {"message": 3}, "Fault.message: expected text, not int"),
        (Fault, [], "expected Fault, not list"),
        (Outcome, {"call_id": "c", "ok": True, "fault": {"message": []}}, "Outcome.fault: Fault.message"),
        (Outcome, {"call_id": "c", "ok": 1}, "Outcome.ok: expected true or false"),
        (CallProgress, {"call_id": "c", "progress": "1", "total": 1, "message": ""}, "CallProgress.progress"),
        (Risk, "extreme", "expected Risk"),
        (tuple[str, ...], "abc", "expected a list"),
        (int, True, "expected a whole number"),
        (type(None), 0, "expected nothing"),
    ],
)
def test_a_wrong_shape_names_the_field(hint, value, words):
    with pytest.raises(WorkbenchError) as caught:
        decode(hint, value)
    assert words in caught.value.message


@pytest.mark.parametrize("value", [{}, [], {"event": "NoSuchEvent"}, {"event": ["RunOutput"]}, {"event": None}, None])
def test_what_is_no_event_is_refused(value):
    with pytest.raises(WorkbenchError):
        decode_event(value)


def test_a_whole_number_becomes_the_float_a_field_promises():
    event = decode_event({"event": "CallProgress", "call_id": "c", "progress": 1, "total": 2, "message": ""})
    assert isinstance(event, CallProgress)
    assert type(event.progress) is float


def test_only_texts_past_the_limit_stay_behind():
    shelf = Shelf()
    just, over = "x" * LARGE, "y" * (LARGE + 1)
    assert encode(str, just, shelf.keep) == just
    left = over_the_wire(encode(RunOutput, RunOutput("r", "stdout", over), shelf.keep))["text"]
    assert left["size"] == LARGE + 1
    assert left["preview"] == over[:PREVIEW]
    back = decode(str, left)
    assert isinstance(back, Shelved)
    assert shelf.slice(back.handle, 0, back.size) == over
    assert decode(str, encode(str, back), shelf.whole) == over


def test_json_that_looks_like_a_handle_stays_json():
    tool = Tool("s", "t", raw={"handle": "h", "size": 1, "preview": "p"}, input_schema={"x": "y" * (LARGE + 1)})
    assert decode(Tool, over_the_wire(encode(Tool, tool, Shelf().keep))) == tool


@pytest.mark.parametrize("reference", [{}, {"handle": 1, "size": 1, "preview": ""}, {"handle": "h", "size": True}])
def test_a_broken_handle_is_a_fault(reference):
    with pytest.raises(WorkbenchError, match="without its handle"):
        decode(str, reference)


def test_lists_of_records_keep_their_order():
    tools = tuple(ToolSummary("s", f"t{i}", "", "", Hints(read_only=i % 2 == 0), "", i) for i in range(50))
    assert decode(tuple[ToolSummary, ...], over_the_wire(encode(tuple[ToolSummary, ...], tools))) == tools


def test_a_hint_the_wire_has_no_words_for_fails_when_it_is_declared():
    for hint in (set[int], int | str, tuple[int, str], bytes):
        with pytest.raises(TypeError, match="no words"):
            decode(hint, None)
