"""Answers a person's questions from the rooms. It belongs to a person's doors: no agent and no sandbox reaches it."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace

from workbench import __version__
from workbench.catalog.catalog import Catalog
from workbench.errors import WorkbenchError
from workbench.policy.canonical import canonical
from workbench.records import (
    AgentInfo,
    ChainReport,
    CoreStatus,
    Decision,
    Depth,
    Entry,
    EntryQuery,
    Fault,
    FileInfo,
    Frame,
    JsonValue,
    Note,
    Origin,
    Outcome,
    Run,
    RunState,
    SearchAnswer,
    ServerConfig,
    ServerState,
    ServerStatus,
    Skill,
    SkillState,
    Tool,
    ToolCall,
    ToolSummary,
    Verdict,
)
from workbench.runs.broker import Broker
from workbench.runs.conveyor import Conveyor
from workbench.runs.rooms import Rooms
from workbench.settings import Settings, change, write
from workbench.wire.questions import Questions
from workbench.wrappers.names import python_names
from workbench.wrappers.source import call_source, wrapper_source

BY = "you"  # who decides at this desk; one person per core


class Desk(Questions):
    """Every question of the person's vocabulary, answered by the room that knows."""

    def __init__(
        self,
        rooms: Rooms,
        broker: Broker,
        conveyor: Conveyor,
        agents: Callable[[], tuple[AgentInfo, ...]],
        notices: Callable[[], tuple[Fault, ...]],
        set_settings: Callable[[Settings], None],
        shut_down: Callable[[], None],
        start_example: Callable[[], Awaitable[None]],
    ) -> None:
        self._rooms = rooms
        self._broker = broker
        self._conveyor = conveyor
        self._agents = agents
        self._notices = notices
        self._set_settings = set_settings
        self._shut_down = shut_down
        self._start_example = start_example
        self._calls: dict[str, asyncio.Task[Outcome]] = {}
        self._taken_back: set[str] = set()  # calls that a person ended
        self._started = time.time()

    # ── the house ────────────────────────────────────────────────────────────────────────────────
    async def status(self) -> CoreStatus:
        states, skills = self._catalog.states(), await asyncio.to_thread(self._rooms.library.list)
        return CoreStatus(
            version=__version__,
            pid=os.getpid(),
            bench=str(self._rooms.paths.bench),
            started=self._started,
            strength=self._rooms.sandbox.strength,
            servers_ready=sum(state.status is ServerStatus.READY for state in states),
            servers=len(states),
            tools=len(self._catalog.tools()),
            agents=self._agents(),
            waiting=self._conveyor.number(RunState.WAITING),
            running=self._conveyor.number(RunState.RUNNING),
            skills=sum(skill.state is SkillState.KEPT for skill in skills),
            ledger=self._rooms.sessions.total(),
            interrupted=self._conveyor.interrupted,
            notices=self._notices(),
        )

    async def shut_down(self) -> None:
        self._shut_down()

    async def settings(self) -> Settings:
        return self._rooms.settings()

    async def change_setting(self, name: str, value: JsonValue) -> Settings:
        changed = change(self._rooms.settings(), name, value)
        write(self._rooms.paths.person_settings, name, value)
        self._set_settings(changed)
        self._note("setting.changed", f"{name} is {value!r} now")
        return changed

    # ── servers and tools ────────────────────────────────────────────────────────────────────────
    async def servers(self) -> tuple[ServerState, ...]:
        return self._catalog.states()

    async def connect(self, server: str) -> ServerState:
        self._note("server.allowed", f"You allowed {server} to start", server=server)
        return await self._catalog.connect(server)

    async def disconnect(self, server: str) -> ServerState:
        self._note("server.stopped", f"You disconnected {server}", server=server)
        return await self._catalog.disconnect(server)

    async def add_server(self, config: ServerConfig) -> ServerState:
        state = await self._catalog.add(config)
        self._note("server.added", f"You added {config.name}", server=config.name)
        return state

    async def remove_server(self, server: str) -> None:
        await self._catalog.remove(server)
        self._note("server.removed", f"You removed {server}", server=server)

    async def reload_servers(self) -> tuple[ServerState, ...]:
        return await self._catalog.reload()

    async def tools(self) -> tuple[ToolSummary, ...]:
        return self._catalog.summaries()

    async def tool(self, server: str, name: str) -> Tool:
        return self._catalog.tool(server, name)

    async def wrapper(self, server: str, name: str) -> str:
        tool = self._catalog.tool(server, name)
        return wrapper_source(tool, self._function(tool))

    async def search(self, query: str, depth: str, limit: int) -> SearchAnswer:
        return self._catalog.search(query, Depth(depth), limit)

    async def frames(self, server: str, after: float) -> tuple[Frame, ...]:
        return self._catalog.frames(server, after)

    async def stderr(self, server: str) -> tuple[str, ...]:
        return self._catalog.stderr(server)

    async def call(self, call: ToolCall) -> Outcome:
        """A person's call, whatever the door claims: the origin and session are set here."""
        session = self._rooms.sessions.person
        call = replace(call, id=call.id or uuid.uuid4().hex[:12], origin=Origin.PERSON, session=session.id, run_id="")
        task = asyncio.current_task()
        assert task is not None
        self._calls[call.id] = task
        try:
            return await self._broker.call(call, progress=self._broker.progress(call.id))
        except asyncio.CancelledError:
            if call.id not in self._taken_back:
                raise  # the door itself has gone
            task.uncancel()  # the question that is being answered here goes on: its answer is that it was cancelled
            fault = Fault("The call was cancelled.", "What the server had done until then stays done.")
            return Outcome(call.id, ok=False, fault=fault)
        finally:
            self._calls.pop(call.id, None)
            self._taken_back.discard(call.id)

    async def cancel_call(self, call_id: str) -> None:
        if task := self._calls.get(call_id):
            self._taken_back.add(call_id)
            task.cancel()

    async def call_as_code(self, server: str, tool: str, arguments: JsonValue) -> str:
        found = self._catalog.tool(server, tool)
        return call_source(found, self._function(found), dict(arguments))

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────
    async def assess(self, code: str) -> Verdict:
        return await self._conveyor.assess(code)

    async def submit(self, code: str, purpose: str, skill: str) -> Run:
        return self._conveyor.submit(code, self._rooms.sessions.person, purpose, skill=skill)

    async def runs(self) -> tuple[Run, ...]:
        return self._conveyor.runs()

    async def run(self, run_id: str) -> Run:
        return self._conveyor.run(run_id)

    async def decide(self, decision: Decision) -> Run:
        return self._conveyor.decide(replace(decision, by=BY))

    async def edit(self, run_id: str, code: str) -> Run:
        return await self._conveyor.edit(run_id, code)

    async def stop_run(self, run_id: str) -> Run:
        return await self._conveyor.stop(run_id)

    async def start_example_agent(self) -> None:
        await self._start_example()

    # ── skills ───────────────────────────────────────────────────────────────────────────────────
    async def skills(self) -> tuple[Skill, ...]:
        return await asyncio.to_thread(self._rooms.library.list)

    async def skill(self, name: str) -> Skill:
        return await asyncio.to_thread(self._rooms.library.get, name)

    async def draft_skill(self, name: str, description: str, code: str, run_id: str) -> Skill:
        text = canonical(code)
        if text.faults:
            raise WorkbenchError(text.faults[0].message, "Remove those characters first.")
        verdict = await self._conveyor.assess(text.text)
        tools = tuple(sorted({f"{use.server}.{use.tool}" for use in verdict.tools}))
        draft = self._rooms.library.draft
        skill = await asyncio.to_thread(draft, name, description, text.text, run_id, BY, tools)
        self._note("skill.drafted", f"You drafted the skill {skill.name}", run_id=run_id)
        return skill

    async def keep_skill(self, name: str, sha: str) -> Skill:
        """Its text comes from disk, so it is read once more before it is kept."""
        seen = await asyncio.to_thread(self._rooms.library.to_keep, name, sha)
        if faults := canonical(seen.code).faults:
            raise WorkbenchError(faults[0].message, "Remove those characters, then keep it.")
        verdict = await self._conveyor.assess(seen.code)
        skill = await asyncio.to_thread(self._rooms.library.keep, name, sha, BY)
        summary = f"You kept the skill {skill.name}, version {skill.version}"
        self._note("skill.kept", summary, run_id=skill.run_id, risk=str(verdict.risk))
        return skill

    async def retire_skill(self, name: str) -> Skill:
        skill = await asyncio.to_thread(self._rooms.library.retire, name)
        self._note("skill.retired", f"You retired the skill {skill.name}")
        return skill

    # ── memory, workspace, privacy ───────────────────────────────────────────────────────────────
    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        return await asyncio.to_thread(self._rooms.journal.entries, query)

    async def verify_audit(self) -> ChainReport:
        return await asyncio.to_thread(self._rooms.journal.verify)

    async def files(self) -> tuple[FileInfo, ...]:
        return await asyncio.to_thread(self._rooms.store.list)

    async def read_file(self, path: str) -> str:
        return await asyncio.to_thread(self._rooms.store.read, path)

    async def reveal(self, session: str, token: str) -> str:
        found = self._rooms.sessions.get(session)
        if found is None:
            raise WorkbenchError("That session is over.", "Its tokens went with it.")
        value = found.vault.reveal(token)
        self._note("privacy.reveal", f"You looked at {token}", session=session)
        return value

    # ── small things ─────────────────────────────────────────────────────────────────────────────
    @property
    def _catalog(self) -> Catalog:
        return self._rooms.catalog

    def _function(self, tool: Tool) -> str:
        names = [other.name for other in self._catalog.tools() if other.server == tool.server]
        return python_names(names)[tool.name]

    def _note(
        self, kind: str, summary: str, *, server: str = "", run_id: str = "", session: str = "person", risk: str = ""
    ) -> None:
        masked = self._rooms.sessions.person.mask(summary)
        self._rooms.journal.append(
            Note(kind=kind, summary=masked, actor=BY, server=server, run_id=run_id, session=session, risk=risk)
        )
