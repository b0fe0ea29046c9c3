"""Determines what the lines of a text are: source code, comments, definitions of tools, logs, documents or prose.

Detectors ask for the type because evidence differs: `Reader` is a class in code and may be a person in a mail. A line
is judged by its beginning and its signs, then its paragraph decides. Lines of data and all lines that are not
recognised count as `DATA` or `PROSE`, where everything is detected.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Final

from msgspec import Struct

from workbench.privacy.detectors.text_search import find_matches


class TextType(IntEnum):
    """What a stretch of a text is."""

    PROSE = 0  # mails, notes, chats and everything that is none of the others
    DATA = 1  # keys with values, rows of tables
    DOCUMENT = 2  # sentences and lists about software
    HEADING = 3
    LOG = 4
    COMMENT = 5  # in code: comments and documentation strings
    CODE = 6
    DEFINITION = 7  # schemas and definitions of tools


class TypedText(Struct, frozen=True):
    """The types of the stretches of a text. Each stretch ends where the next one begins."""

    starts: tuple[int, ...]
    types: tuple[TextType, ...]

    def at(self, position: int) -> TextType:
        """The type of the stretch that contains a position."""
        return self.types[bisect_right(self.starts, position) - 1]


_LONGEST: Final = 300  # characters of a line that are read
_FEWEST_SPACES: Final = 3  # of a sentence that ends with its mark
_SHARE: Final = 0.4  # of the lines of a paragraph of code that have signs of code
_FILE_SHARE: Final = 0.2  # of the lines of a source file
_FEWEST: Final = 3  # lines of a source file that have signs of code
_LINES_PER_SIGN: Final = 5  # of a document about software
_FEWEST_SIGNS: Final = 5
_FEWEST_CHARACTERS: Final = 40
_MOST_CHARACTERS: Final = 20_000  # from the beginning of a text, that show whether it is about software
_CHARACTERS_PER_SIGN: Final = 300


_UNIFORM: Final = {one: TypedText((0,), (one,)) for one in TextType}


class _Line(IntEnum):
    BLANK = 0
    WORDS = 1
    ROW = 2  # `key: value`, brackets
    SIGNED = 3  # has signs of code
    COMMENT = 4
    LOG = 5
    HEADING = 6
    FENCE = 7
    STATEMENT = 8  # begins with a keyword
    PARTED = 9  # the name of the file that follows


_ALONE: Final = {
    _Line.BLANK: TextType.PROSE,
    _Line.SIGNED: TextType.CODE,
    _Line.LOG: TextType.LOG,
    _Line.HEADING: TextType.HEADING,
    _Line.FENCE: TextType.CODE,
    _Line.PARTED: TextType.CODE,
}
_BEGINNINGS_BY_KIND: dict[str, tuple[str, ...]] = {
    "FENCE": (r"```|~~~",),
    "PARTED": (r"==> .{1,200} <==$", r"diff --git ", r"(?:---|\+\+\+) (?:[ab]/|/dev/null)", r"@@ -\d"),
    "SIGNED": (
        r"File \"[^\"]{1,200}\", line \d",
        r"at (?:async |new )?[\w.$<>/]{1,120} ?\((?:[^()\n]{1,200}:\d|Native)",
        r"Caused by: [\w.]{1,120}(?:Error|Exception)|#!/|<\?php|#\[",
        r"# ?(?:include|define|ifn?def|endif|pragma|region)\b",
        r"@[A-Za-z_][\w.]{0,80}\(",
    ),
    "COMMENT": (
        r"//|/\*|\*/|;;|<!--|\"\"\"|\'\'\'",
        r"\*(?: [^*\n]{0,300}[^*]$|$)",
        r"#(?![\w#<])",
        r":param |:returns?:|@(?:param|returns?|throws|see|since|author|deprecated|example|type|typedef|property) ",
    ),
    "HEADING": (r"#{2,6} \S",),
    "LOG": (
        r"[-dlcbps][rwxsStT-]{9}[.+@]? ",
        r"(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?[\d.,Z+:-]{0,16}\]?"
        r"|\[?(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{3,6})?(?: \d{4}\]?)?"
        r"(?: [\w.-]{1,60})?"
        r"|\[?\d\d:\d\d:\d\d[.,]?\d{0,9}\]?|\[ {0,6}\d{1,9}\.\d{3,9}\])"
        r"[ :,|-]{1,4}(?:\[|\(|[A-Z]{3,9}\b|[a-z][\w./-]{0,60}[\[(:. ]|\d)",
        r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|SEVERE|info|warn|error|debug)[\]:]{1,2} ",
        r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL) |[IWEF]\d{4} \d\d:\d\d:\d\d",
        r"[\w.:-]{2,60} [^\s\"]{1,40} [^\s\"]{1,40} \[\d\d/[A-Z][a-z]{2}/",
        r"[\w./-]{2,40}(?:\([^()\s]{1,40}\))?\[\d{1,7}\](?:\(\w{1,20}\))?: |%[A-Z][A-Z0-9_]{1,30}-\d-[A-Z0-9_]{2,40}: ",
        r"<\d{1,3}>(?:\d |[A-Z][a-z]{2} )|\d{6} \d{6} \d{1,7} [A-Z]{4,5} |\[?\d\d[-./]\d\d(?:[-./]\d\d)? \d\d:\d\d:\d\d"
        r"|\d{8}-\d{1,2}:\d{1,2}:\d{1,2}|- 1\d{9} \d{4}\.|\d{4}\.\d\d\.\d\d \d\d:\d\d|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:",
        r"(?:CEF:\d|LEEF:\d\.\d)\||1[4-9]\d{8}(?:\.\d{3,6})?[: ]|type=[A-Z_]{3,30} msg=audit\(",
        r"(?:[\w.@-]{1,40}=(?:\"[^\"\n]{0,200}\"|[^\s\"(]{0,200})[ |]){4}",
    ),
    "ROW": (
        r"[\[{( \t]{0,8}[\"'][^\"'\n]{0,80}[\"'][ \t]{0,2}[:,=)]",
        r"INSERT |VALUES|\(\d{1,12}, ?'",
        r"[\w.-]{1,60}:(?: |$)|[A-Z][A-Z0-9_]{1,60}=",
        r"[\[\](){},; ]{1,12}$",
        r"<[/!?\w]|\||[^|\t]{1,80}(?:\t| \| )",
    ),
}
_BEGINNINGS = re.compile("|".join(f"(?P<{kind}>{'|'.join(forms)})" for kind, forms in _BEGINNINGS_BY_KIND.items()))
_KEYWORDS = """
import from def class return if elif else for while with try except finally raise assert yield lambda async await pass
break continue global nonlocal del const let var val function func fn fun export default extends implements interface
enum struct impl trait type namespace module mod package use using public private protected internal static final
abstract override virtual sealed readonly pub unsafe extern void int char bool float double long unsigned auto new
throw catch switch case match do end begin rescue ensure unless until elsif require require_relative include defer go
select range fi done esac then echo foreach guard init typealias protocol extension declare inline template typename
"""
_COMMANDS = r"git|np[mx]|yarn|pnpm|pip3?|cargo|docker|kubectl|brew|go|uvx?"
_STATEMENT = re.compile(
    rf"(?:{'|'.join(_KEYWORDS.split())})\b"
    r"(?:[^.!?\n]{0,200}[:;{}(\[\\]$|[;:)]?$|[ (].{0,200}[=(\[{]"
    r"| [\w.]{1,80} (?:import|as|from|extends|implements) )"
    r"|(?:import|package|us(?:e|ing)|namespace|mod(?:ule)?|require|include|end|return|raise|throw|del) \S{1,80}$"
    r"|@[a-z_][\w.]{0,80}$"
    r"|(?:SELECT|UPDATE|DELETE FROM|CREATE|ALTER|DROP|FROM|WHERE|(?:LEFT |INNER )?JOIN|GROUP BY|ORDER BY|HAVING) \w"
    rf"|[$>%] (?:{_COMMANDS}|cd|ls|python|node|make|curl|sudo|apt|cat|bash|sh)\b"
    rf"|(?:{_COMMANDS}) [a-z-]{{2,20}}(?: [\w.@:/=-]{{1,60}}){{0,6}}$|(?:curl|wget) [-'\"h]"
)
_SIGNS = re.compile(
    r"\b[a-z_$][\w$.]{0,60}\((?!e?s\)|\d{4}\))[\w\"'$*&@)\[{`!-]|\w\.\w{1,60}\([\w\"')]|= [\w.]{1,60}\(|\w\($"  # calls
    r"|[=!<>+*|&-]= |\) ?[-=]>|=> ?[{(]|[g-zG-Z_]\w{0,20}::[A-Za-z_~<$]|&& |\|\| |\$[a-z_{]"  # operators
    r"|\w\[[a-z'\"][\w'\"-]{0,40}\]|\w\] ?=|\]\["  # items
    r"|\w do$| do \||[\w)>\]] ?\{$|\) ?\{|^[})\]]{1,6}[);,]"  # blocks
    r"|[)\]}\"'`];$|^[a-z$_][\w.$ *<>=-]{0,120};$|^\.\w{2,60}\(",  # ends of statements, chains of calls
    re.ASCII,
)
_SENTENCE = re.compile(r"[^\"'`\n]{0,80}?\b(?:[A-Za-z]{1,20}[,.:]? ){4}[a-z]")
# Signs of a document about software, which are counted; a pattern would take ten times as long.
_SOFTWARE_SIGNS = (
    "``|`|()|::\n|_|#1|#2|#3| API|HTTP|JSON| SQL| CLI|npm |pip |git |github|.js|.py|.md|.json|v1.|v2.|commit"
    "|pull request|config|deprecat|param|librar|<code"
)
_SOFTWARE: Final = tuple(_SOFTWARE_SIGNS.split("|"))
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_SHAPE: Final = 20  # characters at the beginning of a line that are compared
_FEWEST_ALIKE: Final = 8
_SHARE_ALIKE: Final = 0.2  # of the lines of a text
_DELIMITERS: Final = ",;\t|"
_FEWEST_CELLS: Final = 2  # delimiters of a row
_QUOTES: Final = ('"""', "'''")
_UNDERLINE = re.compile(r"[=~^\"*+#-]{4,80}$")


