"""The system's keyring. It cannot list what it holds, so the names, and only they, stand in a file beside it.

Each project has its own names in it: a folder somebody else wrote must not get at the secrets of another one by naming
them in its `.mcp.json`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.secrets.keyring_timeout import Patience, Silent

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "mcp-workbench"
_PROBE = "is anybody there"
_TAKEN = "it keeps secrets in plain text or asks on a terminal"
_REFUSED = ("keyrings.alt", "keyrings.cryptfile", "keyring.backends.fail", "keyring.backends.null")


class Ring:
    """A keyring that answered once."""

    kind = "keyring"

    def __init__(self, backend: KeyringBackend, project: str, names: Path, patience: Patience) -> None:
        self._backend = backend
        self._project = project
        self._file = names
        self._patience = patience

    def names(self) -> tuple[str, ...]:
        return read_names(self._file)

    def get(self, name: str) -> str | None:
        value = self._ask(lambda: self._backend.get_password(SERVICE, self._key(name)))
        if value and name not in (names := self.names()):
            self._note((*names, name))  # the file of names was lost
        return value

    def put(self, name: str, value: str) -> None:
        self._ask(lambda: self._backend.set_password(SERVICE, self._key(name), value))
        if self.get(name) != value:
            raise WorkbenchError("The keyring did not keep the secret.", "Store it again, or use another keyring.")

    def drop(self, name: str) -> None:
        from keyring.errors import PasswordDeleteError

        def delete() -> None:
            with contextlib.suppress(PasswordDeleteError):  # somebody else took it out already
                self._backend.delete_password(SERVICE, self._key(name))

        self._ask(delete)
        self._note(tuple(known for known in self.names() if known != name))

    def _key(self, name: str) -> str:
        return f"{self._project}/{name}"

    def _note(self, names: tuple[str, ...]) -> None:
        write_file(self._file, json.dumps(sorted(names)).encode("ascii"))

    def _ask(self, work: Callable[[], str | None]) -> str | None:
        from keyring.errors import KeyringError

        try:
            return self._patience.wait(work)
        except Silent:
            raise WorkbenchError(
                "The keyring does not answer.",
                "Is a window open that asks for its password? Unlock it, then try again.",
            ) from None
        except KeyringError as fault:
            raise WorkbenchError(f"The keyring refused: {_words(fault)}.", "Unlock it, then try again.") from fault
        except Exception as fault:  # whatever a backend's own parts raise: D-Bus, a desktop's library
            raise WorkbenchError(f"The keyring failed: {type(fault).__name__}.", "Is its service running?") from fault


def read_names(file: Path) -> tuple[str, ...]:
    """The names that were put into a keyring, without asking it."""
    try:
        found = json.loads(read_plain(file))
    except (OSError, ValueError, RecursionError):
        return ()
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def find_ring(project: str, names: Path, patience: Patience) -> tuple[Ring | None, str]:
    """The keyring, or nothing and the reason why there is none. Blocks: call it on a thread."""
    try:
        backend = patience.wait(_usable_backend)
        if isinstance(backend, str):
            return None, backend
        ring = Ring(backend, project, names, patience)
        ring.get(_PROBE)
    except Silent:
        return None, "the keyring does not answer"
    except WorkbenchError as fault:
        return None, fault.message.rstrip(".").replace("The keyring", "the keyring", 1)
    except Exception as fault:  # what a backend raises while it is looked for, a configuration of keyring's own too
        return None, f"the keyring could not be opened: {type(fault).__name__}"
    return ring, ""


def _usable_backend() -> KeyringBackend | str:
    """The backend that keyring chose, or why it is none."""
    import keyring
    from keyring.backends.chainer import ChainerBackend

    chosen = keyring.get_keyring()
    candidates = list(chosen.backends) if isinstance(chosen, ChainerBackend) else [chosen]
    for candidate in candidates:
        if not _weak(candidate):
            return candidate
    place = f"{type(chosen).__module__}.{type(chosen).__name__}"
    none = "keyring.backends.fail" in place or "keyring.backends.null" in place or not candidates
    return "this session has no keyring" if none else f"the keyring {place} is not used: {_TAKEN}"


def _weak(backend: KeyringBackend) -> bool:
    place = f"{type(backend).__module__}.{type(backend).__name__}"
    return place.startswith(_REFUSED) or "plaintext" in place.lower() or "PlainText" in place


def _words(fault: Exception) -> str:
    return " ".join(str(fault).split())[:200].rstrip(".!") or type(fault).__name__
