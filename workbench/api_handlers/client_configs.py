"""API methods about configuration files of other MCP clients: importing and exporting servers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping

from msgspec import Struct

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.services import Services
from workbench.client_configs import config_export
from workbench.client_configs.config_discovery import FoundConfig, find, show
from workbench.client_configs.config_export import ConfigDraft
from workbench.client_configs.config_import import ConfigImport, settle
from workbench.client_hooks import hook_installation
from workbench.errors import WorkbenchError
from workbench.records import (
    ClientFile,
    Discovery,
    ExportPreview,
    ExportReport,
    Fault,
    HookInstallation,
    ImportChoice,
    ImportReport,
    ServerConfig,
)
from workbench.servers.configuration import secret_masking

ITSELF = "workbench"  # the name under which other clients know this workbench
_REMEMBERED = 20  # exports that can be undone while the core runs


class _Export(Struct, frozen=True):
    draft: ConfigDraft
    existed: bool


class ClientConfigHandler(RequestHandler):
    """Lists found servers, imports and exports. Files are read and written on threads."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._exports: dict[str, _Export] = {}

    @api
    async def found_servers(self) -> Discovery:
        """Servers configured in other clients, secrets masked. Nothing is started."""
        found, faults = await asyncio.to_thread(find, self._services.paths.project)
        return await asyncio.to_thread(show, found, faults, self._configs())

    @api
    async def reveal_found_server(self, key: str) -> Mapping[str, str]:
        """The masked values of a found server, by their place, for display to the user; noted in the audit."""
        found = await self._found_configs()
        if key not in found:
            raise WorkbenchError("That server is no longer configured.", "Search for servers again.")
        one, values = found[key], dict[str, str]()

        def keep(place: str, value: str) -> str:
            values[place if place not in values else f"{place} ({len(values) + 1})"] = value
            return value

        secret_masking.swap(one.config, keep)
        self._note("secret.looked_at", f"You viewed the secrets of {one.config.name} in {one.place.client.title}")
        return values

    @api(decides=True)
    async def import_servers(self, choices: tuple[ImportChoice, ...]) -> ImportReport:
        """Write found servers into `.mcp.json`; none starts before the user connects it."""
        found = await self._found_configs()
        added: list[str] = []
        faults: list[Fault] = []
        stored = 0
        for choice in choices:
            try:
                made = settle(choice, found, frozenset(config.name for config in self._configs()))
                stored += await self._add_server(made)
            except WorkbenchError as fault:
                faults.append(Fault(fault.message, fault.hint))
                continue
            client = found[choice.key].place.client.title
            self._note("server.imported", f"You imported {choice.name} from {client}", server=choice.name)
            added.append(choice.name)
        return ImportReport(tuple(added), stored, tuple(faults))

    @api(in_thread=True)
    def client_files(self) -> tuple[ClientFile, ...]:
        """The client configs that servers can be exported to."""
        return tuple(config_export.describe(place) for place in config_export.targets(self._services.paths.project))

    @api
    async def preview_export(self, client: str, names: tuple[str, ...], itself: bool) -> ExportPreview:
        """Preview the changes of exporting these servers to a client; with `itself`, the workbench is exported as a
        server too."""
        return config_export.show(await self._draft_export(client, names, itself))

    @api(decides=True)
    async def export_servers(self, client: str, names: tuple[str, ...], itself: bool, sha: str) -> ExportReport:
        """Export servers, if the result is the one that was previewed."""
        made = await self._draft_export(client, names, itself)
        if made.blocked is not None:
            raise WorkbenchError(made.blocked.message, made.blocked.hint)
        if config_export.sha(made.after) != sha:
            raise WorkbenchError(f"{made.place.file} has changed since the preview.", "Preview the export again.")
        existed = made.place.file.exists()
        backup = await asyncio.to_thread(config_export.write, made)
        self._exports = dict([*self._exports.items(), (sha, _Export(made, existed))][-_REMEMBERED:])
        written = tuple(made.entries)
        self._note("server.exported", f"You wrote {', '.join(written)} into {made.place.file}")
        return ExportReport(config_export.describe(made.place), written, backup, sha, tuple(made.notes))

    @api(decides=True)
    async def undo_export(self, sha: str) -> ClientFile:
        """Restore the file as it was before the export that wrote this content."""
        written = self._exports.get(sha)
        if written is None:
            raise WorkbenchError("That export can no longer be undone.", "Restore the backup next to the file.")
        made = written.draft
        await asyncio.to_thread(config_export.take_back, made.place, made.before, sha, written.existed)
        del self._exports[sha]
        self._note("server.export_undone", f"You restored {made.place.file} as it was before the export")
        return config_export.describe(made.place)

    # ── hooks ────────────────────────────────────────────────────────────────────────────────────
    @api(in_thread=True)
    def hook_installations(self) -> tuple[HookInstallation, ...]:
        """Where the hook program can be installed, and where it is."""
        return hook_installation.find_installations(self._services.paths.project)

    @api
    async def preview_hooks(self, client: str, absent: str, remove: bool) -> ExportPreview:
        """Preview the change of a client's file that installs or removes the hook program. `absent`: what happens
        without a core, ask or deny."""
        return config_export.show(await self._draft_hooks(client, absent, remove))

    @api(decides=True, consent=True)
    async def write_hooks(self, client: str, absent: str, remove: bool, sha: str) -> ExportReport:
        """Install or remove the hook program, if the result is the one that was previewed."""
        made = await self._draft_hooks(client, absent, remove)
        if made.blocked is not None:
            raise WorkbenchError(made.blocked.message, made.blocked.hint)
        if config_export.sha(made.after) != sha:
            raise WorkbenchError(f"{made.place.file} has changed since the preview.", "Preview the change again.")
        if made.after == made.before:
            return ExportReport(config_export.describe(made.place), (), "", sha, ())
        backup = await asyncio.to_thread(config_export.write if made.after else config_export.delete, made)
        words = "removed the hooks from" if remove else "installed the hooks in"
        self._note("hook.removed" if remove else "hook.installed", f"You {words} {made.place.file}")
        return ExportReport(config_export.describe(made.place), tuple(made.entries), backup, sha, tuple(made.notes))

    async def _draft_hooks(self, client: str, absent: str, remove: bool) -> ConfigDraft:
        if absent not in ("ask", "deny"):
            raise WorkbenchError(f"{absent!r:.40} is no answer for an absent core.", "Use ask or deny.")
        paths = self._services.paths
        place = hook_installation.place_of(paths.project, client)
        return await asyncio.to_thread(hook_installation.draft, place, paths, absent, remove=remove)

    async def _found_configs(self) -> dict[str, FoundConfig]:
        found, _ = await asyncio.to_thread(find, self._services.paths.project)
        return {one.key: one for one in found}

    async def _add_server(self, made: ConfigImport) -> int:
        """Import an entry. Secrets are stored first: an entry must not refer to a secret that is not stored."""
        for name, value in made.secrets.items():
            await asyncio.to_thread(self._services.secrets.set_secret, name, value)
            self._note("secret.stored", f"You stored the secret {name}", server=made.config.name)
        await self._catalog.add(made.config)
        return len(made.secrets)

    async def _draft_export(self, client: str, names: tuple[str, ...], itself: bool) -> ConfigDraft:
        known = {config.name: config for config in self._configs()}
        if unknown := [name for name in names if name not in known]:
            raise WorkbenchError(f"There is no server {unknown[0]!r:.100}.", "Read .mcp.json again.")
        if any(known[name].builtin for name in names):
            raise WorkbenchError("The demo server is part of the workbench.", "Export the workbench itself instead.")
        wanted = [known[name] for name in names] + ([self._own_entry()] if itself else [])
        place = config_export.target(self._services.paths.project, client)
        return await asyncio.to_thread(config_export.draft, place, wanted)

    def _own_entry(self) -> ServerConfig:
        """Return the entry for the workbench with the path of this Python, so that it works without anything on the
        PATH."""
        project = str(self._services.paths.project)
        return ServerConfig(ITSELF, sys.executable, ("-m", "workbench", "serve", "--project", project))

    def _configs(self) -> tuple[ServerConfig, ...]:
        return tuple(state.config for state in self._catalog.states())