def classify(text: str) -> TypedText:
    """The types of the lines of a text."""
    if "\n" not in text and not any(key in text for key in _SCHEMA_KEYS):
        return _UNIFORM[_type_alone(text)]
    lines = text.split("\n")
    kinds = [_kind(line) for line in lines]
    types = _Parts(lines, kinds, _sentences(text)).types()
    for at in _rows(lines):
        if types[at] in (TextType.DOCUMENT, TextType.HEADING):
            types[at] = TextType.DATA
    for at in _uniform(lines):
        if types[at] is TextType.PROSE:
            types[at] = TextType.DATA
    starts: list[int] = []
    named: list[TextType] = []
    at = 0
    for line, one in zip(lines, types, strict=True):
        if not named or named[-1] is not one:
            starts.append(at)
            named.append(one)
        at += len(line) + 1
    typed = TypedText(tuple(starts), tuple(named))
    return _with_definitions(typed, _definitions(text)) if any(key in text for key in _SCHEMA_KEYS) else typed


def _rows(lines: Sequence[str]) -> Iterator[int]:
    """The lines that are rows of a table: a line beside them has as many delimiters."""
    for sign in _DELIMITERS:
        counts = [line.count(sign) for line in lines]
        for at, count in enumerate(counts):
            beside = (*counts[max(0, at - 1) : at], *counts[at + 1 : at + 2])
            if count >= _FEWEST_CELLS and count in beside and 2 * lines[at].count(f"{sign} ") <= count:
                yield at


