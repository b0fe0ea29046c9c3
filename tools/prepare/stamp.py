"""Records what the environment was made from, so that nothing is installed twice."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

PINNED = {"run": "constraints/run.txt", "test": "constraints/test.txt"}  # goal → file with its exact versions


class Stamp:
    """The fingerprint of one goal: the pinned versions, pyproject, the set-up code, this Python and this path."""

    def __init__(self, root: Path, goal: str) -> None:
        self._root = root
        self._goal = goal
        self._path = root / ".venv" / f"ready-{goal}"

    def fresh(self) -> bool:
        """Whether the environment was completed from the current files."""
        try:
            written = self._path.read_text(encoding="ascii")
        except OSError:
            return False
        return written == self._fingerprint() and os.access(self._root / ".venv/bin/python", os.X_OK)

    def write(self) -> None:
        self._path.write_text(self._fingerprint(), encoding="ascii")

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        own = sorted(Path(__file__).parent.glob("*.py"))
        for path in (self._root / PINNED[self._goal], self._root / "pyproject.toml", *own):
            digest.update(path.read_bytes())
        digest.update(os.fsencode(f"{self._root}\n{sys.version}\n{sys.base_prefix}"))
        return digest.hexdigest()
