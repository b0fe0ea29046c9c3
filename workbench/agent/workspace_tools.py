"""The workspace and long answers, for an agent: in pieces, without personal data, and written by a program only."""

from __future__ import annotations

import asyncio
from typing import Final

from workbench.agent import tool_calls as given
from workbench.agent.program_tools import Context, ProgramTools
from workbench.agent.tool_calls import ToolAnswer, sliced
from workbench.broker.agent_sessions import Session
from workbench.broker.provenance_index import UNTRUSTED, AnswerRead
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.privacy.text_kinds import TextKind
from workbench.records import JsonObject
from workbench.records.runs import ENDS
from workbench.runs.agent_files import listed, read, writing
from workbench.runs.run_finalizer import FOLDER
from workbench.runs.run_manager import RunManager

LONGEST_RESULT: Final = 10_000_000  # characters of an answer that is fetched in slices


class WorkspaceTools:
    """Tools for files of the workspace, for one agent."""

    def __init__(self, services: Services, run_manager: RunManager, session: Session, programs: ProgramTools) -> None:
        self._services = services
        self._run_manager = run_manager
        self._session = session
        self._programs = programs
        self._result = ("", "")  # the last run whose answer was fetched, and it, masked: its next slice costs nothing

    async def put(self, context: Context, arguments: JsonObject) -> ToolAnswer:
        """`write_workspace_file`: what a program could do unasked happens at once, the rest waits for the user."""
        path = given.text(arguments, "path")
        code = writing(self._session, path, given.text(arguments, "content"))
        return await self._programs.run(context, code, f"Write the file {path[:200]}.", "file")

    async def read(self, arguments: JsonObject) -> ToolAnswer:
        """`read_workspace_file`. Its author is unknown, so its reader counts as having read untrusted text."""
        path = given.text(arguments, "path")
        text = await read(self._services, self._session, path, given.number(arguments, "first_line", 1))
        self._learn("", "workspace", path, text)
        return ToolAnswer(text, kind=TextKind.PUBLIC)  # masked when it was read

    async def list(self, arguments: JsonObject) -> ToolAnswer:
        """`list_workspace_files`."""
        text = await listed(self._services, self._session, given.text(arguments, "folder", ""))
        return ToolAnswer(text, kind=TextKind.PUBLIC)

    async def result(self, arguments: JsonObject) -> ToolAnswer:
        """`get_run`: where a run stands, its answer once it is over, and more of an answer that was cut, for the agent
        whose run it was. What a program returned may be what strangers wrote, so its reader counts as having read
        that."""
        run = self._programs.find(given.text(arguments, "run_id", ""))
        if run.state not in ENDS:
            run = await self._programs.until(run.id, given.number(arguments, "wait", 0))
        if run.state not in ENDS:
            return self._programs.standing(run)
        if self._result[0] != run.id:
            try:
                self._result = (run.id, await asyncio.to_thread(self._masked, f"{FOLDER}/{run.id}.txt"))
            except WorkbenchError:  # it was short, or is not kept
                self._result = (run.id, run.model_view)
        whole = self._programs.answer(run)
        offset, budget = given.number(arguments, "offset", 0), self._services.settings().run_answer_tokens
        answer = sliced(self._result[1] or whole.text, offset, budget, f"get_run({run.id!r})")
        self._learn(run.id, "workbench", "get_run", answer.text)
        pictures = () if offset else whole.pictures
        return ToolAnswer(answer.text, {**whole.facts, **answer.facts}, pictures)

    def _learn(self, run_id: str, server: str, what: str, text: str) -> None:
        """With what stands behind tokens: a call that passes one on is looked at as its server would get it."""
        texts = (self._session.vault.restore(text),)
        self._session.provenance.learn(AnswerRead("", run_id, server, what, frozenset({UNTRUSTED}), texts))

    def _masked(self, path: str) -> str:
        """On a thread. Masked as a whole before anything is cut."""
        return self._session.mask_output(self._services.workspace_files.read(path)[:LONGEST_RESULT])
