"""Finds text in a program's output that the workbench itself supplied: definitions, search results, code of skills.

Such text is not personal data, so nothing is detected in it. Only the core adds texts, and a stretch of output is
public only if it equals one of them: a line, or a string as JSON and Python write it. Only hashes with a key of this
process are stored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

from workbench.privacy.detectors.json_fields import texts
from workbench.records import JsonValue
from workbench.thread_cancellation import check_cancelled

_MOST: Final = 60_000  # hashes of one generation; two are kept
_MOST_PENDING: Final = 1_000  # values that wait to be hashed until an output is read
_LONGEST: Final = 2_000_000  # characters of a string in quotes
_FEWEST_WORDS: Final = 8  # words of a stretch that is long

_QUOTE: Final = re.compile(r"(?<!\\)[\"']")
_STRING: Final = re.compile(
    rf"\"[^\"\\]{{0,{_LONGEST}}}(?:\\.[^\"\\]{{0,{_LONGEST}}}){{0,{_LONGEST}}}\""
    rf"|'[^'\\]{{0,{_LONGEST}}}(?:\\.[^'\\]{{0,{_LONGEST}}}){{0,{_LONGEST}}}'"
)
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BETWEEN: Final = re.compile(r"[^\s{}\[\](),:]{1,100}")  # what may be between strings besides JSON punctuation
_CONSTANTS: Final = frozenset({"true", "false", "null", "True", "False", "None"})
_FEW_DIGITS: Final = re.compile(r"-?\d{1,2}(?:\.0)?")
_WORD: Final = re.compile(r"[^\W_]+")
_DEFINED: Final = re.compile(r"\b(?:def|class) (\w{1,200})")
_RESULT: Final = "result = "

_FRAME: Final = re.compile(
    r"File \"(?:<program[ \w]{0,40}>|<skill[ :\w.-]{0,100}>|/bench/skills/\w{1,100}\.py)\", line \d{1,7}"
)
_IN: Final = re.compile(
    r", in (?:<(?:module|lambda|listcomp|dictcomp|setcomp|genexpr)>|(?:\w{1,200}\.<locals>\.)?(\w{1,200}))"
)
_MARKERS: Final = re.compile(r"[ |]{0,99}[~^][~^ |]{0,1000}")
_EXCEPTION: Final = re.compile(
    r"(?:[+|] ){0,9}(?:[A-Za-z_]\w{0,60}\.){0,6}"
    r"(?:\w{0,60}(?:Error|Exception|Warning|ExceptionGroup)|KeyboardInterrupt|SystemExit|Stop(?:Async)?Iteration)(?::|$)"
)
_FROM_DEFINITIONS: Final = ("Valid parameters: ", "Did you mean: ")  # in the messages of our exceptions
_HEADS: Final = frozenset(
    {
        "Traceback (most recent call last):",
        "Exception Group Traceback (most recent call last):",
        "+ Exception Group Traceback (most recent call last):",
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
    }
)


class Stretch(NamedTuple):
    """A public stretch of a text: nothing is detected in it."""

    start: int
    end: int
    long: bool  # known values that are ordinary words are not masked in it


_Place: TypeAlias = tuple[int, int, bool]  # start and end of a public text, and whether it is a whole line


class PublicProgram:
    """The code of a run. Its author knows it, so its lines and names in tracebacks are public."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._lines: frozenset[str] | None = None
        self._names: frozenset[str] = frozenset()

    def _read(self) -> frozenset[str]:
        if self._lines is None:
            self._names = frozenset(_DEFINED.findall(self._code))
            self._lines = frozenset(filter(None, map(str.strip, self._code.splitlines())))
        return self._lines

    def has_line(self, line: str) -> bool:
        return line in self._read()

    def defines(self, name: str) -> bool:
        self._read()
        return name in self._names


