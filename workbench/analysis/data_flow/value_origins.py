"""What a value may be made of: answers of tools, and how operations change them.

An `AnswerOrigin` is an answer or a part of one, with its form: in its own shape, as text, spelled out by characters, or
only derived from it. The functions say what an operation makes of an origin.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from workbench.analysis.tables import function_data_flow as table
from workbench.permissions import tool_verbs

_PRECISION = re.compile(r"\.[0-8]s?\}?$|\.[0-8][s}]|\{\w*\[\d+\]")
PRIVATE: Final = "private"
UNTRUSTED: Final = "untrusted"
UNKNOWN: Final = "unknown"
UNFOLLOWED: Final = "a function that reading cannot follow"

WHEN: Final = ""  # stands among the arguments of a call for what decides whether it is made
ANY: Final = -1  # the shape of an answer: whatever the server sends
MOST_DEPTH: Final = 4

PLAIN, TEXT, BYTES, TABLE, PIECES, SPELLED, DERIVED = "", "text", "bytes", "table", "pieces", "spelled", "derived"


class AnswerOrigin(NamedTuple):
    """One answer, or something that reading cannot follow, that a value may be made of.

    `key` and `depth` say which part of the answer: depth 0 is a single value under this key, n are so many containers
    around it, ANY is the answer in its own shape. `form` and `how` say what became of it."""

    kind: str
    label: str
    line: int
    server: str = ""
    key: str = ""
    depth: int = ANY
    form: str = PLAIN
    how: str = ""

    @property
    def personal(self) -> bool:
        """Whether it is a single value under a key that identifies a person."""
        return self.depth == 0 and is_personal(self.key)


Origins: TypeAlias = frozenset[AnswerOrigin]
NOTHING: Final[Origins] = frozenset()


class TrackedValue(NamedTuple):
    """What an expression may be: made of these answers, one of these functions or tools, or this dotted name."""

    origins: Origins = NOTHING
    functions: frozenset[ast.AST] = frozenset()
    tools: frozenset[tuple[str, str]] = frozenset()
    refs: frozenset[str] = frozenset()

    def __or__(self, other: TrackedValue) -> TrackedValue:
        if other is EMPTY or other is self:
            return self
        if self is EMPTY:
            return other
        found = TrackedValue(*map(merge_sets, self, other))
        return self if found == self else found

    def made_of(self, origins: Origins) -> TrackedValue:
        """The same, made of other answers."""
        return self if origins is self.origins else TrackedValue(origins, self.functions, self.tools, self.refs)

    def changed(self, change: Callable[[AnswerOrigin], AnswerOrigin]) -> TrackedValue:
        """The same after an operation that makes this of each answer."""
        return self.made_of(change_each(self.origins, change))


EMPTY: Final = TrackedValue()


def merge_sets(one: frozenset[Any], other: frozenset[Any]) -> frozenset[Any]:  # Any: of whatever a value may be
    """Both sets, as the same object where one holds the other: equal values are compared most of all."""
    if one is other or not other:
        return one
    if not one:
        return other
    found = one | other
    return one if len(found) == len(one) else other if len(found) == len(other) else found


@lru_cache(maxsize=4096)
def is_personal(key: str) -> bool:
    """Whether a key's name says that its value identifies a person."""
    words = tool_verbs.words(key)
    if not words or not table.DOCUMENT_WORDS.isdisjoint(words):
        return False
    if not table.PERSONAL_WORDS.isdisjoint(words):
        return True
    return words[-1] in ("name", "names") and all(word in table.PERSON_NAMES for word in words)


def change_each(origins: Origins, change: Callable[[AnswerOrigin], AnswerOrigin]) -> Origins:
    if not origins:
        return origins
    found = frozenset(map(change, origins))
    return origins if found == origins else found


_memory = lru_cache(maxsize=8192)  # a program asks the same of the same few origins thousands of times


def is_settled(one: AnswerOrigin) -> bool:
    return one.form in (SPELLED, DERIVED) or one.kind != PRIVATE


@_memory
def element(one: AnswerOrigin) -> AnswerOrigin:
    """Any element of it: of a container what it holds, of a text its characters."""
    if is_settled(one):
        return one
    if one.depth > 0:
        return one._replace(depth=one.depth - 1)
    if one.form in (TEXT, BYTES) or one.personal:
        return spelled_out(one, table.CHARACTERS)
    if one.form == PIECES:
        return spelled_out(one, table.PART)
    return one._replace(depth=ANY, key="", form=PLAIN)


@_memory
def wrapped(one: AnswerOrigin) -> AnswerOrigin:
    """A container that holds it."""
    if is_settled(one) or one.depth == ANY or one.depth >= MOST_DEPTH:
        return one
    return one._replace(depth=one.depth + 1)


