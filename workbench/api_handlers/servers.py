"""API methods about servers: connecting, editing their entries in a project, and signing in."""

from __future__ import annotations

import asyncio
import contextlib

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.api.peer_credentials import check_is_user
from workbench.api_handlers.request_handler import RequestHandler
from workbench.client_configs.config_import import keep_apart
from workbench.errors import WorkbenchError
from workbench.records import (
    Consent,
    KnownServer,
    Note,
    ServerConfig,
    ServerState,
    SignIn,
)
from workbench.servers.configuration import launch_consents, mcp_json_file
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.configuration.mcp_json_file import known_servers
from workbench.servers.oauth.sign_in_service import SignIns, brings_its_own
from workbench.servers.tool_definitions.definition_pins import DefinitionPins


class ServerHandler(RequestHandler):
    """Connects, disconnects, adds and removes servers."""

    @api
    async def consent(self, server: str) -> Consent:
        """What the user reads before connecting a server that they have not allowed yet."""
        return launch_consents.consent(self._catalog.server(server).state.config)

    @api(decides=True)
    async def connect(self, server: str, sha: str = "", automatic: bool = False) -> ServerState:
        """Start a server. One that the user has not allowed yet needs `sha`, the hash of the consent that was shown:
        the call is then the user's consent to run exactly this command. With `sha`, it is refused if the entry has
        changed since. `automatic`: the client starts the server by itself; the audit does not name the user."""
        consents = False

        def check(state: ServerState) -> None:
            nonlocal consents
            if sha and sha != fingerprint(state.config):
                raise WorkbenchError(
                    f"The entry of {server} changed after it was shown.",
                    "Nothing was started. Press Connect and review the new entry.",
                )
            if state.allowed or state.config.builtin or state.config.disabled:  # a disabled server is refused next
                return
            check_is_user()
            if not sha:
                raise WorkbenchError(
                    f"You have not allowed {server} to start yet.", "Press Connect and review what it would run."
                )
            terminal = self._check_terminal(of_agent=False)
            self._note("server.allowed", f"You allowed {server} to start", server=server, terminal=terminal)
            consents = True

        state = await self._catalog.connect(server, check)
        if automatic and not consents:
            summary = self._services.sessions.person.mask(f"{server} was connected automatically")
            self._services.journal.append(Note("server.connected", summary, server=server))
        elif not consents:
            self._note("server.connected", f"You connected {server}", server=server)
        return state

    @api(decides=True)
    async def disconnect(self, server: str) -> ServerState:
        state = await self._catalog.disconnect(server)
        self._note("server.stopped", f"You disconnected {server}", server=server)
        return state

    @api(decides=True)
    async def add_server(self, config: ServerConfig) -> ServerState:
        """Write a server into the project's `.mcp.json`, replacing one of the same name."""
        state = await self._catalog.add(config)
        self._note("server.added", f"You added {config.name}", server=config.name)
        return state

    @api(decides=True)
    async def remove_server(self, server: str) -> None:
        config = self._catalog.server(server).state.config
        await self._catalog.remove(server)
        await self._services.sign_ins.remove(config)
        self._note("server.removed", f"You removed {server}", server=server)


