"""Origins of values: the tool answers that a value may be made of, and how operations change them.

An `AnswerOrigin` is an answer or a part of one, with its form: unchanged, as text, spelled out by characters, or only
derived from it. Each function returns the origin that an operation makes of an origin.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct

from workbench.analysis.tables import function_data_flow as table
from workbench.permissions import tool_verbs

_PRECISION = re.compile(r"\.[0-8]s?\}?$|\.[0-8][s}]|\{\w*\[\d+\]")
PRIVATE: Final = "private"
UNTRUSTED: Final = "untrusted"
UNKNOWN: Final = "unknown"
UNFOLLOWED: Final = "a function that the analysis cannot follow"

WHEN: Final = ""  # key among the arguments of a call for the values that decide whether the call is made
ANY: Final = -1  # depth of a whole answer, whose shape the server decides
MOST_DEPTH: Final = 4

PLAIN, TEXT, BYTES, TABLE, PIECES, SPELLED, DERIVED = "", "text", "bytes", "table", "pieces", "spelled", "derived"


class AnswerOrigin(NamedTuple):
    """A tool answer, or an expression that the analysis cannot follow, that a value may be made of.

    `key` and `depth` select the part of the answer: depth 0 is a single value under this key, n means n containers
    around it, ANY is the answer in its own shape. `form` and `how` say how the part was changed."""

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
        """Whether the origin is a single value under a key that identifies a person."""
        return self.depth == 0 and is_personal(self.key)


Origins: TypeAlias = frozenset[AnswerOrigin]
NOTHING: Final[Origins] = frozenset()


class TrackedValue(Struct, frozen=True, gc=False):
    """Possible values of an expression: the answers it is made of, its functions and tools, and its dotted names."""

    origins: Origins = NOTHING
    functions: frozenset[ast.AST] = frozenset()
    tools: frozenset[tuple[str, str]] = frozenset()
    refs: frozenset[str] = frozenset()

    def __or__(self, other: TrackedValue) -> TrackedValue:
        if other is EMPTY or other is self:
            return self
        if self is EMPTY:
            return other
        if self.refs or other.refs or self.functions or other.functions or self.tools or other.tools:
            found = TrackedValue(
                merge_sets(self.origins, other.origins),
                merge_sets(self.functions, other.functions),
                merge_sets(self.tools, other.tools),
                merge_sets(self.refs, other.refs),
            )
            return self if found == self else found
        origins = merge_sets(self.origins, other.origins)
        return self if origins is self.origins else other if origins is other.origins else TrackedValue(origins)

    def made_of(self, origins: Origins) -> TrackedValue:
        """Return the same value made of different origins."""
        return self if origins is self.origins else TrackedValue(origins, self.functions, self.tools, self.refs)

    def changed(self, change: Callable[[AnswerOrigin], AnswerOrigin]) -> TrackedValue:
        """Return the same value after an operation that applies `change` to each origin."""
        return self.made_of(change_each(self.origins, change))


EMPTY: Final = TrackedValue()


# Any: elements of each field of a TrackedValue
def merge_sets(one: frozenset[Any], other: frozenset[Any]) -> frozenset[Any]:
    """Return the union, as the same object if one set contains the other. Most comparisons are of equal sets."""
    if one is other or not other:
        return one
    if not one:
        return other
    found = one | other
    return one if len(found) == len(one) else other if len(found) == len(other) else found


@lru_cache(maxsize=4096)
def is_personal(key: str) -> bool:
    """Return whether a key name says that its value identifies a person."""
    words = tool_verbs.name_words(key)
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


_memory = lru_cache(maxsize=8192)  # a program applies the same operations to the same few origins thousands of times


def is_settled(one: AnswerOrigin) -> bool:
    return one.form in (SPELLED, DERIVED) or one.kind != PRIVATE


@_memory
def element(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of an element: an entry of a container, or a character of a text."""
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
    """Return the origin of a container that holds the value."""
    if is_settled(one) or one.depth == ANY or one.depth >= MOST_DEPTH:
        return one
    return one._replace(depth=one.depth + 1)


