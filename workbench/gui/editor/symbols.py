"""The functions, classes and headings of a text, also of one that does not parse at the moment."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST = 5_000
_PYTHON = re.compile(r"(?P<lead>[ \t]{0,200})(?:async[ \t]{1,8})?(?P<kind>def|class)[ \t]{1,8}(?P<name>\w{1,200})")
_SCRIPT = re.compile(
    r"(?P<lead>[ \t]{0,200})(?:export[ \t]{1,8})?(?:default[ \t]{1,8})?(?:async[ \t]{1,8})?"
    r"(?P<kind>function|class|interface|type|enum|const|let)[ \t]{1,8}(?P<name>[\w$]{1,200})"
)
_MARKDOWN = re.compile(r"(?P<kind>#{1,6})[ \t]{1,8}(?P<name>.{1,200})")
_TOML = re.compile(r"(?P<kind>\[{1,2})(?P<name>[^\[\]]{1,200})\]")
_JSON = re.compile(r'(?P<lead>[ ]{2}|\t)"(?P<name>[^"\\]{1,200})"[ \t]{0,8}:')
_PATTERNS = {"python": _PYTHON, "typescript": _SCRIPT, "markdown": _MARKDOWN, "toml": _TOML, "json": _JSON}
_STRINGS = re.compile(r'"""|\'\'\'')


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something one may want to go to."""

    name: str
    kind: str  # def, class, the sign of a heading
    line: int  # from 1
    depth: int  # how far it is indented, in letters


def symbols(text: str, language: str) -> list[Symbol]:
    """In the order of the text. Lines inside a string of several lines are passed over in Python."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return []
    found: list[Symbol] = []
    inside = ""  # the quotes that are open
    for number, line in enumerate(text.split("\n"), 1):
        if not inside and (match := pattern.match(line)) is not None and len(found) < MOST:
            told = match.groupdict()
            lead = (told.get("lead") or "").expandtabs(4)
            found.append(Symbol(told["name"].strip(), told.get("kind") or "key", number, len(lead)))
        if language == "python":
            for quotes in _STRINGS.findall(line):
                inside = "" if inside == quotes else inside or quotes
    return found
