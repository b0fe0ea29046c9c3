"""A sample for `privacy.py`: a text or a JSON value with labelled values.

Samples are written with three marker characters around each value and read without them. No sample uses these
characters otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.records import JsonValue

_OPEN, _MIDDLE, _CLOSE, _NUMBER = "\ue000", "\ue001", "\ue002", "\ue003"
_MARK = re.compile(f"{_OPEN}([A-Z_]+){_MIDDLE}([^{_CLOSE}]*){_CLOSE}")
_WHOLE_NUMBER = re.compile(f'"{_OPEN}([A-Z_]+){_MIDDLE}{_NUMBER}([0-9]+){_CLOSE}"')


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text of a sample with its values: start, end and kind of each. A JSON value has many leaves."""

    pointer: str
    text: str
    values: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """A tool's answer, as the detector receives it, and its leaves for the evaluation."""

    shape: str
    value: JsonValue
    leaves: tuple[Leaf, ...]
    printed: Leaf  # the same as one text, for detectors that do not read JSON


def mark(kind: str, value: str) -> str:
    return f"{_OPEN}{kind}{_MIDDLE}{value}{_CLOSE}"


def mark_number(kind: str, digits: str) -> str:
    """Mark a value that is a number in JSON. It must be the complete leaf."""
    return mark(kind, _NUMBER + digits.lstrip("0"))


def sample(shape: str, marked: JsonValue) -> Sample:
    """A sample from a marked text or a marked JSON value."""
    if isinstance(marked, str):
        leaf = _leaf("", marked)
        return Sample(shape, leaf.text, (leaf,), leaf)
    written = json.dumps(marked, ensure_ascii=False)
    printed = _leaf("", _WHOLE_NUMBER.sub(lambda m: mark(m[1], m[2]), written))
    leaves = tuple(_leaf(at, text.replace(_NUMBER, "")) for at, text in _texts(marked, ""))
    return Sample(shape, json.loads(printed.text), leaves, printed)


def _leaf(pointer: str, marked: str) -> Leaf:
    parts: list[str] = []
    values: list[tuple[int, int, str]] = []
    at = length = 0
    for match in _MARK.finditer(marked):
        parts += [marked[at : match.start()], match[2]]
        start = length + match.start() - at
        length = start + len(match[2])
        values.append((start, length, match[1]))
        at = match.end()
    return Leaf(pointer, "".join([*parts, marked[at:]]), tuple(values))


def _texts(node: JsonValue, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for key, child in node.items():
            yield from _texts(child, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(node, list):
        for at, child in enumerate(node):
            yield from _texts(child, f"{pointer}/{at}")
    elif isinstance(node, str | int | float) and not isinstance(node, bool):
        yield pointer, str(node)
