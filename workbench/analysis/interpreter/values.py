"""What is known of a value: the names it may stand for, its constant, its kind, its sources; and the arguments of a
call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

HOLE: Final = "\ufdd0"  # an unknown part inside a known text; canonical text cannot contain it
MAX_REFS = 6
MAX_ITEMS = 64
MAX_CHOICES = 8


class UnknownConstant:
    """The constant of a value that reading cannot know."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNKNOWN: Final = UnknownConstant()
OWN_NAMES: Final = "names"  # all that the program can name at once, functions among it


@dataclass(frozen=True, slots=True)
class ValueSource:
    """Where data came from: private (personal data), untrusted (text outsiders can write), or OWN_NAMES."""

    kind: str
    label: str
    line: int
    server: str = ""
    indirect: bool = False  # it only decided what another tool was asked, whose answer the data is


NO_TAINT: Final[frozenset[ValueSource]] = frozenset()


@dataclass(slots=True, eq=False)
class Value:
    """Treat as frozen: values are shared. (Not frozen in fact: creating them is half of the analyzer's time.)"""

    refs: tuple[str, ...] = ()  # dotted names: "os.system", "servers.demo.send_email"
    const: object = UNKNOWN
    items: tuple[Value, ...] | None = None  # elements of a list, tuple or set display; values of a dict's
    kind: str = ""  # what made it: "pathlib.Path", "requests.Session", "decoded"
    taint: frozenset[ValueSource] = field(default=NO_TAINT)
    functions: tuple[ast.AST, ...] = ()  # definitions in this program that it may be
    # The texts it may be when there are several, HOLE for one that nobody knows; the constant is unknown then.
    choices: tuple[str | bytes, ...] = ()
    keys: tuple[Value, ...] | None = None  # of a dict display, beside the values in `items`


NOTHING: Final = Value()  # not given, or not known
SOME: Final = Value()  # given, and not known
UNSAID: Final = Value()  # nothing was said so far: joined with another value it is that value


def join(first: Value, second: Value) -> Value:
    """What is known when it may be either."""
    if first is second or second is UNSAID:
        return first
    if first is UNSAID:
        return second
    return Value(
        tuple(dict.fromkeys(first.refs + second.refs))[:MAX_REFS],
        _either(first, second, choices := _choices(first, second)),
        _both(first.items, second.items),
        first.kind or second.kind,
        first.taint | second.taint,
        tuple(dict.fromkeys(first.functions + second.functions))[:MAX_REFS],
        choices,
        None if first.keys is None and second.keys is None else _both(iterated(first), iterated(second)),
    )


def iterated(value: Value) -> tuple[Value, ...] | None:
    """What a loop over it gives: the elements of a list, the keys of a dict."""
    return value.items if value.keys is None else value.keys


def each(value: Value) -> tuple[Value, ...]:
    """The value, or one value for each text it may be: a reviewer hears of all of them."""
    return tuple(replace(value, const=choice, choices=()) for choice in value.choices) or (value,)


def tainted(value: Value, taint: frozenset[ValueSource]) -> Value:
    """The same value, which also came from there."""
    return value if taint <= value.taint else replace(value, taint=value.taint | taint)


def text_of(value: Value) -> str:
    """Its constant text with unknown parts as HOLE; HOLE alone when nothing is known."""
    const = value.const
    if isinstance(const, bytes):
        return const.decode("utf-8", "replace")
    return const if isinstance(const, str) else HOLE


def known(value: Value) -> str | None:
    """Its text when every character is known."""
    text = text_of(value)
    return None if HOLE in text else text


def texts_in(values: Iterable[Value]) -> frozenset[str]:
    """Every text that these are known to be or to hold; of one with unknown parts, what stands between them."""
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
    """The value as text for a sentence; empty when nothing is known."""
    if value.choices:
        return " or ".join(readable(choice) for choice in each(value))[:limit]
    if value.items:
        return " ".join(filter(None, (readable(item) for item in value.items[:12])))[:limit]
    const = value.const
    if isinstance(const, str | bytes):
        return text_of(value).replace(HOLE, "…")[:limit]
    return str(const)[:limit] if isinstance(const, int | float) else ""


def _choices(first: Value, second: Value) -> tuple[str | bytes, ...]:
    every = dict.fromkeys(text for value in (first, second) for text in (*value.choices, value.const))
    texts = [text for text in every if isinstance(text, str | bytes)]
    if texts and HOLE not in texts and (_is_open(first) or _is_open(second)):
        texts.append(HOLE)
    if len(texts) > MAX_CHOICES:
        texts = [*[text for text in texts if text != HOLE][: MAX_CHOICES - 1], HOLE]
    return tuple(texts) if len(texts) > 1 else ()


def _is_open(value: Value) -> bool:
    """Whether it may be a text that nobody knows."""
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


def _both(first: tuple[Value, ...] | None, second: tuple[Value, ...] | None) -> tuple[Value, ...] | None:
    if first is None or second is None:
        return first if second is None else second
    return (first + second)[:MAX_ITEMS]


_NONE: Final[Mapping[str, Value]] = MappingProxyType({})


class Arguments:
    """Values as given; `keys` holds the entries of a single dict display, the other call style of wrappers.

    Treat as frozen. What every call asks for is put together once.
    """

    __slots__ = ("every", "keys", "loose", "named", "positional", "taint")

    def __init__(
        self,
        positional: tuple[Value, ...] = (),
        named: Mapping[str, Value] = _NONE,
        keys: Mapping[str, Value] = _NONE,
        loose: Value | None = None,
    ) -> None:
        self.loose = loose  # what `*` or `**` may give beside, where nobody can tell which arguments that is
        self.positional, self.named, self.keys = positional, named, keys
        self.every = (*positional, *named.values()) if named else positional
        self.taint = NO_TAINT
        for value in self.every:
            if value.taint:
                self.taint |= value.taint

    def get(self, position: int, *names: str) -> Value:
        """The argument at this position or under one of these names."""
        if 0 <= position < len(self.positional):
            return self.positional[position]
        for name in names if self.named else ():
            if name in self.named:
                return self.named[name]
        return NOTHING if self.loose is None else self.loose

    def by_name(self) -> Iterator[tuple[str, Value]]:
        """Arguments whose name is known."""
        yield from self.named.items()
        yield from self.keys.items()
