"""Serves one agent over one connection; all that it sends leaves through the edge, and no request decides anything."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import mcp.types as T
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from workbench import __version__
from workbench.agent import arguments as given
from workbench.agent.edge import Edge
from workbench.agent.personal import checked, sanitized
from workbench.agent.stream import messages
from workbench.agent.tools import EXECUTE, INSTRUCTIONS, TOOLS, AgentTool
from workbench.catalog.one_tool import one_tool
from workbench.errors import WorkbenchError
from workbench.events import LedgerChanged, spawn
from workbench.policy.canonical import MAX_BYTES, canonical
from workbench.records import AgentInfo, Content, JsonObject, Ledger, Note, Run, RunState
from workbench.runs.conveyor import Conveyor
from workbench.runs.execution import depth_of, limit_of
from workbench.runs.rooms import Rooms
from workbench.runs.sessions import Session
from workbench.runs.view import cut
from workbench.sandbox.packages import packages
from workbench.tokens import count, counter

# Any: the SDK leaves both type parameters of its context open.
Context: TypeAlias = ServerRequestContext[Any, Any]
LONGEST_NAME = 80  # characters
LONGEST_PURPOSE = 2_000  # characters
LONGEST_TIMEOUT = 1e9  # seconds; the person's limit is far below
NOT_AGENTS = frozenset({"you", "person", "user", "the user", "the workbench", "workbench"})
HEARTBEAT = 5.0  # seconds between progress notes while a run waits or works


class Door:
    """One agent's conversation, from its first byte to its last."""

    def __init__(self, rooms: Rooms, conveyor: Conveyor, changed: Callable[[AgentInfo | None], None]) -> None:
        self._rooms = rooms
        self._conveyor = conveyor
        self._changed = changed
        self._session = rooms.sessions.open("an agent")
        self._info = AgentInfo(self._session.id, "an agent", "", time.time())

    @property
    def session(self) -> Session:
        return self._session

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer until the agent leaves; runs it still had are stopped."""
        server: Server[Any] = Server(
            "mcp-workbench",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        try:
            self._changed(self._info)
            self._note("agent.came", "An agent connected")
            async with messages(reader, writer, Edge(self._session).leave) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            self._changed(None)
            self._note("agent.left", f"{self._info.name} left")
            self._conveyor.states.leave(self._session)

    async def _list(self, context: Context, params: T.PaginatedRequestParams | None) -> T.ListToolsResult:
        self._learn_name(context)
        return T.ListToolsResult(
            tools=[
                T.Tool(
                    name=tool.name,
                    description=self._described(tool),
                    input_schema=dict(tool.schema),
                    annotations=T.ToolAnnotations(read_only_hint=tool.read_only, open_world_hint=False),
                )
                for tool in TOOLS
            ]
        )

    def _described(self, tool: AgentTool) -> str:
        """With what is different on each machine."""
        there = packages(self._rooms.settings().run_packages, "").there if tool is EXECUTE else ()
        return f"{tool.description}\nInstalled packages: {', '.join(there)}." if there else tool.description

    async def _call(self, context: Context, params: T.CallToolRequestParams) -> T.CallToolResult:
        self._learn_name(context)
        self._info = replace(self._info, calls=self._info.calls + 1)
        self._changed(self._info)
        try:
            given.check(params.name, arguments := params.arguments or {})
            if params.name == EXECUTE.name:
                run = await self._execute(context, arguments)
                failed = run.state is not RunState.DONE
                return self._said(run.model_view, self._conveyor.pictures(run.id), failed=failed)
            return self._said(await self._answer(params.name, arguments))
        except WorkbenchError as fault:
            return self._said(str(fault), failed=True)

    def _said(self, text: str, pictures: Sequence[Content] = (), *, failed: bool = False) -> T.CallToolResult:
        images = [T.ImageContent(data=one.data, mime_type=one.mime) for one in pictures]
        return T.CallToolResult(content=[T.TextContent(text=text), *images], is_error=failed)

    async def _answer(self, name: str, arguments: JsonObject) -> str:
        match name:
            case "search_tools":
                return await self._search(arguments)
            case "get_tool_definition":
                return await self._definition(arguments)
            case "list_skills":
                return await self._skills()
            case "save_skill":
                return await self._save(arguments)
            case "sanitize_pii":
                return await sanitized(self._session, given.text(arguments, "text"))
            case "restore_pii":
                return checked(self._session, given.text(arguments, "text"))
        raise WorkbenchError(f"There is no tool {name!r:.100}.", f"There are {', '.join(tool.name for tool in TOOLS)}.")

    async def _execute(self, context: Context, arguments: JsonObject) -> Run:
        code, purpose = given.text(arguments, "code"), shortened(given.text(arguments, "description"), LONGEST_PURPOSE)
        if len(code) > MAX_BYTES:
            raise WorkbenchError(
                f"The program is longer than {MAX_BYTES // 1000} kB.", "Keep data in workspace/ files."
            )
        seconds = arguments.get("timeout", 0)
        wished = float(min(seconds, LONGEST_TIMEOUT)) if isinstance(seconds, int | float) else 0.0
        await self._rooms.catalog.learn()
        state = given.text(arguments, "session_id", "")
        language = given.text(arguments, "language", "python")
        run = self._conveyor.submit(
            code,
            self._session,
            purpose,
            wished,
            state=state,
            language=language,
            profile=given.text(arguments, "profile", ""),
            required=given.names(arguments, "required_tools"),
            force_approval=arguments.get("force_approval") not in (None, False),
        )
        heart = spawn(f"progress of {run.id}", self._beat(context, run.id))
        try:
            return await self._conveyor.finished(run.id)
        except asyncio.CancelledError:  # the agent cancelled or left: nobody waits for this run any more
            spawn(f"stop {run.id}", self._conveyor.stop(run.id, "The agent that proposed it is gone."))
            raise
        finally:
            heart.cancel()

    async def _beat(self, context: Context, run_id: str) -> None:
        """Tell a patient client what is happening, as far as it asked to know."""
        beat = 0
        while True:
            await context.session.report_progress(beat, None, _progress_words(self._conveyor.run(run_id)))
            beat += 1
            await asyncio.sleep(HEARTBEAT)

    async def _search(self, arguments: JsonObject) -> str:
        await self._rooms.catalog.learn()
        answer = self._rooms.catalog.search(
            given.text(arguments, "query", ""),
            depth_of(given.text(arguments, "detail_level", "description")),
            limit_of(arguments.get("limit")),
            given.text(arguments, "server", ""),
            given.text(arguments, "category", ""),
        )
        self._session.searched(given.text(arguments, "query", ""), answer.matches)
        self._spend(answer.tokens)
        return answer.text

    async def _definition(self, arguments: JsonObject) -> str:
        """With the line that imports it; one too long for an answer is read in a program."""
        await self._rooms.catalog.learn()
        found = one_tool(self._rooms.catalog, given.text(arguments, "name"), given.text(arguments, "category", ""))
        fields = self._rooms.rules.sealed(found.tool, self._rooms.settings().privacy_sealed)
        what = ", ".join(filter(None, fields)) or "all personal data"
        sealed = f"# programs get tokens of {what} in its answers\n" if fields else ""
        text = f"{found.import_line}\n{sealed}{json.dumps(dict(found.tool.raw), ensure_ascii=False)}"
        pointer = "a program reads the whole: get_tool_definition(name)"
        text = self._session.mask(text)  # before it is cut: a cut must not split a value in two
        text = cut(text, self._rooms.settings().run_answer_tokens, pointer)
        self._spend(count(text))
        return text

    def _spend(self, tokens: int) -> None:
        self._session.spend(Ledger(direct=0, actual=tokens, counter=counter()))
        self._rooms.tell(LedgerChanged(self._rooms.sessions.total()))

    async def _skills(self) -> str:
        lines = [f"{skill.name}: {skill.description}" for skill in await asyncio.to_thread(self._rooms.library.usable)]
        return "\n".join(lines) or "The user keeps no skills yet."

    async def _save(self, arguments: JsonObject) -> str:
        text = canonical(given.text(arguments, "code"))
        if text.faults:
            raise WorkbenchError(text.faults[0].message, "Remove those characters and offer it again.")
        name, description = given.text(arguments, "name"), given.text(arguments, "description")
        offer = self._rooms.library.offer
        skill = await asyncio.to_thread(offer, name, description, text.text, self._session.author)
        self._note("skill.drafted", f"{self._session.author} offers the skill {skill.name}")
        return f"{skill.name} is a draft now. It can be used after the user has kept it."

    def _learn_name(self, context: Context) -> None:
        params = context.session.client_params
        if params is None or self._info.name == (name := agent_name(params.client_info.name)):
            return
        self._rooms.sessions.named(self._session, name)
        self._info = replace(self._info, name=name, version=shortened(params.client_info.version, 40))
        self._changed(self._info)
        self._note("agent.named", f"The agent calls itself {name}")

    def _note(self, kind: str, summary: str) -> None:
        self._rooms.journal.append(
            Note(kind=kind, summary=self._session.mask(summary), actor=self._session.author, session=self._session.id)
        )


def agent_name(claimed: str) -> str:
    """The name an agent gave itself, on one line, and never one that audit and library have for the person."""
    name = shortened(claimed, LONGEST_NAME)
    return f'an agent named "{name}"' if name.casefold() in NOT_AGENTS else name or "an agent"


def shortened(text: str, letters: int) -> str:
    """One line of what can be seen, no longer than this."""
    plain = "".join(mark if mark.isprintable() else " " for mark in text[: 4 * letters])
    line = " ".join(plain.split())
    return line if len(line) <= letters else f"{line[: letters - 1]}…"


def _progress_words(run: Run) -> str:
    if run.state is RunState.WAITING:
        left = max(0, round(run.deadline - time.time()))
        return f"waiting for a person: {left // 60} min {left % 60} s left"
    return f"the program is {run.state}"