def _uniform(lines: Sequence[str]) -> Iterator[int]:
    """The lines of a program's output: many begin with the same word, or with digits and signs at the same places."""
    groups: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        bare = line[:_LONGEST].lstrip()
        shape = _DIGITS.sub("0", _LETTERS.sub("a", bare[:_SHAPE]))
        bracket = f"line{bare[0]}" if bare[:1] in ("[", "(", "{", "<") else ""
        for key in (bare.partition(" ")[0], shape if "0" in shape else "", bracket):
            if len(key) > 2:
                groups.setdefault(key, []).append(at)
    filled = sum(1 for line in lines if line.strip())
    for group in groups.values():
        if len(group) >= max(_FEWEST_ALIKE, _SHARE_ALIKE * filled):
            yield from group


def _type_alone(line: str) -> TextType:
    """The type of a text of one line."""
    kind = _kind(line)
    if kind in _ALONE:
        return _ALONE[kind]
    if kind is _Line.COMMENT and line.lstrip()[:1] in "#*":
        return TextType.HEADING if line.lstrip()[:1] == "#" else _sentences(line)
    if kind is _Line.ROW and "`" not in line and not _SENTENCE.match(line):
        return TextType.DATA
    return TextType.COMMENT if kind is _Line.COMMENT else _sentences(line)


