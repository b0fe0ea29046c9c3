"""Detects values after keys in free text: `Name: Rosa Lund`, `"dob": "1990-01-01"`, `<sn>Lund</sn>`.

A key is a word before ":" or "=", with up to three words before it on its line ("Date of birth: …"), or a tag. What
`name` means is decided by the other keys of its record: between the same brackets, or on lines with equal indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.credentials import is_jumble
from workbench.privacy.detectors.field_names import LIKELY, is_bare, is_name_of_thing, kind_of, kinds_of, needs_record
from workbench.privacy.detectors.key_words import LETTER, WORD_SIGNS
from workbench.privacy.detectors.kinds import Kind, settled
from workbench.privacy.detectors.text_search import DetectedSpan, find_matches

NEAR = 600  # characters before and after a key that are read
LINES = 12  # lines before and after a key that are read

_ASSIGN = r"\.?(?:\\?[\"'])?(?:\*\*)?[ \t\u00a0\u202f]{0,24}"  # between a key and its colon
_NEIGHBOUR_KEY = re.compile(rf"(?<![\w-])[^\W\d_][{WORD_SIGNS}-]{{0,40}}+(?={_ASSIGN}[:=：])")
_NEIGHBOUR_TAG = re.compile(r"<(?:\w{1,20}:)?([^\W\d_][\w.-]{1,40})[\s>]")
_ABOVE = re.compile(rf"([^\W\d_][{WORD_SIGNS}-]{{1,40}})\\?[\"']?\s{{0,2}}[:=：]\s{{0,3}}\[?\s{{0,3}}$")
_LINE_KEY = re.compile(rf"^[ \t]*(?:[-*•][ \t]+)?(?:\*\*)?[\"']?([^\W\d_][{WORD_SIGNS}'’ -]{{0,40}}?){_ASSIGN}[:=：]")


def keys_around(text: str, at: int) -> tuple[list[str], str]:
    """The keys of the record around a position, and the key of the record."""
    before, behind = text[max(0, at - NEAR) : at], text[at : at + NEAR]
    opening = _unclosed(before, "{", "}")
    tag = before.rfind("<")
    if opening >= 0:
        record = before[opening + 1 :] + _until_closed(behind, "{", "}")
        above = _ABOVE.search(before, max(0, opening - 60), opening)
        return _NEIGHBOUR_KEY.findall(_without_inner(record)), above[1] if above else ""
    if tag >= 0 and ">" not in before[tag:]:
        record = before[tag + 1 :] + behind.partition(">")[0]
        name = re.match(r"[\w.-]{1,40}", record)
        return _NEIGHBOUR_KEY.findall(record), name.group() if name else ""
    if text[at : at + 1] == "<":
        return _NEIGHBOUR_TAG.findall(before) + _NEIGHBOUR_TAG.findall(behind), ""
    return _keys_on_lines(text, at)


def _unclosed(before: str, opening: str, closing: str) -> int:
    """The position of the innermost open bracket."""
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


def _without_inner(record: str) -> str:
    """The text between the brackets of a record, without what is between inner brackets."""
    parts: list[str] = []
    depth = at = 0
    for mark in re.finditer(r"[{}]", record):
        if depth <= 0:
            parts.append(record[at : mark.start()])
        depth = max(0, depth + (1 if mark.group() == "{" else -1))
        at = mark.end()
    return " ".join([*parts, record[at:] if depth <= 0 else ""])


def _keys_on_lines(text: str, at: int) -> tuple[list[str], str]:
    """The keys on neighbouring lines with the same indentation, and the less indented key above them."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    own = text[start : end if end >= 0 else start + NEAR][:NEAR]
    depth = _depth(own)
    keys = _NEIGHBOUR_KEY.findall(own) if ";" in own or "," in own or "&" in own else []
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
    """The indentation of a line; the dash of a list counts."""
    bare = line.lstrip(" \t")
    inner = bare[1:].lstrip(" \t") if bare[:2] in ("- ", "* ", "• ") else bare
    return len(line) - len(inner)


