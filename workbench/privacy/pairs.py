"""Reads keys written before values in free text: `Name: Rosa Lund`, `"dob": "1990-01-01"`, `<sn>Lund</sn>`.

A key is a word before ":" or "=", with up to three words before it on its line ("Date of birth: …"), or a tag. What
`name` means is said by the other keys of its record: between the same brackets, or on lines beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.found import Found
from workbench.privacy.keys import kind_of
from workbench.privacy.kinds import Kind, settled
from workbench.privacy.neighbours import around
from workbench.privacy.record_keys import BARE, LIKELY, kinds_of
from workbench.privacy.rules import PLAIN, Rules
from workbench.privacy.spots import each

LOOK_BACK = 40  # characters before a word in which more of its key may stand
LONGEST = 400  # characters of a value

_KEY = re.compile(r"[A-Za-z](?<![\w-].)[\w-]{1,60}+(?=(?:\\?[\"'])?(?:\*\*)?[ \t]{0,2}[:=])")
_MARK = re.compile(r"(?:\\?[\"'])?(?:\*\*)?[ \t]{0,2}(?::=?|=>|={1,2})(?:\*\*)?[ \t]{0,4}")
_BEFORE = re.compile(r"(?:[A-Za-z]+[ ]){1,3}$")
_QUOTED = re.compile(r"(\\?[\"'])(?P<value>(?:(?!\1)[^\n\0]){1,400}?)\1")
_LINE = re.compile(r"[^\n\r\0;|<>{}\t\"]{1,400}+")
_FIELD = re.compile(r"[^\n\r\0;|<>{}\t\",&)\]']{1,400}+")
_TOKEN = re.compile(r"[^\s\0;,\"'&<>|]{1,400}+")
_TAG = re.compile(
    r"<(?:\w{1,20}:)?(?P<tag>[A-Za-z][\w.-]{1,60})(?P<more>\s[^<>]{0,200}+)?>(?P<value>[^<>\0]{1,400}+)</"
)
_TAG_KEY = re.compile(r"\b(?:name|id|key|field|property|class|type|label)=[\"'](?P<key>[^\"']{1,60})[\"']")


def pairs(text: str, rules: Rules = PLAIN) -> Iterator[Found]:
    """Values whose key announces a kind that accepts them."""
    if ":" in text or "=" in text:
        for match in each(_KEY, text):
            if found := _pair(text, match, rules):
                yield found
    if "</" in text:
        for tag in each(_TAG, text):
            yield from _tagged(text, tag, rules)


def _pair(text: str, word: re.Match[str], rules: Rules) -> Found | None:
    kind = _announced(text, word, rules)
    bare = word.group().lower() in BARE
    if kind is None and not bare:
        return None
    mark = _MARK.match(text, word.end())
    if mark is None:
        return None
    if bare:
        kind = _told(text, word, mark.end(), rules) or kind
    span = _value(text, mark.end(), kind) if kind else None
    if kind and span:
        return Found(*span, settled(kind, text[slice(*span)]).name, f"key {word.group()}")
    return None


def _told(text: str, word: re.Match[str], at: int, rules: Rules) -> Kind | None:
    """What a bare key announces in its record, if it is followed by anything like a name."""
    first = text[at : at + 3].lstrip("\\\"'[")[:1]
    if not first.isalpha():
        return None
    keys, above = around(text, word.start())
    if not keys and not above:
        return None
    kinds = kinds_of([*keys, word.group()], above, rules)
    kind = kinds[word.group()]
    return kind if kind is not LIKELY and len(kinds) + bool(above) > 1 else None


def _tagged(text: str, tag: re.Match[str], rules: Rules) -> Iterator[Found]:
    named = _TAG_KEY.search(tag["more"]) if tag["more"] else None
    key = named["key"] if named and kind_of(named["key"], rules) else tag["tag"]
    kind = kind_of(key, rules)
    if kind is None and key.lower() in BARE:
        keys, above = around(text, tag.start())
        kind = kinds_of([*keys, key], above, rules)[key]
    start, end = tag.span("value")
    inner = text[start:end].strip()
    if kind and inner and (settled_kind := settled(kind, inner)).accepts(inner):
        start = text.find(inner, start)
        yield Found(start, start + len(inner), settled_kind.name, f"tag {key}")


def _announced(text: str, word: re.Match[str], rules: Rules) -> Kind | None:
    kind = kind_of(word.group(), rules)
    if text[word.start() - 1 : word.start()] == " ":
        before = _BEFORE.search(text, max(0, word.start() - LOOK_BACK), word.start())
        kind = (kind_of(before.group() + word.group(), rules) if before else None) or kind
    return kind


def _value(text: str, at: int, kind: Kind) -> tuple[int, int] | None:
    """The value as far as its kind accepts it: what is quoted, the line, the field, or one word."""
    kinds = (kind, *kind.also)
    if quoted := _QUOTED.match(text, at):
        start, end = quoted.span("value")
        return (start, end) if any(one.accepts(text[start:end]) for one in kinds) else None
    for form in (_FIELD, _TOKEN) if text[at - 1] == "=" else (_LINE, _FIELD, _TOKEN):
        found = form.match(text, at)
        value = found.group().rstrip(" .,") if found else ""
        if value and value[0] not in "[(\\" and any((one.assigned or one.accepts)(value) for one in kinds):
            return at, at + len(value)
    return None
