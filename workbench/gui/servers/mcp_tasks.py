"""The page of a server's tasks: what goes on there, how it ended, and what came of it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, lead_focus
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import clock
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.records import ServerState, ServerStatus, ServerTask

_BEAT = 2000  # milliseconds between two looks while the page is seen


class TasksPage(ServerPage):
    """The list above, the result of the chosen task below."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._tasks: dict[str, ServerTask] = {}
        self._asking = False
        self.model = RowsModel(self)
        self.view = RowsView(context.theme, "Tasks of the server")
        self.view.setModel(self.model)
        self.cancel = QPushButton(icon("stop"), "Cancel the task")
        self.fetch = QPushButton(icon("download"), "Show its result")
        self.result = ResultView(context)
        self._told = label("", "muted")
        self._none = (
            "No tasks",
            "Call a tool that works as a task: it stands here while it goes on, and as long as it is kept.",
        )
        self._empty = EmptyState(context.theme, "hourglass", *self._none)
        self._beat = QTimer(self, interval=_BEAT)
        self._lay_out()
        self._beat.timeout.connect(self._look)
        self.view.selection_changed.connect(self._fill)
        self.view.chosen.connect(self.run)
        self.cancel.clicked.connect(self._cancel)
        self.fetch.clicked.connect(self.run)
        self._fill()

    def look(self, *, seen: bool) -> None:
        if seen:
            self._look()
            self._beat.start()
        else:
            self._beat.stop()

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self._look()

    def run(self) -> bool:
        """Show the result of the chosen task."""
        task = self._tasks.get(self.view.key())
        if task is None or not task.has_result:
            return False
        self.context.tasks.run("fetch a task's result", self._fetched(task.id), self.result.show_json)
        return True

    def _look(self) -> None:
        if self.state.status is not ServerStatus.READY:
            self._show(())
        elif self.isVisible() and not self._asking:
            self._asking = True
            self.context.tasks.run("list tasks", self._read())

    async def _read(self) -> None:
        try:
            self._show(await self.context.api.server_tasks(self.server))
            self._empty.say(*self._none)
        except WorkbenchError as fault:  # said here, not every two seconds in a banner
            self._show(())
            self._empty.say(fault.message, fault.hint)
        finally:
            self._asking = False

    async def _fetched(self, task: str) -> str:
        text = await self.context.api.task_result(self.server, task)
        return (await fetch_whole(self.context.fetch, [text]))[0]

    def _cancel(self) -> None:
        if self.view.key():
            self.context.tasks.run("cancel a task", self._cancelled(self.view.key()))

    async def _cancelled(self, task: str) -> None:
        await self.context.api.cancel_task(self.server, task)
        await self._read()

    def _show(self, tasks: tuple[ServerTask, ...]) -> None:
        chosen = self.view.key()
        known = {task.id: task for task in tasks}
        if known != self._tasks:
            self._tasks = known
            self.model.show_rows([self._row(task) for task in tasks])
            if (place := self.model.find(chosen)).isValid():
                self.view.setCurrentIndex(place)
        self._fill()

    def _row(self, task: ServerTask) -> Row:
        word, tone, picture = {
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
            icon=picture,
            tone=tone,
            badges=((word, tone),),
            tip=task.id,
        )

    def _fill(self) -> None:
        task = self._tasks.get(self.view.key())
        self.cancel.setEnabled(task is not None and task.open)
        self.fetch.setEnabled(task is not None and task.has_result)
        going = sum(one.open for one in self._tasks.values())
        self._told.setText(f"{len(self._tasks)} tasks, {going} of them go on")
        self._stack.setCurrentWidget(self._split if self._tasks else self._empty)

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        strip.row.addWidget(self._told, 1)
        strip.row.addWidget(self.cancel)
        strip.row.addWidget(self.fetch)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(self.view)
        self._split.addWidget(self.result)
        self._split.setChildrenCollapsible(False)
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(body, 1)
        self._split.setFocusProxy(self.view)
        lead_focus(self, self._stack)
