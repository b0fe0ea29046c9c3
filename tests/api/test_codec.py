"""Records survive the wire; what does not fit is refused with the name of the field."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw, Struct

from workbench import records
from workbench.api import codec
from workbench.api.codec import (
    LARGE,
    PREVIEW,
    TextPreview,
    decode,
    decode_event,
    encode,
    encode_event,
    to_json,
    to_message,
    to_plain,
)
from workbench.api.server import LongTextStore
from workbench.errors import WorkbenchError
from workbench.events import CallProgress, Event, RunOutput
from workbench.records import Content, Fault, Hints, Outcome, Risk, Tool, ToolCall, ToolSummary, Trust, UserAnnotations
from workbench.settings import Settings

NAMES = [getattr(records, name) for name in records.__all__]
RECORDS = [kind for kind in NAMES if isinstance(kind, type) and issubclass(kind, Struct)] + [Settings]
EVENTS = get_args(Event)
TEXT = st.text(max_size=20)
FLOATS = st.floats(allow_nan=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**200), 2**200) | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
PLAIN = {str: TEXT, int: st.integers(), bool: st.booleans(), float: FLOATS, Any: JSON, type(None): st.none()}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a hint, made from the hint alone: a new field of a record is covered without a word here."""
    if hint in PLAIN:
        return PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    if isinstance(hint, type) and (issubclass(hint, Struct) or dataclasses.is_dataclass(hint)):
        hints = get_type_hints(hint)
        names = hint.__struct_fields__ if issubclass(hint, Struct) else [f.name for f in dataclasses.fields(hint)]
        return st.builds(hint, **{name: values(hints[name]) for name in names})
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values, arguments))
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    assert issubclass(origin, Mapping)
    return st.dictionaries(st.text(max_size=5), values(arguments[1]), max_size=2)


def over_the_wire(encoded: Raw) -> Raw:
    """What arrives of an encoded value, in a frame."""
    return to_message(to_json({"value": encoded}))["value"]


def raw(value: Any) -> Raw:
    """A value as a foreign process may send it."""
    return Raw(json.dumps([value]).encode())


def test_every_record_comes_back_as_it_went() -> None:
    for kind in RECORDS:
        _check_record(kind)


def _check_record(kind: Any) -> None:
    @given(values(kind))
    @settings(max_examples=10)
    def comes_back(record: Any) -> None:
        for encoded in (encode(kind, record), encode(kind, record, LongTextStore().store), raw(to_plain(record))):
            back = decode(kind, over_the_wire(encoded))
            assert back == record, kind
            assert repr(back) == repr(record), kind

    comes_back()


def test_every_event_comes_back_as_it_went() -> None:
    for kind in EVENTS:
        _check_event(kind)


def _check_event(kind: Any) -> None:
    @given(values(kind))
    @settings(max_examples=10)
    def comes_back(event: Any) -> None:
        assert decode_event(over_the_wire(encode_event(event))) == event

    comes_back()


@given(st.sampled_from([*RECORDS, *EVENTS, tuple[Tool, ...], Mapping[str, Risk], str, bool]), JSON)
def test_any_json_is_decoded_or_refused_but_never_crashes(hint: Any, value: Any) -> None:
    refused = "decoded"
    try:
        decode(hint, raw(value))
    except WorkbenchError as fault:
        refused = fault.message
    assert refused


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_refused(body: bytes) -> None:
    try:
        message = to_message(body)
    except WorkbenchError:
        return
    assert isinstance(message, dict)


def test_unknown_keys_are_ignored_and_missing_ones_take_their_default() -> None:
    assert decode(Fault, raw({"message": "No.", "colour": "red"})) == Fault("No.")


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (Fault, {}, "Fault: Object missing required field `message`"),
        (Fault, {"message": 3}, "Fault: Expected `str`, got `int` - at `$.message`"),
        (Fault, [], "Fault: Expected `object`, got `array`"),
        (Outcome, {"call_id": "c", "ok": True, "fault": {"message": []}}, "got `array` - at `$.fault.message`"),
        (Outcome, {"call_id": "c", "ok": 1}, "Outcome: Expected `bool`, got `int` - at `$.ok`"),
        (CallProgress, {"event": "CallProgress", "call_id": "c", "progress": "1"}, "at `$.progress`"),
        (Risk, "extreme", "Risk: Invalid enum value 'extreme'"),
        (tuple[str, ...], "abc", "Expected `array`, got `str`"),
        (int, True, "Expected `int`, got `bool`"),
        (int, 1.0, "Expected `int`, got `float`"),
        (type(None), 0, "Expected `null`"),
        (str, {"handle": "h", "size": 1, "preview": "p"}, "Expected `str`, got `object`"),
    ],
)
def test_a_wrong_shape_names_the_field(hint: Any, value: Any, words: str) -> None:
    with pytest.raises(WorkbenchError) as caught:
        decode(hint, raw(value))
    assert words in caught.value.message


@pytest.mark.parametrize("value", [{}, [], {"event": "NoSuchEvent"}, {"event": ["RunOutput"]}, {"event": None}, None])
def test_what_is_no_event_is_refused(value: Any) -> None:
    with pytest.raises(WorkbenchError):
        decode_event(raw(value))


def test_what_is_no_message_is_refused() -> None:
    shapes = (b'{"events": 3}', b'{"events": {}}', b'{"a": NaN, "events": 3}', b"\xff{}")
    for body in (b"", b"{", b"3", b"[]", b'"a"', b"null", *shapes, b"[" * 100_000, b'{"value":' * 100_000):
        with pytest.raises(WorkbenchError):
            pytest.fail(f"{body[:40]!r} became {to_message(body)}")


