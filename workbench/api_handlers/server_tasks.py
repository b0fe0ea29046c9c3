"""API methods about MCP tasks of servers."""

from __future__ import annotations

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.records import ServerTask
from workbench.servers import mcp_tasks


class ServerTaskHandler(RequestHandler):
    """Tasks of servers that offer them."""

    @api
    async def server_tasks(self, server: str) -> tuple[ServerTask, ...]:
        """Newest first; none while it does not run."""
        return await mcp_tasks.list_tasks(self._catalog.server(server), self._patience)

    @api(decides=True)
    async def cancel_task(self, server: str, task: str) -> None:
        self._note("task.cancelled", f"You cancelled the task {task:.100} at {server}", server=server)
        await mcp_tasks.cancel_task(self._catalog.server(server), task, self._patience)

    @api
    async def task_result(self, server: str, task: str) -> str:
        """Of a task that ended: the raw answer of its call, as JSON text."""
        self._note("task.fetched", f"You fetched the result of the task {task:.100} from {server}", server=server)
        return await mcp_tasks.task_result(self._catalog.server(server), task, self._patience)

    @property
    def _patience(self) -> float:
        return self._services.settings().server_call_seconds