@_memory
def under(one: AnswerOrigin, key: str) -> AnswerOrigin:
    """What stands in it under this key."""
    if is_settled(one):
        return one
    if one.form == TABLE:
        return one._replace(key=key, depth=1, form=PLAIN)
    if one.depth > 0:
        return one._replace(depth=one.depth - 1)
    return one._replace(key=key, depth=0, form=PLAIN)


@_memory
def spelled_out(one: AnswerOrigin, how: str) -> AnswerOrigin:
    """A single value, in a form in which no masking finds it."""
    if is_settled(one):
        return one
    return one._replace(depth=0, form=SPELLED, how=how)


@_memory
def as_text(one: AnswerOrigin) -> AnswerOrigin:
    """A text that it is formatted into."""
    if is_settled(one):
        return one
    return one._replace(key=one.key if one.depth == 0 else "", depth=0, form=TEXT)


@_memory
def derived(one: AnswerOrigin) -> AnswerOrigin:
    """Something that depends on it and spells none of it: a number of rows, the answer to a question about it."""
    return one if one.kind != PRIVATE else AnswerOrigin(one.kind, one.label, one.line, one.server, form=DERIVED)


def encoded(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.ENCODED)


@_memory
def hashed(one: AnswerOrigin) -> AnswerOrigin:
    """The hash of a single value tells it; that of a document or a whole answer does not."""
    words = tool_verbs.words(one.key)
    single = one.depth == 0 and bool(one.key) and table.DOCUMENT_WORDS.isdisjoint(words)
    return spelled_out(one, table.HASHED) if single else one if one.form == SPELLED else derived(one)


@_memory
def length(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.LENGTH) if one.personal else one if one.form == SPELLED else derived(one)


@_memory
def summed(one: AnswerOrigin) -> AnswerOrigin:
    """Summed up or compared: lengths and hashes say nothing more, characters still do."""
    if one.form == SPELLED and one.how in table.SUMMARIES:
        return derived(one)
    return element(one) if one.form != SPELLED else one


@_memory
def compared(one: AnswerOrigin) -> AnswerOrigin:
    return one if one.form == SPELLED and one.how not in table.SUMMARIES else derived(one)


@_memory
def computed(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.COMPUTED) if one.personal else one


@_memory
def part(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.PART) if one.personal or _is_whole_text(one) else one


def _is_whole_text(one: AnswerOrigin) -> bool:
    """A text made of a whole answer or row."""
    return one.form == TEXT and one.depth == 0 and not one.key


@_memory
def questioned(one: AnswerOrigin) -> AnswerOrigin:
    """The answer to one of many questions about it."""
    return spelled_out(one, table.PART) if one.personal else compared(one)


@_memory
def altered(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.ALTERED) if one.personal else one


@_memory
def pieces(one: AnswerOrigin) -> AnswerOrigin:
    whole = not is_settled(one) and (one.personal or _is_whole_text(one))
    return one._replace(form=PIECES, depth=0) if whole else one


@_memory
def tells(one: AnswerOrigin) -> bool:
    """Whether output made of it spells out a single private value."""
    return one.kind == PRIVATE and one.form in (SPELLED, PIECES)


def unknown_value(node: ast.AST, label: str) -> TrackedValue:
    """Something that reading cannot follow."""
    return TrackedValue(frozenset({AnswerOrigin(UNKNOWN, label, getattr(node, "lineno", 1))}))


def origins_of(every: Iterable[TrackedValue]) -> Origins:
    """The origins of all these values."""
    return NOTHING.union(*(data.origins for data in every))


def field_of(one: AnswerOrigin) -> AnswerOrigin:
    """A part of a row whose key nobody says."""
    return element(one) if one.depth > 0 else one


def field_named(one: AnswerOrigin, name: str) -> AnswerOrigin:
    if is_settled(one) or not is_personal(name) or one.depth > 0:
        return one
    return under(one, name)


def at_unknown_key(one: AnswerOrigin) -> AnswerOrigin:
    """What a table of the program's own holds under a key that is computed, or a part of an answer."""
    return element(one) if one.depth > 0 or one.form in (TEXT, BYTES) or one.personal else one


def one_of_many(one: AnswerOrigin) -> AnswerOrigin:
    """A text put together from many."""
    text = as_text(one)
    return text._replace(key="") if text.form == TEXT else text


def cuts_text(node: ast.expr) -> bool:
    """Whether a format text takes a few characters of what it is given: `{:.3}`, `%.3s`."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(isinstance(one, ast.Constant) and bool(_PRECISION.search(str(one.value))) for one in parts)


def split_pieces(one: AnswerOrigin) -> AnswerOrigin:
    return one._replace(depth=1, form=PLAIN) if one.depth == 0 and not is_settled(one) else one


def without_details(data: TrackedValue) -> TrackedValue:
    """What another name of a container may show of what was put into it."""
    return TrackedValue(frozenset(derived(one) for one in data.origins if one.kind != UNTRUSTED), tools=data.tools)
