"""Stores the hashes of the code and the card of each skill that the user has kept, in the user's private state.

A project may be shared by a team or come from an untrusted source, so its files can claim anything. Programs can import
a skill only if it was kept through this library or is a starter skill. Agents read the card, so it is approved too.
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


class ApprovedSkillHashes:
    """The approved hashes of each skill's code, each with the hash of its card."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._changing = Lock()
        self._shas = self._read()
        self.changes = 0  # number of changes; the library is read again after each

    def holds(self, name: str, sha: str, words: str = "") -> bool:
        """Whether this code was kept, with this hash of its card if one is given. An approval of an earlier version,
        which has no card hash, is bound to the first card that is checked."""
        known = self._shas.get(name, [])
        if not words:
            return any(one.partition(".")[0] == sha for one in known)
        if sha in known:
            self._bind(known, sha, f"{sha}.{words}")
        return f"{sha}.{words}" in known

    def add(self, name: str, sha: str, words: str = "") -> None:
        """Store that the user reviewed and kept this code with this card."""
        one = f"{sha}.{words}" if words else sha
        if one in self._shas.get(name, ()):
            return
        with self._changing:
            self._shas.setdefault(name, []).append(one)
            self.changes += 1
            self._write()

    def note_shipped(self, name: str, sha: str, words: str) -> None:
        """Approve a starter skill. A failure, such as a full disk, is only logged."""
        try:
            self.add(name, sha, words)
        except WorkbenchError as fault:
            log.warning("the approval of a starter skill cannot be saved: %s", fault)

    def _bind(self, known: list[str], sha: str, one: str) -> None:
        """Add the card hash to an earlier approval. Several threads call this; a full disk must not stop them."""
        with self._changing:
            if sha in known:
                known[known.index(sha)] = one
                self.changes += 1
                try:
                    self._write()
                except WorkbenchError as fault:
                    log.warning("the approval of a skill's SKILL.md cannot be saved: %s", fault)

    def _write(self) -> None:
        write_file(self._file, json.dumps(self._shas, indent=1, sort_keys=True), mode=0o644)

    def _read(self) -> dict[str, list[str]]:
        """The stored approvals. If the file is unreadable, none: the user must then keep the skills again."""
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: typed_entries(shas, str, FILE) for name, shas in found.items()}
