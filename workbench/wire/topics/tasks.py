"""What a person asks of the tasks that a server keeps."""

from __future__ import annotations

from typing import Protocol

from workbench.records import ServerTask


class TaskQuestions(Protocol):
    """Of servers that offer tasks."""

    async def server_tasks(self, server: str) -> tuple[ServerTask, ...]:
        """Newest first; none while it does not run."""

    async def cancel_task(self, server: str, task: str) -> None: ...

    async def task_result(self, server: str, task: str) -> str:
        """Of a task that ended: the raw answer of its call, as JSON text."""
