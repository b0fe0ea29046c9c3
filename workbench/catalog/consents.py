"""Which commands a person has allowed, by their fingerprint: a changed command asks again."""

from __future__ import annotations

import time
from pathlib import Path

from workbench.catalog import stored
from workbench.catalog.launch import fingerprint
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig


class Consents:
    """The person's consents of one bench; they are private state, never part of the bench."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._given: dict[str, object] = {}

    def read(self) -> None:
        found = stored.load(self._file)
        self._given = dict(found) if isinstance(found, dict) else {}

    def allows(self, config: ServerConfig) -> bool:
        return config.builtin or fingerprint(config) in self._given

    def give(self, config: ServerConfig) -> None:
        if self.allows(config):
            return
        given = {
            **self._given,
            fingerprint(config): {"server": config.name, "command": config.command, "at": time.time()},
        }
        try:
            stored.save(self._file, given)
        except OSError as fault:
            raise WorkbenchError(
                f"Your consent cannot be remembered: {fault.strerror}.", f"Is {self._file.parent} writable?"
            ) from fault
        self._given = given
