"""The Python API: `from workbench import Orchestrator`.

It talks to the core of a project as the window does: the policy judges every task, the sandbox runs it, and the audit
records it. No window is needed. What needs approval waits for the user in a window, or is refused at once: `attended`.
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

ALONE = "Nobody was there to be asked."


@dataclass(slots=True)
class Task:
    """A program and what it is for. `status` follows it: pending, waiting, running, then how it ended."""

    id: str = ""
    description: str = ""
    code: str = ""
    required_tools: Sequence[str] = ()  # all it may call: tools or whole servers; none: any
    status: str = "pending"
    language: str = "python"
    profile: str = ""  # the bounds it runs within
    timeout: float = 0.0  # seconds, within the settings; 0: as the settings say


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What came of a task. `data` and `output` are as they are; `for_model` has tokens in place of personal data."""

    task: str
    run: str  # finds it in the window and the audit
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
    """The project in five numbers."""

    servers: int
    tools: int
    skills: int
    active_tasks: int
    max_concurrent_tasks: int


class Orchestrator:
    """Runs tasks and skills in a project. With `attended`, what needs the user waits for them; with `allow`, whoever
    runs this script stands behind its programs, and what would ask is allowed; else it is refused."""

    def __init__(
        self,
        project: str | Path | None = None,
        *,
        attended: bool = False,
        allow: bool = False,
        bench: str | Path | None = None,  # the name of `project` in version 0.1
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
        """Reach the core, which is started when none runs, and learn the tools of every server that may start."""
        if self._open is None or self._open.closed.is_set():
            self._open = await connect(self._paths, role="script")
        await connect_allowed_servers(self._api)

    async def close(self) -> None:
        """Disconnect. The core ends by itself when no other client needs it."""
        if self._open is not None:
            connection, self._open = self._open, None
            await connection.close()

    async def execute_task(self, task: Task) -> TaskResult:
        """Run it to its end. A program that fails or is refused is a result; one that could not be submitted raises."""
        return await self._carry(task)

    async def execute_skill(self, name: str, arguments: Mapping[str, JsonValue] | None = None) -> TaskResult:
        """Run a kept skill with these arguments."""
        code = await self._api.call_of_skill(name, dict(arguments or {}))
        return await self._carry(Task(name, f"The skill {name}", code))

    async def save_skill(
        self, name: str, description: str, code: str, tags: Sequence[str] = (), *, keep: bool = False
    ) -> Skill:
        """Put a program into the library as a draft. Agents and programs get it once it is kept: by the user in the
        window, or here by whoever writes this script and stands behind the program."""
        draft = await self._api.draft_skill(name, description, code, "", tuple(tags))
        return await self._api.keep_skill(draft.name, draft.sha) if keep else draft

    async def search_skills(self, query: str = "", limit: int = 20) -> tuple[Skill, ...]:
        """Kept skills that fit, the best first; all of them without a query."""
        skills = await self._api.skills()
        kept = {skill.name: skill for skill in skills if skill.state is SkillState.KEPT}
        if not query.strip():
            return tuple(kept.values())[:limit]
        found = await self._api.find(query, ("skill",), limit)
        return tuple(kept[find.name] for find in found.finds if find.name in kept)

    async def get_stats(self) -> Stats:
        """Of the project right now, whoever is at work on it."""
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

    async def _carry(self, task: Task) -> TaskResult:
        begun = await self._api.submit(
            task.code, task.description, "", "", task.language, task.profile, tuple(task.required_tools),
            task.timeout,
        )  # fmt: skip
        task.status = str(RunState.RUNNING)

        async def attend(run: Run) -> None:
            task.status = str(run.state)
            if self._allow or not self._attended:
                await self._answer(run)

        try:
            run = await wait_for_run(self._connection, begun.id, attend)
        except BaseException:
            task.status = str(RunState.STOPPED)
            raise
        task.status = str(run.state)
        return await self._result(task, run)

    async def _answer(self, run: Run) -> None:
        """With the word of whoever runs this script, or with a refusal."""
        reason = "" if self._allow else ALONE
        if run.state is RunState.WAITING:
            answer = Decision(
                run.id, run.proposal.sha, allow=self._allow, by="", reason=reason, fingerprint=run.fingerprint
            )
            await self._api.decide(answer)
        for held_call in run.held_calls:
            await self._api.answer_held_call(HeldCallAnswer(held_call.id, allow=self._allow, reason=reason))

    async def _result(self, task: Task, run: Run) -> TaskResult:
        whole = self._connection.whole
        result, output = await whole(run.result), await whole(run.output)
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
            await whole(run.model_view),
        )


MCPOrchestrator, AgentTask = Orchestrator, Task  # by the names that programs written elsewhere know
