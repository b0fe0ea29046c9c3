"""Keeps the values of PII tokens beyond the end of a core, if the settings say so: encrypted, for a number of days.

The user can then reveal a token in the audit or on the page of an old run. Agents gain no access: a restored session
has no agent, and its tokens do not resolve in a different one. Without a keyring or an unlocked file of secrets there
is no place for the key, so values stay in memory and nothing is written.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from workbench.broker.agent_sessions import Session, Sessions
from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged, spawn
from workbench.files import read_plain, write_file
from workbench.privacy.value_store import KEY, ValueCipher
from workbench.privacy.vault import Vault
from workbench.records import RunState
from workbench.secrets.project_secrets import Secrets
from workbench.secrets.secret_references import KEPT_VALUES
from workbench.settings import Settings

log = logging.getLogger(__name__)

_FORMAT: Final = 1
_DAY: Final = 86_400.0
_MOST: Final = 200  # restored sessions
_LARGEST: Final = 64 << 20  # bytes of one file
_MARKS: Final = "marks"
_ENDS: Final = frozenset({RunState.DONE, RunState.FAILED, RunState.STOPPED})


class VaultPersistence:
    """Stores the vaults of one project. Everything that uses disk or keyring runs on a thread."""

    hears = (RunChanged,)

    def __init__(self, folder: Path, secrets: Secrets, settings: Callable[[], Settings], sessions: Sessions) -> None:
        self._folder = folder
        self._secrets = secrets
        self._settings = settings
        self._sessions = sessions
        self._master = b""
        # session → vault, cipher, number of values written
        self._written: dict[str, tuple[Vault, ValueCipher, int]] = {}
        self._working = threading.Lock()
        self._brought = False

    def hear(self, event: Event) -> None:
        """Handle an event: after a run, store new values."""
        if isinstance(event, RunChanged) and event.run.state in _ENDS and self._settings().privacy_keep_days:
            session = self._sessions.get(event.run.proposal.session)
            if session is not None:
                spawn("keep values", asyncio.to_thread(self.keep, session))

    async def close(self) -> None:
        """Store the remaining new values; if the setting is off, delete stored values."""
        if self._settings().privacy_keep_days:
            for session in self._sessions.all():
                await asyncio.to_thread(self.keep, session)
        elif self._folder.is_dir():
            await asyncio.to_thread(self.bring_back)

    def keep(self, session: Session) -> None:
        """Write the values that a session registered since the last call; without a place for the key, nothing."""
        with self._working:
            try:
                if session.vault.issued() and self._key():
                    self._append(session)
            except (WorkbenchError, OSError) as fault:
                log.warning("the values of a session cannot be stored: %s", fault)

    def bring_back(self) -> None:
        """Restore sessions of earlier cores and released sessions; expired and unwanted files are deleted."""
        with self._working:
            days = self._settings().privacy_keep_days
            oldest = time.time() - days * _DAY
            found = sorted(self._folder.glob("*.jsonl"), key=_changed, reverse=True) if self._folder.is_dir() else []
            for file in found:
                if not days or _changed(file) < oldest:
                    file.unlink(missing_ok=True)
            if days and found and not self._brought and self._key():
                self._brought = True
                for file in found[:_MOST]:
                    known = self._sessions.get(file.stem) or self._sessions.past.get(file.stem)
                    if file.is_file() and known is None:
                        self._read(file)

    def bring_back_values(self, session: Session) -> None:
        """Give a reopened session the values that its tokens had in an earlier core, if they were stored."""
        with self._working:
            file = self._file(session.id)
            wanted = self._settings().privacy_keep_days and file.is_file() and self._key()
            if wanted and (found := self._load(file)) is not None:
                session.vault = found[1]

    def release(self, session: Session) -> None:
        """Store a session that is being released, so that it can be restored when the user looks for it."""
        if self._settings().privacy_keep_days:
            self.keep(session)
        with self._working:
            if self._written.pop(session.id, None) is not None:
                self._brought = False

    def drop(self, session: str) -> None:
        """Delete the values of a session on disk, too."""
        with self._working:
            self._written.pop(session, None)
            self._sessions.past.pop(session, None)
            self._file(session).unlink(missing_ok=True)

    def _file(self, session: str) -> Path:
        return self._folder / f"{session}.jsonl"

    def _key(self) -> bytes:
        """Return the master key, created when first needed; empty if there is no place to store it."""
        if not self._master and self._secrets.kind in ("keyring", "file"):
            stored = self._secrets.get_secret(KEPT_VALUES)
            if stored is None:
                stored = base64.b64encode(os.urandom(KEY)).decode("ascii")
                self._secrets.set_secret(KEPT_VALUES, stored)
            self._master = base64.b64decode(stored)
        return self._master

    def _append(self, session: Session) -> None:
        vault, box, count = self._written.get(session.id, (None, None, 0))
        if vault is not session.vault or box is None:  # a new session, or one whose values were deleted
            vault, box, count = session.vault, ValueCipher(self._key(), session.id), 0
            head = {"format": _FORMAT, "author": session.author, "key": box.wrapped}
            marks = base64.b64encode(vault.key).decode("ascii")
            lines = [json.dumps(head), json.dumps({"about": _MARKS, "sealed": box.seal(_MARKS, marks)})]
            write_file(self._file(session.id), "".join(f"{line}\n" for line in lines).encode("ascii"))
        issued = vault.issued()
        with self._file(session.id).open("a", encoding="ascii") as file:
            for token, held in issued[count:]:
                value = {"text": held.text, "number": held.number, "sources": sorted(held.sources), "why": held.why}
                file.write(json.dumps({"about": token, "sealed": box.seal(token, value)}) + "\n")
        self._written[session.id] = vault, box, len(issued)

    def _read(self, file: Path) -> None:
        if (found := self._load(file)) is not None:
            self._sessions.restore(file.stem, *found)

    def _load(self, file: Path) -> tuple[str, Vault] | None:
        """Return the agent's name and the vault of a stored session."""
        try:
            head, marks, *lines = map(json.loads, read_plain(file, "ascii", largest=_LARGEST).splitlines())
            box = ValueCipher(self._master, file.stem, head["key"])
            vault = Vault(file.stem, base64.b64decode(box.open(_MARKS, marks["sealed"])))
            for line in lines:
                self._restore_value(vault, line["about"], box.open(line["about"], line["sealed"]))
        except (OSError, ValueError, KeyError, TypeError) as fault:
            log.warning("stored values cannot be read: %s: %s", file.name, fault)
            return None
        return str(head.get("author", "an agent")), vault

    def _restore_value(self, vault: Vault, token: str, value: Any) -> None:  # Any: JSON that this module wrote
        sources = [str(one) for one in value["sources"]]
        vault.put_back(token, str(value["text"]), value["number"], sources, str(value.get("why", "")))


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