def _line_key(line: str) -> str:
    match = _LINE_KEY.match(line)
    return match[1].strip() if match else ""


LOOK_BACK = 40  # characters before a word that may belong to its key
MOST_BEFORE = 3  # words before a word that may belong to its key
LONGEST = 400  # characters of a value

_KEY = re.compile(rf"[{LETTER}](?<![{WORD_SIGNS}-].)[{WORD_SIGNS}-]{{0,60}}+(?={_ASSIGN}[:=：])")
_MARK = re.compile(rf"{_ASSIGN}(?::=?|=>|={{1,2}}|：)(?:\*\*)?[ \t]{{0,4}}")
_GENDERED = re.compile(r"[^\W\d_]{2,20}(?:\([a-z]{1,2}\)|/[a-z]{1,5})")  # `Né(e)`, "Nato/a"
_LAST_LETTERS = re.compile(rf"[{LETTER}][{LETTER}\u0900-\u0963]{{0,40}}+(?:['’]s)?$")
_QUOTED = re.compile(r"(\\?[\"'])(?P<value>(?:(?!\1)[^\n\0]){1,400}?)\1")
_LINE = re.compile(r"[^\n\r\0;|<>{}\t\"]{1,400}+")
_COLUMN = re.compile(r"[^\n\r\0;|<>{}\t\"]{1,80}?(?=  |\t)")  # before a gap
_FIELD = re.compile(r"[^\n\r\0;|<>{}\t\",&)\]'、，；。）]{1,400}+")
_TOKEN = re.compile(r"[^\s\0;,\"'&<>|]{1,400}+")
_JUMBLE = re.compile(r"(?![^\s]{0,400}[&;,?]\w{1,40}=)[^\s\0\"'`]{10,400}+(?=\s|\Z)")  # a password with any signs
_CODE_START = re.compile(r"[\[\\]|\((?!\+?\d)")
_MORE_WORDS = re.compile(r" [^\W\d_]{2,}")
_ABBREVIATED = re.compile(r"(?:\d|[\s.][^\W\d_]{1,3})$")
_CALLED = re.compile(r"(?<=\w)\(\w[\w-]{0,24}:[a-z]{1,20}\)")  # `pam_unix(passwd:chauthtok)`
_DEFAULT = re.compile(r" (?:= |\| None\b)")  # after a type, as in `password: Secret = …`
_TAG = re.compile(
    r"<(?:\w{1,20}:)?(?P<tag>[^\W\d_][\w.-]{1,60})(?P<more>\s[^<>]{0,200}+)?>(?P<value>[^<>\0]{1,400}+)</"
)
_TAG_KEY = re.compile(r"\b(?:name|id|key|field|property|class|type|label)=[\"'](?P<key>[^\"']{1,60})[\"']")


def find_pairs(text: str, rules: DetectionRules = DEFAULT_RULES) -> Iterator[DetectedSpan]:
    """Values whose key announces a kind that accepts them."""
    if ":" in text or "=" in text or "：" in text:
        for match in find_matches(_KEY, text):
            if found := _pair(text, match, rules):
                yield found
        if "alue" in text:
            yield from _named_values(text, rules)
    if "</" in text:
        for tag in find_matches(_TAG, text):
            yield from _tagged(text, tag, rules)


_NAMED_VALUE = re.compile(
    r"(?:name|key|Name|Key)[\"']?[ \t]{0,2}[:=][ \t]{0,3}[\"']?(?P<key>[\w.-]{2,60}+)[\"']?,?\s{1,40}"
    r"[\"']?[vV]alue[\"']?[ \t]{0,2}[:=][ \t]{0,3}(?:\"(?P<quoted>[^\"\n\0]{1,400})\"|(?P<bare>[^\s\"',}\0]{1,400}))"
)


