"""Which offers of benches a person accepted, by what exactly they open; private state, never part of a bench."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.files import read_plain
from workbench.records import HostRule


class Accepted:
    """What cannot be read was accepted by nobody."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._given: dict[str, Any] = {}  # Any: JSON, fingerprint → when and what

    def read(self) -> None:
        try:
            found = json.loads(read_plain(self._file, "ascii"))
        except (OSError, ValueError, RecursionError):
            found = {}
        self._given = found if isinstance(found, dict) else {}

    def holds(self, rule: HostRule) -> bool:
        return rule.sha in self._given

    def give(self, rule: HostRule) -> None:
        """A person's yes to exactly this domain with these ports and protocols."""
        self._save({**self._given, rule.sha: {"domain": rule.domain, "at": time.time()}})

    def take_back(self, sha: str) -> None:
        self._save({known: value for known, value in self._given.items() if known != sha})

    def _save(self, given: dict[str, Any]) -> None:  # Any: JSON
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, draft = tempfile.mkstemp(prefix=self._file.name, suffix=".new", dir=self._file.parent)
            try:
                with os.fdopen(handle, "w", encoding="ascii") as stream:
                    json.dump(given, stream)
                os.replace(draft, self._file)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(draft)
                raise
        except OSError as fault:
            hint = f"Is {self._file.parent} writable?"
            raise WorkbenchError(f"Your consent cannot be remembered: {fault.strerror}.", hint) from fault
        self._given = given
