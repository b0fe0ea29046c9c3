"""API methods about secrets, of which only names leave the core, and about the PIN for answers from a terminal."""

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
from workbench.api_handlers.request_handler import BY, RequestHandler
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import SecretsChanged
from workbench.records import Note, SecretInfo, SecretStore, ServerState
from workbench.servers.configuration import plain_text_secrets, private_json_files
from workbench.servers.configuration.launch_command import references
from workbench.servers.oauth.token_storage import name_of


class SecretsHandler(RequestHandler):
    """Lists, stores and moves secrets. Keyrings block, so each step runs on a thread."""

    @api
    async def secrets(self) -> SecretStore:
        """What is known without unlocking anything: a locked keyring must not prompt the user because a window was
        opened."""
        return await asyncio.to_thread(self._describe_store, self._secret_uses(), self._signed_in_secrets())

    @api(decides=True)
    async def set_secret(self, name: str, value: str) -> SecretStore:
        await asyncio.to_thread(self._services.secrets.set_secret, name, value)
        self._note("secret.stored", f"You stored the secret {name}")
        return await self._publish_store()

    @api(decides=True)
    async def delete_secret(self, name: str) -> SecretStore:
        await asyncio.to_thread(self._services.secrets.delete_secret, name)
        self._note("secret.deleted", f"You deleted the secret {name}")
        return await self._publish_store()

    @api(decides=True)
    async def move_secrets(self, server: str) -> ServerState:
        """Move the secrets in a server's entry to the secret store, and refer to them from the entry."""
        config = self._catalog.server(server).state.config
        store = await self.open_secrets()
        if store.kind not in ("keyring", "file"):
            raise WorkbenchError(
                "The secrets of this entry cannot be moved: they would be lost when the core ends.",
                "Open Secrets… in the File menu and choose a passphrase, then move them.",
            )
        changed, values = plain_text_secrets.moved(config, [info.name for info in store.secrets])
        for name, value in values.items():
            await asyncio.to_thread(self._services.secrets.set_secret, name, value)
        self._note("secret.moved", f"You moved secrets of {server} out of .mcp.json: {len(values)}", server=server)
        before = self._entry(server)
        state = await self._catalog.replace(changed)
        self._carry_trust(server, before)
        await self._publish_store()
        return state

    @api(decides=True)
    async def unlock_secrets(self, passphrase: str) -> SecretStore:
        """Unlock the encrypted file; creates one if there is none and no keyring either."""
        await asyncio.to_thread(self._services.secrets.unlock, passphrase)
        self._note("secret.unlocked", "You unlocked the encrypted file of secrets")
        return await self._publish_store()

    @api(decides=True)
    async def open_secrets(self) -> SecretStore:
        """Open the secret store; if no keyring was found before, look for one again."""
        await asyncio.to_thread(self._services.secrets.reopen)
        return await self._publish_store()

    async def _publish_store(self) -> SecretStore:
        store = await self.secrets()
        self._services.tell(SecretsChanged(store))
        return store

    def _secret_uses(self) -> dict[str, tuple[str, ...]]:
        """Return secret name → servers whose entries refer to it."""
        uses: dict[str, tuple[str, ...]] = {}
        for state in self._catalog.states():
            for name in references(state.config):
                uses[name] = (*uses.get(name, ()), state.config.name)
        return uses

    def _signed_in_secrets(self) -> dict[str, str]:
        """Return secret name → server whose sign-in is stored under it."""
        return {name_of(state.config.name): state.config.name for state in self._catalog.states()}

    def _describe_store(self, uses: dict[str, tuple[str, ...]], signed: dict[str, str]) -> SecretStore:
        """Describe the secret store. Runs on a thread, so it gets data that the event loop may change as arguments."""
        room = self._services.secrets
        stored = room.known_names()
        infos = [
            SecretInfo(name, name in stored, uses.get(name, ()), signed.get(name, ""))
            for name in sorted({*stored, *uses})
        ]
        if not room.opened:
            return SecretStore("", "The secret store has not been opened yet.", secrets=tuple(infos))
        return SecretStore(room.kind, room.sentence, room.hint, room.passphrase, tuple(infos))


