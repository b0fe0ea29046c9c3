"""The Python API: `from workbench import Orchestrator`.

It uses the same API of a project's core as the window: the policy checks every task, the sandbox runs it, and the audit
records it. No window is needed. A task that needs approval waits for the user in a window (`attended=True`) or is
refused at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from workbench.api.client import CoreConnection, connect
from workbench.api.client_stub import CoreApi
from workbench.api.run_completion import TaskStats, connect_allowed_servers, wait_for_run
from workbench.errors import WorkbenchError
from workbench.paths import paths_of
from workbench.records import Decision, HeldCallAnswer, JsonValue, Run, RunState, Skill, SkillState

__all__ = ["Orchestrator", "Stats", "Task", "TaskResult", "TaskStats"]

ALONE = "No user was available to answer."


@dataclass(slots=True)
class Task:
    """A program and its purpose. `status` changes while it runs: pending, waiting, running, then the final status."""

    id: str = ""
    description: str = ""
    code: str = ""
    required_tools: Sequence[str] = ()  # the tools or whole servers that the task may call; empty: all
    status: str = "pending"
    language: str = "python"
    profile: str = ""  # name of the run profile
    timeout: float = 0.0  # seconds, at most what the settings allow; 0: the limit from the settings


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result of a task. `data` and `output` are unmasked; `for_model` has PII tokens in place of personal data."""

    task: str
    run: str  # ID of the run, as shown in the window and the audit
    status: str  # done, failed, refused, stopped
    data: JsonValue = None
    output: str = ""
    error: str = ""
    hint: str = ""
    stats: TaskStats = field(default_factory=TaskStats)
    for_model: str = ""

    @property
    def success(self) -> bool:
        return self.status == RunState.DONE


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of a project's servers, tools, skills and tasks."""

    servers: int
    tools: int
    skills: int
    active_tasks: int
    max_concurrent_tasks: int


class Orchestrator:
    """Runs tasks and skills in a project.

    With `attended`, approval requests wait for the user. With `allow`, they are allowed automatically: the author of
    the script is responsible for its programs. Without both, they are denied.
    """

    def __init__(
        self,
        project: str | Path | None = None,
        *,
        attended: bool = False,
        allow: bool = False,
        bench: str | Path | None = None,  # name of `project` in version 0.1
    ) -> None:
        folder = bench if project is None else project
        self._paths = paths_of(None if folder is None else Path(folder).expanduser())
        self._attended = attended
        self._allow = allow
        self._open: CoreConnection | None = None

    async def __aenter__(self) -> Orchestrator:
        await self.initialize()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def initialize(self) -> None:
        """Connect to the core, start it if necessary, and load the tools of all servers that may start."""
        if self._open is None or self._open.closed.is_set():
            self._open = await connect(self._paths, role="script")
        await connect_allowed_servers(self._api)

    async def close(self) -> None:
        """Disconnect. The core exits when no other client uses it."""
        if self._open is not None:
            connection, self._open = self._open, None
            await connection.close()

    async def execute_task(self, task: Task) -> TaskResult:
        """Run the task and return its result. A failed or refused program is a result; a failed submission raises."""
        return await self._run_task(task)

    async def execute_skill(self, name: str, arguments: Mapping[str, JsonValue] | None = None) -> TaskResult:
        """Run a kept skill with these arguments."""
        code = await self._api.call_of_skill(name, dict(arguments or {}))
        return await self._run_task(Task(name, f"The skill {name}", code))

    async def save_skill(
        self, name: str, description: str, code: str, tags: Sequence[str] = (), *, keep: bool = False
    ) -> Skill:
        """Add a program to the skill library as a draft.

        Agents and programs cannot use a draft. It becomes usable when the user keeps it in the window, or here with
        `keep=True`: then the author of the script is responsible for the program.
        """
        draft = await self._api.draft_skill(name, description, code, "", tuple(tags))
        return await self._api.keep_skill(draft.name, draft.sha) if keep else draft

    async def search_skills(self, query: str = "", limit: int = 20) -> tuple[Skill, ...]:
        """Kept skills that match the query, best match first. An empty query returns all of them."""
        skills = await self._api.skills()
        kept = {skill.name: skill for skill in skills if skill.state is SkillState.KEPT}
        if not query.strip():
            return tuple(kept.values())[:limit]
        found = await self._api.find(query, ("skill",), limit)
        return tuple(kept[find.name] for find in found.finds if find.name in kept)

    async def get_stats(self) -> Stats:
        """Current counts for the project, including the work of other clients."""
        status, settings = await self._api.status(), await self._api.settings()
        active = status.running + status.waiting
        return Stats(status.servers, status.tools, status.skills, active, settings.run_concurrent)

    @property
    def _api(self) -> CoreApi:
        return self._connection.api

    @property
    def _connection(self) -> CoreConnection:
        if self._open is None:
            raise WorkbenchError("The orchestrator is not open.", "Call `await orchestrator.initialize()` first.")
        return self._open

    async def _run_task(self, task: Task) -> TaskResult:
        submitted = await self._api.submit(
            task.code, task.description, "", "", task.language, task.profile, tuple(task.required_tools),
            task.timeout,
        )  # fmt: skip
        task.status = str(RunState.RUNNING)

        async def attend(run: Run) -> None:
            task.status = str(run.state)
            if self._allow or not self._attended:
                await self._answer(run)

        try:
            run = await wait_for_run(self._connection, submitted.id, attend)
        except BaseException:
            task.status = str(RunState.STOPPED)
            raise
        task.status = str(run.state)
        return await self._result(task, run)

    async def _answer(self, run: Run) -> None:
        """Allow what waits for approval if `allow` was set, otherwise deny it."""
        reason = "" if self._allow else ALONE
        if run.state is RunState.WAITING:
            answer = Decision(
                run.id, run.proposal.sha, allow=self._allow, by="", reason=reason, fingerprint=run.fingerprint
            )
            await self._api.decide(answer)
        for held_call in run.held_calls:
            await self._api.answer_held_call(HeldCallAnswer(held_call.id, allow=self._allow, reason=reason))

    async def _result(self, task: Task, run: Run) -> TaskResult:
        fetch_text = self._connection.fetch_full_text
        result, output = await fetch_text(run.result), await fetch_text(run.output)
        fault = run.fault
        detail = f"\n{fault.detail}" if fault and fault.detail else ""
        return TaskResult(
            task.id,
            run.id,
            str(run.state),
            json.loads(result) if result else None,
            output,
            f"{fault.message}{detail}" if fault else "",
            fault.hint if fault else "",
            TaskStats.of(run),
            await fetch_text(run.model_view),
        )


MCPOrchestrator, AgentTask = Orchestrator, Task  # alternative names that existing programs use
