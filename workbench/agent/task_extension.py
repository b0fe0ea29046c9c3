"""MCP tasks (SEP-2663) for agents: a call whose run takes long or waits for the user is answered with a task.

The id of a task names its run and carries a signature, so it needs no table, and it is valid after a reconnection and
after a restart of the core. Whoever has the id can get the task, as the extension specifies; the result is masked when
the run ends. Only clients that declare the extension with their request get tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import mcp.types as T
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from workbench.agent.approval_elicitation import ApprovalElicitation
from workbench.agent.program_tools import Context, ProgramTools
from workbench.agent.protocol_identity import TASKS
from workbench.agent.signed_run_ids import LONGEST_ID, SignedRunIds
from workbench.agent.tool_calls import ToolAnswer, to_call_result
from workbench.errors import WorkbenchError
from workbench.privacy.text_kinds import KindMarks, TextKind
from workbench.records import JsonObject, Run, RunState
from workbench.records.runs import ENDS

POLL_WAITING_MS: Final = 2_000  # suggested pause between polls while the run waits for the user
POLL_RUNNING_MS: Final = 500
TTL_MS: Final = 7 * 24 * 3_600_000  # how long a task can be got after its creation
PROMPT_SECONDS: Final = 10.0  # a run that takes longer is answered with a task


def declares_tasks(context: Context) -> bool:
    """Whether the client declared the extension with this request."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return False
    capabilities = context.session.client_capabilities
    return capabilities is not None and TASKS in (capabilities.extensions or {})


class TaskParams(T.RequestParams):
    """Parameters of `tasks/get` and `tasks/cancel`."""

    task_id: str


class TaskUpdateParams(TaskParams):
    """Parameters of `tasks/update`."""

    input_responses: T.InputResponses


class TaskExtension:
    """The tasks of one agent's connection."""

    def __init__(
        self,
        programs: ProgramTools,
        elicitation: ApprovalElicitation,
        ids: SignedRunIds,
        marks: KindMarks,
        register: Callable[..., None],
    ) -> None:
        """`register`: adds a request handler to the server of the connection."""
        self._programs = programs
        self._elicitation = elicitation
        self._ids = ids
        self._marks = marks
        register("tasks/get", TaskParams, self._get)
        register("tasks/update", TaskUpdateParams, self._update)
        register("tasks/cancel", TaskParams, self._cancel)

    def defer(self, context: Context, run: Run, seconds: float) -> dict[str, Any] | None:  # Any: JSON
        """Return a task or a request for the user's input, if the client understands it and the run needs it."""
        asks = self._programs.asks_user(run.id)
        if declares_tasks(context):
            return self._created(run) if asks or seconds > PROMPT_SECONDS else None
        if not asks or context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return None
        requests = self._elicitation.requests(run) if self._elicitation.is_possible(context) else {}
        if not requests:
            return None
        state = self._fixed(self._ids.id_of(run.id))
        return {"resultType": "input_required", "inputRequests": _wire(requests), "requestState": state}

    def ask_during_call(self, context: Context, run_id: str) -> Coroutine[None, None, None] | None:
        """Return what asks the user in a client of an older protocol while its call is open."""
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        if modern or not context.session.can_send_request or not self._elicitation.is_possible(context):
            return None
        return self._elicitation.ask_during_call(context, run_id)

    def shows_form(self, run: Run) -> bool:
        """Return whether a run waits for something that a form in the client can still answer."""
        return bool(self._elicitation.requests(run))

    async def resume(self, context: Context, params: T.CallToolRequestParams) -> ToolAnswer:
        """Answer a call that is repeated with the user's input."""
        run_id = self._ids.run_of((params.request_state or "")[:LONGEST_ID])
        if not run_id:
            raise WorkbenchError("The requestState is unknown or damaged.", "Make the call again without it.")
        self._elicitation.apply(run_id, params.input_responses or {})
        return await self._programs.wait_on(context, self._programs.run_of_task(run_id))

    def _created(self, run: Run) -> dict[str, Any]:
        """Return the answer to a call whose run goes on as a task."""
        self._programs.keep_as_task(run.id)
        kept = self._programs.run_of_task(run.id)  # with the longer time that a task has
        state = {
            key: value
            for key, value in self._state(self._ids.id_of(run.id), kept, asks_client=False).items()
            if key != "result"
        }
        return {**state, "resultType": "task"}

    async def _get(self, context: Context, params: TaskParams) -> JsonObject:
        run = self._find(context, params.task_id)
        asks_client = self._elicitation.is_possible(context)
        return {**self._state(params.task_id, run, asks_client=asks_client), "resultType": "complete"}

    async def _update(self, context: Context, params: TaskUpdateParams) -> T.EmptyResult:
        run = self._find(context, params.task_id)
        self._elicitation.apply(run.id, params.input_responses)
        return T.EmptyResult()

    async def _cancel(self, context: Context, params: TaskParams) -> T.EmptyResult:
        run = self._find(context, params.task_id)
        if run.state not in ENDS:
            self._programs.cancel(run.id, "Its agent cancelled the task.")
        return T.EmptyResult()

    def _find(self, context: Context, task_id: str) -> Run:
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(T.METHOD_NOT_FOUND, "Method not found")
        if not declares_tasks(context):
            needed: JsonObject = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            raise MCPError(T.MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", needed)
        try:
            return self._programs.run_of_task(self._ids.run_of(task_id[:LONGEST_ID]))
        except WorkbenchError as fault:
            raise MCPError(T.INVALID_PARAMS, self._fixed("There is no such task.")) from fault

    def _state(self, task_id: str, run: Run, *, asks_client: bool) -> JsonObject:
        """Return a task as `tasks/get` describes it."""
        over = run.state in ENDS
        waiting = not over and self._programs.asks_user(run.id)
        made, changed = run.proposal.at, run.ended or run.started or run.proposal.at
        state: JsonObject = {
            "taskId": self._fixed(task_id),
            "status": "completed" if over else "working",
            "statusMessage": self._fixed(self._programs.status_text(run)),
            "createdAt": self._fixed(_iso(made)),
            "lastUpdatedAt": self._fixed(_iso(changed)),
            "ttlMs": TTL_MS,
            "pollIntervalMs": POLL_WAITING_MS if waiting else POLL_RUNNING_MS,
        }
        if run.state is RunState.STOPPED and self._programs.was_cancelled(run.id):
            return {**state, "status": "cancelled"}
        if over:
            result = to_call_result(self._programs.answer(run), self._marks, structured=run.proposal.wish != "call")
            return {**state, "result": result.model_dump(by_alias=True, mode="json", exclude_none=True)}
        if asks_client and (requests := self._elicitation.requests(run)):
            return {**state, "status": "input_required", "inputRequests": _wire(requests)}
        return state

    def _fixed(self, text: str) -> str:
        return self._marks.mark(text, TextKind.FIXED)


def _wire(requests: Mapping[str, T.ElicitRequest]) -> JsonObject:
    return {key: one.model_dump(by_alias=True, mode="json", exclude_none=True) for key, one in requests.items()}


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
