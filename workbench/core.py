"""Headless core of one project: opens its services in order and closes them in reverse order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench import __version__, tokens
from workbench.agent.connected_agents import ConnectedAgents, load_agent_connection
from workbench.agent.example_agent import ExampleAgents
from workbench.analysis.verdict import RULES
from workbench.api.marker import api
from workbench.api_handlers.handler_registration import api_methods
from workbench.api_handlers.notifications import make_notifier
from workbench.audit.audit_search import AuditSearch
from workbench.audit.journal import Journal
from workbench.audit.opentelemetry_export import Telemetry
from workbench.audit.search_index import AuditIndex, AuditIndexUpdater
from workbench.broker.agent_sessions import SessionMemory, Sessions
from workbench.broker.broker import Broker
from workbench.broker.call_audit import AuditMasking
from workbench.broker.elicitation_audit import ElicitationAudit
from workbench.broker.services import Services
from workbench.broker.vault_persistence import VaultPersistence
from workbench.calls.call_history import History
from workbench.client_hooks.hook_requests import HookRequests
from workbench.editor_completion.completion_client import CompletionRequests
from workbench.errors import WorkbenchError
from workbench.events import Bus, DefinitionsBlocked, Event, NetworkChanged, Noticed, SettingsChanged, spawn
from workbench.network.network_access import Network
from workbench.paths import Paths, images_folder, starter_skills
from workbench.permissions.personal_data_marks import PersonalDataMarks
from workbench.permissions.rules import Rules
from workbench.permissions.run_profiles import RunProfiles
from workbench.permissions.server_packages import package_of
from workbench.records import CoreStatus, Fault, Note, RunState, ServerStatus, SkillState
from workbench.review_page.review_page import ReviewPage
from workbench.runs.generated_packages import GeneratedPackages
from workbench.runs.pii_token_tracking import TokenUsage
from workbench.runs.run_manager import RunManager
from workbench.sandbox.importable_packages import packages
from workbench.sandbox.isolation_levels import engines
from workbench.sandbox.process.launcher_client import LauncherPool
from workbench.sandbox.sandbox import Sandbox
from workbench.secrets.project_secrets import Secrets
from workbench.secrets.secret_masking import mask_logs
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.elicitation.open_requests import OpenElicitations
from workbench.servers.oauth.sign_in_service import SignIns
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings import DEFINITIONS, Settings, SettingsReading, files_signature, read
from workbench.settings.current_settings import CurrentSettings
from workbench.skills.library import Library
from workbench.workspace.answer_cache import AnswerCache
from workbench.workspace.held_files import HeldFiles
from workbench.workspace.snapshots import Snapshots
from workbench.workspace.workspace_files import WorkspaceFiles

if TYPE_CHECKING:
    from workbench.agent.agent_connection import AgentConnection

SETTINGS_SECONDS = 2.0  # how often the settings files are looked at for changes
REGISTER_SECONDS = 4.0  # how long a closing core may still register personal data of answers that its user has seen

log = logging.getLogger(__name__)


class Core:
    """The services of one project. Uses asyncio only; `process.py` owns the lock, the sockets and signals."""

    def __init__(
        self,
        paths: Paths,
        on_shut_down: Callable[[], None] = lambda: None,
        make_network: Callable[[Path, Path, Path, Callable[[], Settings]], Network] = Network,
        arrange: Callable[[AgentConnection], None] = lambda connection: None,
        *,
        agent_comes: bool = False,
        launchers: LauncherPool | None = None,
    ) -> None:
        """`agent_comes`: an agent is about to connect, so the agent endpoint is imported while services open."""
        self.paths = paths
        self._on_shut_down = on_shut_down
        self._make_network = make_network
        self._arrange = arrange
        self._agent_comes = agent_comes
        self._launchers = launchers
        self._started = time.time()
        self.bus = Bus()
        self._own_signature = files_signature(self._no_project, paths.user_settings)
        self._project_signature = files_signature(paths.project_settings, self._no_project)
        self._own_settings = self._read_own_settings()
        together = read(paths.project_settings, paths.user_settings)
        self._settings = CurrentSettings(together.settings)
        # What the user should know of the project's settings: each notice as it was read, and as the user reads it.
        self._project_notices = {fault: fault for fault in self._without_own(together)}
        self._notices: tuple[Fault, ...] = ()  # about what was opened
        self._closers = contextlib.AsyncExitStack()

    @property
    def settings(self) -> Settings:
        """The current settings. Assigning new settings notifies everything that depends on them."""
        return self._settings.now

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings.set(settings)

    # ── opening: each step needs those before it ─────────────────────────────────────────────────
    async def open(self) -> None:
        """Open every service. If one fails, the services opened before it are closed. Starts no server."""
        async with contextlib.AsyncExitStack() as self._closers:
            self._make_folders()
            sessions, secrets = self._open_sessions()
            self._open_audit(sessions)
            history = History(self.paths.history, self._settings, self._tell_from_thread(), secrets.masks.mask)
            self._closers.push_async_callback(history.close)
            rules = Rules(
                self.paths.permissions,
                self.paths.workspace,
                self._entry,
                RULES,
                sessions.client,
                lambda: self._settings().approval_auto_reviewed,
            )
            sign_ins = SignIns(secrets, self._settings, self.bus.tell)
            await self._open_servers_and_sandbox(sign_ins, rules, sessions, secrets)
            library = Library(self.paths.skills, self.paths.drafts, starter_skills(), self._tell_from_thread())
            self._closers.push_async_callback(asyncio.to_thread, library.usage.save)
            await asyncio.to_thread(library.install_starters)
            files, snapshots, held = self._open_workspace()
            settings_files = (self.paths.project_settings, self.paths.user_settings)
            self.services = Services(
                paths=self.paths,
                settings=self._settings,
                tell=self.bus.tell,
                journal=self.journal,
                audit_search=AuditSearch(self.paths.audit, self.paths.audit_index),
                sessions=sessions,
                vault_persistence=VaultPersistence(self.paths.vault_values, secrets, self._settings, sessions),
                privacy_marks=PersonalDataMarks(
                    self.paths.project_settings, self.paths.privacy_marks, self.paths.project_privacy_marks
                ),
                secrets=secrets,
                rules=rules,
                run_profiles=RunProfiles(
                    *settings_files, self.paths.profiles, lambda: self._settings.now.approval_profile
                ),
                catalog=self.catalog,
                sign_ins=sign_ins,
                history=history,
                answer_cache=AnswerCache(self.paths.cache / "answers", self._settings),
                network=self._make_network(*settings_files, self.paths.network, self._settings),
                sandbox=self.sandbox,
                library=library,
                workspace_files=files,
                snapshots=snapshots,
                held_files=held,
            )
            self._closers.push_async_callback(self.services.vault_persistence.close)
            await self._open_runs_and_agents()
            self._closers = self._closers.pop_all()

    def _make_folders(self) -> None:
        for folder in (self.paths.project, self.paths.state, self.paths.cache):
            folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):  # a file has the workspace's name: runs and the file list report it
            self.paths.workspace.mkdir()

    def _open_sessions(self) -> tuple[Sessions, Secrets]:
        secrets = Secrets(self.paths.state)
        mask_logs(secrets.masks)
        memory = SessionMemory(self.paths.agents, lambda: self._settings.now.approval_memory_minutes)
        # Read 30 times in each run: an attrgetter costs no Python frame.
        masked: Callable[[], bool] = partial(attrgetter("now.privacy_enabled"), self._settings)
        return Sessions(masked, secrets.masks, memory), secrets

    def _open_audit(self, sessions: Sessions) -> None:
        self.journal = Journal(self.paths.audit, self.bus.tell, AuditMasking(sessions, self._is_tool).mask)
        self._closers.callback(self.journal.close)
        indexing = AuditIndexUpdater(AuditIndex(self.paths.audit, self.paths.audit_index))
        telemetry = Telemetry(lambda: self._settings.now.telemetry_endpoint, self.bus.tell)
        for follower in (indexing, telemetry):
            self._closers.push_async_callback(follower.close)
            self.bus.listen(follower.hear, *follower.hears)

    async def _open_servers_and_sandbox(
        self, sign_ins: SignIns, rules: Rules, sessions: Sessions, secrets: Secrets
    ) -> None:
        self.catalog = ServerCatalog(
            self.paths, self._settings, self.bus.tell, secret=secrets.get_secret, masks=secrets.masks,
            asks=OpenElicitations(self.bus.tell, self._settings, sessions.author),
            authorize=sign_ins.authorize,
            tool_annotator=lambda config: rules.tool_annotator(
                config.name, fingerprint(config), builtin=config.builtin,
                package=package_of(config, self.paths.project),
            ),
        )  # fmt: skip
        self._closers.callback(rules.flush)
        sign_ins.noted = self.catalog.note_sign_in
        self.sandbox = Sandbox("", lambda: self._settings.now.run_ready, engines(images_folder()), self._launchers)
        self._closers.push_async_callback(self.sandbox.close)
        self._closers.push_async_callback(self.catalog.close)
        self._closers.push_async_callback(sign_ins.close)
        if self._agent_comes:
            importing = spawn("import the agent connection", asyncio.to_thread(load_agent_connection))
            self._closers.push_async_callback(asyncio.wait, [importing])
        self.bus.listen(self._report_blocked_definitions, DefinitionsBlocked)
        await asyncio.gather(self.catalog.open(), self.sandbox.open())
        rules.bind_earlier_trust(self.catalog.tools())

    def _open_workspace(self) -> tuple[WorkspaceFiles, Snapshots, HeldFiles]:
        files = WorkspaceFiles(
            self.paths.workspace, lambda: self._settings.now.run_disk_mb, lambda: self._settings.now.workspace_files
        )
        snapshots = Snapshots(files.confined, self.paths.undo, self._settings)
        held = HeldFiles(snapshots, self.paths.held_files)
        self._closers.push_async_callback(asyncio.to_thread, snapshots.close)
        self._closers.push_async_callback(asyncio.to_thread, held.close)
        return files, snapshots, held

    async def _open_runs_and_agents(self) -> None:
        services = self.services
        packages_of_runs = GeneratedPackages(services)
        packages_of_runs.open()
        broker, elicitations = Broker(services), ElicitationAudit(services)
        self.run_manager = RunManager(services, broker, packages_of_runs)
        self.run_manager.open()
        self.connected_agents = ConnectedAgents(services, self.run_manager, self._arrange)
        self._runs_reviewed_reads = self.settings.approval_auto_reviewed
        self.review_page = ReviewPage(services, self.run_manager)
        self.hook_requests = HookRequests(services, self.run_manager.held_calls)
        self.example_agents = ExampleAgents(self.paths.project, self.bus.tell)
        self.completion = CompletionRequests(
            self.paths.generated_packages, self.paths.completion_hints, packages_of_runs.refresh
        )
        token_usage = TokenUsage(services.sessions)
        notifier = make_notifier(services, self.run_manager)
        self._closers.push_async_callback(notifier.close)
        for follower in (packages_of_runs, elicitations, broker.caching, token_usage, services.vault_persistence,
                         self.run_manager, self.connected_agents, notifier):  # fmt: skip
            self.bus.listen(follower.hear, *follower.hears)
        for follow in (
            self._follow_privacy,
            self.run_manager.slots.admit_waiting,
            self.connected_agents.check_tool_lists,
            self.review_page.settings_changed,
            self._follow_reviews,
        ):
            self._settings.on_change(follow)
        self._follow_privacy()
        self.methods = api_methods(
            services, broker, elicitations, self.run_manager, self.connected_agents, self.notices, notifier,
            (self, self.completion, self.example_agents, self.review_page),
        )  # fmt: skip
        self.api = self.methods.local
        releasing = spawn("release sessions", self.run_manager.release_sessions_regularly())
        self._closers.push_async_callback(_cancelled, releasing)
        watching = spawn("watch the settings files", self._watch_settings_files())
        self._closers.push_async_callback(_cancelled, watching)
        self.journal.append(Note("core.opened", "The core opened", detail={"pid": os.getpid()}))
        self._closers.push_async_callback(self._end_work)
        self.run_manager.restore_waiting()  # after the entry above, which separates the runs of two cores
        if (fault := await self.connected_agents.open_as_set()) is not None:
            self._notices = (*self._notices, fault)
        if (fault := await self.review_page.follow_settings()) is not None:
            self._notices = (*self._notices, fault)

    def _follow_reviews(self) -> None:
        """Judge all tools again if the setting about reviewed tools changed."""
        runs = self.settings.approval_auto_reviewed
        if runs is not self._runs_reviewed_reads:
            self._runs_reviewed_reads = runs
            self.services.catalog.weigh_again()

    def _tell_from_thread(self) -> Callable[[Event], None]:
        """Return a function that publishes events on the bus from any thread.

        The event loop publishes an event from a thread before code that waits for this thread continues.
        """
        loop, home = asyncio.get_running_loop(), get_ident()

        def tell(event: Event) -> None:
            if get_ident() == home:
                self.bus.tell(event)
            else:
                loop.call_soon_threadsafe(self.bus.tell, event)

        return tell

    def _is_tool(self, server: str, tool: str) -> bool:
        try:
            return tool in self.catalog.server(server).tools
        except WorkbenchError:
            return False

    def _entry(self, server: str) -> str:
        """Fingerprint of a server's configuration entry, to which the user's trust is bound.

        Empty for an unknown server.
        """
        try:
            return fingerprint(self.catalog.server(server).state.config)
        except WorkbenchError:
            return ""

    def _report_blocked_definitions(self, event: Event) -> None:
        """Record and report tools that were blocked because their definitions changed."""
        if isinstance(event, DefinitionsBlocked):
            names = ", ".join(name[:80] for name in event.tools[:5]) + (" …" if len(event.tools) > 5 else "")
            many = len(event.tools) != 1
            what = f"The definitions of {len(event.tools)} tools" if many else "The definition of a tool"
            end = "so the tools are blocked" if many else "so the tool is blocked"
            words = f"{what} of {event.server} changed, {end}: {names}"
            self.journal.append(Note("definition.changed", words, server=event.server))
            self.bus.tell(
                Noticed(Fault(f"{words}.", "Review the changes on the server's page Changes, then approve them."))
            )

    async def _watch_settings_files(self) -> None:
        """Apply what the user edits in their own settings file."""
        while True:
            await asyncio.sleep(SETTINGS_SECONDS)
            try:
                await self._check_settings_files()
            except (OSError, WorkbenchError):
                log.exception("The settings files could not be read again")

    async def _check_settings_files(self) -> None:
        own = files_signature(self._no_project, self.paths.user_settings)
        if own != self._own_signature:
            self._own_signature = own
            await self.reload_settings()
        project = files_signature(self.paths.project_settings, self._no_project)
        if project != self._project_signature:
            self._project_signature = project
            await self._report_project_settings()

    async def _report_project_settings(self) -> None:
        """Tell the user what is wrong with the project's settings, and which differ from those in force.

        An agent may be able to write a project's files, so they do not apply while the core runs.
        """
        found = await asyncio.to_thread(read, self.paths.project_settings, self.paths.user_settings)
        before, after = self._project_notices, dict[Fault, Fault]()
        for fault in self._without_own(found):
            hint = f"{fault.hint} Nothing changes before the core starts again.".strip()
            after[fault] = before.get(fault) or replace(fault, hint=hint)
        fields = {name: definition.field for name, definition in DEFINITIONS.items()}
        now = self.settings
        changed = [name for name, field in fields.items() if getattr(found.settings, field) != getattr(now, field)]
        if changed:
            names = ", ".join(changed[:5]) + (" …" if len(changed) > 5 else "")
            hint = "They apply when the core starts again. Change one on the page Settings to apply it now."
            fault = Fault(f"The project's settings were changed: {names}.", hint)
            after[fault] = fault
            before.pop(fault, None)  # told again: other values may have changed
        self._project_notices = after
        for fault in after:
            if fault not in before:
                self.bus.tell(Noticed(after[fault]))
        self.bus.tell(SettingsChanged(()))

    async def reload_settings(self) -> None:
        """Read the user's settings file again and apply the values that changed in it."""
        before = self._own_settings
        after = await asyncio.to_thread(self._read_own_settings)
        together = await asyncio.to_thread(read, self.paths.project_settings, self.paths.user_settings)
        self._own_settings = after
        changed = dict[str, object]()
        for name, definition in DEFINITIONS.items():
            field = definition.field
            edited = getattr(after.settings, field) != getattr(before.settings, field)
            value = getattr(together.settings, field)
            if edited and value != getattr(self.settings, field):
                changed[field] = value
                self.journal.append(
                    Note("setting.changed", f"Your settings file changed: {name} is now {definition.describe(value)}")
                )
        if changed:
            self.settings = replace(self.settings, **changed)
        for fault in after.notices:
            if fault not in before.notices:
                self.bus.tell(Noticed(fault))
        self.bus.tell(NetworkChanged(self.services.network.rules()))
        self.bus.tell(SettingsChanged(tuple(field.replace("_", ".", 1) for field in changed)))

    @property
    def _no_project(self) -> Path:
        """A file that does not exist, in place of a project's settings."""
        return self.paths.cache / "no-project" / "workbench.toml"

    def _read_own_settings(self) -> SettingsReading:
        return read(self._no_project, self.paths.user_settings)

    def _without_own(self, reading: SettingsReading) -> tuple[Fault, ...]:
        """The notices that the user's own settings alone do not cause."""
        return tuple(fault for fault in reading.notices if fault not in self._own_settings.notices)

    def _follow_privacy(self) -> None:
        """Apply the user's current privacy marks and settings to the detection of personal data in every session."""
        self.services.sessions.follow(self.services.privacy_marks.following(self.settings))

    # ── open ─────────────────────────────────────────────────────────────────────────────────────
    @api
    async def status(self) -> CoreStatus:
        """Status of this core: what runs, the isolation level of its sandbox, and problems during its start."""
        services, manager = self.services, self.run_manager
        states, skills = self.catalog.states(), await asyncio.to_thread(services.library.skills)
        return CoreStatus(
            version=__version__,
            pid=os.getpid(),
            project=str(self.paths.project),
            started=self._started,
            strength=self.sandbox.strength,
            servers_ready=sum(state.status is ServerStatus.READY for state in states),
            servers=len(states),
            tools=len(self.catalog.tools()),
            agents=self.connected_agents.agents(),
            paused=self.settings.agent_paused,
            waiting=manager.count_runs(RunState.WAITING),
            running=manager.count_runs(RunState.RUNNING),
            queued=manager.slots.waiting,
            http_endpoint=self.connected_agents.view().url,
            packages=packages(self.settings.run_packages, "").installed,
            kept_states=len(manager.states.records()),
            skills=sum(skill.state is SkillState.KEPT for skill in skills),
            ledger=services.sessions.total(),
            counter=tokens.counter(),
            interrupted=manager.interrupted,
            notices=self.notices(),
            levels=self.sandbox.levels(),
        )

    @api(decides=True)
    async def shut_down(self) -> None:
        """End the core and everything it started."""
        self._on_shut_down()

    def notices(self) -> tuple[Fault, ...]:
        """Problems in files and settings that the core read, for the user."""
        servers = (self.catalog.server(state.config.name) for state in self.catalog.states())
        return (
            *self._project_notices.values(),
            *self._own_settings.notices,
            *self._notices,
            *self.catalog.notices,
            *self.services.network.rules().notices,
            *self.services.rules.notices,
            *self.services.run_profiles.profiles().notices,
            *self.services.privacy_marks.notices(self.settings),
            *(loss for server in servers if (loss := server.pins.loss()) is not None),
            *packages(self.settings.run_packages, self.settings.run_preload).faults,
        )

    @property
    def busy(self) -> bool:
        """Whether closing the core now would interrupt a run or agent, or leave personal data unregistered."""
        registering = self.services.sessions.person.registrations.busy
        return self.run_manager.busy or registering or bool(self.connected_agents.agents())

    async def serve_agent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one agent until it disconnects."""
        await self.connected_agents.serve(reader, writer)

    async def serve_hook(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the hook program of another client."""
        await self.hook_requests.serve(reader, writer)

    async def close(self) -> None:
        """Stop everything that the core started: runs, example agents, servers, sandboxes.

        The audit log closes last.
        """
        await self._closers.aclose()

    async def _end_work(self) -> None:
        await self.review_page.close()
        await self.connected_agents.close_http()
        await self.completion.close()
        await self.run_manager.close()
        await self.services.sessions.person.registrations.close(REGISTER_SECONDS)
        await self.example_agents.close()
        self.journal.append(Note("core.closed", "The core closed", detail={"pid": os.getpid()}))


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
