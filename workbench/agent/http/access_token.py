"""Random keys of a project, such as the access token of the HTTP endpoint. Whoever can read one can act as an agent,
so only the user can read its file."""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.files import read_plain, write_file

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def token(file: Path, *, fresh: bool = False, name: str = "The access token of the HTTP endpoint") -> str:
    """Return the key in this file. A new one is made if there is none, if the stored one is invalid, or with
    `fresh`."""
    if not fresh:
        with suppress(OSError, ValueError):
            if _TOKEN.fullmatch(found := read_plain(file).strip()) and not file.stat().st_mode & 0o077:
                return found
    made = secrets.token_urlsafe(32)
    write_file(file, f"{made}\n", name=name, hint=f"See {file}.")
    return made
