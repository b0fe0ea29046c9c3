"""Which profiles of benches a person accepted, by what exactly they allow; private state, never part of a bench."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.files import read_plain


class Yes:
    """What cannot be read was accepted by nobody."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            found = json.loads(read_plain(file, "ascii"))
        except (OSError, ValueError, RecursionError):
            found = {}
        self._given: Mapping[str, object] = found if isinstance(found, dict) else {}

    def holds(self, sha: str) -> bool:
        return sha in self._given

    def give(self, sha: str, about: Mapping[str, object]) -> None:
        self._save({**self._given, sha: dict(about)})

    def take_back(self, sha: str) -> None:
        self._save({known: value for known, value in self._given.items() if known != sha})

    def _save(self, given: Mapping[str, object]) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, draft = tempfile.mkstemp(prefix=self._file.name, suffix=".new", dir=self._file.parent)
            try:
                with os.fdopen(handle, "w", encoding="ascii") as stream:
                    json.dump(dict(given), stream)
                os.replace(draft, self._file)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(draft)
                raise
        except OSError as fault:
            raise WorkbenchError(
                f"Your yes cannot be kept: {fault.strerror}.", f"Is {self._file.parent} writable?"
            ) from fault
        self._given = given