def test_a_message_with_numbers_that_are_not_finite_is_read() -> None:
    message = to_message(b'{"id": 1, "value": [{"message": "a"}], "hello": NaN}')
    assert decode(Fault, message["value"]) == Fault("a")
    assert math.isnan(message["hello"])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_stay_what_they_are(value: float) -> None:
    record = ToolCall("c", "s", "t", {"deep": [value, {"x": value}]}, records.Origin.PERSON, "")
    back = decode(ToolCall, over_the_wire(encode(ToolCall, record)))
    assert repr(back) == repr(record)
    progress = decode_event(over_the_wire(encode_event(CallProgress("c", value, value, ""))))
    assert repr(progress) == repr(CallProgress("c", value, value, ""))


@pytest.mark.parametrize("value", ["\ud800", "\udfff\ud800", "a" * 100 + "\udc80", 2**64, -(2**63) - 1, 10**100])
def test_lone_surrogates_and_great_numbers_stay_what_they_are(value: Any) -> None:
    record = ToolCall("c", "s", "t", {"deep": [value], str(value): 1}, records.Origin.PERSON, "")
    assert decode(ToolCall, over_the_wire(encode(ToolCall, record))) == record


def test_what_json_cannot_say_is_refused_with_a_sentence() -> None:
    for value in (object(), {1, 2, object()}, 10**5000, {"a": {object(): 1}}):
        with pytest.raises(WorkbenchError, match=r"This value cannot be sent"):
            encode(Any, value)


def test_json_that_is_nested_too_deeply_is_refused_with_a_sentence() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(WorkbenchError):
        encode(Any, deep)
    with pytest.raises(WorkbenchError):
        decode(Any, Raw(b"[" * 100_000 + b"]" * 100_000))


def test_subclasses_of_plain_types_travel_as_those() -> None:
    class Text(str):
        __slots__ = ()

    class Number(int):
        pass

    found = decode(Any, over_the_wire(encode(Any, {"a": Text("x"), "b": [Number(3)], "c": types.MappingProxyType({})})))
    assert found == {"a": "x", "b": [3], "c": {}}


def test_a_whole_number_becomes_the_float_a_field_promises() -> None:
    event = decode_event(raw({"event": "CallProgress", "call_id": "c", "progress": 1, "total": 2, "message": ""}))
    assert isinstance(event, CallProgress)
    assert type(event.progress) is float


def test_only_texts_past_the_limit_stay_behind() -> None:
    shelf = LongTextStore()
    just, over = "x" * LARGE, "y" * (LARGE + 1)
    assert decode(str, encode(str, just, shelf.store)) == just
    encoded = over_the_wire(encode(RunOutput, RunOutput("r", "stdout", over), shelf.store))
    assert len(bytes(encoded)) < PREVIEW + 500
    back = decode(RunOutput, encoded).text
    assert isinstance(back, TextPreview)
    assert back == over[:PREVIEW]
    assert back.size == LARGE + 1
    assert shelf.slice(back.handle, 0, back.size) == over
    assert decode(str, encode(str, back), shelf.resolve) == over


def test_long_texts_are_found_at_every_depth_and_come_back_whole() -> None:
    shelf, long = LongTextStore(), "\ud800" + "z" * LARGE
    for hint, value in (
        (Outcome, Outcome("c", True, (Content("text", "short"), Content("text", long)), long, Fault("f", detail=long))),
        (tuple[Tool, ...], (Tool("a", "short"), Tool("b", long))),
        (Mapping[str, str], {"a": long, "b": "short"}),
        (Trust, Trust(annotations={"s": {"t": UserAnnotations(key=long)}})),
    ):
        seen = decode(hint, over_the_wire(encode(hint, value, shelf.store)))
        assert seen != value, hint
        assert decode(hint, over_the_wire(encode(hint, seen)), shelf.resolve) == value, hint


def test_json_that_looks_like_a_handle_stays_json() -> None:
    tool = Tool("s", "t", raw={"handle": "h", "size": 1, "preview": "p"}, input_schema={"x": "y" * (LARGE + 1)})
    assert decode(Tool, over_the_wire(encode(Tool, tool, LongTextStore().store))) == tool


def test_a_long_text_where_none_belongs_is_refused() -> None:
    plain = to_plain(Outcome("c", True, (Content("text", "t"),)))
    content = (["content"], ["content", 0], ["content", 5, "text"], ["content", "0", "text"], ["content", 0, "text", 0])
    for path in (["ok"], ["nothing"], [], [0], ["__class__"], ["fault", "message"], *content):
        with pytest.raises(WorkbenchError, match="a place that does not take text"):
            decode(Outcome, Raw(msgspec.json.encode([plain, [[path, "handle", 1]]])), lambda *_: "whole")


@pytest.mark.parametrize("shelved", [3, [3], [[]], [["text", "h", 1]], [[["text"], 1, 1]], [[["text"], "h", "1"]]])
def test_a_broken_list_of_long_texts_is_refused(shelved: Any) -> None:
    with pytest.raises(WorkbenchError):
        decode(RunOutput, Raw(json.dumps([to_plain(RunOutput("r", "stdout", "t")), shelved]).encode()))


def test_lists_of_records_keep_their_order() -> None:
    tools = tuple(ToolSummary("s", f"t{i}", "", "", Hints(read_only=i % 2 == 0), "", i) for i in range(50))
    assert decode(tuple[ToolSummary, ...], over_the_wire(encode(tuple[ToolSummary, ...], tools))) == tools


def test_decoders_are_made_on_first_use() -> None:
    codec._decoder.cache_clear()
    decode(Fault, raw({"message": "m"}))
    assert codec._decoder.cache_info().currsize == 1
