"""Shortens a long program for completion: omits functions and classes that the text at the cursor does not use.

Omitted functions and classes become empty lines, so that lines keep their numbers. Their names are returned, because
the user may want to complete one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

LONG = 400  # programs with at least so many lines are shortened
_MOST = 40  # functions and classes that are kept, including those at the cursor
_HEAD = re.compile(r"(?:async[ \t]{1,8})?(def|class)[ \t]{1,8}(\w{1,200})")
_STRINGS = re.compile(r'"""|\'\'\'')
_WORD = re.compile(r"\w{1,200}")
_GOES_ON = frozenset(" \t)]}#")


@dataclass(frozen=True, slots=True)
class TopLevelBlock:
    """A top-level function or class: its lines from `start` to before `end`, counted from 0."""

    name: str
    kind: str
    start: int
    end: int


def shorten(code: str, line: int) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The program shortened for this line, and the names and kinds of the omitted functions and classes."""
    lines = code.split("\n")
    if len(lines) < LONG:
        return code, ()
    blocks = _blocks(lines)
    inside = {at for block in blocks for at in range(block.start, block.end)}
    here = [block for block in blocks if block.start <= line - 1 < block.end]
    near = [lines[at] for at in range(len(lines)) if at not in inside]
    kept = set(here)
    words = _words_in([*near, *(lines[at] for block in here for at in range(block.start, block.end))])
    for block in blocks:
        if block.name in words and len(kept) < _MOST:
            kept.add(block)
    omitted = [block for block in blocks if block not in kept]
    for block in omitted:
        lines[block.start : block.end] = [""] * (block.end - block.start)
    kinds = {"def": "function", "class": "class"}
    return "\n".join(lines), tuple({block.name: kinds[block.kind] for block in omitted}.items())


def _blocks(lines: list[str]) -> list[TopLevelBlock]:
    """Top-level functions and classes, found by lines because a text that is being edited may not parse."""
    found: list[TopLevelBlock] = []
    open_block: tuple[str, str, int] | None = None
    first, inside = -1, ""  # line where decorators begin; quotes of an open string
    for number, line in enumerate(lines):
        if not inside and line and line[0] not in _GOES_ON:
            if open_block is not None:
                found.append(TopLevelBlock(*open_block, first if first >= 0 else number))
                open_block = None
            match = _HEAD.match(line)
            if match is not None:
                open_block, first = (match[2], match[1], first if first >= 0 else number), -1
            else:
                first = (first if first >= 0 else number) if line[0] == "@" else -1
        for quotes in _STRINGS.findall(line):
            inside = "" if inside == quotes else inside or quotes
    return [*found, TopLevelBlock(*open_block, len(lines))] if open_block is not None else found


def _words_in(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(line)}
