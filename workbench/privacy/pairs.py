"""Reads keys written before values in free text: `Name: Rosa Lund`, `"dob": "1990-01-01"`, `password=…`.

A key is a word before ":" or "=", with up to three words before it on its line ("Date of birth: …").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.found import Found
from workbench.privacy.keys import kind_of
from workbench.privacy.kinds import Kind
from workbench.privacy.rules import PLAIN, Rules

LOOK_BACK = 40  # characters before a word in which more of its key may stand
LONGEST = 400  # characters of a value

_KEY = re.compile(r"(?<![\w-])[A-Za-z][\w-]{1,60}+(?=(?:\\?[\"'])?(?:\*\*)?[ \t]{0,2}[:=])")
_MARK = re.compile(r"(?:\\?[\"'])?(?:\*\*)?[ \t]{0,2}(?::=?|=>|={1,2})(?:\*\*)?[ \t]{0,4}")
_BEFORE = re.compile(r"(?:[A-Za-z]+[ ]){1,3}$")
_QUOTED = re.compile(r"(\\?[\"'])(?P<value>(?:(?!\1)[^\n\0]){1,400}?)\1")
_LINE = re.compile(r"[^\n\r\0;|<>{}\t\"]{1,400}+")
_FIELD = re.compile(r"[^\n\r\0;|<>{}\t\",&)\]']{1,400}+")
_TOKEN = re.compile(r"[^\s\0;,\"'&<>|]{1,400}+")


def pairs(text: str, rules: Rules = PLAIN) -> Iterator[Found]:
    """Values whose key announces a kind that accepts them."""
    if ":" not in text and "=" not in text:
        return
    for match in _KEY.finditer(text):
        kind = _announced(text, match, rules)
        mark = _MARK.match(text, match.end()) if kind else None
        span = _value(text, mark.end(), kind) if kind and mark else None
        if kind and span:
            yield Found(*span, kind.name, f"key {match.group()}")


def _announced(text: str, word: re.Match[str], rules: Rules) -> Kind | None:
    kind = kind_of(word.group(), rules)
    if kind is None or " " in text[word.start() - 1 : word.start()]:
        before = _BEFORE.search(text, max(0, word.start() - LOOK_BACK), word.start())
        kind = (kind_of(before.group() + word.group(), rules) if before else None) or kind
    return kind


def _value(text: str, at: int, kind: Kind) -> tuple[int, int] | None:
    """The value as far as its kind accepts it: what is quoted, the line, the field, or one word."""
    if quoted := _QUOTED.match(text, at):
        start, end = quoted.span("value")
        return (start, end) if kind.accepts(text[start:end]) else None
    accepts = kind.assigned or kind.accepts
    for form in (_FIELD, _TOKEN) if text[at - 1] == "=" else (_LINE, _FIELD, _TOKEN):
        found = form.match(text, at)
        value = found.group().rstrip(" .,") if found else ""
        if value and value[0] not in "[(\\" and accepts(value):
            return at, at + len(value)
    return None
