"""API methods that edit the entries of servers in a project, their order, and the folders they are told of."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.client_configs.config_import import keep_apart
from workbench.errors import WorkbenchError
from workbench.records import KnownServer, ServerConfig, ServerState
from workbench.servers.configuration import mcp_json_file
from workbench.servers.configuration.mcp_json_file import known_servers
from workbench.servers.tool_definitions.definition_pins import DefinitionPins


class ServerEntryHandler(RequestHandler):
    """Entries of `.mcp.json` and their order."""

    @api(decides=True)
    async def edit_server(self, server: str, config: ServerConfig, keep_secrets: bool) -> ServerState:
        """Write another entry, and another name, in a server's place; a changed command asks again before it starts.
        Without a server it is a new one. With `keep_secrets`, values that look like secrets are stored apart."""
        if server:
            self._own(server)
        elif any(state.config.name == config.name for state in self._catalog.states()):
            raise WorkbenchError(f"The project has a server {config.name} already.", "Choose another name.")
        mcp_json_file.read(config.name, mcp_json_file.write(config, {}))  # refused before anything is changed
        if keep_secrets:
            config = await self._apart(config)
        if server and config.name != server:
            await self._carry_pins(server, config.name)
            await self._catalog.rearrange(lambda file: file.rename(server, config.name))
        state = await self._catalog.add(config)
        deed = "edited" if server else "added"
        self._note(f"server.{deed}", f"You {deed} {config.name}", server=config.name)
        return state

    async def _apart(self, config: ServerConfig) -> ServerConfig:
        """Secrets are stored before the entry that refers to them is written."""
        made = keep_apart(config)
        for name, value in made.secrets.items():
            await asyncio.to_thread(self._services.secrets.put, name, value)
            self._note("secret.stored", f"You stored the secret {name}", server=config.name)
        return made.config

    async def _carry_pins(self, server: str, name: str) -> None:
        """A changed definition stays blocked under another name."""
        pins = self._catalog.server(server).pins
        if pins.known:
            heir = DefinitionPins(name, self._services.paths.pins)
            await asyncio.to_thread(heir.save, pins.snapshot())

    @api
    async def known_servers(self) -> tuple[KnownServer, ...]:
        """Entries of well-known makers' servers, ready to be added."""
        return await asyncio.to_thread(known_servers)

    @api(decides=True)
    async def duplicate_server(self, server: str) -> ServerState:
        """The same entry under a free name, behind the first."""
        self._own(server)
        name = self._free(server)
        await self._carry_pins(server, name)
        await self._catalog.rearrange(lambda file: file.duplicate(server, name))
        self._note("server.added", f"You added {name}, a copy of {server}", server=name)
        return self._catalog.server(name).state

    @api(decides=True)
    async def switch_server(self, server: str, disabled: bool) -> ServerState:
        state = await self._catalog.add(replace(self._own(server), disabled=disabled))
        self._note("server.enabled_changed", f"You {'disabled' if disabled else 'enabled'} {server}", server=server)
        return state

    @api(decides=True)
    async def move_server(self, server: str, before: str) -> None:
        """Put it before another one; an empty name: last."""
        self._own(server)
        await self._catalog.rearrange(lambda file: file.move(server, before))

    @api(decides=True)
    async def restore_server(self, server: str) -> ServerState:
        """Put a removed server back as it was."""
        if any(state.config.name == server and not state.config.builtin for state in self._catalog.states()):
            raise WorkbenchError(f"The project has a server {server} again.", "Rename that one first.")
        await self._catalog.rearrange(lambda file: file.restore(server))
        self._note("server.added", f"You put {server} back", server=server)
        return self._catalog.server(server).state

    def _own(self, server: str) -> ServerConfig:
        config = self._catalog.server(server).state.config
        if config.builtin:
            raise WorkbenchError(f"{server} is built in and stays as it is.", "Add a server of your own.")
        return config

    def _free(self, name: str) -> str:
        taken = {state.config.name for state in self._catalog.states()}
        return next(free for number in range(2, len(taken) + 3) if (free := f"{name}-{number}") not in taken)


class ServerRootsHandler(RequestHandler):
    """Roots."""

    @api(decides=True)
    async def set_roots(self, server: str, roots: tuple[str, ...]) -> ServerState:
        """Tell a server of these folders from now on; written into `.mcp.json`."""
        before = self._entry(server)
        state = await self._catalog.set_roots(server, roots)
        self._carry_trust(server, before)
        told = ", ".join(roots) or "no folder"
        self._note("server.roots", f"You told {server} of {told}", server=server)
        return state
