"""Writes a private file in one stroke: whole or not at all, and readable by this person alone."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from workbench.errors import WorkbenchError


def write_private(file: Path, data: bytes) -> None:
    """Atomic, 0600, on the disk when it returns."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, draft = tempfile.mkstemp(prefix=file.name, suffix=".new", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(draft, file)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as fault:
        raise WorkbenchError(f"{file.name} cannot be written: {fault.strerror}.", f"See {file.parent}.") from fault
