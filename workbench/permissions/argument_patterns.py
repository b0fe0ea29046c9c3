"""Compares the arguments of a call with the patterns of a rule: `holds` for rules that allow, `touches` for others.

A rule that allows is matched strictly, so that it covers nothing beyond what it names. `*` never matches a comma, a
bracket or a line break: `*@acme.com` is one address, not a list that ends in one. In an address or a host, `*` does
not match `@` or `/`. A rule about `to` does not cover a call that also has a `bcc`, at any depth: every destination
argument must be named, and so must every argument that decides what the call does: a command, a switch, attachments.
A rule derived from a call (`others`) covers no argument that this call did not have.

A rule that asks or denies is matched loosely: everything counts that some server could take for the same, such as one
address of several, in brackets, in other Unicode forms, a path with `..` or through a link.
"""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote

from workbench.permissions import tool_verbs
from workbench.permissions.sql_statements import only_reads, read_sql, table_of_added_rows
from workbench.permissions.word_sets import names
from workbench.records import JsonObject, JsonValue, Predicate

UNDER = "under workspace"
BELOW = "below "  # begins the pattern of all paths inside one folder
READING = "SQL that only reads"
ADDING = "SQL that only adds rows to "  # followed by a table
MOST = 500  # compared values of one argument; with more, no rule that allows matches, and every other rule does
_HOST = re.compile(r"^[\w*?+.-]{0,40}://[^/]{0,400}")
_EXPANDED = re.compile(r"[\\$`]|%[0-9A-Fa-f]{2}")  # escapes that some servers expand
_NO_NAME = "\0"  # replaces a key that no path of a rule can name
DEEPEST = 8  # nesting depth of objects that are searched
# Arguments that say what a call does: a rule that leaves them open would allow anything.
_DECIDING = names(
    """command commands cmd shell script javascript argv args code function expression python sql query statement
    statements mutation cypher role permission permissions access scope visibility amount price percent sum
    quantity qty currency action operation method force recursive cascade overwrite permanent permanently
    notify notification notifications attachment attachments"""
)
_TYPES = frozenset({"resourcetype", "resource_type", "type", "kind", "object_type"})
_EMPTY: tuple[JsonValue, ...] = (None, "", [], {})
Resolve = Callable[[str], str]  # a path → its real path


def holds(
    where: Sequence[Predicate],
    arguments: JsonObject,
    workspace: str = "",
    resolve: Resolve = posixpath.normpath,
    others: Sequence[str] | None = None,
) -> bool:
    """Whether all predicates are true for these arguments, and no other argument is a destination or decides what the
    call does. `others`: the only other arguments that the call may have, if that is known."""
    named = {one.path.replace("[]", "") for one in where}
    if any(path not in named for path in _led(arguments)) or _has_more(named, arguments, others):
        return False
    return all(_all_match(one, arguments, workspace, resolve) for one in where)


def may_hold(
    where: Sequence[Predicate],
    arguments: JsonObject,
    unknown: Set[str],
    workspace: str = "",
    resolve: Resolve = posixpath.normpath,
    others: Sequence[str] | None = None,
) -> bool | None:
    """Whether `holds` will be true for a call whose arguments are known in part. None: that depends on an argument
    that is not known yet. `unknown`: the names of those; `*` stands for any further names."""
    later = [
        one for one in where if (name := _first_name(one.path)) in unknown or ("*" in unknown and name not in arguments)
    ]
    named = {_first_name(one.path) for one in where}
    expected = {name.partition(".")[0] for name in others or ()}
    for name in unknown - named - {"*"}:
        if is_destination(name) or (others is not None and name not in expected) or (others is None and decides(name)):
            return False
    whole = {one.path.replace("[]", "") for one in where}
    if any(path not in whole for path in _led(arguments)) or _has_more(whole, arguments, others):
        return False
    if not all(_all_match(one, arguments, workspace, resolve) for one in where if one not in later):
        return False
    return None if later or "*" in unknown else True


def other_arguments(where: Sequence[Predicate], arguments: JsonObject, unknown: Set[str]) -> tuple[str, ...]:
    """Return the arguments that a rule derived from this call leaves open."""
    named = {one.path.replace("[]", "") for one in where}
    known = [path for path, _ in _arguments(arguments, named) if not _is_named(path, named)]
    later = [name for name in sorted(unknown) if name != "*" and not _is_named(name, named)]
    return tuple(dict.fromkeys((*known, *later)))


def _has_more(named: Set[str], arguments: JsonObject, others: Sequence[str] | None) -> bool:
    """Whether a call has an argument that a rule about the named ones does not cover."""
    for path, value in _arguments(arguments, named):
        if _is_named(path, named):
            continue
        if others is None and (value is True or decides(path.rpartition(".")[2])):
            return True
        if others is not None and not any(path == one or path.startswith(f"{one}.") for one in others):
            return True
    return False


