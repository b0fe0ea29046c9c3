"""Answers what a person asks of the tasks that a server keeps."""

from __future__ import annotations

from workbench.catalog import task_list
from workbench.desk.seat import Seat
from workbench.records import ServerTask


class TasksDesk(Seat):
    """Of servers that offer tasks."""

    async def server_tasks(self, server: str) -> tuple[ServerTask, ...]:
        return await task_list.list_tasks(self._catalog.server(server), self._patience)

    async def cancel_task(self, server: str, task: str) -> None:
        self._note("task.cancelled", f"You cancelled the task {task:.100} at {server}", server=server)
        await task_list.cancel_task(self._catalog.server(server), task, self._patience)

    async def task_result(self, server: str, task: str) -> str:
        self._note("task.fetched", f"You fetched the result of the task {task:.100} from {server}", server=server)
        return await task_list.task_result(self._catalog.server(server), task, self._patience)

    @property
    def _patience(self) -> float:
        return self._rooms.settings().server_call_seconds