class ServerEntryHandler(RequestHandler):
    """Entries of `.mcp.json` and their order."""

    @api(decides=True)
    async def edit_server(self, server: str, config: ServerConfig, keep_secrets: bool) -> ServerState:
        """Replace a server's entry, optionally with a new name; a changed command asks again before it starts.
        Without `server` the entry is new. With `keep_secrets`, values that look like secrets are moved to the secret
        store."""
        if server:
            self._editable_config(server)
        elif any(state.config.name == config.name for state in self._catalog.states()):
            raise WorkbenchError(f"The project already has a server named {config.name}.", "Choose another name.")
        mcp_json_file.parse_entry(
            config.name, mcp_json_file.entry_as_json(config, {})
        )  # raises before anything is changed
        if keep_secrets:
            config = await self._move_secrets_out(config)
        if server and config.name != server:
            await self._carry_pins(server, config.name)
            await self._catalog.rearrange(lambda file: file.rename(server, config.name))
        state = await self._catalog.add(config)
        deed = "edited" if server else "added"
        self._note(f"server.{deed}", f"You {deed} {config.name}", server=config.name)
        return state

    async def _move_secrets_out(self, config: ServerConfig) -> ServerConfig:
        """Store the secrets of an entry before the entry that refers to them is written."""
        made = keep_apart(config)
        for name, value in made.secrets.items():
            await asyncio.to_thread(self._services.secrets.set_secret, name, value)
            self._note("secret.stored", f"You stored the secret {name}", server=config.name)
        return made.config

    async def _carry_pins(self, server: str, name: str) -> None:
        """Copy the definition pins to the new name, so that a changed definition stays blocked."""
        pins = self._catalog.server(server).pins
        if pins.known:
            heir = DefinitionPins(name, self._services.paths.definition_pins)
            await asyncio.to_thread(heir.save, pins.snapshot())

    @api(in_thread=True)
    def known_servers(self) -> tuple[KnownServer, ...]:
        """Ready-made entries for servers of well-known vendors."""
        return known_servers()

    @api(decides=True)
    async def duplicate_server(self, server: str) -> ServerState:
        """Copy an entry under a free name, after the original."""
        self._editable_config(server)
        name = self._unused_name(server)
        await self._carry_pins(server, name)
        await self._catalog.rearrange(lambda file: file.duplicate(server, name))
        self._note("server.added", f"You added {name}, a copy of {server}", server=name)
        return self._catalog.server(name).state

    @api(decides=True)
    async def switch_server(self, server: str, disabled: bool) -> ServerState:
        state = await self._catalog.add(replace(self._editable_config(server), disabled=disabled))
        self._note("server.enabled_changed", f"You {'disabled' if disabled else 'enabled'} {server}", server=server)
        return state

    @api(decides=True)
    async def move_server(self, server: str, before: str) -> None:
        """Move a server before another one; an empty name moves it to the end."""
        self._editable_config(server)
        await self._catalog.rearrange(lambda file: file.move(server, before))

    @api(decides=True)
    async def restore_server(self, server: str) -> ServerState:
        """Restore a removed server as it was."""
        if any(state.config.name == server and not state.config.builtin for state in self._catalog.states()):
            raise WorkbenchError(f"The project already has a server named {server}.", "Rename that server first.")
        await self._catalog.rearrange(lambda file: file.restore(server))
        self._note("server.added", f"You restored {server}", server=server)
        return self._catalog.server(server).state

    def _editable_config(self, server: str) -> ServerConfig:
        config = self._catalog.server(server).state.config
        if config.builtin:
            raise WorkbenchError(f"{server} is built in and cannot be changed.", "Add your own server.")
        return config

    def _unused_name(self, name: str) -> str:
        taken = {state.config.name for state in self._catalog.states()}
        return next(free for number in range(2, len(taken) + 3) if (free := f"{name}-{number}") not in taken)

    @api(decides=True)
    async def set_roots(self, server: str, roots: tuple[str, ...]) -> ServerState:
        """Set the root folders that a server is told; written into `.mcp.json`."""
        before = self._entry(server)
        state = await self._catalog.set_roots(server, roots)
        self._carry_trust(server, before)
        told = ", ".join(roots) or "none"
        self._note("server.roots", f"You set the root folders of {server}: {told}", server=server)
        return state


class SignInHandler(RequestHandler):
    """Signs in to remote servers with OAuth, and out."""

    @api(decides=True)
    async def sign_in(self, server: str) -> SignIn:
        """Start a sign-in, and return when it is over. The event `SignInWanted` names the page to open."""
        config = self._remote_config(server)
        if not self._catalog.server(server).state.allowed:
            raise WorkbenchError(f"{server} has not been allowed yet.", "Press Connect first, then sign in.")
        if brings_its_own(config):
            raise WorkbenchError(
                f"The entry of {server} has its own Authorization header.",
                "Correct that header, or remove it and then sign in.",
            )
        self._note("server.sign_in_started", f"You started to sign in to {server}", server=server)
        report = await self._sign_ins.sign_in(config)
        if report.state == "done":
            self._note("server.signed_in", f"You signed in to {server}", server=server)
            with contextlib.suppress(WorkbenchError):  # the reason is in the server's status
                await self._catalog.connect(server)
        return report

    @api(decides=True)
    async def cancel_sign_in(self, server: str) -> SignIn:
        config = self._remote_config(server)
        await self._sign_ins.cancel(config)
        return await self._sign_ins.report(config)

    @api(decides=True)
    async def complete_sign_in(self, server: str, address: str) -> None:
        """Complete a sign-in with the address at which the browser ended, if the browser could not reach this
        machine."""
        self._sign_ins.bring(self._remote_config(server), address)

    @api(decides=True)
    async def sign_out(self, server: str) -> SignIn:
        """Delete the access tokens and the registration, and close the connection."""
        config = self._remote_config(server)
        report = await self._sign_ins.sign_out(config)
        await self._catalog.disconnect(server)
        self._note("server.signed_out", f"You signed out of {server}", server=server)
        return report

    @api
    async def sign_in_report(self, server: str) -> SignIn:
        """The last sign-in, step by step, and what is stored of it."""
        return await self._sign_ins.report(self._remote_config(server))

    @property
    def _sign_ins(self) -> SignIns:
        return self._services.sign_ins

    def _remote_config(self, server: str) -> ServerConfig:
        config = self._catalog.server(server).state.config
        if not config.remote:
            raise WorkbenchError(
                f"{server} runs on this machine and has no sign-in.", "Set its keys in the env of its entry."
            )
        return config