SHORTEST: Final = 4
LONGEST: Final = 200
FREE_TRIES: Final = 3  # wrong PINs before each further attempt must wait
LONGEST_WAIT: Final = 900.0  # seconds
_COST: Final[dict[str, int]] = {"n": 1 << 15, "r": 8, "p": 1}  # scrypt: 32 MB and about 0.1 s for one attempt
_MEMORY: Final = 128 << 20


class TerminalPin:
    """The PIN of one user, for all their projects."""

    def __init__(self, file: Path, now: Callable[[], float] = time.time) -> None:
        self._file = file
        self._now = now

    @property
    def is_set(self) -> bool:
        return self._file.exists()

    def check(self, pin: str) -> None:
        """Raises for a wrong PIN, and for any PIN while too many wrong ones enforce a wait."""
        with self._locked():
            kept = self._read()
            if (left := kept["until"] - self._now()) > 0:
                raise WorkbenchError(
                    "Too many wrong PINs were entered.", f"Try again in {left // 60:.0f} min {left % 60:.0f} s."
                )
            wrong = kept["wrong"] + 1
            wait = min(LONGEST_WAIT, 2.0 ** (wrong - FREE_TRIES)) if wrong > FREE_TRIES else 0.0
            self._save({**kept, "wrong": wrong, "until": self._now() + wait})  # counted before the PIN is compared
            if not hmac.compare_digest(bytes.fromhex(kept["hash"]), _hash(pin, bytes.fromhex(kept["salt"]), _COST)):
                hint = f"Wait {wait:.0f} s before the next attempt." if wait else "Enter it again."
                raise WorkbenchError("The PIN is wrong.", hint)
            self._save({**kept, "wrong": 0, "until": 0.0})

    def set(self, pin: str, old: str = "") -> None:
        """Set the PIN; replacing one needs the old PIN."""
        if not SHORTEST <= len(pin) <= LONGEST:
            raise WorkbenchError(f"A PIN has {SHORTEST} to {LONGEST} characters.", "Choose another PIN.")
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
                f"The PIN file cannot be read: {self._file}.",
                "Remove that file and set a PIN again; until then, nothing can be answered from a terminal.",
            ) from fault

    def _save(self, kept: dict[str, Any]) -> None:  # Any: JSON of a known shape
        private_json_files.save(self._file, kept, durable=True, name="The PIN file")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Allow one attempt at a time, over all cores of this user."""
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
    """The PIN for answers from a terminal."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._pin = TerminalPin(services.paths.terminal_pin)

    @api
    async def has_pin(self) -> bool:
        """Whether answers from a terminal need a PIN."""
        return self._pin.is_set

    @api(consent=True)
    async def may_answer(self) -> None:
        """Raise if answers from here are not accepted, so that a client does not show a request in vain."""
        self._check_here()

    @api(consent=True)
    async def unlock(self, pin: str) -> None:
        """Accept answers over this connection from now on; raises for a wrong PIN."""
        await asyncio.to_thread(self._pin.check, pin)
        if (one := current_caller()) is not None:
            one.unlocked = True

    @api(decides=True, consent=True)
    async def set_pin(self, pin: str, old: str) -> None:
        """Require this PIN from now on; replacing a PIN needs the old one."""
        self._check_here()
        await asyncio.to_thread(self._pin.set, pin, old)
        self._note_pin("terminal_pin.set", "You set a PIN for answers from a terminal")

    @api(decides=True, consent=True)
    async def clear_pin(self, old: str) -> None:
        """Remove the PIN."""
        self._check_here()
        await asyncio.to_thread(self._pin.clear, old)
        self._note_pin("terminal_pin.removed", "You removed the PIN for answers from a terminal")

    def _check_here(self) -> None:
        if (one := current_caller()) is not None:
            self._check_interactive(one)

    def _note_pin(self, kind: str, summary: str) -> None:
        one = current_caller()
        self._services.journal.append(
            Note(kind, summary, actor=BY, detail={"terminal": one.description if one else ""})
        )