def _named_values(text: str, rules: DetectionRules) -> Iterator[DetectedSpan]:
    """Values whose key is a value itself: `- name: DB_PASSWORD` above `value: …`."""
    for match in find_matches(_NAMED_VALUE, text):
        kind = kind_of(match["key"], rules)
        group = "quoted" if match["quoted"] else "bare"
        if kind is not None and kind.name != "NAME" and (kind.assigned or kind.accepts)(match[group]):
            yield DetectedSpan(*match.span(group), kind.name, f"key {match['key']}")


# Kinds that the words before the dots of a key may announce: `acme.api.key`, `user.name`
_OF_DOTTED = frozenset({"SECRET", "USERNAME", "EMAIL", "IP", "PHONE"})
_DOTTED = re.compile(r"(?:[A-Za-z][\w-]{0,30}\.){1,4}\Z")
_LONGEST_DOTTED = 60


def _kind_of_dotted(text: str, word: re.Match[str], rules: DetectionRules) -> Kind | None:
    """The kind of a key with dots, which its last word alone does not announce."""
    if text[word.start() - 1 : word.start()] != ".":
        return None
    before = _DOTTED.search(text, max(0, word.start() - _LONGEST_DOTTED), word.start())
    kind = kind_of(f"{before.group()}{word.group()}", rules) if before else None
    if kind is not None and kind.name == "SECRET":
        return kind_of("token", rules)  # a number after `session.token:` is a count
    return kind if kind is not None and kind.name in _OF_DOTTED else None


def _pair(text: str, word: re.Match[str], rules: DetectionRules) -> DetectedSpan | None:
    before = _words_before(text, word.start() - 1) if text[word.start() - 1 : word.start()] == " " else ""
    long = f"{before} {word.group()}" if before else ""
    longer_kind = kind_of(long, rules) if long else None
    dotted = text[word.end()] == "."
    longer_kind = longer_kind or _kind_of_dotted(text, word, rules)
    kind = longer_kind or kind_of(f"{word.group()}{'.' if dotted else ''}", rules)
    bare = longer_kind is None and needs_record(word.group()) and not (long and is_name_of_thing(long))
    if kind is None and not bare:
        return None
    mark = _MARK.match(text, word.end())
    if mark is None or text.startswith("//", mark.end()):
        return None
    if bare:
        kind = _kind_in_record(text, word, mark.end(), rules) or kind
    if kind is not None and kind.name == "SECRET" and _CALLED.match(text, word.start() - 1) and mark.group() == ":":
        return None
    span = _value(text, mark.end(), kind) if kind else None
    if kind and span:
        return DetectedSpan(*span, settled(kind, text[slice(*span)]).name, f"key {word.group()}")
    return None


def _kind_in_record(text: str, word: re.Match[str], at: int, rules: DetectionRules) -> Kind | None:
    """The kind that a key announces in its record, if what follows a bare one may be a name."""
    first = text[at : at + 3].lstrip("\\\"'[")[:1]
    if is_bare(word.group()) and not first.isalpha():
        return None
    keys, above = keys_around(text, word.start())
    if not keys and not above:
        return None
    kinds = kinds_of([*keys, word.group()], above, rules)
    kind = kinds[word.group()]
    return kind if kind is not LIKELY and len(kinds) + bool(above) > 1 else None


def _tagged(text: str, tag: re.Match[str], rules: DetectionRules) -> Iterator[DetectedSpan]:
    named = _TAG_KEY.search(tag["more"]) if tag["more"] else None
    key = named["key"] if named and kind_of(named["key"], rules) else tag["tag"]
    kind = kind_of(key, rules)
    if kind is None and is_bare(key):
        keys, above = keys_around(text, tag.start())
        kind = kinds_of([*keys, key], above, rules)[key]
    start, end = tag.span("value")
    inner = text[start:end].strip()
    if kind and inner and (settled_kind := settled(kind, inner)).accepts(inner):
        start = text.find(inner, start)
        yield DetectedSpan(start, start + len(inner), settled_kind.name, f"tag {key}")


