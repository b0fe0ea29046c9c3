"""What reading tells about a value: the names it may stand for, its constant, its kind, and where it came from."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Final

HOLE: Final = "\ufdd0"  # an unknown part inside a known text; canonical text cannot contain it
MAX_REFS = 6
MAX_ITEMS = 64


class Unknown:
    """The constant of a value that reading cannot know."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Source:
    """Where data came from: private (a person's data), untrusted (text outsiders can write)."""

    kind: str
    label: str
    line: int
    server: str = ""


NO_TAINT: Final[frozenset[Source]] = frozenset()


@dataclass(slots=True, eq=False)
class Value:
    """Treat as frozen: values are shared. (Not frozen in fact: creating them is half of the analyzer's time.)"""

    refs: tuple[str, ...] = ()  # dotted names: "os.system", "servers.demo.send_email"
    const: object = UNKNOWN
    items: tuple[Value, ...] | None = None  # elements of a list, tuple, set or dict display
    kind: str = ""  # what made it: "pathlib.Path", "requests.Session", "decoded"
    taint: frozenset[Source] = field(default=NO_TAINT)
    functions: tuple[ast.AST, ...] = ()  # definitions in this program that it may be


NOTHING: Final = Value()


def join(first: Value, second: Value) -> Value:
    """What is known when it may be either."""
    if first is second or second is NOTHING:
        return first
    if first is NOTHING:
        return second
    return Value(
        tuple(dict.fromkeys(first.refs + second.refs))[:MAX_REFS],
        _either(first.const, second.const),
        _both(first.items, second.items),
        first.kind or second.kind,
        first.taint | second.taint,
        tuple(dict.fromkeys(first.functions + second.functions))[:MAX_REFS],
    )


def tainted(value: Value, taint: frozenset[Source]) -> Value:
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


def shown(value: Value, limit: int = 120) -> str:
    """The value as a person reads it in a sentence; empty when nothing is known."""
    if value.items:
        return " ".join(filter(None, (shown(item) for item in value.items[:12])))[:limit]
    const = value.const
    if isinstance(const, str | bytes):
        return text_of(value).replace(HOLE, "…")[:limit]
    return str(const)[:limit] if isinstance(const, int | float) else ""


def _either(first: object, second: object) -> object:
    if first is UNKNOWN:
        return second
    if second is UNKNOWN or (type(first) is type(second) and first == second):
        return first
    return first


def _both(first: tuple[Value, ...] | None, second: tuple[Value, ...] | None) -> tuple[Value, ...] | None:
    if first is None or second is None:
        return first if second is None else second
    return (first + second)[:MAX_ITEMS]
