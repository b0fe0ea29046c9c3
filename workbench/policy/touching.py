"""Whether a call has anything to do with what a rule asks about or denies. Here everything counts that some server
could take for the same: one address of several, in brackets, in other letters, a path with `..` or through a link.

An allow is read the other way round (`matching.py`): it holds only for what cannot be anything else.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote

from workbench.policy.matching import DEEPEST, UNDER, Resolve
from workbench.records import JsonObject, JsonValue, Predicate

MOST = 500  # values at one path that are looked at; more count as touched
LONGEST = 20_000  # letters of one value whose pieces are looked at
_BETWEEN = re.compile(r"[\s,;|<>\"'()\[\]{}]+")
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_SCHEME = re.compile(r"^(?:mailto|file|tel|sms):(?://)?", re.I)


def touches(
    where: Sequence[Predicate], arguments: JsonObject, workspace: str = "", resolve: Resolve = posixpath.normpath
) -> bool:
    """Each argument that the rule names has some value like that, or more values than are looked at."""
    return all(_touched(one, arguments, workspace, resolve) for one in where)


def _touched(one: Predicate, arguments: JsonObject, workspace: str, resolve: Resolve) -> bool:
    found = list(islice(_texts(_at(arguments, one.path)), MOST + 1))
    return len(found) > MOST or any(_like(one.pattern, text, workspace, resolve) for text in found)


def _at(arguments: JsonObject, path: str) -> list[JsonValue]:
    found: list[JsonValue] = [arguments]
    for part in path.split("."):
        name = part.removesuffix("[]")
        found = [one[name] for one in _flat(found) if isinstance(one, Mapping) and name in one]
    return found


def _flat(values: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """Lists in lists, one after the other."""
    stack = list(reversed(values))
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value))
        else:
            yield value


def _texts(values: Sequence[JsonValue], depth: int = 0) -> Iterator[str]:
    """Everything below, names too; what lies too deep is a text that any pattern could mean."""
    for value in _flat(values):
        if isinstance(value, Mapping):
            yield from map(str, value)
            yield from _texts(list(value.values()), depth + 1) if depth < DEEPEST else [""] * (MOST + 1)
        elif isinstance(value, bool):
            yield str(value).lower()
        elif isinstance(value, float) and value.is_integer():
            yield str(int(value))
        elif value is not None:
            yield str(value)


def _like(pattern: str, text: str, workspace: str, resolve: Resolve) -> bool:
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    if pattern == UNDER:
        return any(_is_in(place, workspace) for place in _places(plain, workspace, resolve))
    said = _compiled(pattern)
    if said.match(text) or said.match(plain):
        return True
    if len(plain) > LONGEST:
        return False
    pieces = [piece for piece in (plain.strip(), *_BETWEEN.split(plain)) if piece]
    pieces += [bare for piece in pieces if (bare := unquote(_SCHEME.sub("", piece))) != piece]
    if "/" in pattern:
        pieces += [f"{piece}/" for piece in pieces] + _places(plain, workspace, resolve)
    return any(said.match(piece) for piece in pieces)


def _places(text: str, workspace: str, resolve: Resolve) -> list[str]:
    """Where a path may lead: as written, from the bench, and behind its links."""
    bare = unquote(_SCHEME.sub("", text.strip())).replace("\\", "/")
    if "\0" in bare or len(bare) > LONGEST:
        return []
    joined = posixpath.join(posixpath.dirname(workspace), bare) if workspace else bare
    found = [_normal(bare), _normal(joined)]
    try:
        return [*found, resolve(joined)]
    except (OSError, ValueError):
        return found


def _normal(path: str) -> str:
    return re.sub(r"^/+", "/", posixpath.normpath(path)) if path else ""


def _is_in(place: str, workspace: str) -> bool:
    root = workspace.rstrip("/")
    return bool(root) and (place == root or place.startswith(f"{root}/"))


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    """In any case, and `*` over everything; such as `fnmatch` writes it, no text takes long to compare."""
    words, position = [], 0
    while position < len(pattern):
        letter = pattern[position]
        if letter == "\\" and position + 1 < len(pattern):
            position += 1
            letter = pattern[position]
            words.append(f"[{letter}]" if letter in "*?[" else letter)
        else:
            words.append("[[]" if letter == "[" else letter)
        position += 1
    return re.compile(fnmatch.translate("".join(words)), re.IGNORECASE)