def _kind(line: str) -> _Line:
    bare = line[:_LONGEST].strip()
    if not bare:
        return _Line.BLANK
    beginning = _BEGINNINGS.match(bare)
    if beginning is not None:
        return _Line[beginning.lastgroup or "WORDS"]
    if _SENTENCE.match(bare) or (bare[-1] in ".!?" and bare[0].isupper() and bare.count(" ") >= _FEWEST_SPACES):
        return _Line.WORDS
    if _SIGNS.search(bare):
        return _Line.SIGNED
    return _Line.STATEMENT if _STATEMENT.match(bare) else _Line.WORDS


def _sentences(text: str) -> TextType:
    """The type of the text's sentences: those of a document about software contain code and its terms."""
    if len(text) < _FEWEST_CHARACTERS:
        return TextType.PROSE
    text = text[:_MOST_CHARACTERS]
    fewest = max(_FEWEST_SIGNS, text.count("\n") / _LINES_PER_SIGN, len(text) / _CHARACTERS_PER_SIGN)
    return TextType.DOCUMENT if sum(map(text.count, _SOFTWARE)) >= fewest else TextType.PROSE


class _Parts:
    """The lines of a text with their kinds, and the types that result from their neighbours."""

    def __init__(self, lines: Sequence[str], kinds: Sequence[_Line], sentences: TextType) -> None:
        self._lines, self._kinds, self._sentences = lines, kinds, sentences
        self._types = [sentences] * len(lines)

    def types(self) -> list[TextType]:
        start, fenced = 0, False
        for at, kind in enumerate(self._kinds):
            if kind is _Line.FENCE or kind is _Line.PARTED:
                self._read(start, at, fenced)
                self._types[at] = TextType.CODE
                start, fenced = at + 1, kind is _Line.FENCE and not fenced
        self._read(start, len(self._lines), fenced)
        return self._types

    def _read(self, start: int, end: int, fenced: bool) -> None:
        """Sets the types of the lines of one part: a file, or what is before, between or after fences."""
        kinds = self._kinds[start:end]
        signed = kinds.count(_Line.SIGNED) + kinds.count(_Line.STATEMENT)
        filled = len(kinds) - kinds.count(_Line.BLANK)
        source = signed >= (1 if fenced else _FEWEST) and signed >= _FILE_SHARE * filled
        inside = ""
        for first, last in _paragraphs(kinds, start):
            inside = self._read_paragraph(first, last, source, inside, fenced)

    def _read_paragraph(self, first: int, last: int, source: bool, inside: str, fenced: bool) -> str:
        """Sets the types of the lines of a paragraph; `inside` is the sign that ends a comment that is open."""
        kinds = self._kinds[first:last]
        signed, weak = kinds.count(_Line.SIGNED), kinds.count(_Line.STATEMENT)
        judged = last - first - kinds.count(_Line.ROW) - kinds.count(_Line.COMMENT)
        code = signed + weak >= _SHARE * judged and signed + weak > 0 and (signed > 0 or source or weak >= _FEWEST)
        for at in range(first, last):
            was, inside = inside, _open_comment(self._lines[at], inside) if source else ""
            commented = bool(was or inside)
            self._types[at] = self._type(at, code or (source and signed > 0), source, commented, fenced)
        return inside

    def _type(self, at: int, code: bool, source: bool, commented: bool, fenced: bool) -> TextType:
        kind, line = self._kinds[at], self._lines[at]
        if commented:
            return TextType.COMMENT
        if kind is _Line.LOG:
            return TextType.LOG
        if kind is _Line.COMMENT and (source or code or line.lstrip()[:1] != "*"):
            return TextType.COMMENT if source or code or line.lstrip()[:1] != "#" else TextType.HEADING
        if kind is _Line.HEADING or (at + 1 < len(self._lines) and self._underlined(at)):
            return TextType.COMMENT if source else TextType.HEADING
        if code or (source and (line[:1] in (" ", "\t") or (kind is not _Line.ROW and not _SENTENCE.match(line)))):
            return TextType.CODE
        is_data = kind is _Line.ROW and not fenced and "`" not in line and not _SENTENCE.match(line)
        return TextType.DATA if is_data else self._sentences

    def _underlined(self, at: int) -> bool:
        line, below = self._lines[at], self._lines[at + 1].rstrip()
        return 2 < len(line) <= len(below) + 2 and _UNDERLINE.match(below) is not None and len(set(below)) == 1


