"""Stores secrets in the system's keyring.

Each request has a timeout, because a locked keyring may show a prompt that the user does not see.

A keyring cannot list its entries, so their names, and only the names, are stored in a file. Each entry belongs to one
project: otherwise an untrusted project could read another project's secrets by naming them in its `.mcp.json`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend
import threading
from typing import TypeVar

Answer = TypeVar("Answer")


class KeyringTimeout(Exception):
    """The keyring did not answer in time."""


class Patience:
    """Runs blocking calls with a timeout on daemon threads, so that a hanging call cannot keep the process alive."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._one_at_a_time = threading.Lock()
        self._hanging: threading.Thread | None = None

    def wait(self, work: Callable[[], Answer]) -> Answer:
        """Return the result of `work`, or raise its exception. Raises KeyringTimeout if it takes too long."""
        with self._one_at_a_time:
            if self._hanging is not None and self._still_hangs(self._hanging):
                raise KeyringTimeout
            self._hanging = None
            return self._run(work)

    def _run(self, work: Callable[[], Answer]) -> Answer:
        answers: list[Answer] = []
        faults: list[BaseException] = []

        def call() -> None:
            try:
                answers.append(work())
            except BaseException as fault:
                faults.append(fault)

        thread = threading.Thread(target=call, name="keyring", daemon=True)
        thread.start()
        if self._still_hangs(thread):
            self._hanging = thread
            raise KeyringTimeout
        if faults:
            raise faults[0]
        return answers[0]

    def _still_hangs(self, thread: threading.Thread) -> bool:
        thread.join(self._seconds)
        return thread.is_alive()


SERVICE = "mcp-workbench"
_PROBE = "is anybody there"
_TAKEN = "it keeps secrets in plain text or asks on a terminal"
_REFUSED = ("keyrings.alt", "keyrings.cryptfile", "keyring.backends.fail", "keyring.backends.null")


class KeyringStore:
    """Store in a keyring that passed a test."""

    kind = "keyring"

    def __init__(self, backend: KeyringBackend, project: str, names: Path, patience: Patience) -> None:
        self._backend = backend
        self._project = project
        self._file = names
        self._patience = patience

    def names(self) -> tuple[str, ...]:
        return read_names(self._file)

    def get_secret(self, name: str) -> str | None:
        value = self._ask(lambda: self._backend.get_password(SERVICE, self._key(name)))
        if value and name not in (names := self.names()):
            self._write_names((*names, name))  # the file of names was lost
        return value

    def set_secret(self, name: str, value: str) -> None:
        self._ask(lambda: self._backend.set_password(SERVICE, self._key(name), value))
        if self.get_secret(name) != value:
            raise WorkbenchError("The keyring did not keep the secret.", "Store it again, or use another keyring.")

    def delete_secret(self, name: str) -> None:
        from keyring.errors import PasswordDeleteError

        def delete() -> None:
            with contextlib.suppress(PasswordDeleteError):  # another process deleted the entry already
                self._backend.delete_password(SERVICE, self._key(name))

        self._ask(delete)
        self._write_names(tuple(known for known in self.names() if known != name))

    def _key(self, name: str) -> str:
        return f"{self._project}/{name}"

    def _write_names(self, names: tuple[str, ...]) -> None:
        write_file(self._file, json.dumps(sorted(names)).encode("ascii"))

    def _ask(self, work: Callable[[], str | None]) -> str | None:
        from keyring.errors import KeyringError

        try:
            return self._patience.wait(work)
        except KeyringTimeout:
            raise WorkbenchError(
                "The keyring does not answer.",
                "Check whether a window asks for its password. Unlock it, then try again.",
            ) from None
        except KeyringError as fault:
            raise WorkbenchError(f"The keyring refused: {_fault_text(fault)}.", "Unlock it, then try again.") from fault
        except Exception as fault:  # backends raise arbitrary exceptions of D-Bus or desktop libraries
            raise WorkbenchError(
                f"The keyring failed: {type(fault).__name__}.", "Check that its service is running."
            ) from fault


def read_names(file: Path) -> tuple[str, ...]:
    """Names of the stored secrets, read from the plain file without access to the keyring."""
    try:
        found = json.loads(read_plain(file))
    except (OSError, ValueError, RecursionError):
        return ()
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def find_keyring(project: str, names: Path, patience: Patience) -> tuple[KeyringStore | None, str]:
    """Find a usable keyring. Returns the store, or None and the reason. Blocks: call it on a thread."""
    try:
        backend = patience.wait(_usable_backend)
        if isinstance(backend, str):
            return None, backend
        ring = KeyringStore(backend, project, names, patience)
        ring.get_secret(_PROBE)
    except KeyringTimeout:
        return None, "the keyring does not answer"
    except WorkbenchError as fault:
        return None, fault.message.rstrip(".").replace("The keyring", "the keyring", 1)
    # backends raise arbitrary exceptions while they load, and so does keyring's own configuration
    except Exception as fault:
        return None, f"the keyring could not be opened: {type(fault).__name__}"
    return ring, ""


def _usable_backend() -> KeyringBackend | str:
    """The backend that keyring chose, or the reason why it cannot be used."""
    import keyring
    from keyring.backends.chainer import ChainerBackend

    chosen = keyring.get_keyring()
    candidates = list(chosen.backends) if isinstance(chosen, ChainerBackend) else [chosen]
    for candidate in candidates:
        if not _is_weak(candidate):
            return candidate
    place = f"{type(chosen).__module__}.{type(chosen).__name__}"
    none = "keyring.backends.fail" in place or "keyring.backends.null" in place or not candidates
    return "this session has no keyring" if none else f"the keyring {place} is not used: {_TAKEN}"


def _is_weak(backend: KeyringBackend) -> bool:
    place = f"{type(backend).__module__}.{type(backend).__name__}"
    return place.startswith(_REFUSED) or "plaintext" in place.lower() or "PlainText" in place


def _fault_text(fault: Exception) -> str:
    return " ".join(str(fault).split())[:200].rstrip(".!") or type(fault).__name__