@_memory
def under(one: AnswerOrigin, key: str) -> AnswerOrigin:
    """Return the origin of the entry under this key."""
    if is_settled(one):
        return one
    if one.form == TABLE:
        return one._replace(key=key, depth=1, form=PLAIN)
    if one.depth > 0:
        return one._replace(depth=one.depth - 1)
    return one._replace(key=key, depth=0, form=PLAIN)


@_memory
def spelled_out(one: AnswerOrigin, how: str) -> AnswerOrigin:
    """Return the origin of a single value in a form that masking does not find."""
    if is_settled(one):
        return one
    return one._replace(depth=0, form=SPELLED, how=how)


@_memory
def as_text(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of a text that the value is formatted into."""
    if is_settled(one):
        return one
    return one._replace(key=one.key if one.depth == 0 else "", depth=0, form=TEXT)


@_memory
def derived(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of a value that depends on the answer without containing it: a row count, a condition."""
    return one if one.kind != PRIVATE else AnswerOrigin(one.kind, one.label, one.line, one.server, form=DERIVED)


def encoded(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.ENCODED)


@_memory
def hashed(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of a hash.

    The hash of a single value reveals it; the hash of a document or a whole answer does not."""
    words = tool_verbs.name_words(one.key)
    single = one.depth == 0 and bool(one.key) and table.DOCUMENT_WORDS.isdisjoint(words)
    return spelled_out(one, table.HASHED) if single else one if one.form == SPELLED else derived(one)


@_memory
def length(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.LENGTH) if one.personal else one if one.form == SPELLED else derived(one)


@_memory
def summed(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of a sum. Sums of lengths and hashes reveal nothing; sums of characters still do."""
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
    """Return whether the origin is a text made of a whole answer or row."""
    return one.form == TEXT and one.depth == 0 and not one.key


@_memory
def questioned(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of one answer to many different comparisons with the value."""
    return spelled_out(one, table.PART) if one.personal else compared(one)


@_memory
def altered(one: AnswerOrigin) -> AnswerOrigin:
    return spelled_out(one, table.ALTERED) if one.personal else one


@_memory
def pieces(one: AnswerOrigin) -> AnswerOrigin:
    whole = not is_settled(one) and (one.personal or _is_whole_text(one))
    return one._replace(form=PIECES, depth=0) if whole else one


@_memory
def spells_out_value(one: AnswerOrigin) -> bool:
    """Return whether output of this origin spells out a single private value."""
    return one.kind == PRIVATE and one.form in (SPELLED, PIECES)


def unknown_value(node: ast.AST, label: str) -> TrackedValue:
    """Return a value that the analysis cannot follow."""
    return TrackedValue(frozenset({AnswerOrigin(UNKNOWN, label, getattr(node, "lineno", 1))}))


def origins_of(every: Iterable[TrackedValue]) -> Origins:
    """Return the origins of all these values."""
    return NOTHING.union(*(data.origins for data in every))


def field_of(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of a part of a row whose key is not known."""
    return element(one) if one.depth > 0 else one


def field_named(one: AnswerOrigin, name: str) -> AnswerOrigin:
    if is_settled(one) or not is_personal(name) or one.depth > 0:
        return one
    return under(one, name)


def at_unknown_key(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of a table entry whose key is computed, or of a part of an answer."""
    return element(one) if one.depth > 0 or one.form in (TEXT, BYTES) or one.personal else one


def one_of_many(one: AnswerOrigin) -> AnswerOrigin:
    """Return the origin of a text joined from many values."""
    text = as_text(one)
    return text._replace(key="") if text.form == TEXT else text


def cuts_text(node: ast.expr) -> bool:
    """Return whether a format specification takes only a few characters of its value: `{:.3}`, `%.3s`."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(isinstance(one, ast.Constant) and bool(_PRECISION.search(str(one.value))) for one in parts)


def split_pieces(one: AnswerOrigin) -> AnswerOrigin:
    return one._replace(depth=1, form=PLAIN) if one.depth == 0 and not is_settled(one) else one


def without_details(data: TrackedValue) -> TrackedValue:
    """Return a value as seen through a variable that may share its container.

    It counts as derived and has no origins from outsiders."""
    return TrackedValue(frozenset(derived(one) for one in data.origins if one.kind != UNTRUSTED), tools=data.tools)
