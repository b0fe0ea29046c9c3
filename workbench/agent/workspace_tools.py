"""Workspace files and long answers for an agent: read in slices with personal data masked, and written only by a
program."""

from __future__ import annotations

import asyncio
from typing import Final

from workbench.agent import tool_calls as given
from workbench.agent.program_tools import Context, ProgramTools
from workbench.agent.tool_calls import ToolAnswer, slice_text
from workbench.broker.agent_sessions import Session
from workbench.broker.provenance_index import UNTRUSTED, AnswerRead
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.privacy.text_kinds import TextKind
from workbench.records import JsonObject
from workbench.records.runs import ENDS
from workbench.runs.agent_files import list_files, read_lines, writing_program
from workbench.runs.run_finalizer import FOLDER
from workbench.runs.run_manager import RunManager

LONGEST_RESULT: Final = 10_000_000  # characters of a stored answer that can be read in slices


class WorkspaceTools:
    """Tools for files of the workspace, for one agent."""

    def __init__(self, services: Services, run_manager: RunManager, session: Session, programs: ProgramTools) -> None:
        self._services = services
        self._run_manager = run_manager
        self._session = session
        self._programs = programs
        self._result = ("", "")  # run id and masked answer of the last request, so that the next slice needs no masking

    async def write_file(self, context: Context, arguments: JsonObject) -> ToolAnswer:
        """Answers `write_workspace_file`: writes that need no approval happen at once, others wait for the user."""
        path = given.text(arguments, "path")
        code = writing_program(self._session, path, given.text(arguments, "content"))
        return await self._programs.run(context, code, f"Write the file {path[:200]}.", "file")

    async def read_file(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `read_workspace_file`. The file's author is unknown, so the session counts as having read
        untrusted text."""
        path = given.text(arguments, "path")
        text = await read_lines(self._services, self._session, path, given.number(arguments, "first_line", 1))
        self._learn("", "workspace", path, text)
        return ToolAnswer(text, kind=TextKind.PUBLIC)  # masked when it was read

    async def list_files(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `list_workspace_files`."""
        text = await list_files(self._services, self._session, given.text(arguments, "folder", ""))
        return ToolAnswer(text, kind=TextKind.PUBLIC)

    async def result(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `get_run`: the state of a run, its answer once it has ended, and further slices of an answer that
        was cut. Only for the agent that started the run. What the session's own program returned is the text that
        `execute_code` would have answered with, and what it read was recorded call by call. An answer that was stored
        as a file, or that belongs to an earlier connection, counts as untrusted text that the session has read."""
        run = self._programs.find_run(given.text(arguments, "run_id", ""))
        if run.state not in ENDS:
            run = await self._programs.wait_for_end(run.id, given.number(arguments, "wait", 0))
        if run.state not in ENDS:
            return self._programs.describe_open(run)
        own = run.proposal.session == self._session.id
        if not own:  # only what was masked with the values of its own session
            self._result = (run.id, run.model_view)
        elif self._result[0] != run.id:
            try:
                self._result = (run.id, await asyncio.to_thread(self._masked, f"{FOLDER}/{run.id}.txt"))
            except WorkbenchError:  # the answer was short, or is not stored
                self._result = (run.id, run.model_view)
        whole = self._programs.answer(run)
        offset, budget = given.number(arguments, "offset", 0), self._services.settings().run_answer_tokens
        answer = slice_text(self._result[1] or whole.text, offset, budget, f"get_run({run.id!r})")
        if not own or self._result[1] != run.model_view:
            self._learn(run.id, "workbench", "get_run", answer.text)
        pictures = () if offset else whole.pictures
        facts: JsonObject = {"run": run.id, "state": str(run.state), **answer.facts}
        return ToolAnswer(answer.text, facts, pictures, note=whole.note)

    def _learn(self, run_id: str, server: str, what: str, text: str) -> None:
        """Record a read text with its real values, because a later call that passes on a token is compared as its
        server would receive it."""
        texts = (self._session.vault.restore(text),)
        self._session.provenance.learn(AnswerRead("", run_id, server, what, frozenset({UNTRUSTED}), texts))

    def _masked(self, path: str) -> str:
        """Return the complete stored answer, masked before it is cut. Runs on a thread."""
        return self._session.mask_output(self._services.workspace_files.read(path)[:LONGEST_RESULT])