def _is_named(path: str, named: Set[str]) -> bool:
    return any(path == one or path.startswith(f"{one}.") for one in named)


def _arguments(arguments: JsonObject, named: Set[str]) -> Iterator[tuple[str, JsonValue]]:
    """Yield path and value of each argument that is not empty; for an object, of each of its fields; for what holds a
    named value, also in lists, of all fields beside it."""
    stack: list[tuple[str, JsonValue, int]] = [("", arguments, 0)]
    while stack:
        path, value, depth = stack.pop()
        inside = depth < 2 or (depth < DEEPEST and any(one.startswith(f"{path}.") for one in named))
        if isinstance(value, list) and inside and any(one.startswith(f"{path}.") for one in named):
            stack.extend((path, one, depth + 1) for one in reversed(value))
        elif isinstance(value, Mapping) and value and inside:
            fields = ((_NO_NAME if "." in name or "[]" in name else name, one) for name, one in value.items())
            stack.extend((f"{path}.{name}" if path else name, one, depth + 1) for name, one in reversed(list(fields)))
        elif value not in _EMPTY:
            yield path, value


@lru_cache(maxsize=4096)
def decides(key: str) -> bool:
    """Whether an argument of this name says what a call does."""
    return key.casefold() in _TYPES or not _DECIDING.isdisjoint(tool_verbs.name_words(key))


def _first_name(path: str) -> str:
    return path.partition(".")[0].removesuffix("[]")


def destinations(arguments: JsonObject) -> tuple[str, ...]:
    """Return the destination arguments that are not empty."""
    return tuple(
        key for key, value in arguments.items() if value not in (None, "", [], {}) and _names_destination(key, value)
    )


def values(arguments: JsonValue, path: str) -> list[JsonValue]:
    """Return the values at a path: `to`, `message.to`, `recipients[].email`; a list stands for all of its values."""
    found: list[JsonValue] = [arguments]
    for part in path.split("."):
        name = part.removesuffix("[]")
        found = [one[name] for one in found if isinstance(one, Mapping) and name in one]
        found = [inner for one in found for inner in (one if isinstance(one, list) else [one])][: MOST + 1]
    return found


def exactly(value: JsonValue) -> str:
    """Return the pattern that matches only this value."""
    return re.sub(r"([*?\\])", r"\\\1", _text(value))


@lru_cache(maxsize=512)
def is_literal(pattern: str) -> bool:
    """Whether a pattern matches one value only."""
    return (
        pattern not in (UNDER, READING)
        and not pattern.startswith((BELOW, ADDING))
        and not re.search(r"(?<!\\)[*?]", pattern)
    )


@lru_cache(maxsize=512)
def says_something(pattern: str) -> bool:
    """Whether a pattern excludes anything relevant: `*` and `*.*` do not narrow a rule."""
    if pattern.startswith(BELOW):
        return bool(pattern.removeprefix(BELOW).strip("/. "))
    return (
        pattern in (UNDER, READING)
        or pattern.startswith(ADDING)
        or len(re.sub(r"[\W_]", "", pattern)) >= 2
        or "*" not in pattern
    )


@lru_cache(maxsize=4096)
def is_destination(key: str) -> bool:
    """Whether an argument of this name is a destination: `to`, `webhookUrl`, `recipient_email`."""
    return key.casefold() in tool_verbs.DESTINATIONS or not tool_verbs.DESTINATIONS.isdisjoint(
        tool_verbs.name_words(key)
    )


def _names_destination(key: str, value: JsonValue, depth: int = 0) -> bool:
    """Whether an argument is a destination, by its name or by a name inside its value."""
    if is_destination(key) or depth > DEEPEST:
        return True
    inner = value if isinstance(value, list) else [value]
    return any(_names_destination(name, one, depth + 1) for part in inner for name, one in _inside(part))


def _led(arguments: JsonObject) -> Iterator[str]:
    """Yield the path of each destination value, by its own name or by the name of an enclosing object."""
    stack: list[tuple[str, JsonValue, bool, int]] = [("", arguments, False, 0)]
    while stack:
        path, value, leads, depth = stack.pop()
        if isinstance(value, list):
            stack.extend((path, one, leads, depth + 1) for one in value)
        elif isinstance(value, Mapping):
            for key, one in value.items():
                name = _NO_NAME if "." in key or "[]" in key or depth > DEEPEST else key
                place = f"{path}.{name}" if path else name
                stack.append((place, one, leads or is_destination(key) or depth > DEEPEST, depth + 1))
        elif leads and value not in (None, ""):
            yield path


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
    if pattern.startswith(BELOW):
        return _is_below(text, pattern.removeprefix(BELOW), workspace, resolve)
    if pattern == READING:
        return isinstance(value, str) and only_reads(text)
    if pattern.startswith(ADDING):
        return isinstance(value, str) and table_of_added_rows(text) == pattern.removeprefix(ADDING).casefold() != ""
    if "/" in pattern and ".." in re.split(r"[/\\;]", unquote(unquote(text))):
        return False
    if pattern == exactly(text):
        return True
    plain = unicodedata.normalize("NFKC", text)  # some servers convert a comma or an @ in other Unicode forms
    return all(_compiled(pattern).fullmatch(one) for one in {text, plain})


