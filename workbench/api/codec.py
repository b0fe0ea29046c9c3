"""Encodes records as JSON for the API and decodes them by type, with msgspec.

Unknown fields are ignored, because the other side may be newer; a value of the wrong shape is a `WorkbenchError` that
names the field. Texts over 64 KB stay in the core's long-text store: a preview is sent in place of each, with a list
of their paths. The decoder makes a `TextPreview` of each preview, or inserts the complete text if it has access to the
store.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, partial
from typing import Any, TypeAlias, TypedDict, Union, cast, get_args, get_origin

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import fields, replace

from workbench.errors import WorkbenchError
from workbench.events import Event
from workbench.gc_pause import pause_gc
from workbench.records import JsonValue

LARGE = 64 * 1024  # characters; longer texts stay in the core
PREVIEW = 8 * 1024  # characters of a long text that are sent as a preview

Keep: TypeAlias = Callable[[str], str]  # stores a long text and returns its handle
Resolve: TypeAlias = Callable[[str, int, str], str]  # makes a text from its handle, size and preview
# Any: a hint is any type expression, and the encoded value has that type.
Hint: TypeAlias = Any
_Path: TypeAlias = tuple[str | int, ...]

NOTHING = Raw(b"[null]")
NO_ARGUMENTS = Raw(b"[{}]")

_WITHOUT_TEXT = (int, float, bool, type(None), Any)
_NON_FINITE = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")  # a float in MessagePack that is not finite


class TextPreview(str):
    """The preview of a long text; the core keeps the complete text under `handle`."""

    __slots__ = ("handle", "size")
    handle: str
    size: int  # characters of the complete text

    def __new__(cls, preview: str, handle: str, size: int) -> TextPreview:
        self = super().__new__(cls, preview)
        self.handle, self.size = handle, size
        return self


class Message(TypedDict, total=False):
    """One frame of the API; values stay encoded until their type is known."""

    id: Any
    hello: Any
    ask: Any
    arguments: Raw
    value: Raw
    events: list[Raw]
    fault: Any
    fetch: Any
    offset: Any
    length: Any
    cancel: Any


class _ShortenedText(Struct, frozen=True, array_like=True):
    """The path at which a preview replaces a long text."""

    path: _Path
    handle: str
    size: int


class _Parcel(Struct, frozen=True, array_like=True):
    """A value with the paths of its previews, in encoded form."""

    value: Raw
    shelved: tuple[_ShortenedText, ...] = ()


class _PlainParcel(Struct, frozen=True, array_like=True):
    """The same as `_Parcel`, parsed by the standard library."""

    value: Any
    shelved: tuple[_ShortenedText, ...] = ()


_messages = cache(lambda: msgspec.json.Decoder(Message))
_parcels = cache(lambda: msgspec.json.Decoder(_Parcel))


def shelved(handle: str, size: int, preview: str) -> str:
    """Make a `TextPreview` text, which keeps the preview and the handle."""
    return TextPreview(preview, handle, size)


def encode(hint: Hint, value: Any, keep: Keep | None = None) -> Raw:
    """Encode a value of the hinted type for a message; with `keep`, long texts become previews."""
    encoded = b""
    if keep:
        encoded = to_json(value)
        if len(encoded) <= LARGE:
            return Raw(b"[" + encoded + b"]")
    found: list[_ShortenedText] = []
    shortened = _shortened(hint, value, (), keep, found)
    if found or not encoded:
        encoded = to_json(shortened)
    return Raw(b"[" + encoded + b"]" if not found else msgspec.json.encode(_Parcel(Raw(encoded), tuple(found))))


def decode(hint: Hint, encoded: Raw, resolve: Resolve = shelved) -> Any:
    """Decode a value of the hinted type, or raise a `WorkbenchError` that says where the shape is wrong."""
    try:
        with pause_gc():  # decoding 10,000 tools makes as many objects, all of which stay alive
            value, texts = _decoded(hint, encoded)
    except (msgspec.MsgspecError, UnicodeError) as fault:
        raise WorkbenchError(f"{_name(hint)}: {str(fault).removesuffix('.')}.") from None
    except RecursionError:
        raise WorkbenchError(f"{_name(hint)}: nested too deeply.") from None
    for text in texts:
        value = _with_text(value, text.path, partial(resolve, text.handle, text.size))
    return value


def encode_event(event: Event, keep: Keep | None = None) -> Raw:
    """Encode an event with its name besides its fields."""
    return encode(type(event), event, keep)


def decode_event(encoded: Raw, resolve: Resolve = shelved) -> Event:
    """Decode an event from its name and fields."""
    event: Event = decode(Event, encoded, resolve)
    return event


def to_json(value: Any) -> bytes:
    """Encode records and plain values as JSON. Any: whatever a record may hold; raises `WorkbenchError` for what JSON
    cannot represent.

    msgspec writes null for numbers that are not finite, and refuses lone surrogates: values with either are encoded by
    the slower standard library.
    """
    try:
        encoded = msgspec.json.encode(value, enc_hook=_encode_hook)
        if not _NON_FINITE.search(msgspec.msgpack.encode(value, enc_hook=_encode_hook)):
            return encoded
    except (TypeError, ValueError, OverflowError, RecursionError):
        pass  # the standard library encodes it, or says why it cannot
    try:
        return json.dumps(to_plain(value), separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, OverflowError, RecursionError) as fault:
        raise WorkbenchError(f"This value cannot be sent as JSON: {fault}.") from fault


def to_plain(value: Any) -> JsonValue:
    """Convert records to dictionaries, lists and plain values. Any: whatever a record may hold."""
    return msgspec.to_builtins(value, enc_hook=_encode_hook)


def to_message(body: bytes) -> Message:
    """Parse a frame; raises `WorkbenchError` for an invalid one."""
    try:
        return _messages().decode(body)
    except msgspec.ValidationError as fault:
        raise WorkbenchError(f"A message does not have the expected shape: {fault}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        # accepts numbers that are not finite, which a different process of the workbench may send
        parts = json.loads(body)
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError("A message is not JSON.") from fault
    return _rebuilt(parts)


def _rebuilt(parts: JsonValue) -> Message:
    if type(parts) is not dict:
        raise WorkbenchError("A message is not a JSON object.")
    for name in ("arguments", "value"):
        if name in parts:
            parts[name] = Raw(json.dumps(parts[name]).encode())
    if "events" in parts:
        if type(parts["events"]) is not list:
            raise WorkbenchError("A message does not have the expected shape.")
        parts["events"] = [Raw(json.dumps(event).encode()) for event in parts["events"]]
    return cast(Message, parts)


def _decoded(hint: Hint, encoded: Raw) -> tuple[Any, tuple[_ShortenedText, ...]]:
    try:
        parcel = _parcels().decode(encoded)
        return _decoder(hint).decode(parcel.value), parcel.shelved
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:  # not valid for msgspec: numbers that are not finite, lone surrogates
        plain = msgspec.convert(_loaded(encoded), _PlainParcel)
        return msgspec.convert(plain.value, hint), plain.shelved


def _loaded(encoded: Raw) -> JsonValue:
    try:
        return json.loads(bytes(encoded))
    except ValueError as fault:
        raise msgspec.DecodeError(str(fault)) from fault


@cache
def _decoder(hint: Hint) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(hint)


def _encode_hook(value: Any) -> JsonValue:
    """Convert a subclass of a JSON type to that type. Any: whatever msgspec does not know."""
    for kind, make in _PLAIN_TYPES:
        if isinstance(value, kind):
            return make(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


_PLAIN_TYPES: tuple[tuple[type, Callable[[Any], JsonValue]], ...] = (
    (Mapping, dict),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (list, list),
    (tuple, list),
)


# Long texts: a preview replaces a long text where a type declares a text.


def _shortened(hint: Hint, value: Any, path: _Path, keep: Keep | None, found: list[_ShortenedText]) -> Any:
    """Return the value with a preview for each long text, which is added to `found`. Text in untyped JSON is not
    shortened."""
    hint = _without_none(hint)
    if hint is str:
        return _preview(value, path, keep, found)
    if keep and _is_small(value):
        return value
    if isinstance(value, Struct):
        changes: dict[str, Any] = {}
        for name, kind in _text_fields(type(value)):
            before = getattr(value, name)
            after = _shortened(kind, before, (*path, name), keep, found)
            if after is not before:
                changes[name] = after
        return replace(value, **changes) if changes else value
    if type(value) is tuple:
        kind = get_args(hint)[0]
        return tuple([_shortened(kind, one, (*path, at), keep, found) for at, one in enumerate(value)])
    if isinstance(value, Mapping) and len(get_args(hint)) == 2:
        kind = get_args(hint)[1]
        return {name: _shortened(kind, one, (*path, name), keep, found) for name, one in value.items()}
    return value


def _is_small(value: Any) -> bool:
    """Whether the value is too small to contain a long text. Any: a part of a record."""
    try:
        return len(msgspec.json.encode(value, enc_hook=_encode_hook)) <= LARGE
    except (TypeError, ValueError, RecursionError):
        return False


def _preview(text: Any, path: _Path, keep: Keep | None, found: list[_ShortenedText]) -> Any:
    """Return a preview for a long text. Any: whatever is where a type declares a text; only texts are shortened."""
    if isinstance(text, TextPreview):
        found.append(_ShortenedText(path, text.handle, text.size))
        return ""
    if keep is None or not isinstance(text, str) or len(text) <= LARGE:
        return text
    found.append(_ShortenedText(path, keep(text), len(text)))
    return text[:PREVIEW]


@cache
def _text_fields(kind: type[Struct]) -> tuple[tuple[str, Hint], ...]:
    """Return the fields of a record that can contain a text, at any depth."""
    return tuple((one.name, one.type) for one in fields(kind) if _holds_text(one.type))


def _holds_text(hint: Hint) -> bool:
    hint = _without_none(hint)
    if hint in _WITHOUT_TEXT or (isinstance(hint, type) and issubclass(hint, Enum)):
        return False
    return get_args(hint)[-1:] != (Any,)  # untyped JSON is not shortened


def _without_none(hint: Hint) -> Hint:
    """Return the type hint without None."""
    origin: Any = get_origin(hint)
    if origin not in (Union, types.UnionType):
        return hint
    others = [one for one in get_args(hint) if one is not type(None)]
    return others[0] if len(others) == 1 else Any


def _with_text(value: Any, path: _Path, resolve: Callable[[str], str]) -> Any:
    """Return the value with the long text inserted at a path; raises `WorkbenchError` if there is no text."""
    if not path:
        if type(value) is not str:
            raise WorkbenchError("A message has a long text in a place that does not take text.")
        return resolve(value)
    key, rest = path[0], path[1:]
    try:
        if isinstance(value, Struct) and key in value.__struct_fields__:
            return replace(value, **{str(key): _with_text(getattr(value, str(key)), rest, resolve)})
        if type(value) is tuple and type(key) is int:
            return (*value[:key], _with_text(value[key], rest, resolve), *value[key + 1 :])
        if type(value) is dict:
            return {**value, key: _with_text(value[key], rest, resolve)}
    except LookupError:
        pass
    raise WorkbenchError("A message has a long text in a place that does not take text.")


def _name(hint: Hint) -> str:
    name: str = getattr(hint, "__name__", "") or str(hint)
    return name
