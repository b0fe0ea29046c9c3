"""The one word that opens the HTTP door. Whoever can read it is an agent here, so only its owner can."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.errors import WorkbenchError
from workbench.files import read_plain

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def token(file: Path, *, fresh: bool = False) -> str:
    """The bench's; made when there is none, when what is there is none, or when a new one is wished."""
    if not fresh:
        with suppress(OSError, ValueError):
            if _TOKEN.fullmatch(found := read_plain(file).strip()) and not file.stat().st_mode & 0o077:
                return found
    made, draft = secrets.token_urlsafe(32), file.with_suffix(".new")
    try:
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as text:
            text.write(f"{made}\n")
        os.replace(draft, file)
    except OSError as fault:
        raise WorkbenchError(f"The door's token cannot be written: {fault.strerror}.", f"See {file}.") from fault
    return made
