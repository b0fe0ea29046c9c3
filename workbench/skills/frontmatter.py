"""Reads and writes the head of a SKILL.md: the ordinary part of YAML that such heads use.

Foreign files are read generously (plain, quoted, folded and literal texts, lists, one nested level); what is beyond
that is named with its line instead of guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

FENCE = "---"
LONGEST = 64_000  # characters of a head that are read

Value: TypeAlias = str | list[str] | dict[str, str]

_KEY = re.compile(r"(?P<key>[A-Za-z0-9_][\w .-]*?|\"[^\"]*\"|'[^']*')\s*:(?:\s+(?P<value>.*))?$")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")  # YAML takes them for something else
_ITEM = re.compile(r"\s*(\"(?:\\.|[^\"\\])*\"|'(?:''|[^'])*'|[^,]*?)\s*(?:,|$)")


class HeadFault(ValueError):
    """The head cannot be read; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands between the fences, and the text below them."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""

    def text(self, key: str) -> str:
        found = self.fields.get(key, "")
        return found if isinstance(found, str) else ", ".join(found)

    def nested(self, key: str) -> dict[str, str]:
        found = self.fields.get(key, {})
        return found if isinstance(found, dict) else {}


def read_head(text: str) -> Head:
    """Split a SKILL.md into its fields and its body."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != FENCE:
        raise HeadFault("SKILL.md must begin with a line of three hyphens.")
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in (FENCE, "...")), 0)
    if not end or sum(map(len, lines[:end])) > LONGEST:
        raise HeadFault("SKILL.md has no second line of three hyphens that ends its head.")
    fields = _Reading(lines[1:end]).fields()
    return Head(fields, "\n".join(lines[end + 1 :]).strip("\n"))


def write_head(fields: Mapping[str, str | Mapping[str, str]], body: str) -> str:
    """A SKILL.md that any YAML reader understands: every text is quoted."""
    lines = [FENCE]
    for key, value in fields.items():
        if isinstance(value, str):
            lines.append(f"{key}: {_quoted(value)}")
        elif value:
            lines += [f"{key}:", *(f"  {name}: {_quoted(part)}" for name, part in value.items())]
    return "\n".join([*lines, FENCE, "", body.strip("\n"), ""])


def items(value: Value) -> tuple[str, ...]:
    """A list however it was written: as a list, or as text with commas."""
    parts: Sequence[str] = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return tuple(part.strip() for part in parts if part.strip())


class _Reading:
    """Walks over the lines of a head, one key at a time."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0

    def fields(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        while (line := self._next()) is not None:
            key, rest = self._key(line, 0)
            if key in found:
                raise self._fault(f"{key} stands there twice")
            found[key] = self._value(rest)
        return found

    def _next(self) -> str | None:
        """The next line that says something."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip() and not line.lstrip().startswith("#"):
                return line
        return None

    def _key(self, line: str, indent: int) -> tuple[str, str]:
        match = _KEY.match(line[indent:]) if _depth(line) == indent else None
        if match is None:
            raise self._fault("expected `key: value`")
        return _unquoted(match["key"]), match["value"] or ""

    def _value(self, rest: str) -> Value:
        rest = _without_comment(rest)
        if rest[:1] in ("|", ">"):
            return self._block(rest)
        if rest[:1] == "[":
            return self._flow(rest)
        if rest[:1] in ("&", "*", "!", "{", "%", "@", "`"):
            raise self._fault(f"`{rest[:1]}` has a special meaning that is not read here; put the text in quotes")
        if rest[:1] in ('"', "'"):
            return self._quotation(rest)
        return self._plain(rest) if rest else self._nested()

    def _block(self, mark: str) -> str:
        """A literal (`|`) or folded (`>`) text."""
        lines = [line.rstrip() for line in self._indented(keep_blank=True)]
        depth = min((_depth(line) for line in lines if line), default=0)
        bare = [line[depth:] for line in lines]
        if mark[0] == "|":
            return "\n".join(bare).strip("\n")
        return re.sub(r"(?<!\n)\n(?!\n)", " ", "\n".join(bare).strip("\n")).replace("\n\n", "\n")

    def _flow(self, rest: str) -> list[str]:
        whole = " ".join([rest, *(line.strip() for line in self._indented())]) if "]" not in rest else rest
        if not whole.rstrip().endswith("]"):
            raise self._fault("this list has no end")
        return [_unquoted(part) for part in _ITEM.findall(whole.strip()[1:-1]) if part]

    def _quotation(self, rest: str) -> str:
        whole = rest
        if not _is_closed(rest):
            whole = " ".join([rest, *(line.strip() for line in self._indented())])
        if not _is_closed(whole):
            raise self._fault("this quotation has no end")
        return _unquoted(whole)

    def _plain(self, rest: str) -> str:
        more = [_without_comment(line.strip()) for line in self._indented()]
        return " ".join([rest.strip(), *more])

    def _nested(self) -> Value:
        """What is indented below an empty value: a list, a mapping, or nothing. Lists may stand unindented."""
        start = self._at
        line = self._next()
        if line is not None and line.lstrip().startswith("- "):
            self._at = start
            return self._list()
        self._at = start
        if line is None or _depth(line) == 0:
            return ""
        return self._mapping(_depth(line))

    def _list(self) -> list[str]:
        found: list[str] = []
        while (line := self._next()) is not None:
            if not line.lstrip().startswith("- "):
                self._at -= 1
                break
            found.append(_unquoted(_without_comment(line.lstrip()[2:].strip())))
        return found

    def _mapping(self, depth: int) -> dict[str, str]:
        found: dict[str, str] = {}
        while (line := self._next()) is not None:
            if _depth(line) < depth:
                self._at -= 1
                break
            key, rest = self._key(line, depth)
            value = _without_comment(rest)
            found[key] = ", ".join(self._flow(value)) if value[:1] == "[" else _unquoted(value)
        return found

    def _indented(self, keep_blank: bool = False) -> list[str]:
        """The lines that belong to the value begun on the line before."""
        found: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and _depth(line) == 0:
                break
            self._at += 1
            if line.strip() or keep_blank:
                found.append(line)
        return found

    def _fault(self, reason: str) -> HeadFault:
        return HeadFault(f"SKILL.md line {self._at + 1}: {reason}.")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_comment(text: str) -> str:
    """A comment starts at a `#` after a space, outside quotes."""
    if text[:1] in ('"', "'"):
        closed = re.match(r"(\"(?:\\.|[^\"\\])*\"|'(?:''|[^'])*')\s+#", text)
        return closed[1] if closed else text.strip()
    return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].strip()


def _is_closed(text: str) -> bool:
    return re.fullmatch(r"\"(?:\\.|[^\"\\])*\"|'(?:''|[^'])*'", text.strip(), re.S) is not None


def _unquoted(text: str) -> str:
    bare = text.strip()
    if not _is_closed(bare):
        return bare
    if bare[0] == "'":
        return bare[1:-1].replace("''", "'")
    return _ESCAPE.sub(_unescaped, bare[1:-1])


def _unescaped(match: re.Match[str]) -> str:
    mark = match[1]
    if len(mark) > 1:
        number = int(mark[1:], 16)
        return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else "\ufffd"
    return _ESCAPES.get(mark, mark)


def _quoted(text: str) -> str:
    """Words of letters stay bare; all else is double-quoted, with what does not print escaped."""
    if re.fullmatch(r"[a-z][a-z-]*", text) and text not in _WORDS:
        return text
    plain = '"' + "".join(_escaped(mark) for mark in text) + '"'
    return plain.replace("--", "-\\x2d")  # some readers take three hyphens for the end of the head, wherever they stand


def _escaped(mark: str) -> str:
    if mark in '"\\':
        return f"\\{mark}"
    if mark.isprintable():
        return mark
    code = ord(mark)
    if 0xD800 <= code <= 0xDFFF:
        return "\\ufffd"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
