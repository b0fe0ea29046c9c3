"""Docstrings and comments of generated functions from server text, which is always treated as data and cut to a length.

In a TypeScript comment, the text must not end the comment, start a tag, instruct a compiler or change the text
direction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from workbench.records import Hints, Tool
from workbench.wrappers.type_shapes import RecordField, ToolShapes

LONGEST_DESCRIPTION = 4_000  # maximum number of characters of a description in a docstring
LONGEST_NOTE = 300  # maximum number of characters of a parameter's description in a docstring

TOO_LARGE = "Its definition is too large to be written as types: get_tool_definition shows it."
UNSAID = "the value of JSON, else a text, else a list of parts with .images, .audio, .resources, .links and .text"

_SENTENCE = re.compile(r"(?<=[.!?。])\s")


def docstring(tool: Tool, definition: ToolShapes, keywords: Mapping[str, str]) -> str:
    """Return the docstring of a function: description, parameters, result and annotations, indented."""
    parts = [cut(tool.description.strip() or tool.title or tool.name, LONGEST_DESCRIPTION)]
    if definition.fields:
        notes = [f"    {_parameter(field, keywords[field.key])}" for field in definition.fields]
        parts.append("Parameters:\n" + "\n".join(notes))
    if back := result_words(tool):
        parts.append(f"Returns: {back}")
    if definition.too_large:
        parts.append(TOO_LARGE)
    if claims := hint_words(tool.hints):
        parts.append(f"The server says: {', '.join(claims)}.")
    text = "\n\n".join(parts)
    return re.sub(r"\n(?=[^\n])", "\n    ", text) + ("\n    " if "\n" in text else "")


def hint_words(hints: Hints) -> list[str]:
    """Return the annotations of a tool as phrases, without those that the server leaves open."""
    claims = (
        (hints.read_only, "it only reads", "it changes something"),
        (hints.destructive, "it may destroy", "it only adds"),
        (hints.idempotent, "repeating it changes nothing more", "repeating it acts again"),
        (hints.open_world, "it reaches outside systems", "it stays within its own system"),
    )
    return [yes if claim else no for claim, yes, no in claims if claim is not None]


def first_sentence(text: str, longest: int = 80) -> str:
    """Return the first sentence on one line, cut at a word if it is too long."""
    line = " ".join(_SENTENCE.split(text.strip()[:1000], maxsplit=1)[0].split())
    if len(line) <= longest:
        return line
    return line[: longest - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def cut(text: str, longest: int) -> str:
    """Return text of limited length, with the number of missing characters."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest} more characters)"


def _parameter(field: RecordField, keyword: str) -> str:
    facts = [] if field.required else ["optional"]
    if keyword != field.key:
        facts.append(f"sent as {field.key[:80]!r}")
    if field.has_default and field.default is not None:
        facts.append(f"default {cut(repr(field.default), 60)}")
    if field.limits:
        facts.append(field.limits[:80])
    about = f" ({', '.join(facts)})" if facts else ""
    note = " ".join(cut(field.note, LONGEST_NOTE).split())
    return f"{keyword}{about}{': ' if note else ''}{note}"


def result_words(tool: Tool) -> str:
    """Return the server's description of a tool's result on one line.

    Without a schema, returns the possible kinds of result."""
    schema = tool.output_schema
    if schema is None:
        return UNSAID
    found = schema.get("description") if isinstance(schema, Mapping) else None
    return " ".join(cut(found, LONGEST_NOTE).split()) if isinstance(found, str) else ""


_LIVE = re.compile(r"\*/|(?<![\w\\])@(?=\w)|[#@](?=\s*source)")  # end of comment; tag or directive; source map
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def jsdoc(text: str, tags: str = "", indent: str = "") -> str:
    """Return a text and our own tags as a comment with a final line break; empty if there is neither."""
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
