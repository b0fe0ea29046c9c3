"""Reads and writes the YAML front matter of SKILL.md files (Agent Skills specification).

libyaml parses; every value stays a string, as the specification has no other scalars. Files may be untrusted: size and
depth are bounded, and aliases, anchors, tags and duplicate keys are rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import yaml

FENCE: Final = "---"
LONGEST: Final = 64_000  # characters of front matter that are read
DEEPEST: Final = 12  # levels of nested mappings and lists

Value: TypeAlias = str | list[str] | dict[str, str]
Node: TypeAlias = "str | list[Node] | dict[str, Node]"

_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_](?:[\w .-]*[\w.-])?", re.ASCII)
_KEY_AND_VALUE: Final = re.compile(r"(?P<indent> {0,40})(?P<key>[A-Za-z0-9_][\w .-]{0,100}?):\s+(?P<value>\S.*)")
_PLAIN_START: Final = re.compile(r"- |[^\s\"'|>\[\]{}&*!%@`#?-]|-\S")
_WORDS: Final = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")  # not strings in YAML 1.1


class FrontMatterError(ValueError):
    """The front matter cannot be read; the text says where and why."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields between the fences, and the Markdown below them."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""

    def text(self, key: str) -> str:
        found = self.fields.get(key, "")
        return found if isinstance(found, str) else ", ".join(found)

    def nested(self, key: str) -> dict[str, str]:
        found = self.fields.get(key, {})
        return found if isinstance(found, dict) else {}


def read_front_matter(text: str) -> FrontMatter:
    """The fields and the body of a SKILL.md. Values nested deeper than one level become JSON text."""
    head, body = _split(text)
    return FrontMatter({key: _flat(value) for key, value in _parse(head).items()}, body)


def read_nested_fields(text: str) -> dict[str, Node]:
    """The fields of a SKILL.md with all their nesting, as strings, lists and mappings."""
    return _parse(_split(text)[0])


def write_front_matter(fields: Mapping[str, str | Mapping[str, str]], body: str) -> str:
    """The text of a SKILL.md that any YAML reader understands: texts are quoted."""
    lines = [FENCE]
    for key, value in fields.items():
        if isinstance(value, str):
            lines.append(f"{_key(key)}: {_quoted(value)}")
        elif value:
            lines += [f"{_key(key)}:", *(f"  {_key(name)}: {_quoted(part)}" for name, part in value.items())]
    return "\n".join([*lines, FENCE, "", body.strip("\n"), ""])


def items(value: Value) -> tuple[str, ...]:
    """The items of a list, which may be written as a list or as text with commas."""
    parts: Sequence[str] = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return tuple(part.strip() for part in parts if part.strip())


