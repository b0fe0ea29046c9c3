"""API methods about secrets: names and places, never values."""

from __future__ import annotations

import asyncio

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.errors import WorkbenchError
from workbench.events import SecretsChanged
from workbench.records import SecretInfo, SecretStore, ServerState
from workbench.servers.configuration import plain_text_secrets
from workbench.servers.configuration.launch_command import references
from workbench.servers.oauth.token_storage import name_of


class SecretsHandler(RequestHandler):
    """Secrets and where they are kept. Keyrings block, so each step runs on a thread."""

    @api
    async def secrets(self) -> SecretStore:
        """What is known without opening anything: a locked keyring must not ask because a window was opened."""
        return await asyncio.to_thread(self._look, self._uses(), self._signed())

    @api(decides=True)
    async def put_secret(self, name: str, value: str) -> SecretStore:
        await asyncio.to_thread(self._services.secrets.put, name, value)
        self._note("secret.stored", f"You stored the secret {name}")
        return await self._tell_store()

    @api(decides=True)
    async def drop_secret(self, name: str) -> SecretStore:
        await asyncio.to_thread(self._services.secrets.drop, name)
        self._note("secret.deleted", f"You deleted the secret {name}")
        return await self._tell_store()

    @api(decides=True)
    async def move_secrets(self, server: str) -> ServerState:
        """Keep the secrets that stand in a server's entry as they are, and refer to them there instead."""
        config = self._catalog.server(server).state.config
        store = await self.open_secrets()
        if store.kind not in ("keyring", "file"):
            raise WorkbenchError(
                "The secrets of this entry cannot be moved: they would be forgotten when the core ends.",
                "Open Secrets… in the Workbench menu and choose a passphrase, then move them.",
            )
        changed, values = plain_text_secrets.moved(config, [info.name for info in store.secrets])
        for name, value in values.items():
            await asyncio.to_thread(self._services.secrets.put, name, value)
        self._note("secret.moved", f"You moved {len(values)} secrets of {server} out of .mcp.json", server=server)
        before = self._entry(server)
        state = await self._catalog.replace(changed)
        self._carry_trust(server, before)
        await self._tell_store()
        return state

    @api(decides=True)
    async def unlock_secrets(self, passphrase: str) -> SecretStore:
        """Open the encrypted file; where there is none and no keyring either, make one."""
        await asyncio.to_thread(self._services.secrets.unlock, passphrase)
        self._note("secret.unlocked", "You opened the encrypted file of secrets")
        return await self._tell_store()

    @api(decides=True)
    async def open_secrets(self) -> SecretStore:
        """Open the place where secrets are kept; where there was no keyring, look for it once more."""
        await asyncio.to_thread(self._services.secrets.look_again)
        return await self._tell_store()

    async def _tell_store(self) -> SecretStore:
        store = await self.secrets()
        self._services.tell(SecretsChanged(store))
        return store

    def _uses(self) -> dict[str, tuple[str, ...]]:
        """Secret → the servers whose entries refer to it."""
        uses: dict[str, tuple[str, ...]] = {}
        for state in self._catalog.states():
            for name in references(state.config):
                uses[name] = (*uses.get(name, ()), state.config.name)
        return uses

    def _signed(self) -> dict[str, str]:
        """Name among the secrets → the server whose sign-in would be kept there."""
        return {name_of(state.config.name): state.config.name for state in self._catalog.states()}

    def _look(self, uses: dict[str, tuple[str, ...]], signed: dict[str, str]) -> SecretStore:
        """On a thread, so it is given what the loop may change."""
        room = self._services.secrets
        stored = room.known()
        infos = [
            SecretInfo(name, name in stored, uses.get(name, ()), signed.get(name, ""))
            for name in sorted({*stored, *uses})
        ]
        if not room.opened:
            return SecretStore("", "The place for secrets has not been opened yet.", secrets=tuple(infos))
        return SecretStore(room.kind, room.sentence, room.hint, room.passphrase, tuple(infos))
