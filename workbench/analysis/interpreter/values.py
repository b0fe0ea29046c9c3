"""Known facts of a value: references, constant, kind and sources; and the arguments of a call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr, replace

HOLE: Final = "\ufdd0"  # an unknown part inside a known text; canonical text cannot contain it
MAX_REFS = 6
MAX_ITEMS = 64
MAX_CHOICES = 8
# Of a value, counting a shared part each time. Ten lines of `a = [a, a]` make a value of 1,024 parts, fifty lines would
# make one that nothing can walk through.
MAX_PARTS = 4_096
MAX_NESTED = 40
_MOST_COMPARED = 4  # nesting of lists and dicts that are compared


class UnknownConstant:
    """The constant of a value that the analysis cannot know."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNKNOWN: Final = UnknownConstant()
OWN_NAMES: Final = "names"  # marks a table of all names of the program, including functions


class ValueSource(Struct, frozen=True):
    """Source of a value: private (personal data), untrusted (text that outsiders can write), or OWN_NAMES."""

    kind: str
    label: str
    line: int
    server: str = ""
    indirect: bool = False  # the source only influenced the arguments of the tool whose answer the value is


NO_TAINT: Final[frozenset[ValueSource]] = frozenset()


class Value(Struct, frozen=True, eq=False):
    """Known facts of a value. Compared by identity."""

    refs: tuple[str, ...] = ()  # dotted names: "os.system", "servers.demo.send_email"
    const: object = UNKNOWN
    items: tuple[Value, ...] | None = None  # elements of a list, tuple or set display; values of a dict's
    kind: str = ""  # what made it: "pathlib.Path", "requests.Session", "decoded"
    taint: frozenset[ValueSource] = NO_TAINT
    functions: tuple[ast.AST, ...] = ()  # functions of this program that the value may be
    # Possible texts if there are several, with HOLE for an unknown one; then `const` is UNKNOWN.
    choices: tuple[str | bytes, ...] = ()
    keys: tuple[Value, ...] | None = None  # keys of a dict display; the values are in `items`
    unordered: bool = False  # the number and order of the elements are not known, only what each of them may be
    parts: int = 1  # computed: the value itself and everything in it
    nested: int = 0  # computed: levels of elements inside elements

    def __post_init__(self) -> None:
        """Count the parts. Of a value with too many of them, the elements of elements count as unknown."""
        if self.items is None and self.parts == 1:
            return
        inside = (*(self.items or ()), *(self.keys or ()))
        parts = 1 + sum([one.parts for one in inside])
        nested = 1 + max([one.nested for one in inside], default=0)
        if parts > MAX_PARTS or nested > MAX_NESTED:
            force_setattr(self, "items", _without_elements(self.items))
            force_setattr(self, "keys", _without_elements(self.keys))
            parts, nested = 1 + len(inside), 1
        force_setattr(self, "parts", parts)
        force_setattr(self, "nested", nested)


def _without_elements(values: tuple[Value, ...] | None) -> tuple[Value, ...] | None:
    if values is None:
        return None
    return tuple(replace(one, items=None, keys=None) if one.items is not None else one for one in values)


NOTHING: Final = Value()  # not given, or unknown
SOME: Final = Value()  # given, but unknown
UNSAID: Final = Value()  # no value yet; joining it with another value gives that value


def join(first: Value, second: Value) -> Value:
    """Return a value that may be either of the two."""
    if first is second or second is UNSAID:
        return first
    if first is UNSAID:
        return second
    if _is_alike(first, second):
        return tainted(first, second.taint)
    refs, functions = first.refs + second.refs, first.functions + second.functions
    return Value(
        tuple(dict.fromkeys(refs))[:MAX_REFS] if refs else (),
        _either(first, second, choices := _choices(first, second)),
        None if first.items is None and second.items is None else _limited(_elements(first) + _elements(second)),
        first.kind or second.kind,
        first.taint | second.taint,
        tuple(dict.fromkeys(functions))[:MAX_REFS] if functions else (),
        choices,
        None if first.keys is None and second.keys is None else _limited(_keys(first) + _keys(second)),
        first.unordered or second.unordered or _is_merged(first, second),
    )


def iterated(value: Value) -> tuple[Value, ...] | None:
    """Return what iterating over the value gives: the elements of a list, the keys of a dict."""
    return value.items if value.keys is None else value.keys


def each(value: Value) -> tuple[Value, ...]:
    """Return one value for each possible text, so that all of them are reported."""
    return tuple(replace(value, const=choice, choices=()) for choice in value.choices) or (value,)


def tainted(value: Value, taint: frozenset[ValueSource]) -> Value:
    """Return the same value with additional sources."""
    return value if taint <= value.taint else replace(value, taint=value.taint | taint)


def first_of_kind(taint: frozenset[ValueSource], kind: str) -> ValueSource | None:
    """Return the source of this kind: direct sources before indirect ones, then the earliest."""
    mine = (source for source in taint if source.kind == kind)
    return min(mine, key=lambda source: (source.indirect, source.line, source.label), default=None)


def text_of(value: Value) -> str:
    """Return the constant text with unknown parts as HOLE. HOLE alone means that nothing is known."""
    const = value.const
    if isinstance(const, bytes):
        return const.decode("utf-8", "replace")
    return const if isinstance(const, str) else HOLE


