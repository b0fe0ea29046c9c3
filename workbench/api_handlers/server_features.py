"""API methods about server features other than tools: resources, prompts, tasks, logs, elicitation."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import nullcontext

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.elicitation_audit import ElicitationAudit, given_fields
from workbench.broker.resource_reading import ResourceReader
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import Ask, Outcome, PromptAnswer, ServerTask
from workbench.runs.run_manager import RunManager
from workbench.servers import mcp_tasks


class ResourceHandler(RequestHandler):
    """Resources, prompts, completions, and a server's log."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._reader = ResourceReader(services)

    @api
    async def read_resource(self, server: str, uri: str) -> Outcome:
        """The content of a resource; starts the server if it is stopped."""
        return await self._reader.resource(uuid.uuid4().hex[:12], server, uri, self._services.sessions.person)

    @api(decides=True)
    async def subscribe_resource(self, server: str, uri: str, on: bool) -> None:
        """Subscribe to changes of a resource (`ResourcesUpdated`), or unsubscribe."""
        await self._catalog.offered.subscribe(server, uri, on=on)
        words = "subscribed to" if on else "unsubscribed from"
        self._note("resource.subscribed" if on else "resource.unsubscribed", f"You {words} {uri:.300}", server=server)

    @api
    async def get_prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> PromptAnswer:
        """A prompt filled in with arguments, which are texts by name."""
        return await self._reader.prompt(server, name, arguments, self._services.sessions.person)

    @api(decides=True)
    async def set_log_level(self, server: str, level: str) -> None:
        """Set the lowest level at which the server logs."""
        await self._catalog.offered.set_log_level(server, level)
        self._note("server.log-level", f"You set the log level of {server} to {level}", server=server)


class ServerTaskHandler(RequestHandler):
    """MCP tasks of servers that support them."""

    @api
    async def server_tasks(self, server: str) -> tuple[ServerTask, ...]:
        """The server's tasks, newest first; none while the server is stopped."""
        return await mcp_tasks.list_tasks(self._catalog.server(server), self._timeout)

    @api(decides=True)
    async def cancel_task(self, server: str, task: str) -> None:
        self._note("task.cancelled", f"You cancelled the task {task:.100} of {server}", server=server)
        await mcp_tasks.cancel_task(self._catalog.server(server), task, self._timeout)

    @api
    async def task_result(self, server: str, task: str) -> str:
        """The result of a task that ended: the raw answer of its call, as JSON text."""
        self._note("task.fetched", f"You fetched the result of the task {task:.100} from {server}", server=server)
        return await mcp_tasks.task_result(self._catalog.server(server), task, self._timeout)

    @property
    def _timeout(self) -> float:
        return self._services.settings().server_call_seconds


class ElicitationHandler(RequestHandler):
    """Elicitation and sampling requests that wait for the user."""

    def __init__(self, services: Services, elicitations: ElicitationAudit, run_manager: RunManager) -> None:
        super().__init__(services)
        self._elicitations = elicitations
        self._manager = run_manager

    @api(decides=True, consent=True)
    async def answer_ask(self, ask_id: str, action: str, content: str) -> Ask:
        """Accept, decline or cancel a request; `content` is JSON text: a form's values, a model's message, or a
        reason."""
        ask = next((one for one in self._catalog.asks.all() if one.id == ask_id), None)
        if ask is None:
            hint = "It was answered, or its server or its call has ended."
            raise WorkbenchError("This request is no longer open.", hint)
        answered = self._catalog.asks.answer(ask_id, action, self._elicitations.unmask_answer(ask, content))
        if action == "accept" and ask.kind == "form":
            fields = given_fields(content) or "none"
            summary = f"You sent {ask.server} these fields: {fields}"
            self._note("elicitation.values_sent", summary, server=ask.server, run_id=ask.run_id)
        return answered

    @api
    async def attend(self, approvals_only: bool = False) -> None:
        """Count the caller as present for approval requests and, unless `approvals_only`, for elicitation. The call
        does not return; the caller cancels it."""
        servers = nullcontext() if approvals_only else self._catalog.asks.attending()
        with self._manager.approvals.attending(), servers:
            await asyncio.Event().wait()
