"""One agent's connection: translates between MCP and the services of the core, and decides nothing.

Every message to the agent passes the connection's egress filter, over any transport.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import anyio
import mcp.types as T
from mcp.server.lowlevel.server import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from msgspec.structs import replace

from workbench import __version__
from workbench.agent import tool_calls as given
from workbench.agent.approval_elicitation import ApprovalElicitation
from workbench.agent.direct_tools import DirectTools
from workbench.agent.egress_filter import SERVER, EgressFilter
from workbench.agent.lookup_tools import LookupTools, describe_tokens, sanitize
from workbench.agent.message_stream import messages
from workbench.agent.program_tools import Context, ProgramTools
from workbench.agent.protocol_identity import IdentifyingServer, agent_name, claimed_identity, shortened
from workbench.agent.skill_tools import SkillResources, SkillTools
from workbench.agent.task_extension import TaskExtension
from workbench.agent.tool_calls import ToolAnswer, to_mcp_result
from workbench.agent.tool_definitions import EXECUTE, GET_RUN, INSTRUCTIONS, RUN_PROGRAMS, TOOLS, AgentTool
from workbench.agent.workspace_tools import WorkspaceTools
from workbench.broker.agent_pause import PAUSED, is_paused
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.privacy.text_kinds import TextKind
from workbench.records import AgentInfo, JsonObject, Note
from workbench.runs.run_manager import RunManager
from workbench.sandbox.importable_packages import packages


class AgentConnection:
    """The connection of one agent, from its first byte to its last."""

    def __init__(self, services: Services, run_manager: RunManager, changed: Callable[[bool], None]) -> None:
        """`changed` is called when the agent's information changed, and with whether the agent is connected."""
        self._services = services
        self._run_manager = run_manager
        self._changed = changed
        self._session = services.sessions.open("an agent")
        self.info = AgentInfo(self._session.id, "an agent", "", time.time())
        self.programs = ProgramTools(services, run_manager, self._session)
        self._marks = self._session.text_kinds
        self.egress_filter = EgressFilter(self._session)
        self._skills = SkillTools(services, self._session, self.programs)
        self._files = WorkspaceTools(services, run_manager, self._session, self.programs)
        self._direct = DirectTools(services, self.programs, self._marks)
        self._lookups = LookupTools(services, run_manager, self._session, self.programs)
        self._changes = ToolListChanges(lambda: self._tools(learn=False))
        self.server: Server[Any] = IdentifyingServer(
            SERVER,
            version=__version__,
            instructions=self._marks.mark(INSTRUCTIONS, TextKind.FIXED),
            on_list_tools=self._list,
            on_subscriptions_listen=self._changes.listen,
        )
        # not `on_call_tool`, whose type has no place for a task
        self.server.add_request_handler("tools/call", T.CallToolRequestParams, self._call)
        self.server.add_request_handler("logging/setLevel", T.SetLevelRequestParams, self._set_level)
        SkillResources(services, self._session, self.server)
        elicitation = ApprovalElicitation(services, run_manager, self._marks)
        self._tasks = TaskExtension(
            self.programs, elicitation, self.programs.ids, self._marks, self.server.add_request_handler
        )
        self.programs.deferral = self._tasks

    @property
    def session(self) -> Session:
        return self._session

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Context in which the agent is connected; runs that it still has at the end are stopped."""
        # a failing step, such as an audit entry on a full disk, does not skip the others
        async with AsyncExitStack() as leaving:
            leaving.push_async_callback(self._run_manager.release_sessions)
            leaving.push_async_callback(self._changes.close)
            leaving.callback(self._run_manager.states.end_of_agent, self._session)
            leaving.callback(self._note_disconnect)
            leaving.callback(self._services.sessions.mark_disconnected, self._session)
            leaving.callback(self._changed, False)
            leaving.callback(self.programs.stop_all, "Its agent disconnected.")
            self._changed(True)
            self._note("agent.connected", "An agent connected")
            yield

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer over one connection until the agent disconnects."""
        async with (
            self.open(),
            messages(reader, writer, self.egress_filter.encode, answers=True, preface=self._direct.accept_preface) as (
                incoming,
                outgoing,
            ),
        ):
            await self.server.run(incoming, outgoing, self.server.create_initialization_options())

    async def _list(self, context: Context, params: T.PaginatedRequestParams | None) -> T.ListToolsResult:
        self._update_name(context)
        tools = await self._tools(learn=True)
        self._changes.record_list(context, tools)
        return T.ListToolsResult(tools=tools)

    async def _tools(self, *, learn: bool) -> list[T.Tool]:
        """Return the workbench's tools and those of servers in `agent.direct`. `learn`: start servers whose tools
        are unknown."""
        own = [
            T.Tool(
                name=tool.name,
                description=self._marks.mark(self._described(tool), TextKind.FIXED),
                input_schema=self._marks.mark_schema(self._schema(tool), TextKind.FIXED),
                output_schema=self._marks.mark_schema(tool.output_schema, TextKind.FIXED),
                annotations=T.ToolAnnotations(read_only_hint=tool.read_only, open_world_hint=False),
            )
            for tool in TOOLS
            if tool.name not in RUN_PROGRAMS or self._services.settings().run_enabled
        ]
        return own + await self._direct.tools(learn=learn)

    def check_for_changes(self) -> None:
        """Compare the current list of tools with the list that the agent has, after a change that may affect it."""
        self._changes.check_for_changes()

    def _described(self, tool: AgentTool) -> str:
        """Return the description of a tool, including the parts that differ between machines."""
        there = packages(self._services.settings().run_packages, "").installed if tool is EXECUTE else ()
        return f"{tool.description}\nInstalled packages: {', '.join(there)}." if there else tool.description

    def _schema(self, tool: AgentTool) -> dict[str, Any]:  # Any: JSON Schema
        """Return the schema of a tool, with the current time limit of programs."""
        schema = dict(tool.schema)
        if tool is EXECUTE:
            words = f"Own run time in seconds, at most {self._services.settings().run_seconds}."
            timeout = {"type": "number", "description": words}
            schema["properties"] = {**schema["properties"], "timeout": timeout}
        return schema

    async def _call(self, context: Context, params: T.CallToolRequestParams) -> T.CallToolResult | dict[str, Any]:
        self._update_name(context)
        self.info = replace(self.info, calls=self.info.calls + 1)
        self._changed(True)
        try:
            given.check(params.name, arguments := params.arguments or {})
            self._check_not_paused(params.name)
            if params.request_state is not None:
                return to_mcp_result(await self._tasks.resume(context, params), self._marks)
            if (direct := await self._direct.call(context, params.name, arguments)) is not None:
                return to_mcp_result(direct, self._marks, structured=False)
            return to_mcp_result(await self._answer(context, params.name, arguments), self._marks)
        except WorkbenchError as fault:
            return to_mcp_result(
                ToolAnswer(str(fault), failed=True, kind=TextKind.PUBLIC), self._marks, structured=False
            )

    def _check_not_paused(self, tool: str) -> None:
        """Refuse all tools while agents are paused, except looking at runs."""
        if tool != GET_RUN.name and is_paused(self._services.settings(), self._session.origin):
            self._note("agent.refused", f"A request for {tool:.100} was refused: agents are paused")
            raise WorkbenchError(PAUSED.message, PAUSED.hint)

    async def _answer(self, context: Context, name: str, arguments: JsonObject) -> ToolAnswer:
        match name:
            case "execute_code":
                return await self.programs.execute(context, arguments)
            case "run_skill":
                return await self._skills.run(context, arguments)
            case "write_workspace_file":
                return await self._files.write_file(context, arguments)
            case "list_skills":
                return await self._skills.list()
            case "get_execution_stats":
                return await self._lookups.stats()
            case "sanitize_pii":
                return ToolAnswer(await sanitize(self._session, given.text(arguments, "text")))
            case "restore_pii":
                return await describe_tokens(self._session, given.text(arguments, "text"))
        if (plain := self._simple_handlers().get(name)) is None:
            known = ", ".join(tool.name for tool in TOOLS)
            raise WorkbenchError(f"There is no tool {name!r:.100}.", f"The tools are: {known}.")
        return await plain(arguments)

    def _simple_handlers(self) -> dict[str, Callable[[JsonObject], Awaitable[ToolAnswer]]]:
        """Return the tools that need only their arguments."""
        return {
            "search_tools": self._lookups.search,
            "get_tool_definition": self._lookups.definition,
            "search_skills": self._skills.search,
            "load_skill": self._skills.load,
            "save_skill": self._skills.save,
            "read_workspace_file": self._files.read_file,
            "list_workspace_files": self._files.list_files,
            "get_run": self._files.result,
        }

    async def _set_level(self, context: Context, params: T.SetLevelRequestParams) -> T.EmptyResult:
        """Set the lowest level of log messages that the agent gets about its running and waiting programs."""
        self.programs.log_level = params.level
        return T.EmptyResult()

    def _update_name(self, context: Context) -> None:
        params = context.session.client_params
        if params is None or self._session.claimed_name == (name := agent_name(params.client_info.name)):
            return
        self._services.sessions.set_name(self._session, name)
        shown = self._session.author
        self._session.client_claims = {
            key: self._session.mask(value) for key, value in claimed_identity(params).items()
        }
        self.info = replace(self.info, name=shown, version=shortened(params.client_info.version, 40))
        self._changed(True)
        self._note(
            "agent.named",
            f"The agent calls itself {name}{'' if shown == name else f', and is shown as {shown}'}",
            self._session.client_claims,
        )

    def _note_disconnect(self) -> None:
        self._note(
            "agent.disconnected", f"{self.info.name} disconnected", {"tokens_made": self._session.count_new_values()}
        )

    def _note(self, kind: str, summary: str, detail: JsonObject | None = None) -> None:
        masked, session = self._session.mask(summary), self._session
        self._services.journal.append(Note(kind, masked, session.author, session.id, detail=detail or {}))


