"""All servers and tools of a project. Every call reaches its server through the catalog."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import (
    Event,
    Noticed,
    ServerChanged,
    ServerRemoved,
    ServersArranged,
    ToolsChanged,
    ToolsWarned,
    spawn,
)
from workbench.identifiers import package_name
from workbench.paths import Paths, models_folder
from workbench.records import (
    Depth,
    Fault,
    Frame,
    JsonObject,
    Outcome,
    SearchAnswer,
    ServerConfig,
    ServerState,
    ServerStatus,
    Standing,
    Tool,
    ToolCall,
    ToolSummary,
)
from workbench.search.bm25_ranking import SearchedTool
from workbench.search.search_all import SearchAll
from workbench.search.search_index import SearchIndex
from workbench.search.search_learning import SearchLearning
from workbench.search.semantic.sentence_embeddings import SentenceModelSource
from workbench.search.tool_search import import_line, summary
from workbench.secrets.secret_masking import SecretMasks
from workbench.servers import tool_calls
from workbench.servers.configuration import launch_consents, root_folders
from workbench.servers.configuration.launch_command import Secret, no_secret
from workbench.servers.configuration.launch_consents import LaunchConsents
from workbench.servers.configuration.mcp_json_file import McpJsonContents, McpJsonFile
from workbench.servers.elicitation.open_requests import OpenElicitations
from workbench.servers.monitoring import idle_servers
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.resources_and_prompts.resource_requests import ResourceRequests
from workbench.servers.sdk_adapter.protocol_negotiation import MODERN
from workbench.servers.sdk_adapter.transport_selection import Authorize, TransportSelection, nobody_signs_in
from workbench.servers.server import McpServer
from workbench.servers.server_cache import CachedServer, ServerCache
from workbench.servers.server_context import ServerContext, ToolAnnotator, keep_annotations
from workbench.servers.server_faults import ServerFault
from workbench.servers.server_requests import ServerHost, ServerRequestHandler
from workbench.servers.tool_calls import Hear
from workbench.servers.tool_definitions.server_tools import DefinitionWarnings, KnownTools
from workbench.servers.tool_definitions.tool_error_messages import (
    no_tool,
    not_allowed,
    server_line,
    server_not_allowed,
    waiting_line,
)
from workbench.settings import Settings
from workbench.similar_names import did_you_mean
from workbench.tokens import count
from workbench.tool_names import ToolNames, tool_names


class ServerCatalog:
    """Servers from `.mcp.json` and the built-in one, their tools, search over them, and calls to them."""

    def __init__(
        self,
        paths: Paths,
        settings: Callable[[], Settings],
        tell: Callable[[Event], None],
        *,
        host: Callable[[str], ServerHost] | None = None,
        secret: Secret = no_secret,
        masks: SecretMasks | None = None,
        asks: OpenElicitations | None = None,
        authorize: Authorize = nobody_signs_in,
        tool_annotator: ToolAnnotator = keep_annotations,
    ) -> None:
        """`host`: returns the handler of a server's requests; by default the user answers through `asks`. `secret`:
        resolves `${keyring:name}`. `masks`: removes secrets from messages and faults. `authorize`: signs in to a remote
        server. `tool_annotator`: applies the user's trust to a server's tools."""
        self.asks = asks or OpenElicitations(tell, settings)  # requests of servers to the user
        self._project = paths.project
        self._settings = settings  # read each time, so that a changed setting applies at once
        self._configuration = McpJsonFile(paths.servers_file)
        self._consents = LaunchConsents(paths.consents)
        self._groups = ProcessGroups()
        transports = TransportSelection(paths.project, self._groups, secret, authorize)
        self.definition_warnings = DefinitionWarnings()
        self._context = ServerContext(
            paths,
            settings,
            self._hear,
            self._groups,
            ServerCache(paths.catalogue),
            transports,
            host or self._attend,
            masks or SecretMasks(),
            self._vouch,
            tool_annotator,
        )
        self._tell = tell
        self._servers: dict[str, McpServer] = {}
        self._replaced: dict[str, asyncio.Event] = {}  # servers whose entry is being replaced now
        self.lessons = SearchLearning(paths.search_lessons)
        source = SentenceModelSource(models_folder(), paths.embeddings, lambda: settings().search_model)
        self.finder = SearchIndex(self._findable, self.lessons, source, self._find_definition_warnings)
        self.everywhere = SearchAll(self.finder, self._enabled)  # search for the user; agents call `search`
        self._known = KnownTools({})  # tools of enabled servers
        self._all_known = KnownTools({})
        self._resting: asyncio.Task[None] | None = None
        self._reloading = asyncio.Lock()
        self.offered = ResourceRequests(self.server, lambda: self._settings().server_call_seconds)
        self.notices: tuple[Fault, ...] = ()  # notices for the user about the configuration as last read

    async def open(self) -> tuple[Fault, ...]:
        """Read the configuration and the caches; no server starts. Returns notices for the user."""
        self._consents.read()
        reading = self._read()
        made = [McpServer(config, self._consents.allows(config), self._context) for config in reading.configs]
        remembered = await asyncio.to_thread(lambda: [self._remembered(server) for server in made])
        for server, tools in zip(made, remembered, strict=True):
            server.recall(tools)
            self._servers[server.name] = server
        for server in made:
            self._tell(ServerChanged(server.state))
            self._tell(ToolsChanged(server.name))
        self.finder.forget()
        self._resting = spawn("catalog: idle", idle_servers.keep_looking(self._all, self._idle_minutes, self._asking))
        return reading.notices

    async def close(self) -> None:
        """Stop all servers and end every child process."""
        self.asks.close()
        if self._resting is not None:
            self._resting.cancel()
            await asyncio.wait([self._resting])
        await asyncio.gather(*(server.retire() for server in self._servers.values()))
        await self.finder.close()
        await self._groups.close()

    # Servers

    @api(name="servers")
    def states(self) -> tuple[ServerState, ...]:
        return tuple(server.state for server in self._servers.values())

    async def connect(self, name: str, check: Callable[[ServerState], None] | None = None) -> ServerState:
        """Store the user's consent to exactly this command, and start the server. Raises WorkbenchError when the start
        fails. `check` is called with the state that is about to be started, and may raise to refuse it."""
        server = await self._settled(name)
        config = server.state.config
        if check is not None:
            check(server.state)
        if config.disabled:
            raise WorkbenchError(f"{name} is disabled in .mcp.json.", 'Remove "disabled" from its entry, then reload.')
        if not server.state.allowed:
            self._consents.give(config)
            server.allow()
        await server.start(at_once=True)
        return server.state

    async def disconnect(self, name: str) -> ServerState:
        server = self.server(name)
        await server.stop()
        return server.state

    async def add(self, config: ServerConfig) -> ServerState:
        """Write a server into `.mcp.json`; it starts when the user connects it."""
        self._configuration.put_entry(config)
        await self.reload()
        return self.server(config.name).state

    async def replace(self, config: ServerConfig) -> ServerState:
        """Replace a server's entry for the user: a consent is kept, and a running server is restarted."""
        before = self.server(config.name)
        runs = before.running is not None
        if before.state.allowed and self._consents.allows(before.state.config):
            self._consents.give(config, before.state.config)
        await self.add(config)
        if runs:
            await self.server(config.name).start(at_once=True)
        return self.server(config.name).state

    def note_sign_in(self, name: str, word: str) -> None:
        """Store the result of a sign-in; ignored for a server that was removed in the meantime."""
        if (server := self._servers.get(name)) is not None:
            server.note_sign_in(word)

    async def remove(self, name: str) -> None:
        server = self.server(name)
        if server.state.config.builtin:
            raise WorkbenchError(f"{name} is built in and cannot be removed.", "Disconnect it instead.")
        self._configuration.remove_entry(name)
        await self.reload()

    async def rearrange(self, change: Callable[[McpJsonFile], None]) -> None:
        """Change the file for the user, and apply its new content."""
        change(self._configuration)
        await self.reload()

    @api(name="reload_servers", decides=True)
    async def reload(self) -> tuple[ServerState, ...]:
        """Read `.mcp.json` again. Servers with an unchanged entry keep running; an unreadable file changes nothing."""
        async with self._reloading:
            await self._read_again()
        return self.states()

    async def _read_again(self) -> None:
        reading = self._read()
        if reading.unreadable:
            raise WorkbenchError(reading.notices[0].message, reading.notices[0].hint)
        wanted = {config.name: config for config in reading.configs}
        for name in [name for name in self._servers if name not in wanted]:
            await self._servers.pop(name).retire()
            self._tell(ServerRemoved(name))
        for config in reading.configs:
            if (known := self._servers.get(config.name)) is None or known.state.config != config:
                await self._adopt(config)
        before, self._servers = tuple(self._servers), {name: self._servers[name] for name in wanted}
        if before != tuple(self._servers):
            self._tell(ServersArranged(tuple(self._servers)))
        self.finder.forget()
        for notice in reading.notices:
            self._tell(Noticed(notice))

    @api
    def frames(self, server: str, after: float = 0.0) -> tuple[Frame, ...]:
        return self.server(server).traffic.frames(after)

    @api
    def stderr(self, server: str) -> tuple[str, ...]:
        return self.server(server).traffic.stderr()

    # Tools

    def tools(self) -> tuple[Tool, ...]:
        """Return every known tool, also of servers that do not run; disabled servers are left out."""
        self._known = self._known.updated({server.name: server.tools for server in self._enabled()})
        return self._known.tools

    @api(name="tools")
    def summaries(self) -> tuple[ToolSummary, ...]:
        """Return a summary of every known tool, also of servers that do not run; disabled servers are left out."""
        return tuple(
            replace(
                summary(tool, server.functions[tool.name]),
                mark=server.pins.mark(tool.name),
                warned=self.definition_warnings.number(server.name, tool.name),
            )
            for server in self._enabled()
            for tool in server.tools.values()
        )

    @property
    def names(self) -> ToolNames:
        """Resolves names of tools and servers, disabled ones included."""
        self._all_known = self._all_known.updated({server.name: server.tools for server in self._servers.values()})
        return self._all_known.names

    @api
    def tool(self, server: str, name: str) -> Tool:
        """Return the tool of a server by any of its names. Raises WorkbenchError when there is none."""
        if (found := self._exact(server, name) or self.names.find(server, name)) is not None:
            return found
        known = self.names.server(server)
        raise no_tool(self.server(server if known is None else known), name)

    def tool_by_id(self, identifier: str, tools: Sequence[Tool] | None = None) -> Tool:
        """Return the tool that a text identifies, in any spelling; `tools` narrows the choice. Raises WorkbenchError
        when there is none, or when its server has not been allowed."""
        names = tool_names(self.tools() if tools is None else tools)
        found = names.candidates_of_id(identifier)
        if len(found) == 1:
            return found[0]
        wanted = identifier.strip().removeprefix("mcp__")
        if found:
            some = ", ".join(sorted(f"{tool.server}.{tool.name}" for tool in found)[:5])
            raise WorkbenchError(f"Several servers have a tool {wanted!r:.100}.", f"Name one of these: {some}.")
        for server, name in self.names.splits(identifier):
            raise no_tool(self.server(server if server in self._servers else self.names.servers(server)[0]), name)
        for waiting in not_allowed(self.states()):
            if wanted in (waiting, package_name(waiting)):
                raise server_not_allowed(waiting)
        close = [f"{tool.server}.{tool.name}" for tool in names.similar(wanted)]
        hint = f"Did you mean {', '.join(close)}?" if close else "Call search_tools to find the available tools."
        raise WorkbenchError(f"There is no tool {wanted!r:.100}.", hint)

    async def learn(self) -> None:
        """Start allowed servers that have never run, so that their tools can be found. A failure is shown in the
        server's state."""
        unknown = [
            server
            for server in self._enabled()
            if server.state.allowed and not server.tools and server.state.status is ServerStatus.STOPPED
        ]
        await asyncio.gather(*(server.start() for server in unknown), return_exceptions=True)

    @api
    def search(self, query: str, depth: Depth, limit: int = 20, server: str = "", category: str = "") -> SearchAnswer:
        """Return the search answer for an agent; an empty query returns the list."""
        answer = self.finder.answer(query, depth, limit, server, category)
        if server:
            undecided = {tool.server for tool in self.tools() if tool.standing is Standing.UNDECIDED}
            line = server_line(server, self.states(), undecided)
        else:
            line = "" if category else waiting_line(not_allowed(self.states()))
        if not line:
            return answer
        text = f"{answer.text}\n{line}" if answer.matches or not server else f"0 tools: {line}"
        return replace(answer, text=text, tokens=count(text))

    def ran_after(self, question: str, server: str, tool: str) -> None:
        """Learn that a tool found by this query has run; the next search index uses it."""
        if self._settings().search_learns and self.lessons.ran_after(question, server, tool):
            self.finder.forget()

    def weigh_again(self, name: str = "") -> None:
        """Apply a changed trust setting of the user to one server or to all."""
        for server in self._all():
            if name in ("", server.name):
                server.own.weigh_again()

    def blocked(self, tool: Tool) -> Fault | None:
        """Return why the tool must not be called now; None when it may be called."""
        return self.server(tool.server).pins.refusal(tool.name)

    def is_seen(self, tool: Tool) -> bool:
        """Whether the user knows this definition: it existed when its server was added, or the user has viewed it
        since."""
        return self.server(tool.server).pins.is_seen(tool.name)

    def unseen(self) -> tuple[str, ...]:
        """Return the names, also in Python, of tools whose definitions the user has not viewed."""
        return tuple(
            name
            for server in self._enabled()
            for tool in server.tools.values()
            if not server.pins.is_seen(tool.name)
            for name in (tool.name, server.functions[tool.name])
        )

    # Calls

    async def call(self, call: ToolCall, progress: Hear | None = None) -> Outcome:
        """Make a call; a failure is an outcome. Cancelling the caller cancels the call at the server."""
        started = time.perf_counter()
        try:
            server = await self._settled(call.server)
            await server.ready()
            tool = self._exact(server.name, call.tool) or self.names.find_exact(server.name, call.tool)
            if tool is None:
                raise no_tool(server, call.tool)
            if (blocked := server.pins.refusal(tool.name)) is not None:
                return Outcome(call.id, ok=False, fault=blocked, refused=True)
            try:
                seconds = server.state.config.timeout_seconds or self._settings().server_call_seconds
                outcome = await tool_calls.make(server, tool, call, self.asks, seconds, progress)
            finally:
                server.warn()
            server.counts.add(outcome)
            return outcome
        except ServerFault as fault:
            failure = fault.fault
        except WorkbenchError as fault:
            failure = Fault(fault.message, fault.hint)
        outcome = Outcome(call.id, ok=False, fault=failure, ms=(time.perf_counter() - started) * 1000)
        if call.server in self._servers:
            self._servers[call.server].counts.add(outcome)
        return outcome

    def _read(self) -> McpJsonContents:
        reading = self._configuration.read()
        self.notices = reading.notices
        return reading

    async def _adopt(self, config: ServerConfig) -> None:
        """Add a server, or replace the one of the same name."""
        before = self._servers.get(config.name)
        if before is None:
            await self._take_in(config)
            return
        replaced = self._replaced[config.name] = asyncio.Event()
        try:
            await before.retire()
            await self._take_in(config)
        finally:
            del self._replaced[config.name]
            replaced.set()

    async def _take_in(self, config: ServerConfig) -> None:
        server = McpServer(config, self._consents.allows(config), self._context)
        server.recall(await asyncio.to_thread(self._remembered, server))
        self._servers[config.name] = server
        self._hear(ServerChanged(server.state))
        self._hear(ToolsChanged(config.name))

    def _remembered(self, server: McpServer) -> CachedServer:
        """Load the pins and the cache of a server. Blocks: call it on a thread."""
        server.pins.load()
        return self._context.memory.recall(server.state.config)

    async def _vouch(self, config: ServerConfig) -> str:
        """Return what differs between the files of a command and those that the user allowed. The files at its first
        start become the allowed ones."""
        if config.builtin or config.remote:
            return ""
        known = self._consents.known(config)
        files = await asyncio.to_thread(launch_consents.of, config, self._project, known)
        return self._consents.vouch(config, files)

    def _all(self) -> tuple[McpServer, ...]:
        return tuple(self._servers.values())

    def _idle_minutes(self) -> int:
        return self._settings().server_idle_minutes

    def _asking(self, server: str) -> bool:
        return any(ask.server == server for ask in self.asks.all())

    async def set_roots(self, name: str, folders: tuple[str, ...]) -> ServerState:
        """Set the root folders that are announced to the server, for the user."""
        server = self.server(name)
        if server.state.config.builtin:
            raise WorkbenchError(f"{name} is built in and uses no folders.", "Choose another server.")
        await asyncio.to_thread(root_folders.check, self._project, folders)
        server = await self._settled(name)  # its entry may have been replaced in the meantime
        config = replace(server.state.config, roots=folders)
        self._configuration.put_entry(config)
        if server.state.allowed:
            self._consents.give(config, server.state.config)
        server.state = replace(server.state, config=config)
        self._hear(ServerChanged(server.state))
        if (running := server.running) is not None and server.state.era != MODERN:
            await running.notify("notifications/roots/list_changed")
        return server.state

    def _attend(self, server: str) -> ServerHost:
        return ServerRequestHandler(server, self.asks, self._roots)

    def _roots(self, server: str) -> JsonObject:
        return root_folders.listed(self._project, self.server(server).state.config.roots)

    def _hear(self, event: Event) -> None:
        if isinstance(event, ServerChanged) and event.state.status not in (ServerStatus.READY, ServerStatus.STARTING):
            self.asks.forget(event.state.config.name)
        if isinstance(event, ToolsChanged):
            self.finder.forget()
        self._tell(event)

    async def _find_definition_warnings(self) -> None:
        found = await asyncio.to_thread(self.definition_warnings.look, self.tools())
        for server in self.definition_warnings.take(found):
            self._tell(ToolsWarned(server))

    def _findable(self) -> Iterator[SearchedTool]:
        learned = self._settings().search_learns
        for one in self._enabled():
            config = one.state.config
            for tool in one.tools.values():
                if not one.pins.blocked(tool.name):
                    asked = self.lessons.questions(config.name, tool.name) if learned else ()
                    yield SearchedTool(tool, one.functions[tool.name], one.state.instructions, config.category, asked)

    def server(self, name: str) -> McpServer:
        """Return a server by its name. Raises WorkbenchError for an unknown name."""
        if (server := self._servers.get(name)) is not None:
            return server
        known = tuple(self._servers)
        hint = did_you_mean(name, known) or f"Known servers: {', '.join(known)}."
        owner, _, tool = name.partition(".")
        if tool and owner in known:
            hint = f"Give the server {owner!r} and its tool {tool!r} separately."
        elif not self._configuration.exists():
            hint = f"The project's folder has no .mcp.json: add the server, or restore the file. {hint}"
        raise WorkbenchError(f"There is no server {name!r:.100}.", hint)

    async def _settled(self, name: str) -> McpServer:
        """Return the server of this name, after a running replacement of its entry."""
        while (replaced := self._replaced.get(name)) is not None:
            await replaced.wait()
        return self.server(name)

    def _enabled(self) -> tuple[McpServer, ...]:
        return tuple(server for server in self._servers.values() if not server.state.config.disabled)

    def _exact(self, server: str, name: str) -> Tool | None:
        """Find a tool by its exact name. Most names are exact, so this avoids searching every server's list in each
        step of a call."""
        known = self._servers.get(server)
        return known.tools.get(name) if known is not None else None


class ToolWithImport(Struct, frozen=True):
    """A tool definition, and the line that imports its function."""

    tool: Tool
    import_line: str


def one_tool(catalog: ServerCatalog, name: str, category: str = "") -> ToolWithImport:
    """Find a tool for an agent. `category` is a server or a category; an unknown one is ignored. Raises WorkbenchError
    for a tool that is unknown or blocked: no text of an unapproved definition may reach a model."""
    kinds = {state.config.name: state.config.category for state in catalog.states()}
    wanted = category.strip().casefold()
    every = catalog.tools()
    tools = [one for one in every if wanted and wanted in (one.server.casefold(), kinds[one.server].casefold())]
    tool = catalog.tool_by_id(name, tools or every)
    if (blocked := catalog.blocked(tool)) is not None:
        raise WorkbenchError(blocked.message, blocked.hint)
    return ToolWithImport(tool, import_line(tool.server, catalog.names.function(tool)))