# ── reading ──────────────────────────────────────────────────────────────────────────────────────
def _split(text: str) -> tuple[str, str]:
    """The YAML between the fences, and the body."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != FENCE:
        raise FrontMatterError("SKILL.md must begin with a line of three hyphens.")
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in (FENCE, "...")), 0)
    if not end:
        raise FrontMatterError("SKILL.md has no second line of three hyphens to end its front matter.")
    if sum(map(len, lines[:end])) > LONGEST:
        raise FrontMatterError(f"The front matter of SKILL.md is longer than {LONGEST:,} characters.")
    return "\n".join(lines[1:end]) + "\n", "\n".join(lines[end + 1 :]).strip("\n")


def _parse(head: str) -> dict[str, Node]:
    import yaml  # takes 20 ms, by which the start of a core would be delayed

    try:
        return _mapping_of(head)
    except yaml.YAMLError as fault:
        with suppress(yaml.YAMLError, FrontMatterError):
            return _mapping_of(_with_quoted_values(head))
        raise _fault(fault) from fault
    except UnicodeError as fault:
        raise FrontMatterError("The front matter of SKILL.md is not valid Unicode.") from fault


def _mapping_of(head: str) -> dict[str, Node]:
    import yaml

    events = yaml.parse(head, Loader=yaml.CBaseLoader)
    for event in events:
        if isinstance(event, yaml.StreamEndEvent):
            return {}
        if isinstance(event, yaml.NodeEvent):
            node = _node(event, events, 0)
            if not isinstance(node, dict):
                raise FrontMatterError(f"SKILL.md line {_line(event)}: expected `key: value`.")
            for _ in events:  # parse to the end: the rest may be malformed
                pass
            return node
    return {}


def _node(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
    """The value that begins with this event."""
    import yaml

    _refuse_special(event)
    if isinstance(event, yaml.ScalarEvent):
        value: str = event.value
        return value.strip("\n") if event.style in ("|", ">") else value
    if depth >= DEEPEST:
        raise FrontMatterError(f"SKILL.md line {_line(event)}: nested more than {DEEPEST} levels deep.")
    if isinstance(event, yaml.SequenceStartEvent):
        found: list[Node] = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            found.append(_node(inner, events, depth + 1))
        return found
    mapping: dict[str, Node] = {}
    while not isinstance(inner := next(events), yaml.MappingEndEvent):
        _refuse_special(inner)
        if not isinstance(inner, yaml.ScalarEvent) or not inner.value:
            raise FrontMatterError(f"SKILL.md line {_line(inner)}: expected `key: value`.")
        if inner.value in mapping:
            raise FrontMatterError(f"SKILL.md line {_line(inner)}: the key {inner.value} occurs twice.")
        mapping[inner.value] = _node(next(events), events, depth + 1)
    return mapping


def _refuse_special(event: yaml.Event) -> None:
    """Reject aliases, which can expand a few lines to gigabytes, anchors, and tags, which name unsupported types."""
    import yaml

    mark = "*" if isinstance(event, yaml.AliasEvent) else "&" if event.anchor else "!" if event.tag else ""
    if mark:
        words = f"`{mark}` has a special meaning in YAML that is not supported; put the text in quotes"
        raise FrontMatterError(f"SKILL.md line {_line(event)}: {words}.")


def _line(event: yaml.Event) -> int:
    line: int = event.start_mark.line
    return line + 2


def _fault(fault: yaml.YAMLError) -> FrontMatterError:
    words = [str(part) for part in (getattr(fault, "context", None), getattr(fault, "problem", None)) if part]
    begun = bool(words) and words[0].startswith("while scanning")  # then the problem's mark is some lines later
    mark = getattr(fault, "context_mark" if begun else "problem_mark", None) or getattr(fault, "problem_mark", None)
    where = f"SKILL.md line {mark.line + 2}" if mark is not None else "SKILL.md"
    return FrontMatterError(f"{where}: {', '.join(words) or 'this is not valid YAML'}.")


def _with_quoted_values(head: str) -> str:
    """The YAML with its plain values in quotes. Other clients accept `description: Use this: when…`, which is not YAML;
    the specification's guide for clients asks readers to quote such values and try again."""
    lines, done = head.split("\n"), list[str]()
    while lines:
        line = lines.pop(0)
        if (match := _KEY_AND_VALUE.fullmatch(line)) is None:
            done.append(line)
            continue
        further = list[str]()
        while lines and (not lines[0].strip() or _indent(lines[0]) > len(match["indent"])):
            further.append(lines.pop(0))
        if _PLAIN_START.match(match["value"]):
            words = [re.split(r"\s#", one, maxsplit=1)[0].strip() for one in (match["value"], *further)]
            line = f"{match['indent']}{match['key']}: {_escaped(' '.join(filter(None, words)))}"
            further = []
        done += [line, *further]
    return "\n".join(done)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _flat(value: Node) -> Value:
    """The value with one level of nesting: a list of texts, or a mapping of texts with lists joined by commas."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return [_item_text(one) for one in value]
    return {
        key: ", ".join(map(_as_text, one)) if isinstance(one, list) else _as_text(one) for key, one in value.items()
    }


def _item_text(value: Node) -> str:
    """The text of a list item. An item such as `- Use this: when` is a mapping in YAML but meant as text."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, only),) = value.items()
        return f"{key}: {only}" if isinstance(only, str) else _as_text(value)
    return _as_text(value)


def _as_text(value: Node) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────
def _key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else _escaped(name)


def _quoted(text: str) -> str:
    """The text as YAML. Lower-case words stay unquoted; others are double-quoted, unprintable characters escaped."""
    if re.fullmatch(r"[a-z][a-z-]*", text) and text not in _WORDS:
        return text
    return _escaped(text)


def _escaped(text: str) -> str:
    plain = '"' + "".join(map(_escaped_character, text)) + '"' if not text.isprintable() else _plainly(text)
    return plain.replace("--", "-\\x2d")  # some readers take three hyphens anywhere for the end of the front matter


def _plainly(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped_character(mark: str) -> str:
    if mark in '"\\':
        return f"\\{mark}"
    if mark.isprintable():
        return mark
    code = ord(mark)
    if 0xD800 <= code <= 0xDFFF:
        return "\\ufffd"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
