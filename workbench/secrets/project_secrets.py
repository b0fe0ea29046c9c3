"""Secrets of one project, in the best available store: the system's keyring, an encrypted file, or memory.

Without a keyring, secrets stay in memory until the user sets a passphrase; then an encrypted file stores them. The user
sees which store is used, because it decides which secrets survive the end of the core. Every method may block: call it
on a thread.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Protocol

from workbench.errors import WorkbenchError
from workbench.secrets import encrypted_file
from workbench.secrets.secret_masking import SecretMasks
from workbench.secrets.secret_references import check_name
from workbench.secrets.system_keyring import Patience, find_keyring, read_names


class MemoryStore:
    """Keeps secrets in memory only."""

    kind = "memory"

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def get_secret(self, name: str) -> str | None:
        return self._values.get(name)

    def set_secret(self, name: str, value: str) -> None:
        self._values[name] = value

    def delete_secret(self, name: str) -> None:
        self._values.pop(name, None)


ANSWER_SECONDS = 20.0  # timeout for the keyring: the user may have to unlock it first
LONGEST = 64_000  # longest secret in characters


class SecretBackend(Protocol):
    """Interface of a secret store."""

    kind: str

    def names(self) -> tuple[str, ...]: ...

    def get_secret(self, name: str) -> str | None: ...

    def set_secret(self, name: str, value: str) -> None: ...

    def delete_secret(self, name: str) -> None: ...


class Secrets:
    """Access to a project's secrets.

    The store is opened on first use, because finding a keyring takes time and most projects have no secrets.
    """

    def __init__(self, folder: Path, seconds: float = ANSWER_SECONDS, cost: int = 0) -> None:
        self._project = folder.name
        self._names = folder / "secrets.names.json"
        self._file = folder / "secrets.sealed"
        self._patience = Patience(seconds)
        self._cost = cost or encrypted_file.COST
        self._lock = threading.RLock()
        self._store: SecretBackend | None = None
        self._absence = ""  # why no keyring is used
        self.masks = SecretMasks()

    @property
    def opened(self) -> bool:
        """Whether the store was opened, because a secret was needed."""
        return self._store is not None

    def known_names(self) -> tuple[str, ...]:
        """Names of the secrets. Before the store is opened, they come from the keyring's plain file of names."""
        return self.names() if self.opened else read_names(self._names)

    @property
    def kind(self) -> str:
        """Kind of the store: keyring, memory, file, or locked.

        A locked store is an encrypted file whose passphrase was not entered yet.
        """
        store = self._open_store()
        return "locked" if isinstance(store, MemoryStore) and self._file.exists() else store.kind

    @property
    def passphrase(self) -> str:
        """What entering a passphrase would do now: `create` a file, `unlock` it, or "" for nothing."""
        if self._open_store().kind == "file":
            return ""
        return "unlock" if self._file.exists() else "create" if self._open_store().kind == "memory" else ""

    @property
    def sentence(self) -> str:
        """Text for the user: where secrets are stored, and what follows from it."""
        return {
            "keyring": "Secrets are kept in your system's keyring.",
            "file": "Secrets are kept in an encrypted file, which stays unlocked until the core ends.",
            "locked": f"Secrets are kept in an encrypted file, because {self._absence}. The file is locked.",
            "memory": f"Secrets are kept in memory only and lost when the core ends, because {self._absence}.",
        }[self.kind]

    @property
    def hint(self) -> str:
        """Text for the user: how to change the store."""
        beside = "There is also an encrypted file. Enter its passphrase to move its secrets into the keyring."
        return {
            "keyring": beside if self._file.exists() else "",
            "file": "After that, you need to enter its passphrase again.",
            "locked": "Enter its passphrase. Secrets that you store before that are lost when the core ends.",
            "memory": "Choose a passphrase to keep them in an encrypted file.",
        }[self.kind]

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._open_store().names()))

    def get_secret(self, name: str) -> str | None:
        """The value of a secret, or None.

        Use it only to start a server. The value is masked in all output from now on.
        """
        with self._lock:  # reading may also update the keyring's file of names
            value = self._open_store().get_secret(name)
        if value:
            self.masks.add_secret(value)
        return value or None

    def set_secret(self, name: str, value: str) -> None:
        check_name(name)
        if not value:
            raise WorkbenchError("A secret cannot be empty.", "Delete it instead.")
        if len(value) > LONGEST or "\0" in value:
            raise WorkbenchError(f"A secret can have at most {LONGEST:,} characters and no NUL character.")
        self.masks.add_secret(value)
        with self._lock:
            self._open_store().set_secret(name, value)

    def delete_secret(self, name: str) -> None:
        with self._lock:
            self._open_store().delete_secret(name)

    def unlock(self, passphrase: str) -> None:
        """Open or create the encrypted file and move secrets from memory into it.

        If there is a keyring, move the file's secrets into the keyring and delete the file.
        """
        with self._lock:
            held = self._open_store()
            if self._file.exists() and held.kind != "file":
                self._open(held, encrypted_file.unlock(self._file, passphrase))
            elif held.kind == "memory":
                values = {name: held.get_secret(name) or "" for name in held.names()}
                self._store = encrypted_file.create(self._file, passphrase, values, self._cost)
            else:
                raise WorkbenchError("No passphrase is needed.", self.sentence)

    def _open(self, held: SecretBackend, opened: encrypted_file.EncryptedFile) -> None:
        if held.kind == "keyring":
            _move_secrets(opened, held)
            self._file.unlink()
        else:
            _move_secrets(held, opened, over=True)
            self._store = opened

    def reopen(self) -> None:
        """Open the store, or try the keyring again and move secrets from memory into it."""
        with self._lock:
            fresh = not self.opened
            held = self._open_store()
            if fresh or not isinstance(held, MemoryStore):
                return
            ring, self._absence = find_keyring(self._project, self._names, self._patience)
            if ring is not None:
                _move_secrets(held, ring, over=True)
                self._store = ring

    def _open_store(self) -> SecretBackend:
        with self._lock:
            if self._store is None:
                ring, self._absence = find_keyring(self._project, self._names, self._patience)
                self._store = ring or MemoryStore()
            return self._store


def _move_secrets(source: SecretBackend, target: SecretBackend, *, over: bool = False) -> None:
    """Move secrets from one store to another. Existing secrets are replaced only if `over` is set."""
    known = target.names()
    for name in source.names():
        value = source.get_secret(name)
        if value and (over or name not in known):
            target.set_secret(name, value)
