"""Turns records into JSON and back, guided by the records' own type hints, so that no record needs code for the wire.

A codec for a type is made once and kept. Unknown keys are ignored (the other side may be newer), a wrong shape is a
`WorkbenchError` that names the field. Long text can stay behind: where a hint says `str`, an encoder may put a handle
in place of the text, and the decoder gives a `Shelved` preview, or the whole text where the shelf is at hand.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from workbench.errors import WorkbenchError
from workbench.events import Event
from workbench.records import JsonObject, JsonValue

LARGE = 64 * 1024  # text of more characters than this stays behind
PREVIEW = 8 * 1024  # and so much of it travels at once

Keep: TypeAlias = Callable[[str], str]  # puts a long text away, answers with its handle
Resolve: TypeAlias = Callable[[JsonObject], str]  # makes a text of {"handle", "size", "preview"}
# Any: a hint is whatever the type system allows, and what is encoded is whatever the hint says.
Hint: TypeAlias = Any
_Encode: TypeAlias = Callable[[Any, "Keep | None"], JsonValue]
_Decode: TypeAlias = Callable[[JsonValue, Resolve], Any]


class Shelved(str):
    """The beginning of a long text; the rest waits in the core under `handle`."""

    __slots__ = ("handle", "size")
    handle: str
    size: int  # characters of the whole text

    def __new__(cls, preview: str, handle: str, size: int) -> Shelved:
        self = super().__new__(cls, preview)
        self.handle, self.size = handle, size
        return self


def preview(reference: JsonObject) -> str:
    """What a door makes of a handle: the beginning of the text, and where the rest is."""
    handle, size, text = reference.get("handle"), reference.get("size"), reference.get("preview")
    if type(handle) is not str or type(size) is not int or type(text) is not str:
        raise WorkbenchError("A long text arrived without its handle.")
    return Shelved(text, handle, size)


def encode(hint: Hint, value: Any, keep: Keep | None = None) -> JsonValue:
    """A value of the hinted type as plain JSON; with `keep`, long texts become handles."""
    encoder = _encoder(hint)
    return encoder(value, keep) if encoder else value


def decode(hint: Hint, value: JsonValue, resolve: Resolve = preview) -> Any:
    """The value a hint promises, or a `WorkbenchError` that says where the shape is wrong."""
    return _decoder(hint)(value, resolve)


def encode_event(event: Event, keep: Keep | None = None) -> dict[str, JsonValue]:
    """An event with its name beside its fields."""
    return {"event": type(event).__name__, **encode(type(event), event, keep)}


def decode_event(value: JsonValue, resolve: Resolve = preview) -> Event:
    name = value.get("event") if type(value) is dict else None
    kind = _event_kinds().get(name) if type(name) is str else None
    if kind is None:
        raise WorkbenchError(f"There is no event {name!r}.")
    event: Event = decode(kind, value, resolve)
    return event


@cache
def _event_kinds() -> Mapping[str, type]:
    return {kind.__name__: kind for kind in get_args(Event)}


# Encoding. An encoder of None means that values of the type already are JSON.


@cache
def _encoder(hint: Hint) -> _Encode | None:
    if isinstance(hint, type) and is_dataclass(hint):
        return _record_encoder(hint)
    if hint is str:
        return _encode_text
    origin, arguments = _parts(hint)
    if origin in (Union, types.UnionType):
        return _optional_encoder(_encoder(_other_than_none(hint)))
    if origin is tuple:
        return _sequence_encoder(_encoder(arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_encoder(_encoder(arguments[1]))
    return None


def _encode_text(value: str, keep: Keep | None) -> JsonValue:
    if type(value) is Shelved:
        return {"handle": value.handle}
    if keep is None or len(value) <= LARGE:
        return value
    return {"handle": keep(value), "size": len(value), "preview": value[:PREVIEW]}


def _record_encoder(kind: type) -> _Encode:
    hints = get_type_hints(kind)
    names = tuple(f.name for f in fields(kind))
    texts = tuple(name for name in names if hints[name] is str)
    nested = tuple((name, e) for name in names if hints[name] is not str and (e := _encoder(hints[name])))
    values = attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),)

    def encode_record(record: Any, keep: Keep | None) -> JsonValue:
        plain = dict(zip(names, values(record), strict=True))
        for name in texts:
            text = plain[name]
            if type(text) is not str or len(text) > LARGE:
                plain[name] = _encode_text(text, keep)
        for name, encoder in nested:
            plain[name] = encoder(plain[name], keep)
        return plain

    return encode_record


def _optional_encoder(inner: _Encode | None) -> _Encode | None:
    if inner is None:
        return None
    return lambda value, keep: None if value is None else inner(value, keep)


def _sequence_encoder(inner: _Encode | None) -> _Encode | None:
    if inner is None:
        return None
    return lambda value, keep: [inner(item, keep) for item in value]


def _mapping_encoder(inner: _Encode | None) -> _Encode:
    if inner is None:
        return lambda value, keep: dict(value)
    return lambda value, keep: {key: inner(item, keep) for key, item in value.items()}


# Decoding.


@cache
def _decoder(hint: Hint) -> _Decode:
    if hint is Any:
        return lambda value, resolve: value
    if isinstance(hint, type) and is_dataclass(hint):
        return _record_decoder(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_decoder(hint)
    origin, arguments = _parts(hint)
    if origin in (Union, types.UnionType):
        return _optional_decoder(_decoder(_other_than_none(hint)))
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return _sequence_decoder(_decoder(arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_decoder(None if arguments[1] is Any else _decoder(arguments[1]))
    raise TypeError(f"the wire has no words for {hint!r}")


def _record_decoder(kind: type) -> _Decode:
    hints = get_type_hints(kind)
    exact = {f.name: hints[f.name] if hints[f.name] in _PLAIN else None for f in fields(kind)}  # of it, it is as it is
    decoders = tuple((f.name, exact[f.name], _decoder(hints[f.name])) for f in fields(kind))
    required = tuple(f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING)

    def decode_record(value: JsonValue, resolve: Resolve) -> Any:
        if type(value) is not dict:
            raise _misfit(kind.__name__, value)
        given, name = {}, ""
        try:
            for name, plain, decoder in decoders:
                if name in value:
                    one = value[name]
                    given[name] = one if type(one) is plain else decoder(one, resolve)
        except WorkbenchError as fault:
            raise WorkbenchError(f"{kind.__name__}.{name}: {fault.message}", fault.hint) from None
        if len(given) < len(decoders) and (missing := [name for name in required if name not in given]):
            raise WorkbenchError(f"{kind.__name__} came without {missing[0]}.")
        return kind(**given)

    return decode_record


def _enum_decoder(kind: type[Enum]) -> _Decode:
    members = {member.value: member for member in kind}

    def decode_member(value: JsonValue, resolve: Resolve) -> Any:
        if type(value) is not str or value not in members:
            raise _misfit(kind.__name__, value)
        return members[value]

    return decode_member


def _optional_decoder(inner: _Decode) -> _Decode:
    return lambda value, resolve: None if value is None else inner(value, resolve)


def _sequence_decoder(inner: _Decode) -> _Decode:
    def decode_sequence(value: JsonValue, resolve: Resolve) -> Any:
        if type(value) is not list:
            raise _misfit("a list", value)
        return tuple([inner(item, resolve) for item in value])

    return decode_sequence


def _mapping_decoder(inner: _Decode | None) -> _Decode:
    def decode_mapping(value: JsonValue, resolve: Resolve) -> Any:
        if type(value) is not dict:
            raise _misfit("an object", value)
        return {key: inner(item, resolve) for key, item in value.items()} if inner else value

    return decode_mapping


def _decode_text(value: JsonValue, resolve: Resolve) -> str:
    if type(value) is str:
        return value
    if type(value) is dict:
        return resolve(value)
    raise _misfit("text", value)


def _decode_float(value: JsonValue, resolve: Resolve) -> float:
    if type(value) is not float and type(value) is not int:
        raise _misfit("a number", value)
    return float(value)


def _decode_int(value: JsonValue, resolve: Resolve) -> int:
    if type(value) is not int:
        raise _misfit("a whole number", value)
    return value


def _decode_bool(value: JsonValue, resolve: Resolve) -> bool:
    if type(value) is not bool:
        raise _misfit("true or false", value)
    return value


def _decode_nothing(value: JsonValue, resolve: Resolve) -> None:
    if value is not None:
        raise _misfit("nothing", value)


_PLAIN: Mapping[Hint, _Decode] = {
    str: _decode_text,
    float: _decode_float,
    int: _decode_int,
    bool: _decode_bool,
    type(None): _decode_nothing,
}


def _parts(hint: Hint) -> tuple[Any, tuple[Any, ...]]:
    """Any: the parts of a hint are types and special forms alike."""
    return get_origin(hint), get_args(hint)


def _other_than_none(hint: Hint) -> Hint:
    others = [part for part in get_args(hint) if part is not type(None)]
    if len(others) != 1:
        raise TypeError(f"the wire has no words for {hint!r}")
    return others[0]


def _misfit(wanted: str, value: JsonValue) -> WorkbenchError:
    return WorkbenchError(f"expected {wanted}, not {type(value).__name__}.")