log = logging.getLogger(__name__)

CALM: Final = 0.1  # seconds for which changes are collected
MOST_STREAMS: Final = 4  # open `listen` streams of one agent


class ToolListChanges:
    """Notifies one agent that its list of tools changed."""

    def __init__(self, tools: Callable[[], Awaitable[Sequence[T.Tool]]]) -> None:
        """`tools` returns the current list, without starting a server for it."""
        self._tools = tools
        self._listed: Sequence[T.Tool] | None = None  # the list as sent to the agent
        self._last_context: Context | None = None
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=MOST_STREAMS)
        self._check_task: asyncio.Task[None] | None = None

    def record_list(self, context: Context, tools: Sequence[T.Tool]) -> None:
        """Record the list that was sent to the agent."""
        self._listed, self._last_context = tools, context

    def check_for_changes(self) -> None:
        """Check for changes of the list, after something that it depends on changed."""
        if self._listed is not None and (self._check_task is None or self._check_task.done()):
            self._check_task = spawn("agent's list of tools", self._check())

    async def close(self) -> None:
        if self._check_task is not None and not self._check_task.done():
            self._check_task.cancel()
            await asyncio.wait([self._check_task])

    async def _check(self) -> None:
        await asyncio.sleep(CALM)
        now = await self._tools()
        if self._last_context is None or self._listed == now:
            return
        self._listed = now
        await self._bus.publish(ToolsListChanged())
        try:
            await self._last_context.session.send_tool_list_changed()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("an agent disconnected before it was notified of changed tools")
