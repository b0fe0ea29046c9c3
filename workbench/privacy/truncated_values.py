"""Removes the remaining piece of a known value that a program cut, as in `print(text[:2000])`.

Such a piece is not a value and gets no token; "…" replaces it. Pieces are searched only at both ends of a line and only
if the cut is inside a word: "Berlin" is no piece of "Lime Street 5, Berlin", and the domain is no piece of an e-mail
address.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice
from threading import Lock
from typing import Final

from workbench.privacy.public_texts import Stretches
from workbench.privacy.value_index import FEWEST_DIGITS, fold
from workbench.privacy.value_store import ValueStore
from workbench.thread_cancellation import check_cancelled

FEWEST: Final = 5  # letters of a piece; shorter ones occur at the end of half of all lines
SHORTEST_LINE: Final = 24  # characters; a shorter line is more likely a word than a slice
_LONGEST: Final = 80  # characters at the end of a line that are searched
_NEAR: Final = 50  # values with the same beginning that are compared
FEWEST_JOINED: Final = 8  # characters of a piece that contains one of `_JOINTS`
_JOINTS: Final = "._-@"
_LEFT_OUT: Final = "…"
_BEGINS: Final = re.compile(r"(?<!\w)\w")
_WORD: Final = re.compile(r"[^\W\d_]+")
_HEAD: Final = re.compile(r"(?:result = )?[\"'(\[{ ]{0,8}")
_TAIL: Final = re.compile(r"[\"')\]}, ]{0,8}\Z")


class TruncatedValues:
    """The values of one session, sorted by their beginnings and by their ends."""

    def __init__(self, values: ValueStore) -> None:
        self._values = values
        self._learning = Lock()  # outputs are read on several threads
        self._read = 0
        self._forward, self._backward = _Ends((), _JOINTS), _Ends((), _JOINTS)

    def remove_from(self, text: str, public: Stretches | None = None) -> str:
        """The text without pieces of values at the ends of its lines, except public lines."""
        self._learn()
        if not self._forward.values:
            return text
        lines, at = text.split("\n"), 0
        for number, line in enumerate(lines):
            if len(line) >= SHORTEST_LINE and not _is_public(line, at, public):
                lines[number] = self._line(line)
            at += len(line) + 1
        return "\n".join(lines)

    def _learn(self) -> None:
        """Add the values that are new since the last call."""
        with self._learning:
            new = self._values.filed_since(self._read)
            if new:
                words = {word for value in new for word in _WORD.findall(value) if len(word) > FEWEST}
                known = {*self._forward.values, *new, *words}
                self._forward = _Ends(tuple(sorted(known)), _JOINTS)
                self._backward = _Ends(tuple(sorted(value[::-1] for value in known)), _JOINTS.replace("@", ""))
                self._read += len(new)

    def _line(self, line: str) -> str:
        check_cancelled()
        head, tail = _end(_HEAD.match(line)), _start(_TAIL.search(line[-8:]), len(line))
        core = line[head:tail]
        if cut := self._forward.cut_length(core[-_LONGEST:]):
            core = core[:-cut] + _LEFT_OUT
        if cut := self._backward.cut_length(core[:_LONGEST][::-1]):
            core = _LEFT_OUT + core[cut:]
        return f"{line[:head]}{core}{line[tail:]}"


class _Ends:
    """Sorted values and their first letters. For the beginnings of lines, the values are reversed."""

    def __init__(self, values: tuple[str, ...], joints: str) -> None:
        self.values = values
        self._firsts = frozenset(value[:FEWEST] for value in values)
        self._joints = joints  # where a cut counts as inside a value, except before the domain of an e-mail address

    def cut_length(self, text: str) -> int:
        """The number of characters at the end of the text that begin a value which continues in the same word."""
        if not (text[-1:].isalnum() or text[-1:] in _JOINTS):
            return 0
        folded = fold(text)
        for match in _BEGINS.finditer(folded):
            at = match.start()
            if folded[at : at + FEWEST] in self._firsts and self._goes_on(folded[at:]):
                return len(folded) - at
        return 0

    def _goes_on(self, piece: str) -> bool:
        if len(piece) < FEWEST_DIGITS and not any(map(str.isalpha, piece)):
            return False  # any number may look like this
        at = bisect_left(self.values, piece)
        for value in islice(self.values, at, at + _NEAR):
            if not value.startswith(piece):
                return False
            if self._cuts(piece, value[len(piece) : len(piece) + 1]):
                return True
        return False

    def _cuts(self, piece: str, after: str) -> bool:
        """Whether the cut is inside a word; `ada.lovelace` counts as one word, `sales` and a domain do not."""
        if piece[-1].isalnum() and after.isalnum():
            return True
        joined = len(piece) >= FEWEST_JOINED and any(map(str.isalpha, piece)) and any(sign in _JOINTS for sign in piece)
        return joined and bool(after) and (after in self._joints or after.isalnum())


def _is_public(line: str, at: int, public: Stretches | None) -> bool:
    """Whether the whole line at this position is in a public stretch."""
    start = at + len(line) - len(line.lstrip())
    return public is not None and public.around(start, at + len(line.rstrip())) is not None


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def _start(match: re.Match[str] | None, length: int) -> int:
    return length - len(match.group()) if match else length
