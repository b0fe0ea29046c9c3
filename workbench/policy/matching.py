"""Whether a call's arguments are what a rule says. A pattern is read so that nothing slips in beside what it names.

`*` never reaches over a comma, a bracket or a line: `*@acme.com` is one address, not a list that ends in one. In an
address or a host it stays on its side of `@` and `/`. And an allow about `to` says nothing of a call that also has a
`bcc`: whatever else says where something goes must be named too.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from workbench.policy.tables import verbs
from workbench.records import JsonObject, JsonValue, Predicate

UNDER = "under workspace"
MOST = 500  # values of one argument that are looked at; more match no allow
_HOST = re.compile(r"^[\w*?+.-]{0,40}://[^/]{0,400}")
Resolve = Callable[[str], str]  # a path → where it leads


def holds(
    where: Sequence[Predicate], arguments: JsonObject, workspace: str = "", resolve: Resolve = posixpath.normpath
) -> bool:
    """Whether all of it is true of these arguments, and nothing else in them says where something goes."""
    named = {_top(one.path) for one in where}
    if any(key not in named for key in destinations(arguments)):
        return False
    return all(_all_match(one, arguments, workspace, resolve) for one in where)


def touches(
    where: Sequence[Predicate], arguments: JsonObject, workspace: str = "", resolve: Resolve = posixpath.normpath
) -> bool:
    """For a rule that asks or denies: each of its arguments has some value like that."""
    return all(
        any(_matches(one.pattern, value, workspace, resolve) for value in values(arguments, one.path)) for one in where
    )


def destinations(arguments: JsonObject) -> tuple[str, ...]:
    """The arguments that say where something goes, unless they are empty."""
    return tuple(key for key, value in arguments.items() if value not in (None, "", [], {}) and _leads(key, value))


def values(arguments: JsonValue, path: str) -> list[JsonValue]:
    """What stands at a path: `to`, `message.to`, `recipients[].email`; a list is all of its values."""
    found: list[JsonValue] = [arguments]
    for part in path.split("."):
        name = part.removesuffix("[]")
        found = [one[name] for one in found if isinstance(one, Mapping) and name in one]
        found = [inner for one in found for inner in (one if isinstance(one, list) else [one])][: MOST + 1]
    return found


def exactly(value: JsonValue) -> str:
    """The pattern of this value and no other."""
    return re.sub(r"([*?\\])", r"\\\1", _text(value))


def says_something(pattern: str) -> bool:
    """Whether a pattern excludes more than nothing: `*` and `*.*` do not narrow a rule."""
    return pattern == UNDER or len(re.sub(r"[\W_]", "", pattern)) >= 2 or "*" not in pattern


def _leads(key: str, value: JsonValue, depth: int = 0) -> bool:
    """By the argument's name, or by one inside it."""
    words = verbs.words(key)
    if key.casefold() in verbs.DESTINATIONS or not verbs.DESTINATIONS.isdisjoint(words):
        return True
    if depth > 8:
        return True
    inner = value if isinstance(value, list) else [value]
    return any(_leads(name, one, depth + 1) for part in inner for name, one in _inside(part))


def _inside(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, Mapping):
        yield from ((name, one) for name, one in value.items() if one not in (None, "", [], {}))


def _all_match(one: Predicate, arguments: JsonObject, workspace: str, resolve: Resolve) -> bool:
    found = values(arguments, one.path)
    return 0 < len(found) <= MOST and all(_matches(one.pattern, value, workspace, resolve) for value in found)


def _matches(pattern: str, value: JsonValue, workspace: str, resolve: Resolve) -> bool:
    if isinstance(value, dict | list):
        return False
    text = _text(value)
    if pattern == UNDER:
        return _is_under(text, workspace, resolve)
    if "/" in pattern and ".." in re.split(r"[/\\]", text):
        return False
    return _compiled(pattern).fullmatch(text) is not None


def _is_under(text: str, workspace: str, resolve: Resolve) -> bool:
    """Below the workspace after every `..` and every link; relative paths are meant from the bench."""
    if not workspace or "\0" in text or "\\" in text or text.startswith("~") or "://" in text:
        return False
    bench = posixpath.dirname(workspace)
    lexical = posixpath.normpath(posixpath.join(bench, text))
    return all(place.startswith(workspace.rstrip("/") + "/") for place in (lexical, _followed(lexical, resolve)))


def _followed(path: str, resolve: Resolve) -> str:
    try:
        return resolve(path)
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    """An address does not care for capitals, and `*` in it holds no blank."""
    address = "@" in pattern
    host = match.end() if (match := _HOST.match(pattern)) else 0
    words, position = [], 0
    while position < len(pattern):
        letter = pattern[position]
        if letter == "\\" and position + 1 < len(pattern):
            position += 1
            words.append(re.escape(pattern[position]))
        elif letter in "*?":
            kept = _kept_out(address, position < host)
            words.append(f"[^{kept}]" + ("*" if letter == "*" else ""))
        else:
            words.append(re.escape(letter))
        position += 1
    return re.compile("".join(words), re.IGNORECASE if address or host else 0)


def _kept_out(address: bool, host: bool) -> str:
    """What a wildcard does not stand for."""
    marks = r",;<>\"\x00-\x1f\x7f\x85\u2028\u2029"
    if address:
        marks += r"\s@/'()\\:%!"
    if host:
        marks += r"\s@/?#\\:%"
    return marks


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _top(path: str) -> str:
    return path.split(".")[0].removesuffix("[]")