class PublicTexts:
    """The public texts of one session."""

    def __init__(self) -> None:
        self._new: set[int] = set()
        self._old: set[int] = set()
        self._pending: list[JsonValue] = []
        self._taking = Lock()  # outputs are read on several threads

    def add(self, value: JsonValue) -> None:
        """Add a text or value that the core made from definitions only. It is hashed when an output is read."""
        self._pending.append(value)
        if len(self._pending) > _MOST_PENDING:
            self._take()

    def add_code(self, code: str) -> None:
        """Add the code of a skill or wrapper, and the names of its functions."""
        self.add([code, *_DEFINED.findall(code)])

    def has(self, text: str) -> bool:
        """Whether this is exactly a public text."""
        self._take()
        return self._knows(text.strip())

    def stretches(self, text: str, program: PublicProgram | None = None) -> tuple[Stretch, ...]:
        """The public stretches of an output, sorted, not overlapping."""
        self._take()
        found: list[_Place] = []
        at = 0
        for number, line in enumerate(text.split("\n")):
            if not number % 100:
                check_cancelled()
            found += self._line(line, at, program)
            at += len(line) + 1
        return tuple(_joined(text, found))

    def _take(self) -> None:
        with self._taking:
            while self._pending:
                for one in _pieces(self._pending.pop()):
                    if len(self._new) >= _MOST:
                        self._old, self._new = self._new, set()
                    self._new.add(hash(one))

    def _knows(self, text: str) -> bool:
        return (key := hash(text)) in self._new or key in self._old

    def _line(self, line: str, at: int, program: PublicProgram | None) -> Iterator[_Place]:
        core = line.strip()
        start = at + len(line) - len(line.lstrip())
        if core.startswith(_RESULT):
            core, start = core[len(_RESULT) :], start + len(_RESULT)
        end = start + len(core)
        if self._is_public(core, program):
            yield start, end, True
            return
        strings = list(self._strings(core))
        if len(strings) == 1 and self._is_between(core[: strings[0][0]]) and self._is_between(core[strings[0][1] :]):
            yield start, end, True
            return
        head = _EXCEPTION.match(core)
        if head:
            yield start, start + head.end(), False
            ends = (core.find(one, head.end()) for one in _FROM_DEFINITIONS)
            if at := next((at for at in ends if at >= 0 and self._knows(core[at:])), 0):
                yield start + at, end, False
                return
        yield from ((start + one, start + to, False) for one, to in strings)

    def _is_public(self, line: str, program: PublicProgram | None) -> bool:
        """Whether a line is a public text or belongs to the program or a traceback."""
        if not any(map(str.isalnum, line)):
            return _MARKERS.fullmatch(line) is not None
        own = program is not None and (program.has_line(line) or self._is_frame(line, program))
        return own or self._knows(line) or line in _HEADS

    def _is_frame(self, line: str, program: PublicProgram) -> bool:
        """Whether a line is a frame of a traceback whose function the program or a skill defines."""
        if not line.startswith("File ") or (frame := _FRAME.match(line)) is None:
            return False
        if frame.end() == len(line):
            return True
        function = _IN.fullmatch(line, frame.end())
        return function is not None and (
            function[1] is None or program.defines(function[1]) or self._knows(function[1])
        )

    def _strings(self, line: str) -> Iterator[tuple[int, int]]:
        """The places of public strings; strings with only punctuation between them are joined."""
        start = end = -1
        at = 0 if self._new or self._old else len(line)
        while quote := _QUOTE.search(line, at):
            string = _STRING.match(line, quote.start())
            at = quote.end()
            if string is None or not self._knows(_unquoted(string.group()).strip()):
                continue
            at = string.end()
            if start >= 0 and self._is_between(line[end : string.start()]):
                end = at
                continue
            if start >= 0:
                yield start, end
            start, end = string.span()
        if start >= 0:
            yield start, end

    def _is_between(self, text: str) -> bool:
        """Whether a text has only what may be between the strings of a definition: punctuation, constants, known
        numbers."""
        return all(
            one in _CONSTANTS or _FEW_DIGITS.fullmatch(one) or self._knows(one) for one in _BETWEEN.findall(text)
        )


class Stretches:
    """The public stretches of one text while parts of it are replaced by tokens."""

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self.all = tuple(stretches)
        self._starts = [one.start for one in self.all]

    def around(self, start: int, end: int) -> Stretch | None:
        """The stretch that contains this span."""
        at = bisect_right(self._starts, start) - 1
        return self.all[at] if at >= 0 and end <= self.all[at].end else None

    def moved(self, edits: Sequence[tuple[int, int, int]]) -> Stretches:
        """The stretches after these sorted edits: start, end, new length."""
        found: list[Stretch] = []
        shift = number = 0
        for one in self.all:
            while number < len(edits) and edits[number][1] <= one.start:
                shift += edits[number][2] - (edits[number][1] - edits[number][0])
                number += 1
            start, inner = one.start + shift, 0
            cut = False
            for at, to, letters in edits[number:]:
                if at >= one.end:
                    break
                cut = cut or at < one.start or to > one.end  # a token crosses its border: it is not public any more
                inner += letters - (to - at)
            if not cut:
                found.append(Stretch(start, one.end + shift + inner, one.long))
        return Stretches(found)


def _pieces(value: JsonValue) -> Iterator[str]:
    """Every text in a value, each of its lines, and its numbers."""
    for text in texts(value):
        yield text.strip()
        if "\n" in text:
            for line in text.split("\n"):
                if line := line.strip():
                    yield line
                    if '"""' in line:  # the first and the last line of a docstring
                        yield line.replace('"""', "").strip()
    yield from _numbers(value)


def _numbers(value: JsonValue) -> Iterator[str]:
    stack: list[JsonValue] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack += node.values()
        elif isinstance(node, list | tuple):
            stack += node
        elif isinstance(node, int | float) and not isinstance(node, bool):
            yield repr(node)


def _joined(text: str, found: Sequence[_Place]) -> Iterator[Stretch]:
    """Join consecutive whole lines. Only a long stretch is certain not to contain data."""
    at = 0
    while at < len(found):
        (start, end, whole), at = found[at], at + 1
        while whole and at < len(found) and found[at][2] and not _WORD.search(text, end, found[at][0]):
            end, at = found[at][1], at + 1
        words = sum(1 for _ in zip(_WORD.finditer(text, start, end), range(_FEWEST_WORDS), strict=False))
        yield Stretch(start, end, words >= _FEWEST_WORDS)


def _unquoted(string: str) -> str:
    """The content of a quoted string of JSON or Python."""
    inner = string[1:-1]
    if "\\" not in inner:
        return inner
    said = _ESCAPE.sub(_unescaped, inner)
    if not any("\ud800" <= sign <= "\udfff" for sign in said):
        return said
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    sign = match[1]
    if len(sign) == 1:
        return _ESCAPES.get(sign, sign)
    number = int(sign[1:], 16)
    return chr(number) if number <= 0x10FFFF else match[0]
