"""The PIN that a user may require for answers from a terminal, and its API methods."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import hmac
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from workbench.api.marker import api
from workbench.api.peer_credentials import current_caller
from workbench.api_handlers.request_handler import BY, HandlerContext, RequestHandler
from workbench.errors import WorkbenchError
from workbench.records import Note
from workbench.servers.configuration import private_json_files

SHORTEST: Final = 4
LONGEST: Final = 200
FREE_TRIES: Final = 3  # wrong ones before each further try has to wait
LONGEST_WAIT: Final = 900.0  # seconds
_COST: Final[dict[str, int]] = {"n": 1 << 15, "r": 8, "p": 1}  # 32 MB and about 0.1 s for one try
_MEMORY: Final = 128 << 20


class TerminalPin:
    """One user's, for all their projects."""

    def __init__(self, file: Path, now: Callable[[], float] = time.time) -> None:
        self._file = file
        self._now = now

    @property
    def is_set(self) -> bool:
        return self._file.exists()

    def check(self, pin: str) -> None:
        """Raises for a wrong one, and for any while too many wrong ones make it wait."""
        with self._locked():
            kept = self._read()
            if (left := kept["until"] - self._now()) > 0:
                raise WorkbenchError(
                    "Too many wrong PINs were given.", f"Try again in {left // 60:.0f} min {left % 60:.0f} s."
                )
            wrong = kept["wrong"] + 1
            wait = min(LONGEST_WAIT, 2.0 ** (wrong - FREE_TRIES)) if wrong > FREE_TRIES else 0.0
            self._save({**kept, "wrong": wrong, "until": self._now() + wait})  # counted before it is known
            if not hmac.compare_digest(bytes.fromhex(kept["hash"]), _hash(pin, bytes.fromhex(kept["salt"]), _COST)):
                hint = f"The next try has to wait {wait:.0f} s." if wait else "Type it again."
                raise WorkbenchError("That is not the PIN.", hint)
            self._save({**kept, "wrong": 0, "until": 0.0})

    def set(self, pin: str, old: str = "") -> None:
        """Replaces one only by the old one."""
        if not SHORTEST <= len(pin) <= LONGEST:
            raise WorkbenchError(f"A PIN has {SHORTEST} to {LONGEST} characters.", "Choose another one.")
        if self.is_set:
            self.check(old)
        salt = os.urandom(16)
        digest = _hash(pin, salt, _COST)
        with self._locked():
            self._save({"salt": salt.hex(), "hash": digest.hex(), "wrong": 0, "until": 0.0})

    def clear(self, old: str) -> None:
        if not self.is_set:
            raise WorkbenchError("No PIN is set.", "Set one with `mcp-workbench pin set`.")
        self.check(old)
        self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:  # Any: JSON of a known shape
        found = private_json_files.load(self._file)
        try:
            bytes.fromhex(found["salt"] + found["hash"])
            return {
                "salt": str(found["salt"]),
                "hash": str(found["hash"]),
                "wrong": int(found["wrong"]),
                "until": float(found["until"]),
            }
        except (TypeError, KeyError, ValueError) as fault:
            raise WorkbenchError(
                f"The file of your PIN cannot be read: {self._file}.",
                "Nothing can be answered from a terminal until you remove that file and set a PIN again.",
            ) from fault

    def _save(self, kept: dict[str, Any]) -> None:  # Any: as above
        private_json_files.save(self._file, kept, durable=True, name="The file of your PIN")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One try at a time, over all cores of this user."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(f"{self._file}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _hash(pin: str, salt: bytes, cost: dict[str, int]) -> bytes:
    return hashlib.scrypt(pin.encode("utf-8", "surrogatepass"), salt=salt, **cost, maxmem=_MEMORY, dklen=32)


class TerminalPinHandler(RequestHandler):
    """The PIN."""

    def __init__(self, context: HandlerContext) -> None:
        super().__init__(context)
        self._pin = TerminalPin(context.services.paths.terminal_pin)

    @api
    async def has_pin(self) -> bool:
        """Whether answers from a terminal need a PIN."""
        return self._pin.is_set

    @api(consent=True)
    async def may_answer(self) -> None:
        """Raises where no answer would be taken from, so that nobody is shown a question in vain."""
        self._check_here()

    @api(consent=True)
    async def unlock(self, pin: str) -> None:
        """Take answers over this connection from now on; raises for a wrong PIN."""
        await asyncio.to_thread(self._pin.check, pin)
        if (one := current_caller()) is not None:
            one.unlocked = True

    @api(decides=True, consent=True)
    async def set_pin(self, pin: str, old: str) -> None:
        """Ask for this PIN from now on; one that is set is needed to replace it."""
        self._check_here()
        await asyncio.to_thread(self._pin.set, pin, old)
        self._note_pin("terminal_pin.set", "You set a PIN for answers from a terminal")

    @api(decides=True, consent=True)
    async def clear_pin(self, old: str) -> None:
        """Ask for none any more."""
        self._check_here()
        await asyncio.to_thread(self._pin.clear, old)
        self._note_pin("terminal_pin.removed", "You removed the PIN for answers from a terminal")

    def _check_here(self) -> None:
        if (one := current_caller()) is not None:
            self._check_interactive(one)

    def _note_pin(self, kind: str, summary: str) -> None:
        one = current_caller()
        self._services.journal.append(Note(kind, summary, actor=BY, detail={"terminal": one.words if one else ""}))
