"""Stores which hosts of a project's settings the user accepted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from workbench.files import read_plain, write_file
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
        write_file(self._file, json.dumps(given), name="The file of accepted hosts")
        self._given = given
