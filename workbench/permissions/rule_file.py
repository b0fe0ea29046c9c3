"""The file of a person's rules: read with distrust, written whole or not at all.

A file of which one part cannot be read is lost as a whole: a denial that fell out of it would open what it closed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins

from workbench.files import read_plain, write_file
from workbench.records import Permission, Predicate, ToolBits, Word

_FORMAT = 1
_KINDS = frozenset({"server", "tool", "arguments", "text", "skeleton", "restore", "sealed", "own"})


class StoredRules(Struct, frozen=True):
    """Everything that outlives a core."""

    rules: tuple[Permission, ...] = ()
    believed: Mapping[str, str] = field(default_factory=dict)  # server → fingerprint of the entry that was trusted
    bits: Mapping[str, Mapping[str, ToolBits]] = field(default_factory=dict)
    lost: bool = False


def read(file: Path) -> StoredRules:
    """What the file says; nothing where there is none."""
    try:
        return _kept(json.loads(read_plain(file)))
    except FileNotFoundError:
        return StoredRules()
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return StoredRules(lost=True)


def write(file: Path, kept: StoredRules) -> None:
    """In place of what was there, atomically; only this person can read it."""
    words = {
        "format": _FORMAT,
        "rules": [to_builtins(rule) for rule in kept.rules],
        "believed": dict(kept.believed),
        "bits": {
            server: {tool: to_builtins(bits) for tool, bits in tools.items()}
            for server, tools in kept.bits.items()
            if tools
        },
    }
    write_file(file, json.dumps(words), name="The file of your rules")


def _kept(found: Any) -> StoredRules:  # Any: JSON of ours, read with distrust
    if found["format"] != _FORMAT:
        raise ValueError("another format")
    believed = {_text(server): _text(entry) for server, entry in found["believed"].items()}
    bits = {
        _text(server): {_text(tool): _bits(said) for tool, said in tools.items()}
        for server, tools in found["bits"].items()
    }
    return StoredRules(tuple(_rule(one) for one in found["rules"]), believed, bits)


def _rule(found: Any) -> Permission:  # Any: JSON
    where = tuple(Predicate(_text(one["path"]), _text(one["pattern"])) for one in found["where"])
    if not isinstance(found["count"], int) or found["kind"] not in _KINDS:
        raise ValueError("no rule of ours")
    return Permission(
        id=_text(found["id"]),
        kind=_text(found["kind"]),
        word=Word(found["word"]),
        server=_text(found["server"]),
        tool=_text(found["tool"]),
        where=where,
        key=_text(found["key"]),
        scope=_text(found["scope"]),
        session=_text(found["session"]),
        source=_text(found["source"]),
        made=float(found["made"]),
        used=float(found["used"]),
        count=found["count"],
        expires=float(found["expires"]),
        label=_text(found["label"]),
        taint=tuple(_text(one) for one in found.get("taint", ())),
        about=tuple(_text(one) for one in found.get("about", ())),
        data=_text(found.get("data", "")),
        entry=_text(found.get("entry", "")),
    )


def _bits(found: Any) -> ToolBits:  # Any: JSON
    names = [name for name in ToolBits.__struct_fields__ if name not in ("key", "entry")]
    if any(found[name] not in (True, False, None) for name in names):
        raise ValueError("no bit of ours")
    return ToolBits(
        **{name: found[name] for name in names}, key=_text(found["key"]), entry=_text(found.get("entry", ""))
    )


def _text(found: Any) -> str:  # Any: JSON
    if not isinstance(found, str):
        raise TypeError("no text")
    return found
