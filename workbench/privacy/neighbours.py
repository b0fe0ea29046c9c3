"""Finds the record that a key in a text belongs to: the keys beside it and the one above it.

In brackets it is what stands between them; on lines, what is indented alike without an empty line in between.
"""

from __future__ import annotations

import re

NEAR = 600  # characters before and behind a key that are looked at
LINES = 12  # before and behind it

_KEY = re.compile(r"(?<![\w-])[A-Za-z][\w-]{1,40}+(?=(?:\\?[\"'])?(?:\*\*)?[ \t]{0,2}[:=])")
_TAG = re.compile(r"<(?:\w{1,20}:)?([A-Za-z][\w.-]{1,40})[\s>]")
_ABOVE = re.compile(r"([A-Za-z][\w-]{1,40})\\?[\"']?\s{0,2}[:=]\s{0,3}\[?\s{0,3}$")
_LINE_KEY = re.compile(r"^[ \t]*(?:[-*•][ \t]+)?(?:\*\*)?[\"']?([A-Za-z][\w -]{1,40}?)[\"']?(?:\*\*)?[ \t]{0,2}[:=]")


def around(text: str, at: int) -> tuple[list[str], str]:
    """Keys of the record around a place, and the key that the record stands under."""
    before, behind = text[max(0, at - NEAR) : at], text[at : at + NEAR]
    opening = _unclosed(before, "{", "}")
    tag = before.rfind("<")
    if opening >= 0:
        record = before[opening + 1 :] + _until_closed(behind, "{", "}")
        above = _ABOVE.search(before, max(0, opening - 60), opening)
        return _KEY.findall(record), above[1] if above else ""
    if tag >= 0 and ">" not in before[tag:]:
        record = before[tag + 1 :] + behind.partition(">")[0]
        name = re.match(r"[\w.-]{1,40}", record)
        return _KEY.findall(record), name.group() if name else ""
    if text[at : at + 1] == "<":
        return _TAG.findall(before) + _TAG.findall(behind), ""
    return _lines(text, at)


def _unclosed(before: str, opening: str, closing: str) -> int:
    """Where the innermost bracket opens that is not closed again."""
    depth = 0
    for mark in reversed(list(re.finditer(r"[{}]", before))):
        depth += 1 if mark.group() == closing else -1
        if depth < 0:
            return mark.start()
    return -1


def _until_closed(behind: str, opening: str, closing: str) -> str:
    depth = 0
    for mark in re.finditer(r"[{}]", behind):
        depth += 1 if mark.group() == opening else -1
        if depth < 0:
            return behind[: mark.start()]
    return behind


def _lines(text: str, at: int) -> tuple[list[str], str]:
    """The keys on lines beside this one, as far as they are indented alike, and the one less indented above them."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    own = text[start : end if end >= 0 else start + NEAR][:NEAR]
    depth = _depth(own)
    keys = _KEY.findall(own) if ";" in own or "," in own or "&" in own else []
    above = ""
    for line in reversed(text[max(0, start - NEAR) : start].split("\n")[-LINES - 1 : -1]):
        if not line.strip() or _depth(line) < depth:
            above = _line_key(line) if line.rstrip().endswith(":") else ""
            break
        keys += [key] if _depth(line) == depth and (key := _line_key(line)) else []
    for line in text[end + 1 : end + NEAR].split("\n")[:LINES] if end >= 0 else ():
        if not line.strip() or _depth(line) < depth or line.lstrip().startswith(("- ", "* ")):
            break
        keys += [key] if _depth(line) == depth and (key := _line_key(line)) else []
    return keys, above


def _depth(line: str) -> int:
    """How far a line is indented; the dash of a list counts as indentation."""
    bare = line.lstrip(" \t")
    inner = bare[1:].lstrip(" \t") if bare[:2] in ("- ", "* ", "• ") else bare
    return len(line) - len(inner)


def _line_key(line: str) -> str:
    match = _LINE_KEY.match(line)
    return match[1].strip() if match else ""
