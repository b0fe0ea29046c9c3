"""The tokens that stand for values: `[EMAIL_1.k7q2]`, a counter and twenty bits that only this session can make.

Without the bits anybody could write a token and have it restored; with them a guess is right once in a million.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator

from workbench.privacy.kinds import KINDS, LITERAL
from workbench.privacy.known import fold
from workbench.privacy.spots import spots

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: nothing is misread
_NAMES = "|".join([*(kind.name for kind in KINDS), LITERAL])
_FILES = "json|html|jpeg|yaml|toml|webp|docx|xlsx|pptx|conf|java|text|data|copy|name|type"  # `card_1.json` is none
# Everything that is a token, might have been one, or would be taken for one; `[SECRET_KEY]` has no number and is none.
LOOKALIKE = re.compile(
    rf"(?:\[|%5B)(?:{_NAMES})_(?=[a-z.]{{0,40}}\d)[0-9a-z.]{{1,40}}(?:\]|%5D)"
    rf"|(?:(?:\[|%5B)|(?<![a-z0-9_]))(?:{_NAMES})_\d{{1,7}}\.(?!(?:{_FILES})(?![0-9a-z\]%]))[0-9a-z]{{4}}(?:\]|%5D)?",
    re.IGNORECASE | re.ASCII,
)
_EXACT = re.compile(
    rf"(?P<open>\[|%5B)(?P<kind>{_NAMES})_(?P<number>[1-9]\d{{0,6}})\.(?P<bits>[0-9a-z]{{4}})(?:\]|%5D)",
    re.IGNORECASE | re.ASCII,
)


_BEGINNINGS = tuple(f"{name.lower()}_" for name in (*(kind.name for kind in KINDS), LITERAL))
_BRACKETS = ("[", "%5b")


def lookalikes(text: str) -> Iterator[re.Match[str]]:
    """All of them, in order. A pattern alone would keep other threads waiting while it reads a long text."""
    if "_" not in text:
        return
    small, end = fold(text), 0
    for at in spots(small, _BEGINNINGS):
        for bracket in (*_BRACKETS, ""):
            start = at - len(bracket)
            if start >= end and small.startswith(bracket, start) and (match := LOOKALIKE.match(text, start)):
                end = match.end()
                yield match
                break


class Marks:
    """Makes and reads the tokens of one session."""

    def __init__(self, session: str, key: bytes | None = None) -> None:
        self._session = session
        self._key = key or secrets.token_bytes(32)
        self._made: dict[tuple[str, int], str] = {}  # bits of the tokens handed out, not of guesses

    @property
    def key(self) -> bytes:
        """What makes its tokens, for who keeps them."""
        return self._key

    def make(self, kind: str, number: int) -> str:
        """The token of the n-th value of a kind."""
        bits = self._made[kind, number] = self._bits(kind, number)
        return f"[{kind}_{number}.{bits}]"

    def read(self, text: str) -> tuple[str, int] | None:
        """Kind and number of a token of this session, in any case, also percent-encoded; None for anything else."""
        match = _EXACT.fullmatch(text)
        if match is None or (match["open"] == "[") != text.endswith("]"):
            return None
        kind, number = match["kind"].upper(), int(match["number"])
        return (kind, number) if hmac.compare_digest(match["bits"].lower(), self._bits(kind, number)) else None

    def _bits(self, kind: str, number: int) -> str:
        bits = self._made.get((kind, number))
        if bits is None:
            message = f"{self._session}|{kind}|{number}".encode("utf-8", "surrogatepass")
            value = int.from_bytes(hmac.digest(self._key, message, hashlib.sha256)[:3], "big")
            bits = "".join(ALPHABET[(value >> shift) & 31] for shift in (0, 5, 10, 15))
        return bits


def bare(token: str) -> str:
    """A token in the one spelling that tells it from others: `EMAIL_1.K7Q2`."""
    return token.upper().removeprefix("%5B").removesuffix("%5D").strip("[]")


def encoded(token: str) -> bool:
    """Whether a token is in its percent-encoded spelling."""
    return token.startswith("%")
