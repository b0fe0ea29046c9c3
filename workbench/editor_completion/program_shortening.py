"""Leaves out of a long program what has nothing to do with the place one writes at, so that reading it stays quick.

Functions and classes that neither hold the place nor are named near it become empty lines, so lines keep their
numbers; their names are told apart, because one may want to write one of them next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

LONG = 400  # lines from which on a program is shortened
_MOST = 40  # functions and classes that are kept beside those around the place
_HEAD = re.compile(r"(?:async[ \t]{1,8})?(def|class)[ \t]{1,8}(\w{1,200})")
_STRINGS = re.compile(r'"""|\'\'\'')
_WORD = re.compile(r"\w{1,200}")
_GOES_ON = frozenset(" \t)]}#")


@dataclass(frozen=True, slots=True)
class Block:
    """A function or class at the top: its lines from `start` to before `end`, counted from 0."""

    name: str
    kind: str
    start: int
    end: int


def shorten(code: str, line: int) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What is left to be read for this line, and the names and kinds of what was left out."""
    lines = code.split("\n")
    if len(lines) < LONG:
        return code, ()
    blocks = _blocks(lines)
    inside = {at for block in blocks for at in range(block.start, block.end)}
    here = [block for block in blocks if block.start <= line - 1 < block.end]
    near = [lines[at] for at in range(len(lines)) if at not in inside]
    kept = set(here)
    words = _words([*near, *(lines[at] for block in here for at in range(block.start, block.end))])
    for block in blocks:
        if block.name in words and len(kept) < _MOST:
            kept.add(block)
    gone = [block for block in blocks if block not in kept]
    for block in gone:
        lines[block.start : block.end] = [""] * (block.end - block.start)
    kinds = {"def": "function", "class": "class"}
    return "\n".join(lines), tuple({block.name: kinds[block.kind] for block in gone}.items())


def _blocks(lines: list[str]) -> list[Block]:
    """As far as lines tell; a text that does not parse at the moment has them too."""
    found: list[Block] = []
    begun: tuple[str, str, int] | None = None
    first, inside = -1, ""  # where decorators begin; the quotes that are open
    for number, line in enumerate(lines):
        if not inside and line and line[0] not in _GOES_ON:
            if begun is not None:
                found.append(Block(*begun, first if first >= 0 else number))
                begun = None
            match = _HEAD.match(line)
            if match is not None:
                begun, first = (match[2], match[1], first if first >= 0 else number), -1
            else:
                first = (first if first >= 0 else number) if line[0] == "@" else -1
        for quotes in _STRINGS.findall(line):
            inside = "" if inside == quotes else inside or quotes
    return [*found, Block(*begun, len(lines))] if begun is not None else found


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(line)}
