"""Foreign words as a comment of TypeScript. A comment is the one place where text is not quoted, so nothing in it may
end the comment, start a tag, instruct a compiler, or turn the reading direction around."""

from __future__ import annotations

import re
import unicodedata

_LIVE = re.compile(r"\*/|(?<![\w\\])@(?=\w)|[#@](?=\s*source)")  # the comment's end; a tag, a directive; a source map
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def jsdoc(text: str, tags: str = "", indent: str = "") -> str:
    """Text, and our own tags below it, as a comment with a line break at its end; nothing when there is nothing."""
    lines = [*_lines(text), *(f"@{line}" for line in _lines(tags))]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def _lines(text: str) -> list[str]:
    whole = "\n".join("".join(map(_plain, line)).rstrip() for line in text.splitlines()).strip("\n")
    return _LIVE.sub(lambda found: found[0][:-1] + "\\" + found[0][-1], whole).split("\n") if whole else []


def _plain(mark: str) -> str:
    hidden = mark in _TURNING or unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp")
    return " " if hidden else mark
