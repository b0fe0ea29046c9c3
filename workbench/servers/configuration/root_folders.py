"""Root folders that are announced to a server. They do not restrict the server, which runs with the user's rights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import JsonObject

MOST = 50


def listed(project: Path, roots: Sequence[str]) -> JsonObject:
    """Build the answer to `roots/list`. Paths that are not folders now are left out."""
    found = []
    for root in roots[:MOST]:
        try:
            folder = resolved(project, root)
        except WorkbenchError:
            continue
        found.append({"uri": folder.as_uri(), "name": folder.name or str(folder)})
    return {"roots": found}


def check(project: Path, roots: Sequence[str]) -> None:
    """Check that each root is a folder and that there are not too many. Raises WorkbenchError."""
    if len(roots) > MOST:
        raise WorkbenchError(
            f"A server can have at most {MOST} root folders.", "Use a folder that contains several of them."
        )
    for root in roots:
        resolved(project, root)


def resolved(project: Path, root: str) -> Path:
    """Resolve a root folder. A relative path is relative to the project and may not leave it, not even by a symbolic
    link."""
    if not root.strip() or "\0" in root:
        raise WorkbenchError("A root folder has no valid path.", "Enter its path or remove the line.")
    place = Path(root).expanduser()
    home = Path(os.path.realpath(project))
    folder = Path(os.path.realpath(place if place.is_absolute() else home / place))
    if not place.is_absolute() and not folder.is_relative_to(home):
        raise WorkbenchError(f"{root} is outside the project.", "Enter the full path to use this folder.")
    if not folder.is_dir():
        raise WorkbenchError(f"{root} is not a folder.", "Choose a folder that exists.")
    return folder
