"""Small private JSON files of the servers: read as untrusted, written atomically with mode 0600."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench.files import read_plain, write_file

LARGEST = 1 << 30  # bytes; more was not written by us


def load(file: Path) -> Any:  # Any: JSON; callers check its shape. None: there is nothing usable
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def read(file: Path) -> tuple[Any, bool]:  # Any: as above
    """What is usable, and whether something is there at all: a file that cannot be read is not a missing one."""
    try:
        return json.loads(read_plain(file, "ascii", largest=LARGEST)), True
    except FileNotFoundError:
        return None, False
    except (OSError, ValueError, RecursionError):
        return None, True


def save(file: Path, value: Any, *, durable: bool = False, name: str = "") -> None:  # Any: JSON
    """Atomic and 0600; the folder is made 0700 when it is missing."""
    write_file(file, json.dumps(value), durable=durable, name=name)
