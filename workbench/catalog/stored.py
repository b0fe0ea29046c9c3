"""Small JSON files of the catalog: read with distrust, written in one stroke, readable by this person alone."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any


def load(file: Path) -> Any:  # Any: JSON; callers check its shape. None: there is nothing usable
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def save(file: Path, value: Any) -> None:  # Any: JSON
    """Atomic and 0600; the folder is made 0700 when it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, draft = tempfile.mkstemp(prefix=file.name, suffix=".new", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            json.dump(value, stream)
        os.replace(draft, file)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
