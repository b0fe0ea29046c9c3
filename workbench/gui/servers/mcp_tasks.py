"""The page with the MCP tasks of a server: their states, and the result of the selected one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction

from workbench.errors import WorkbenchError
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState, label
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import clock
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.records import ServerState, ServerStatus, ServerTask
from workbench.records.common_types import count_of

_POLL_MS = 2_000  # between two readings of the list while the page is seen
_WIDE = 150  # letters of width from which list and result are side by side
_NO_TASKS = ("No tasks", "A tool call that runs as a task is listed here until the server deletes the task.")


class TasksPage(ServerPage):
    """Reads the list regularly while it is seen."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self._tasks: dict[str, ServerTask] = {}
        self._reading = False
        self._summary = label("", "muted")
        self.empty = EmptyState(context.theme, "hourglass", *_NO_TASKS)
        self.list = ListPane(context.theme, "Tasks of the server", self.empty)
        self.result = ResultView(context)
        self.fetch_action = QAction(icon("download"), "Show result", self)
        self.cancel_action = QAction(icon("stop"), "Cancel task", self)
        self._timer = QTimer(self, interval=_POLL_MS)
        self.list.strip.row.addWidget(self._summary, 1)
        self.list.add_actions(self.fetch_action, self.cancel_action)
        self.list.set_menu(self._menu_actions)
        column(self, AdaptiveSplit(_WIDE, (1, 1), self.list, self.result))
        self.setFocusProxy(self.list)
        self._timer.timeout.connect(self._update)
        self.list.selection_changed.connect(self._draw)
        self.list.chosen.connect(self.run)
        self.fetch_action.triggered.connect(self.run)
        self.cancel_action.triggered.connect(self._cancel)
        self._draw()

    def set_seen(self, *, seen: bool) -> None:
        if seen:
            self._update()
            self._timer.start()
        else:
            self._timer.stop()

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self._update()

    def run(self) -> bool:
        """Show the result of the selected task."""
        task = self._tasks.get(self.list.key())
        if task is None or not task.has_result:
            return False
        self.context.tasks.run("read the result of a task", self._fetch(task.id), self.result.show_json)
        return True

    def _update(self) -> None:
        if self.state.status is not ServerStatus.READY:
            self._show(())
        elif self.isVisible() and not self._reading:
            self._reading = True
            self.context.tasks.run("list tasks", self._read())

    async def _read(self) -> None:
        try:
            self._show(await self.context.api.server_tasks(self.server))
            self.empty.say(*_NO_TASKS)
        except WorkbenchError as fault:  # shown here, because a banner every two seconds would be too much
            self._show(())
            self.empty.say(fault.message, fault.hint)
        finally:
            self._reading = False

    async def _fetch(self, task: str) -> str:
        text = await self.context.api.task_result(self.server, task)
        return (await fetch_whole(self.context.fetch, [text]))[0]

    def _cancel(self) -> None:
        if key := self.list.key():
            self.context.tasks.run("cancel a task", self._cancel_task(key))

    async def _cancel_task(self, task: str) -> None:
        await self.context.api.cancel_task(self.server, task)
        await self._read()

    def _show(self, tasks: tuple[ServerTask, ...]) -> None:
        self._tasks = {task.id: task for task in tasks}
        self.list.show_rows([_task_row(task) for task in tasks])
        self._draw()

    def _menu_actions(self, _key: str) -> Sequence[QAction]:
        return (self.fetch_action, self.cancel_action)

    def _draw(self) -> None:
        task = self._tasks.get(self.list.key())
        self.cancel_action.setEnabled(task is not None and task.open)
        self.fetch_action.setEnabled(task is not None and task.has_result)
        open_tasks = sum(task.open for task in self._tasks.values())
        self._summary.setText(f"{count_of(len(self._tasks), 'task')}, {open_tasks:,} open")
        self.result.setVisible(bool(self._tasks))


def _task_row(task: ServerTask) -> Row:
    word, tone, symbol = {
        "working": ("working", "info", "loader"),
        "input_required": ("needs input", "warning", "hourglass"),
        "completed": ("done", "success", "check"),
        "failed": ("failed", "danger", "alert"),
    }.get(task.status, ("cancelled", "muted", "ban"))
    return Row(
        key=task.id,
        title=one_line(task.tool or task.id, 80),
        detail=one_line(task.message or task.id, 200),
        aside=f"since {clock(task.since)}" if task.since else "",
        icon=symbol,
        tone=tone,
        badges=((word, tone),),
        tip=task.id,
    )
