"""Generates Python and TypeScript identifiers from the names of servers, tools and parameters.

45 % of real tools have names that are not identifiers. A name that already is an identifier stays unchanged. When two
names would become the same identifier, every name but an exact match gets a suffix from its own hash. A suffix
therefore never moves to a different tool: old code fails to import instead of calling the wrong tool.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

LONGEST = 100  # UTF-8 bytes of an identifier; it also names a file

_ODD = re.compile(r"\W+|_+")
_KEYWORDS = frozenset(keyword.kwlist)
_SHADOWING = _KEYWORDS | frozenset(dir(builtins))
_SCRIPT = (
    "arguments await break callMCPTool case catch class const continue debugger default delete do else enum eval export"
    " exports extends false finally for function if implements import in Infinity instanceof interface let NaN new null"
    " package private Promise protected public require return static super switch this throw true try typeof undefined"
    " var void while with yield"
)
_SCRIPT_WORDS = frozenset(_SCRIPT.split())


def python_names(names: Sequence[str]) -> dict[str, str]:
    """A unique importable name for each tool; never a keyword or builtin."""
    return _assign(names, "tool", _SHADOWING)


def script_names(names: Sequence[str]) -> dict[str, str]:
    """A unique TypeScript function name for each tool; never a reserved word of the language or of generated
    modules.
    """
    return _assign(names, "tool", _SCRIPT_WORDS)


def parameter_names(keys: Sequence[str]) -> dict[str, str]:
    """A keyword argument for each JSON key. `id` and `type` stay unchanged, because a parameter shadows them locally
    only.
    """
    return _assign(keys, "parameter", _KEYWORDS)


def package_name(server: str) -> str:
    """The package below `servers` that contains a server's functions."""
    return _assign([server], "server", _KEYWORDS)[server]


def skill_module_name(name: str) -> str:
    """The module and function of a skill: `filter-pending-orders` is imported as `filter_pending_orders`."""
    word = name.replace("-", "_")
    if word[:1].isdigit():
        return f"_{word}"
    return f"{word}_" if keyword.iskeyword(word) else word


def type_name(words: str) -> str:
    """A class name: `line-item` becomes `LineItem`."""
    parts = identifier(words, fallback="Type").split("_")
    joined = "".join([part[:1].upper() + part[1:] for part in parts]) or "Type"
    return _safe(joined if joined.isidentifier() else f"Type{joined}", _SHADOWING)


def identifier(name: str, fallback: str) -> str:
    """The closest identifier to a name. It may still be a keyword or collide with another name."""
    if name.isascii() and name.isidentifier() and len(name) <= LONGEST and not _is_odd(name):
        return name
    normal = unicodedata.normalize("NFKC", name[: 4 * LONGEST])
    letters = "".join(mark if f"_{mark}".isidentifier() else "_" for mark in normal)
    bare = letters.strip("_") if _is_odd(letters) or letters != normal else letters
    if not bare:
        return fallback
    return _shorten(bare if bare.isidentifier() else f"_{bare}", name)


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """Normalized form for comparing names: compatibility characters, case and punctuation are ignored."""
    return _ODD.sub("_", unicodedata.normalize("NFKC", name).casefold()).strip("_")


def _assign(names: Sequence[str], fallback: str, reserved: frozenset[str]) -> dict[str, str]:
    wished = {name: _safe(identifier(name, fallback), reserved) for name in dict.fromkeys(names)}
    rivals = Counter(wished.values())
    given = {name: wish for name, wish in wished.items() if name == wish or (rivals[wish] == 1 and wish not in wished)}
    taken = set(given.values())
    for name in sorted(wished.keys() - given.keys()):
        given[name] = _with_suffix(wished[name], name, taken)
        taken.add(given[name])
    return {name: given[name] for name in wished}


def _with_suffix(wish: str, name: str, taken: set[str]) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return next(found for size in range(4, 65) if (found := f"{wish}_{digest[:size]}") not in taken)


def _safe(name: str, reserved: frozenset[str]) -> str:
    return f"{name}_" if name in reserved else name


def _is_odd(name: str) -> bool:
    """Whether Python gives the name a special meaning: `__init__`, `__debug__`, and names that a class body mangles."""
    return name.startswith("__")


def _shorten(name: str, whole: str) -> str:
    if len(name.encode()) <= LONGEST and len(whole) <= 4 * LONGEST:
        return name
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    short = name.encode()[: LONGEST - 9].decode("utf-8", "ignore")
    return f"{short}_{digest}"
