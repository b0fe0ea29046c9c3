"""PII tokens such as `[EMAIL_1.k7q2]`: makes, reads and finds them, cuts texts between them, and records their uses.

A token is a counter and a signature of 20 bits that only its session can make. Without the signature, anyone could
write a token and have it restored; with it, a guess succeeds once in a million. A part of a known name has the counter
of the name and a signature of its own, so that a reader sees that both are one person.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from workbench.privacy.detectors.kinds import KINDS, LITERAL
from workbench.privacy.detectors.text_search import find_words
from workbench.privacy.value_index import fold
from workbench.records import Hidden, KindCount, Place

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u, which may be misread
_KIND_NAMES = (*(kind.name for kind in KINDS), LITERAL)
_NAMES = "|".join(_KIND_NAMES)
_FILES = "json|html|jpeg|yaml|toml|webp|docx|xlsx|pptx|conf|java|text|data|copy|name|type"  # `card_1.json`: no token
# Matches tokens, damaged tokens and what would be taken for a token; not `[SECRET_KEY]`, which has no number.
LOOKALIKE = re.compile(
    rf"(?:\[|%5B)(?:{_NAMES})_(?=[a-z.]{{0,40}}\d)[0-9a-z.]{{1,40}}(?:\]|%5D)"
    rf"|(?:(?:\[|%5B)|(?<![a-z0-9_]))(?:{_NAMES})_\d{{1,7}}\.(?!(?:{_FILES})(?![0-9a-z\]%]))[0-9a-z]{{4}}(?:\]|%5D)?",
    re.IGNORECASE | re.ASCII,
)
_EXACT = re.compile(
    rf"(?P<open>\[|%5B)(?P<kind>{_NAMES})_(?P<number>[1-9]\d{{0,6}})\.(?P<bits>[0-9a-z]{{4}})(?:\]|%5D)",
    re.IGNORECASE | re.ASCII,
)


_BEGINNINGS = tuple(f"{name.lower()}_" for name in _KIND_NAMES)
_BRACKETS = ("[", "%5b")


def find_tokens(text: str) -> Iterator[re.Match[str]]:
    """All tokens and look-alikes, in order. The pattern alone would block other threads while it reads a long text."""
    if "_" not in text:
        return
    small, end = fold(text), 0
    for at in find_words(small, _BEGINNINGS):
        for bracket in (*_BRACKETS, ""):
            start = at - len(bracket)
            if start >= end and small.startswith(bracket, start) and (match := LOOKALIKE.match(text, start)):
                end = match.end()
                yield match
                break


VARIANTS: Final = 6  # further tokens with the number of a name, for its parts and other spellings
VARYING: Final = "NAME"  # the kind of value whose parts get the number of the whole
TokenPlace: TypeAlias = tuple[str, int] | tuple[str, int, int]
"""Kind and number of a token, and for a part of a name or another spelling of it, which of them it is."""


class TokenFactory:
    """Makes and reads the tokens of one session."""

    def __init__(self, session: str, key: bytes | None = None) -> None:
        self._session = session
        self._key = key or secrets.token_bytes(32)
        self._made: dict[tuple[str, int, int], str] = {}  # signatures of issued tokens, not of guesses

    @property
    def key(self) -> bytes:
        """The secret that signs the tokens, for storing it."""
        return self._key

    def make(self, kind: str, number: int, variant: int = 0) -> str:
        """The token of the n-th value of a kind. `variant`: of which part or other spelling of it; 0: of the value."""
        signature = self._made[kind, number, variant] = self._signature(kind, number, variant)
        return f"[{kind}_{number}.{signature}]"

    def read(self, text: str) -> TokenPlace | None:
        """The place of a token of this session, in any case, also percent-encoded; None for anything else."""
        match = _EXACT.fullmatch(text)
        if match is None or (match["open"] == "[") != text.endswith("]"):
            return None
        kind, number, bits = match["kind"].upper(), int(match["number"]), match["bits"].lower()
        for variant in range(1 + VARIANTS * (kind == VARYING)):
            if hmac.compare_digest(bits, self._signature(kind, number, variant)):
                return (kind, number, variant) if variant else (kind, number)
        return None

    def _signature(self, kind: str, number: int, variant: int) -> str:
        signature = self._made.get((kind, number, variant))
        if signature is None:
            place = f"{kind}|{number}|{variant}" if variant else f"{kind}|{number}"
            message = f"{self._session}|{place}".encode("utf-8", "surrogatepass")
            value = int.from_bytes(hmac.digest(self._key, message, hashlib.sha256)[:3], "big")
            signature = "".join(ALPHABET[(value >> shift) & 31] for shift in (0, 5, 10, 15))
        return signature


def names_kind(text: str) -> bool:
    """Whether a text contains a kind in capitals, as all tokens do."""
    return any(kind in text for kind in _KIND_NAMES)


def is_token_shaped(text: str) -> bool:
    """Whether a text is written like a token, of whatever session."""
    return _EXACT.fullmatch(text) is not None


def normalize_token(token: str) -> str:
    """The canonical spelling of a token, by which tokens are compared: `EMAIL_1.K7Q2`."""
    return token.upper().removeprefix("%5B").removesuffix("%5D").strip("[]")


def is_percent_encoded(token: str) -> bool:
    """Whether a token is in its percent-encoded spelling."""
    return token.startswith("%")


def unmask_with_spans(masked: str, restore: Callable[[str], str]) -> tuple[str, tuple[Hidden, ...]]:
    """The text with values in place of tokens, and the spans of these values in it."""
    parts: list[str] = []
    spans: list[Hidden] = []
    at = last = 0
    for match in LOOKALIKE.finditer(masked):
        between, value = masked[last : match.start()], restore(match.group())
        at += len(between)
        if value != match.group():
            spans.append(Hidden(at, at + len(value), kind_of(match.group()), match.group()))
        parts += [between, value]
        at += len(value)
        last = match.end()
    return "".join([*parts, masked[last:]]), tuple(spans)


def tokens_in(text: str) -> Iterator[str]:
    """Everything in a text that looks like a token; only its session can tell whether it is one."""
    return (match.group() for match in find_tokens(text))


def count_tokens(masked: str) -> tuple[KindCount, ...]:
    """The number of different tokens of each kind in a text."""
    kinds = Counter(kind_of(token) for token in {one.upper() for one in tokens_in(masked)})
    return tuple(KindCount(kind, count) for kind, count in sorted(kinds.items()) if kind != LITERAL)


def kind_of(token: str) -> str:
    """The kind that a token names."""
    return token.removeprefix("[").removeprefix("%5B").removeprefix("%5b").rpartition("_")[0].upper()


_NEAR: Final = 80  # characters on both sides of a cut that are searched for a token across it


def cut_before(text: str, at: int) -> int:
    """The last position up to `at` where no token is cut."""
    return _edge(text, at)[0]


def cut_after(text: str, at: int) -> int:
    """The first position from `at` on where no token is cut."""
    return _edge(text, at)[1]


def _edge(text: str, at: int) -> tuple[int, int]:
    start = max(0, at - _NEAR)
    for match in LOOKALIKE.finditer(text[start : at + _NEAR]):
        if match.start() + start < at < match.end() + start:
            return match.start() + start, match.end() + start
    return at, at


_MOST_CALLS: Final = 20  # calls and runs that are stored for one token
_MOST_TOKENS: Final = 50_000  # tokens whose uses are stored


@dataclass(slots=True)
class TokenUses:
    """Where one token was used: how often models read it, in which runs, and which calls sent its value."""

    times: int = 0
    runs: list[str] = field(default_factory=list)
    calls: dict[str, Place] = field(
        default_factory=dict
    )  # by call ID: a call is recorded when it is sent and at its end


class TokenHistory:
    """Where the tokens of one session were used. It holds no values, and a bounded number of uses per token."""

    def __init__(self) -> None:
        self._uses: dict[str, TokenUses] = {}

    def record_call(self, arguments: str, call: str, place: Place) -> None:
        """Record that a call sent the values of the tokens in these masked arguments to a server."""
        for uses in self._uses_of(map(normalize_token, tokens_in(arguments))):
            uses.calls[call] = place
            if len(uses.calls) > _MOST_CALLS:
                del uses.calls[next(iter(uses.calls))]

    def record_text(self, text: str, run_id: str) -> None:
        """Record that a model received this text."""
        counts = Counter(map(normalize_token, tokens_in(text)))
        for count, uses in zip(counts.values(), self._uses_of(counts), strict=True):
            uses.times += count
            uses.runs = [*(run for run in uses.runs if run != run_id), run_id][-_MOST_CALLS:]

    def uses(self, token: str) -> TokenUses:
        """The uses of a token in any spelling."""
        return self._uses.get(normalize_token(token)) or TokenUses()

    def _uses_of(self, tokens: Iterable[str]) -> Iterator[TokenUses]:
        """The record of each token; when too many tokens have one, new tokens get one that is not stored."""
        for token in tokens:
            if token in self._uses or len(self._uses) < _MOST_TOKENS:
                yield self._uses.setdefault(token, TokenUses())
            else:
                yield TokenUses()
