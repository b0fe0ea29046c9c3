"""The headless core of one project: builds the rooms in order, serves the doors, closes everything in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

from workbench.agent.connected_agents import ConnectedAgents, load_door
from workbench.analysis.verdict import RULES
from workbench.api_handlers.handler_registration import api_methods
from workbench.api_handlers.request_handler import HandlerContext
from workbench.audit.audit_search import Finder
from workbench.audit.journal import Journal
from workbench.audit.opentelemetry_export import Telemetry
from workbench.audit.search_index import Index
from workbench.audit.search_index_updater import Indexing
from workbench.broker.agent_sessions import SessionMemory, Sessions
from workbench.broker.broker import Broker
from workbench.broker.call_audit import AuditMasking
from workbench.broker.elicitation_audit import ElicitationAudit
from workbench.calls.call_history import History
from workbench.editor_completion.completion_client import Hints
from workbench.errors import WorkbenchError
from workbench.events import Bus, DefinitionsBlocked, Event, Noticed, spawn
from workbench.network.network_access import Network
from workbench.paths import Paths, images_folder, starter_skills
from workbench.permissions.personal_data_marks import PersonalDataMarks
from workbench.permissions.rules import Rules
from workbench.permissions.run_profiles import RunProfiles
from workbench.records import Fault, Note
from workbench.runs.generated_packages import GeneratedPackages
from workbench.runs.pii_token_tracking import TokenUsage
from workbench.runs.run_manager import RunManager
from workbench.runs.services import Services
from workbench.runs.vault_persistence import VaultPersistence
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
from workbench.settings import Settings, read
from workbench.skills.library import Library
from workbench.workspace.answer_cache import Cache
from workbench.workspace.held_files import HeldFiles
from workbench.workspace.snapshots import Snapshots
from workbench.workspace.workspace_files import Store

if TYPE_CHECKING:
    from workbench.agent.agent_connection import AgentConnection

# Programs of ours start here: Python looks for modules where it starts, and a project may hold anybody's `json.py`.
ABOVE = Path(__file__).resolve().parents[1]
REGISTER_SECONDS = 4.0  # for which a core that closes goes on looking through answers that its user has seen

log = logging.getLogger(__name__)


class Core:
    """One project at work. Plain asyncio; the process around it owns lock, sockets and signals."""

    def __init__(
        self,
        paths: Paths,
        on_shut_down: Callable[[], None] = lambda: None,
        make_network: Callable[[Path, Path, Path, Callable[[], Settings]], Network] = Network,
        arrange: Callable[[AgentConnection], None] = lambda door: None,
        *,
        agent_comes: bool = False,
        launchers: LauncherPool | None = None,
    ) -> None:
        self.paths = paths
        self._make_network = make_network
        self._arrange = arrange
        self._agent_comes = agent_comes
        self._launchers = launchers
        self.bus = Bus()
        reading = read(paths.project_settings, paths.person_settings)
        self.settings: Settings = reading.settings
        self._current: Callable[[], Settings] = partial(getattr, self, "settings")
        self._notices = reading.notices
        self._on_shut_down = on_shut_down
        self._examples: set[asyncio.subprocess.Process] = set()
        self._starting_example = asyncio.Lock()
        self._mask_note: Callable[[Note], Note] = lambda note: note  # until there are sessions
        self._closers = contextlib.AsyncExitStack()

    async def open(self) -> None:
        """Rooms from the ground up; when one cannot open, those below it are closed again."""
        async with contextlib.AsyncExitStack() as opened:
            await self._open_services(opened)
            self._closers = opened.pop_all()

    async def _open_services(self, opened: contextlib.AsyncExitStack) -> None:
        """No server is started, so an empty project opens fast."""
        for folder in (self.paths.project, self.paths.state, self.paths.cache):
            folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):  # a file in its place: runs and the file list say so
            self.paths.workspace.mkdir()
        self.journal = Journal(self.paths.audit, self.bus.tell, lambda note: self._mask_note(note))
        opened.callback(self.journal.close)
        indexing = Indexing(Index(self.paths.audit, self.paths.audit_index))
        opened.push_async_callback(indexing.close)
        self.bus.listen(indexing.hear, *indexing.hears)
        telemetry = Telemetry(lambda: self.settings.telemetry_endpoint, self.bus.tell)
        opened.push_async_callback(telemetry.close)
        self.bus.listen(telemetry.hear, *telemetry.hears)
        self.bus.listen(self._hear, DefinitionsBlocked)
        secrets = Secrets(self.paths.state)
        mask_logs(secrets.masks)
        tell = self._tell_from_thread()
        history = History(self.paths.history, self._current, tell, secrets.masks.mask)
        opened.push_async_callback(history.close)
        memory = SessionMemory(self.paths.agents, lambda: self.settings.approval_memory_minutes)
        sessions = Sessions(partial(attrgetter("settings.privacy_enabled"), self), secrets.masks, memory)
        self._mask_note = AuditMasking(sessions, self._is_tool).mask
        rules = Rules(self.paths.permissions, self.paths.workspace, self._entry, RULES)
        asks = OpenElicitations(self.bus.tell, self._current, sessions.author)
        sign_ins = SignIns(secrets, self._current, self.bus.tell)
        self.catalog = ServerCatalog(
            self.paths, self._current, self.bus.tell, secret=secrets.get, masks=secrets.masks, asks=asks,
            authorize=sign_ins.authorize,
            weigh=lambda config: rules.weigh(config.name, fingerprint(config), builtin=config.builtin),
        )  # fmt: skip
        opened.callback(rules.flush)
        sign_ins.noted = self.catalog.note_sign_in
        self.sandbox = self._make_sandbox()
        opened.push_async_callback(self.sandbox.close)
        opened.push_async_callback(self.catalog.close)
        opened.push_async_callback(sign_ins.close)
        if self._agent_comes:
            opened.push_async_callback(asyncio.wait, [spawn("agent's door", asyncio.to_thread(load_door))])
        await asyncio.gather(self.catalog.open(), self.sandbox.open())
        library = Library(self.paths.skills, self.paths.drafts, starter_skills(), self._tell_from_thread())
        await asyncio.to_thread(library.install_starters)
        store = Store(self.paths.workspace, lambda: self.settings.run_disk_mb, lambda: self.settings.workspace_files)
        snapshots = Snapshots(store.way, self.paths.undo, self._current)
        opened.push_async_callback(asyncio.to_thread, snapshots.close)
        held = HeldFiles(snapshots, self.paths.held_files)
        opened.push_async_callback(asyncio.to_thread, held.close)
        self.services = Services(
            self.paths, self.catalog, self.sandbox, library, store, self.journal, sessions, secrets,
            sign_ins, self.bus.tell, self._current, history, self._network(),
            rules, self._bounds(), PersonalDataMarks(self.paths.project_settings, self.paths.marks),
            Finder(self.paths.audit, self.paths.audit_index), snapshots,
            Cache(self.paths.cache / "answers", self._current),
            VaultPersistence(self.paths.values, secrets, self._current, sessions), held,
        )  # fmt: skip
        opened.push_async_callback(self.services.keeping.close)
        self._follow()
        self._build_road()
        opened.push_async_callback(_cancelled, spawn("release sessions", self.run_manager.release_now_and_then()))
        self.journal.append(Note("core.opened", "The core opened", detail={"pid": os.getpid()}))
        opened.push_async_callback(self._end_work)
        if (fault := await self.entrance.open_as_set()) is not None:
            self._notices = (*self._notices, fault)

    def _tell_from_thread(self) -> Callable[[Event], None]:
        """For a room that works on threads: the loop tells it, before whoever waits for the thread goes on."""
        loop, home = asyncio.get_running_loop(), get_ident()

        def tell(event: Event) -> None:
            if get_ident() == home:
                self.bus.tell(event)
            else:
                loop.call_soon_threadsafe(self.bus.tell, event)

        return tell

    def _make_sandbox(self) -> Sandbox:
        return Sandbox("", lambda: self.settings.run_ready, engines(images_folder()), self._launchers)

    def _network(self) -> Network:
        places = (self.paths.project_settings, self.paths.person_settings, self.paths.network)
        return self._make_network(*places, self._current)

    def _is_tool(self, server: str, tool: str) -> bool:
        try:
            return tool in self.catalog.server(server).tools
        except WorkbenchError:
            return False

    def _entry(self, server: str) -> str:
        """What a person's trust in a server is about."""
        try:
            return fingerprint(self.catalog.server(server).state.config)
        except WorkbenchError:
            return ""

    def _bounds(self) -> RunProfiles:
        places = (self.paths.project_settings, self.paths.person_settings, self.paths.profiles)
        return RunProfiles(*places, lambda: self.settings.approval_profile)

    def _build_road(self) -> None:
        stock = GeneratedPackages(self.services)
        stock.open()
        self.bus.listen(stock.hear, *stock.hears)
        broker, askings = Broker(self.services), ElicitationAudit(self.services)
        self.bus.listen(askings.hear, *askings.hears)
        self.bus.listen(broker.caching.hear, *broker.caching.hears)
        self.bus.listen(TokenUsage(self.services.sessions).hear, *TokenUsage.hears)
        self.bus.listen(self.services.keeping.hear, *VaultPersistence.hears)
        self.run_manager = RunManager(self.services, broker, stock)
        self.run_manager.open()
        self.entrance = ConnectedAgents(self.services, self.run_manager, self._arrange)
        self.bus.listen(self.entrance.hear, *self.entrance.hears)
        self.hints = Hints(self.paths.generated, self.paths.hints, stock.refresh)
        house = HandlerContext(
            self.services,
            broker,
            askings,
            self.run_manager,
            entrance=self.entrance,
            hints=self.hints,
            notices=self._worth_knowing,
            set_settings=self._set_settings,
            shut_down=self._on_shut_down,
            start_example=self._start_example,
        )
        self.methods = api_methods(house)
        self.api = self.methods.local

    def _worth_knowing(self) -> tuple[Fault, ...]:
        """What a person should know of what was read at the start."""
        servers = (self.catalog.server(state.config.name) for state in self.catalog.states())
        losses = (loss for server in servers if (loss := server.pins.loss()) is not None)
        chosen = packages(self.settings.run_packages, self.settings.run_preload).faults
        return (
            *self._notices,
            *self.catalog.notices,
            *self.services.network.rules().notices,
            *self.services.rules.notices,
            *self.services.bounds.profiles().notices,
            *self.services.personal.notices(self.settings),
            *losses,
            *chosen,
        )

    def _hear(self, event: Event) -> None:
        """A definition that changed behind a person's back is written down and told."""
        if isinstance(event, DefinitionsBlocked):
            names = ", ".join(name[:80] for name in event.tools[:5]) + (" …" if len(event.tools) > 5 else "")
            many = len(event.tools) != 1
            what = f"{len(event.tools)} tools of {event.server} are" if many else f"A tool of {event.server} is"
            words = f"{what} not what you approved and {'are' if many else 'is'} blocked: {names}"
            self.journal.append(Note("definition.changed", words, server=event.server))
            self.bus.tell(
                Noticed(Fault(f"{words}.", "Read what changed on the server's page Changes, then approve it."))
            )

    @property
    def busy(self) -> bool:
        """Whether somebody would lose something if the core closed now."""
        registering = self.services.sessions.person.registrations.busy
        return self.run_manager.busy or registering or bool(self.entrance.agents())

    async def serve_agent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one agent until it leaves."""
        await self.entrance.serve(reader, writer)

    async def close(self) -> None:
        """Everything that was started ends: runs, examples, servers, sandboxes; the audit last."""
        await self._closers.aclose()

    async def _end_work(self) -> None:
        await self.entrance.close_http()
        await self.hints.close()
        await self.run_manager.close()
        await self.services.sessions.person.registrations.close(REGISTER_SECONDS)
        for process in tuple(self._examples):
            await _end(process)
        self.journal.append(Note("core.closed", "The core closed", detail={"pid": os.getpid()}))

    def _follow(self) -> None:
        """Every session looks for personal data as marks and settings say now."""
        self.services.sessions.follow(self.services.personal.following(self.settings))

    def _set_settings(self, settings: Settings) -> None:
        self.settings = settings
        self._follow()
        self.run_manager.slots.look_again()
        self.entrance.look_again()

    async def _start_example(self) -> None:
        """A real MCP client in a process of its own, connected like any other agent."""
        async with self._starting_example:
            if self._examples:
                raise WorkbenchError("The example agent is at work already.", "Decide on its program first.")
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "workbench.agent.example_agent", str(self.paths.project),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
                start_new_session=True, cwd=ABOVE,
            )  # fmt: skip
            self._examples.add(process)
        spawn("example agent", self._reap(process))

    async def _reap(self, process: asyncio.subprocess.Process) -> None:
        _, words = await process.communicate()
        self._examples.discard(process)
        if process.returncode not in (0, -signal.SIGTERM, -signal.SIGKILL):
            detail = words.decode("utf-8", "replace")[-2_000:]
            self.bus.tell(Noticed(Fault("The example agent failed.", "The details say why.", detail)))


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(2):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