def _words_before(text: str, end: int) -> str:
    """Up to three words of letters before a blank, as in "Customer's date of birth"."""
    found: list[str] = []
    for word in reversed(text[max(0, end - LOOK_BACK) : end].rsplit(" ", MOST_BEFORE)[-MOST_BEFORE:]):
        if word.isalpha() or _GENDERED.fullmatch(word):
            found.insert(0, word)
            continue
        if last := _LAST_LETTERS.search(word):
            found.insert(0, last.group())
        if last is None or last.start() > 0:
            break
    return " ".join(found)


def _value(text: str, at: int, kind: Kind) -> tuple[int, int] | None:
    """The longest value that its kind accepts: the quoted text, the line, the field or one word."""
    kinds = (kind, *kind.also)
    if quoted := _QUOTED.match(text, at):
        start, end = quoted.span("value")
        return (start, end) if any(one.accepts(text[start:end]) for one in kinds) else None
    if kind.name == "SECRET" and (whole := _JUMBLE.match(text, at)) and is_jumble(whole.group()):
        return whole.span()
    for form in (_FIELD, _TOKEN) if text[at - 1] == "=" else (_LINE, _COLUMN, _FIELD, _TOKEN):
        found = form.match(text, at)
        if found and form is _TOKEN and _begins_sentence(text, found, kind):
            return None
        value = found.group().rstrip(" .,") if found else ""
        if value and not _CODE_START.match(value) and any((one.assigned or one.accepts)(value) for one in kinds):
            end = at + len(value)
            return (at, end + _final_dot(text, value, end)) if _DEFAULT.match(text, end) is None else None
    return None


def _begins_sentence(text: str, word: re.Match[str], kind: Kind) -> bool:
    """Whether a word after a key is the first of a sentence, not a name or secret."""
    worded = kind.name == "NAME" or (kind.name == "SECRET" and word.group().isalpha())
    return worded and _MORE_WORDS.match(text, word.end()) is not None


def _final_dot(text: str, value: str, end: int) -> int:
    """1 if a dot at the end of the line belongs to the value: `John Smith Jr.`, `Kossuth utca 5.`"""
    return int(
        text[end : end + 1] == "." and text[end + 1 : end + 2] in ("", "\n", "\r") and bool(_ABBREVIATED.search(value))
    )


_CARD_LINE = re.compile(
    r"^(?:item\d{1,3}\.)?(?P<key>FN|N|NICKNAME|TEL|BDAY|ORG|ADR|EMAIL)(?:;[^:\r\n]{0,200}+)?:(?P<value>[^\r\n\0]{1,400}+)",
    re.MULTILINE | re.IGNORECASE,
)
_PART = re.compile(r"[^;]+")
_KINDS = {
    "FN": "NAME",
    "N": "NAME",
    "NICKNAME": "NAME",
    "TEL": "PHONE",
    "BDAY": "DOB",
    "ORG": "COMPANY",
    "EMAIL": "EMAIL",
}
_STREET, _CODE = 2, 5  # parts of an address that identify a home; the others are town and country
_FEWEST = 2


def find_contact_cards(text: str) -> Iterator[DetectedSpan]:
    """The personal data in contact cards (vCard), whose keys are too short to be searched elsewhere:
    `N:Lund;Rosa;;;`."""
    if "BEGIN:VCARD" not in text:
        return
    for line in _CARD_LINE.finditer(text):
        key = line["key"].upper()
        start, end = line.span("value")
        if key == "ADR":
            yield from _address(text, start, end)
        elif key in ("N", "ORG"):
            yield from (
                DetectedSpan(*part.span(), _KINDS[key], f"card's {key}") for part in _PART.finditer(text, start, end)
            )
        elif end - start >= _FEWEST:
            yield DetectedSpan(start, end, _KINDS[key], f"card's {key}")


def _address(text: str, start: int, end: int) -> Iterator[DetectedSpan]:
    at = start
    for place, part in enumerate(text[start:end].split(";")):
        if place in (_STREET, _CODE) and part.strip():
            yield DetectedSpan(at, at + len(part), "ADDRESS", "card's ADR")
        at += len(part) + 1
