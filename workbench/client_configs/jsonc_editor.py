"""JSON with comments and trailing commas, as editors write it: reads it, and changes one member in place.

A change touches the text of that member alone. No maintained library does that. The result is read again and compared
before it is written to a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from workbench.errors import WorkbenchError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*|/\*(?:.*?\*/)?+|[{}\[\],:]|[^\s"{}\[\],:/]+|["/]', re.DOTALL)
_HINT = "Mend the file in that app; nothing was changed in it."


class JsoncMember(Struct, frozen=True):
    """Where one member of an object stands in the text."""

    key: str
    start: int  # of the key
    value: int
    end: int  # behind the value


class JsoncPosition(Struct, frozen=True):
    """Where an object stands in the text."""

    opening: int
    members: tuple[JsoncMember, ...]
    comma: int  # behind a trailing comma; 0 without one


def parse(text: str, name: str) -> dict[str, Any]:  # Any: the file's own JSON
    """The object a file holds; what it cannot be is said in a sentence."""
    if not text.strip():
        return {}
    try:
        document = _load(text)
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise WorkbenchError(f"{name} cannot be read: {place}: {fault.msg}.", _HINT) from fault
    except RecursionError as fault:
        raise WorkbenchError(f"{name} cannot be read: it is nested too deeply.", _HINT) from fault
    except ValueError as fault:
        raise WorkbenchError(f"{name} cannot be read: a number in it has too many digits.", _HINT) from fault
    if not isinstance(document, dict):
        raise WorkbenchError(f"{name} does not hold a JSON object.", _HINT)
    return document


def set_member(text: str, path: Sequence[str], value: object) -> str:
    """The text with the member at this path set; objects on the way that are missing are made."""
    if not text.strip():
        return json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    at = _opening(text)
    for depth, key in enumerate(path):
        place = scan(text, at)
        found = next((member for member in reversed(place.members) if member.key == key), None)
        if found is None:
            return _insert(text, place, key, _nested(path[depth + 1 :], value))
        if depth == len(path) - 1:
            return text[: found.value] + _value_text(text, found.start, value) + text[found.end :]
        at = found.value
        if text[at] != "{":
            raise WorkbenchError(f'"{key}" in it is not an object.', _HINT)
    return text


def scan(text: str, opening: int) -> JsoncPosition:
    """The members of the object that opens here; what is nested deeper is passed over."""
    members: list[JsoncMember] = []
    depth, comma = 0, 0
    key: tuple[str, int] | None = None
    value = end = -1
    for token, start, stop in _tokens(text, opening):
        if token in ("{", "["):
            depth += 1
            if depth == 2 and value < 0:
                value = start
        elif token in ("}", "]"):
            depth -= 1
            if depth == 1:
                end = stop
        if depth == 1 and token not in ("{", "}", "[", "]", ",", ":"):
            if key is None:
                key = (json.loads(token, strict=False), start)
            else:
                value, end = start, stop
        if depth == 0 or (depth == 1 and token == ","):
            if key is not None:
                members.append(JsoncMember(key[0], key[1], value, end))
                comma = 0
            if token == ",":
                comma = stop
            key, value, end = None, -1, -1
        if depth == 0:
            break
    return JsoncPosition(opening, tuple(members), comma)


def _tokens(text: str, at: int = 0) -> Iterator[tuple[str, int, int]]:
    """Every token but comments; a quotation mark or comment that is never closed ends it, so no text makes this
    slow."""
    for match in _TOKEN.finditer(text, at):
        token = match.group()
        if token in ('"', "/*"):
            return
        if not token.startswith(("//", "/*")):
            yield token, match.start(), match.end()


def _load(text: str) -> Any:  # Any: JSON
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        plain = _plain(text)
        if plain == text:
            raise fault
        return json.loads(plain)


def _plain(text: str) -> str:
    """The same text, position for position, with blanks in the place of comments and trailing commas."""
    letters = list(text)
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in ('"', "/*"):
            break
        if token.startswith(("//", "/*")) and len(token) > 1:
            letters[match.start() : match.end()] = re.sub(r"[^\n]", " ", token)
    before = -1
    for token, start, _ in _tokens("".join(letters)):
        if token in ("}", "]") and before >= 0:
            letters[before] = " "
        before = start if token == "," else -1
    return "".join(letters)


def _opening(text: str) -> int:
    token, start, _ = next(_tokens(text), ("", 0, 0))
    if token != "{":
        raise WorkbenchError("It does not hold a JSON object.", _HINT)
    return start


def _insert(text: str, place: JsoncPosition, key: str, value: object) -> str:
    """Add a member behind the last one."""
    if not place.members:
        return _fill(text, place, key, value)
    last = place.members[-1]
    indent = _indent_of(text, place.members[0].start)
    if indent is None:  # all on one line
        written = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        at = place.comma or last.end
        return text[:at] + (" " if place.comma else ", ") + written + text[at:]
    member = f"{json.dumps(key, ensure_ascii=False)}: {_dumped(text, indent, value)}"
    text = text if place.comma else f"{text[: last.end]},{text[last.end :]}"
    at = _behind_comment(text, place.comma or last.end + 1)
    return text[:at] + _newline(text) + indent + member + ("," if place.comma else "") + text[at:]


def _fill(text: str, place: JsoncPosition, key: str, value: object) -> str:
    """The first member of an empty object."""
    outer = _indent_of(text, place.opening, own=False) or ""
    indent = outer + _unit(text)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_dumped(text, indent, value)}"
    line, at = _newline(text), place.opening + 1
    rest = text[at:]
    closing = f"{line}{outer}" if rest.lstrip(" \t\r\n").startswith("}") else ""
    kept = rest.lstrip(" \t\r\n") if closing else rest
    return f"{text[:at]}{line}{indent}{member}{closing}{kept}"


def _behind_comment(text: str, at: int) -> int:
    """A remark behind the last member, on the same line, stays beside it."""
    end = text.find("\n", at)
    line = text[at : end if end >= 0 else len(text)].rstrip("\r")
    rest = line.strip()
    remark = rest.startswith("//") or (rest.startswith("/*") and rest.find("*/") == len(rest) - 2)
    return at + len(line.rstrip()) if remark else at


def _value_text(text: str, key: int, value: object) -> str:
    indent = _indent_of(text, key)
    return json.dumps(value, ensure_ascii=False) if indent is None else _dumped(text, indent, value)


def _dumped(text: str, indent: str, value: object) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _indent_of(text: str, at: int, *, own: bool = True) -> str | None:
    """The white space a line begins with; with `own`, None when something stands before this place on it."""
    start = text.rfind("\n", 0, at) + 1
    head = text[start:at]
    blank = head[: len(head) - len(head.lstrip(" \t"))]
    return None if own and (blank != head or start == 0) else blank


def _unit(text: str) -> str:
    found = re.search(r"^([ \t]+)[\"}/]", text, re.MULTILINE)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _nested(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value