def known(value: Value) -> str | None:
    """Return the text if every character is known, else None."""
    text = text_of(value)
    return None if HOLE in text else text


def texts_in(values: Iterable[Value]) -> frozenset[str]:
    """Return all known texts of these values and their elements. A text with unknown parts is split at those parts."""
    found: set[str] = set()
    left = list(values)
    while left:
        value = left.pop()
        left += [*(value.items or ()), *(value.keys or ())]
        for text in (value.const, *value.choices):
            if isinstance(text, str | bytes):
                whole = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
                found.update(part for part in whole.split(HOLE) if part)
    return frozenset(found)


def readable(value: Value, limit: int = 120) -> str:
    """Return the value as text for a message; empty if nothing is known."""
    if value.choices:
        return " or ".join(readable(choice) for choice in each(value))[:limit]
    if value.items:
        return " ".join(filter(None, (readable(item) for item in value.items[:12])))[:limit]
    const = value.const
    if isinstance(const, str | bytes):
        return text_of(value).replace(HOLE, "…")[:limit]
    return str(const)[:limit] if isinstance(const, int | float) else ""


def _choices(first: Value, second: Value) -> tuple[str | bytes, ...]:
    if first.const is UNKNOWN and second.const is UNKNOWN and not first.choices and not second.choices:
        return ()
    every = dict.fromkeys(text for value in (first, second) for text in (*value.choices, value.const))
    texts = [text for text in every if isinstance(text, str | bytes)]
    if texts and HOLE not in texts and (_is_open(first) or _is_open(second)):
        texts.append(HOLE)
    if len(texts) > MAX_CHOICES:
        texts = [*[text for text in texts if text != HOLE][: MAX_CHOICES - 1], HOLE]
    return tuple(texts) if len(texts) > 1 else ()


def _is_open(value: Value) -> bool:
    """Return whether the value may be an unknown text."""
    return (
        value.const is UNKNOWN and not value.choices and not value.refs and not value.functions and value.items is None
    )


def _either(first: Value, second: Value, choices: tuple[str | bytes, ...]) -> object:
    if choices:
        return UNKNOWN
    one, other = first.const, second.const
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    return one if type(one) is type(other) and one == other else UNKNOWN


def _elements(value: Value) -> tuple[Value, ...]:
    """Return the elements of a list or dict; a text or an unknown value instead of one counts as one of them."""
    if value.items is not None:
        return value.items
    return (value,) if value.choices or value.const not in (UNKNOWN, None) or _is_open(value) else ()


def _is_merged(first: Value, second: Value) -> bool:
    return (first.items is not None or second.items is not None) and bool(_elements(first) and _elements(second))


def _is_alike(first: Value, second: Value, depth: int = 0) -> bool:
    """Return whether two lists or dicts, evaluated at different times, are the same but for their sources."""
    if first.items is None or second.items is None or depth > _MOST_COMPARED:
        return depth > 0 and _facts(first) == _facts(second) and first.items is second.items
    same = _facts(first) == _facts(second) and len(first.items) == len(second.items) <= MAX_ITEMS
    pairs = [*zip(first.items, second.items, strict=False)]
    if first.keys is not None and second.keys is not None:
        pairs += zip(first.keys, second.keys, strict=False)
    same = same and (first.keys is None) == (second.keys is None)
    return same and all(one is other or _is_alike(one, other, depth + 1) for one, other in pairs)


def _facts(value: Value) -> tuple[object, ...]:
    return value.refs, type(value.const), value.const, value.kind, value.functions, value.choices, value.unordered


def _keys(value: Value) -> tuple[Value, ...]:
    return iterated(value) or () if value.items is not None else (NOTHING,) * len(_elements(value))


def _limited(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return values if len(values) <= MAX_ITEMS else (*values[: MAX_ITEMS - 1], NOTHING)


_NONE: Final[Mapping[str, Value]] = MappingProxyType({})


class Arguments:
    """Arguments of one call. `keys` holds the entries of a single dict display, the other call style of wrappers.

    Treat as frozen. Combined values are computed once in the constructor."""

    __slots__ = ("every", "keys", "loose", "named", "positional", "taint")

    def __init__(
        self,
        positional: tuple[Value, ...] = (),
        named: Mapping[str, Value] = _NONE,
        keys: Mapping[str, Value] = _NONE,
        loose: Value | None = None,
    ) -> None:
        self.loose = loose  # value of the additional arguments from `*` or `**`, whose names and positions are unknown
        self.positional, self.named, self.keys = positional, named, keys
        self.every = (*positional, *named.values()) if named else positional
        self.taint = NO_TAINT
        for value in self.every:
            if value.taint:
                self.taint |= value.taint

    def get(self, position: int, *names: str) -> Value:
        """Return the argument at this position or with one of these names."""
        if 0 <= position < len(self.positional):
            return self.positional[position]
        for name in names if self.named else ():
            if name in self.named:
                return self.named[name]
        return NOTHING if self.loose is None else self.loose

    def by_name(self) -> Iterator[tuple[str, Value]]:
        """Yield the arguments with known names."""
        yield from self.named.items()
        yield from self.keys.items()
