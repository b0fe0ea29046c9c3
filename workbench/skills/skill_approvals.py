"""Hashes of the skill code that the user has kept and of its card, which agents read, in the user's private state.

A project may be shared by a team or sent by a stranger, so its files can claim anything. Programs import a skill only
if it was kept through this library or is a starter skill.
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
    """The approved hashes of each skill's code, each with the hash of its card."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._changing = Lock()
        self._shas = self._read()
        self.changes = 0  # counts what was added or bound; snapshots of the library are read again after it

    def holds(self, name: str, sha: str, words: str = "") -> bool:
        """Whether this code was kept, with this hash of its card if one is given. An approval that an earlier version
        noted without a card counts for the first card that is asked about, and for no other one later."""
        known = self._shas.get(name, [])
        if not words:
            return any(one.partition(".")[0] == sha for one in known)
        if sha in known:
            self._bind(known, sha, f"{sha}.{words}")
        return f"{sha}.{words}" in known

    def add(self, name: str, sha: str, words: str = "") -> None:
        """Note that the user reviewed and kept this code with this card."""
        one = f"{sha}.{words}" if words else sha
        if one in self._shas.get(name, ()):
            return
        with self._changing:
            self._shas.setdefault(name, []).append(one)
            self.changes += 1
            self._write()

    def note_shipped(self, name: str, sha: str, words: str) -> None:
        """Approve a starter skill, as far as the disk has room."""
        try:
            self.add(name, sha, words)
        except WorkbenchError as fault:
            log.warning("that a skill was shipped cannot be noted: %s", fault)

    def _bind(self, known: list[str], sha: str, one: str) -> None:
        """Note the card of an earlier approval. Called by several threads; a full disk must not stop them."""
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
