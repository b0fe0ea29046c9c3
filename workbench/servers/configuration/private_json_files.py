"""Private JSON files of the servers: decoded into types with msgspec, written atomically with mode 0600.

A file may be damaged or written by another version: values that do not fit their type are logged and left out.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from workbench.files import read_plain, write_file

log = logging.getLogger(__name__)
LARGEST = 1 << 30  # bytes; the workbench writes no larger file
Stored = TypeVar("Stored")


def load(file: Path) -> Any:  # Any: JSON; callers check its shape. None: no usable file
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def load_as(file: Path, kind: type[Stored]) -> Stored | None:
    """Decode a file as a value of this type; None when the file is missing or does not fit."""
    return convert(load(file), kind, file.name) if file.exists() else None


def read_as(file: Path, kind: type[Stored]) -> tuple[Stored | None, bool]:
    """Decode a file as `load_as` does; also returns whether the file exists, because an unreadable file is not a
    missing one."""
    try:
        return convert(json.loads(read_plain(file, "ascii", largest=LARGEST)), kind, file.name), True
    except FileNotFoundError:
        return None, False
    except (OSError, ValueError, RecursionError):
        return None, True


def convert(value: object, kind: type[Stored], what: str) -> Stored | None:
    """Convert a decoded value to this type; None and a log entry when it does not fit."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        log.warning("%s is invalid and is left out: %s", what, fault)
        return None


def convert_entries(entries: Mapping[str, Any], kind: type[Stored], what: str) -> dict[str, Stored]:  # Any: JSON
    """Return the entries of an object that fit the type."""
    found = ((name, convert(value, kind, f"{what} {name:.80}")) for name, value in entries.items())
    return {name: value for name, value in found if value is not None}


def convert_items(items: Iterable[Any], kind: type[Stored], what: str) -> list[Stored]:  # Any: JSON
    """Return the items of a list that fit the type."""
    return [value for item in items if (value := convert(item, kind, what)) is not None]


def save(file: Path, value: Any, *, durable: bool = False, name: str = "") -> None:  # Any: JSON, or Structs of it
    """Write a file atomically with mode 0600; a missing folder is created with mode 0700."""
    write_file(file, json.dumps(msgspec.to_builtins(value)), durable=durable, name=name)
