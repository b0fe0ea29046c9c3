"""Parser and editor for JSON with comments and trailing commas. Changes one member or item in place.

A path names members by their keys and items of arrays by their numbers. An edit touches only the text of that member;
no maintained library does that. The caller parses the result again and
compares it before writing a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from workbench.errors import WorkbenchError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*|/\*(?:.*?\*/)?+|[{}\[\],:]|[^\s"{}\[\],:/]+|["/]', re.DOTALL)
_HINT = "Correct the file in that app; it was not changed."


class JsoncMember(Struct, frozen=True):
    """Position of one object member or array item in the text."""

    key: str  # the number of an item
    start: int  # of the key, or of the item
    value: int
    end: int  # after the value


class JsoncPosition(Struct, frozen=True):
    """Position of an object or array and its members in the text."""

    opening: int
    members: tuple[JsoncMember, ...]
    comma: int  # after a trailing comma; 0 without one


def parse(text: str, name: str) -> dict[str, Any]:  # Any: the file's own JSON
    """Parse the text of a file. Raises WorkbenchError when it does not hold a JSON object."""
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
        raise WorkbenchError(f"{name} does not contain a JSON object.", _HINT)
    return document


def set_member(text: str, path: Sequence[str], value: object) -> str:
    """Set the member at a path; missing parent objects are created."""
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
            raise WorkbenchError(f'"{key}" is not an object.', _HINT)
    return text


def append_item(text: str, path: Sequence[str], value: object) -> str:
    """Append an item to the array at a path, which is made if it is missing."""
    found = _find(text, path)
    if found is None:
        return set_member(text, path, [value])
    member = found[0].members[found[1]]
    if text[member.value] != "[":
        raise WorkbenchError(f'"{path[-1]}" is not a list.', _HINT)
    return _insert(text, scan(text, member.value), None, value)


def remove_member(text: str, path: Sequence[str]) -> str:
    """Remove the member or item at a path with its comma; a text without it stays as it is."""
    found = _find(text, path)
    if found is None:
        return text
    place, number = found
    members = place.members
    if number + 1 < len(members):  # up to the next member
        return text[: members[number].start] + text[members[number + 1].start :]
    end = max(members[number].end, place.comma)
    if number:  # the comma of the member before goes too, unless the last one had one
        before = members[number - 1]
        return text[: before.end] + _comments_between(text[before.end : members[number].start], place) + text[end:]
    closing = re.match(r"[ \t\r\n]*(?=[\]}])", text[end:])
    start = place.opening + 1 if closing is not None else members[number].start
    return text[:start] + text[end + (closing.end() if closing is not None else 0) :]


def _comments_between(text: str, place: JsoncPosition) -> str:
    """What stays of the text between two members when the second, the last one, is removed."""
    comma = next((start for token, start, _ in _tokens(text) if token == ","), None)
    if comma is None or text.strip() == ",":
        return "," if place.comma else ""
    return (text if place.comma else text[:comma] + text[comma + 1 :]).rstrip()


def _find(text: str, path: Sequence[str]) -> tuple[JsoncPosition, int] | None:
    """Return the object that holds the member at a path, and the number of the member in it."""
    if not text.strip():
        return None
    at = _opening(text)
    for depth, key in enumerate(path):
        place = scan(text, at)
        number = next((one for one in reversed(range(len(place.members))) if place.members[one].key == key), None)
        if number is None:
            return None
        if depth == len(path) - 1:
            return place, number
        at = place.members[number].value
        if text[at] not in "{[":
            return None
    return None


def scan(text: str, opening: int) -> JsoncPosition:
    """Find the members of the object, or the items of the array, that starts at `opening`; nested ones are skipped."""
    members: list[JsoncMember] = []
    depth, comma, array = 0, 0, text[opening] == "["
    key: tuple[str, int] | None = None
    value = end = -1
    for token, start, stop in _tokens(text, opening):
        if array and depth == 1 and key is None and token not in ("]", ","):
            key = (str(len(members)), start)
            value, end = start, stop
            depth += token in ("{", "[")
            continue
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
    """Yield every token except comments. Stops at an unclosed string or comment, so that no input makes it slow."""
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
    """Replace comments and trailing commas by spaces, so that every position stays the same."""
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
        raise WorkbenchError("The file does not contain a JSON object.", _HINT)
    return start


def _insert(text: str, place: JsoncPosition, key: str | None, value: object) -> str:
    """Add a member after the last one. Items of arrays have no key."""
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not place.members:
        return _fill(text, place, name, value)
    last = place.members[-1]
    indent = _indent_of(text, place.members[0].start)
    if indent is None:  # the object is on one line
        written = f"{name}{json.dumps(value, ensure_ascii=False)}"
        at = place.comma or last.end
        return text[:at] + (" " if place.comma else ", ") + written + text[at:]
    member = f"{name}{_dumped(text, indent, value)}"
    text = text if place.comma else f"{text[: last.end]},{text[last.end :]}"
    at = _behind_comment(text, place.comma or last.end + 1)
    return text[:at] + _newline(text) + indent + member + ("," if place.comma else "") + text[at:]


def _fill(text: str, place: JsoncPosition, name: str, value: object) -> str:
    """Insert the first member into an empty object or array."""
    outer = _indent_of(text, place.opening, own=False) or ""
    indent = outer + _unit(text)
    member = f"{name}{_dumped(text, indent, value)}"
    line, at = _newline(text), place.opening + 1
    rest = text[at:]
    closing = f"{line}{outer}" if rest.lstrip(" \t\r\n").startswith(("}", "]")) else ""
    kept = rest.lstrip(" \t\r\n") if closing else rest
    return f"{text[:at]}{line}{indent}{member}{closing}{kept}"


def _behind_comment(text: str, at: int) -> int:
    """Return the position after a comment that follows the last member on the same line."""
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
    """Return the leading white space of the line at `at`. With `own`, None when other text precedes `at`."""
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
