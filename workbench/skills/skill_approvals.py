"""Which code this person has kept, by sha, in their private state, and which words of its card: agents read those.

The project is a folder that a team shares or a stranger sends, so what stands in it can claim anything of itself. Code
reaches programs only when it was kept through the library here, or shipped with the app.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from threading import Lock

from workbench.errors import WorkbenchError
from workbench.files import typed_entries, write_file

log = logging.getLogger(__name__)

FILE = ".kept.json"


class Approvals:
    """The shas a person has kept, each with that of its words."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._changing = Lock()
        self._shas = self._read()
        self.changes = 0  # counts what was added or bound; snapshots of the library are read again after it

    def holds(self, name: str, sha: str, words: str = "") -> bool:
        """Whether this code was kept, with these words on its card where some are given. What an earlier version of
        this program noted without words counts for those that stand there now, and for no others later."""
        known = self._shas.get(name, [])
        if not words:
            return any(one.partition(".")[0] == sha for one in known)
        if sha in known:
            self._bind(known, sha, f"{sha}.{words}")
        return f"{sha}.{words}" in known

    def add(self, name: str, sha: str, words: str = "") -> None:
        """Remember that this code, and these words on its card, were looked at and kept."""
        one = f"{sha}.{words}" if words else sha
        if one in self._shas.get(name, ()):
            return
        with self._changing:
            self._shas.setdefault(name, []).append(one)
            self.changes += 1
            self._write()

    def note_shipped(self, name: str, sha: str, words: str) -> None:
        """The same for what came with this program, as far as the disk has room."""
        try:
            self.add(name, sha, words)
        except WorkbenchError as fault:
            log.warning("that a skill was shipped cannot be noted: %s", fault)

    def _bind(self, known: list[str], sha: str, one: str) -> None:
        """Several threads read skills at once, and a full disk keeps nobody from reading them."""
        with self._changing:
            if sha in known:
                known[known.index(sha)] = one
                self.changes += 1
                try:
                    self._write()
                except WorkbenchError as fault:
                    log.warning("which words of a skill were kept cannot be noted: %s", fault)

    def _write(self) -> None:
        write_file(self._file, json.dumps(self._shas, indent=1, sort_keys=True), mode=0o644)

    def _read(self) -> dict[str, list[str]]:
        """An unreadable file means that nothing is approved: skills then ask to be kept once more."""
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: typed_entries(shas, str, FILE) for name, shas in found.items()}