def _is_under(text: str, workspace: str, resolve: Resolve) -> bool:
    """Whether a path is inside the workspace after resolving every `..` and every link; relative paths start at the
    project."""
    if not workspace or text.startswith("~") or "://" in text or not text.isprintable() or _EXPANDED.search(text):
        return False
    joined = posixpath.join(posixpath.dirname(workspace), text)
    lexical = posixpath.normpath(joined)
    # `..` after a link leads to a different folder
    places = (lexical, _followed(lexical, resolve), _followed(joined, resolve))
    if _is_hidden(lexical[len(workspace.rstrip("/")) :]):
        return False
    return all(place.startswith(workspace.rstrip("/") + "/") for place in places)


def _is_hidden(rest: str) -> bool:
    """Whether a file or folder below an allowed one is hidden: `.git/hooks`, `.vscode`. Programs run what is there."""
    return any(part.startswith(".") for part in rest.split("/"))


def _is_below(text: str, folder: str, workspace: str, resolve: Resolve) -> bool:
    """Whether a path is inside a folder, as written and after following every link of this machine. A relative path
    and folder start at the same place, which for links is the project."""
    doubtful = text.startswith(("~", "//")) or "://" in text or not text.isprintable() or _EXPANDED.search(text)
    if doubtful or ".." in text.split("/") or unicodedata.normalize("NFKC", text) != text:
        return False
    root = posixpath.normpath(folder)
    if not posixpath.normpath(text).startswith(f"{root}/"):
        return False
    if _is_hidden(posixpath.normpath(text)[len(root) :]):
        return False
    base = posixpath.dirname(workspace) if workspace else "/"
    place, real_root = (_followed(posixpath.join(base, one), resolve) for one in (text, root))
    return bool(real_root) and place.startswith(f"{real_root.rstrip('/')}/")


def _followed(path: str, resolve: Resolve) -> str:
    try:
        return resolve(path)
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that allows. Addresses are case-insensitive, and `*` in them matches no space."""
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
    """Return the characters that a wildcard does not match."""
    marks = r",;<>\"\x00-\x1f\x7f\x85\u2028\u2029"
    if address:
        # `=?…?=` is decoded by some mailers, and `$(…)`, `|` and the like mean something to others
        marks += r"\s@/'()\\:%!=?|`${}*^\[\]\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    if host:
        marks += r"\s@/?#\\:%"
    return marks


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_LONGEST = 20_000  # characters; longer values are not split into pieces
_BETWEEN = re.compile(r"[\s,;|<>\"'()\[\]{}]+")
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_SCHEME = re.compile(r"^(?:mailto|file|tel|sms):(?://)?", re.I)


def touches(
    where: Sequence[Predicate], arguments: JsonObject, workspace: str = "", resolve: Resolve = posixpath.normpath
) -> bool:
    """Whether each argument that the rule names has some matching value, or more values than are compared."""
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
    """Yield the items of nested lists."""
    stack = list(reversed(values))
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value))
        else:
            yield value


def _texts(values: Sequence[JsonValue], depth: int = 0) -> Iterator[str]:
    """Yield all texts in the values, names too; what is nested too deeply counts as a text that any pattern matches."""
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
    if pattern.startswith(BELOW):
        folder = pattern.removeprefix(BELOW)
        roots = _places(folder, workspace, resolve)
        return any(
            _is_in(place.casefold(), root.casefold()) for place in _places(plain, workspace, resolve) for root in roots
        )
    if pattern == READING:
        return only_reads(text)
    if pattern.startswith(ADDING):
        return any(one.target.casefold() == pattern.removeprefix(ADDING).casefold() for one in read_sql(text))
    said = _compiled_loosely(pattern)
    if said.match(text) or said.match(plain):
        return True
    if len(plain) > _LONGEST:
        return False
    pieces = [piece for piece in (plain.strip(), *_BETWEEN.split(plain)) if piece]
    pieces += [bare for piece in pieces if (bare := unquote(_SCHEME.sub("", piece))) != piece]
    if "/" in pattern:
        pieces += [f"{piece}/" for piece in pieces] + _places(plain, workspace, resolve)
    return any(said.match(piece) for piece in pieces)


def _places(text: str, workspace: str, resolve: Resolve) -> list[str]:
    """Return where a path may lead: as written, from the project, and after resolving links."""
    bare = unquote(_SCHEME.sub("", text.strip())).replace("\\", "/")
    if "\0" in bare or len(bare) > _LONGEST:
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
def _compiled_loosely(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that asks or denies: case-insensitive, `*` matches everything. Written as `fnmatch` does, so
    that no text takes long to compare."""
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