def _paragraphs(kinds: Sequence[_Line], start: int) -> Iterator[tuple[int, int]]:
    """First line and end of each run of lines that are not blank."""
    first = None
    for at, kind in enumerate([*kinds, _Line.BLANK], start):
        if kind is not _Line.BLANK and first is None:
            first = at
        elif kind is _Line.BLANK and first is not None:
            yield first, at
            first = None


def _open_comment(line: str, inside: str) -> str:
    """The sign that ends the comment or documentation string that is open after a line; empty if none is."""
    if inside:
        return "" if inside in line else inside
    for quote in _QUOTES:
        if quote in line:
            return quote if line.count(quote) % 2 else ""
    opened = line.rfind("/*")
    return "*/" if opened >= 0 and "*/" not in line[opened:] else ""


_SCHEMA_KEYS: Final = ("properties", "inputSchema", "input_schema")
_PARTS = re.compile(
    r"(?P<open>\{)|(?P<close>\})"
    r"|(?P<quote>[\"'])(?:(?P<key>properties|input_?[sS]chema|output_?[sS]chema|parameters|type)(?P=quote) ?: ?"
    r"(?:(?P<inner>\{)|(?P=quote)(?P<object>object)(?P=quote))?"
    r"|(?:(?!(?P=quote))[^\\\n]|\\.){0,4000}(?P=quote))"
)


def _definitions(text: str) -> Iterator[tuple[int, int]]:
    """The spans of schemas, `{"type": "object", "properties": …}`, with the definitions of tools around them."""
    opened: list[tuple[int, str, set[str]]] = []  # start, key, signs of a schema
    for part in find_matches(_PARTS, text):
        if part["close"]:
            if not opened:
                continue
            start, key, signs = opened.pop()
            if {"properties", "object"} <= signs or "schema" in signs:
                yield start, part.end()
                if opened and key not in ("", "properties"):
                    opened[-1][2].add("schema")
            continue
        if part["object"] and opened:
            opened[-1][2].add("object")
        if part["open"] or part["inner"]:
            key = part["key"] or ""
            if key == "properties" and opened:
                opened[-1][2].add(key)
            opened.append((part.end() - 1, key, set()))


def _with_definitions(below: TypedText, definitions: Iterable[tuple[int, int]]) -> TypedText:
    """The stretches with the definitions in them; a definition inside of another one is part of it."""
    starts, types = below.starts, below.types
    changes: dict[int, TextType] = {}
    done = place = 0
    for start, end in sorted(definitions, key=lambda span: (span[0], -span[1])):
        if start < done:
            continue
        while place < len(starts) and starts[place] < start:
            changes[starts[place]] = types[place]
            place += 1
        while place < len(starts) and starts[place] < end:
            place += 1
        changes |= {start: TextType.DEFINITION, end: below.at(end)}
        done = end
    changes |= dict(zip(starts[place:], types[place:], strict=True))
    return TypedText(tuple(changes), tuple(changes.values()))
