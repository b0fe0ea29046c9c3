"""Which commands a person has allowed, by their fingerprint: a changed command asks again.

The files behind a command are remembered at its first start; when they are others at a later one, it asks again too.
"""

from __future__ import annotations

import time
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.configuration import command_files, private_json_files
from workbench.servers.configuration.command_files import Executable
from workbench.servers.configuration.launch_command import fingerprint


class Consents:
    """The person's consents of one bench; they are private state, never part of the bench."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._given: dict[str, object] = {}

    def read(self) -> None:
        found = private_json_files.load(self._file)
        self._given = dict(found) if isinstance(found, dict) else {}

    def allows(self, config: ServerConfig) -> bool:
        return config.builtin or fingerprint(config) in self._given

    def known(self, config: ServerConfig) -> dict[str, Executable]:
        """The files that were behind this command when it was allowed, by name."""
        return {file.name: file for file in self._files(config) or ()}

    def vouch(self, config: ServerConfig, files: tuple[Executable, ...]) -> str:
        """What is different from what a person allowed, or nothing. Consents without files take these as theirs."""
        before = self._files(config)
        if before is not None and (told := command_files.difference(before, files)):
            return told
        if before != files and config.name and fingerprint(config) in self._given:
            entry = self._given[fingerprint(config)]
            kept = entry if isinstance(entry, dict) else {}
            self._save({**self._given, fingerprint(config): {**kept, "files": [file.as_json() for file in files]}})
        return ""

    def give(self, config: ServerConfig, like: ServerConfig | None = None) -> None:
        """A person's yes to this command, and to whatever files are behind it at its next start. `like`: the entry it
        takes the place of without being asked about anew, so the files that were allowed stay the only ones."""
        if config.builtin:
            return
        said: dict[str, object] = {"server": config.name, "command": config.command, "at": time.time()}
        files = self._files(like) if like is not None else None
        if files is not None:
            said["files"] = [file.as_json() for file in files]
        self._save({**self._given, fingerprint(config): said})

    def _files(self, config: ServerConfig) -> tuple[Executable, ...] | None:
        entry = self._given.get(fingerprint(config))
        return command_files.from_json(entry.get("files")) if isinstance(entry, dict) else None

    def _save(self, given: dict[str, object]) -> None:
        try:
            private_json_files.save(self._file, given)
        except OSError as fault:
            raise WorkbenchError(
                f"Your consent cannot be remembered: {fault.strerror}.", f"Is {self._file.parent} writable?"
            ) from fault
        self._given = given
