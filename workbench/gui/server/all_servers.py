"""All servers at once: state, speed, memory, calls and errors side by side, refreshed while somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.events import Event, ServerChanged, ServerRemoved, ServersArranged
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.icons import icon
from workbench.gui.models.all_servers import COLUMNS, AllServersModel, Standing, title
from workbench.gui.pane import Pane
from workbench.gui.server.servers_table import ServersTable
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, Strip, action_button, label, lead_focus, search_box
from workbench.gui.wishes import ConnectServers, ShowServer
from workbench.records import ServerStatus

_BEAT = 2000  # milliseconds between two looks while the page is seen
_PAUSE = 150  # milliseconds without a key before the list is sifted
_RUNNING = (ServerStatus.READY, ServerStatus.STARTING)


class AllServers(Pane):
    """The filter above, the table, and what they are together below."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.model = AllServersModel(context.theme, self)
        self.table = ServersTable(context, self.model)
        self.finder = search_box("Filter servers", "Filter servers by any words about them")
        self.start = QPushButton(icon("plug"), "Connect")
        self.stop = QPushButton(icon("unplug"), "Disconnect")
        self.totals = label("", "muted")
        self._empty = EmptyState(context.theme, "server", "", "")
        self._beat = QTimer(self, interval=_BEAT)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._lay_out(commands)
        self._bind()
        self._fill()

    def hear(self, event: Event) -> None:
        match event:
            case ServerChanged(state):
                self._keep_chosen(partial(self.model.put, state))
            case ServerRemoved(name):
                self._keep_chosen(partial(self.model.remove, name))
            case ServersArranged():
                self.refresh()

    def refresh(self) -> None:
        if self.isVisible():
            self.context.tasks.run("look at all servers", self._read())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        self._beat.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._beat.stop()

    async def _read(self) -> None:
        states, vitals = await self.context.api.servers(), await self.context.api.all_vitals()
        self._keep_chosen(lambda: self.model.load(states, vitals))

    # what a person does

    def _open(self) -> None:
        standing = self.model.standing_at(self.table.currentIndex())
        if standing is not None:
            self.wished.emit(ShowServer(standing.name))

    def _connect(self) -> None:
        chosen = (one for one in self.table.standings() if one.state.status not in _RUNNING)
        if names := tuple(one.name for one in chosen if not one.state.config.disabled):
            self.wished.emit(ConnectServers(names))

    def _disconnect(self) -> None:
        for standing in self.table.standings():
            if standing.state.status in _RUNNING:
                self.context.tasks.run(f"disconnect {standing.name}", self.context.api.disconnect(standing.name))

    def _ask(self, place: QPoint) -> None:
        """What can be done with the chosen servers, and the order: all of it by keyboard too."""
        menu = QMenu(self.table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("server"), "Open", self._open).setEnabled(bool(self.table.standings()))
        menu.addAction(self.start.icon(), "Connect", self._connect).setEnabled(self.start.isEnabled())
        menu.addAction(self.stop.icon(), "Disconnect", self._disconnect).setEnabled(self.stop.isEnabled())
        order = menu.addMenu("Sort by")
        order.addAction("The project's own order", partial(self._sort, -1))
        for column in range(COLUMNS):
            order.addAction(title(column), partial(self._sort, column))
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _sort(self, column: int) -> None:
        """Once more by the same column turns the order round."""
        head = self.table.horizontalHeader()
        again = head.sortIndicatorSection() == column and head.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder if again else Qt.SortOrder.AscendingOrder)

    def _typed(self, letters: str) -> None:
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.finder.setText(letters)

    def _sift(self) -> None:
        self._pause.stop()
        self._keep_chosen(lambda: self.model.filter(self.finder.text()))

    def _to_table(self) -> None:
        self._sift()
        if self.model.rowCount():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            if not self.table.currentIndex().isValid():
                self.table.setCurrentIndex(self.model.index(0, 0))

    # looks

    def _keep_chosen(self, change: Callable[[], None]) -> None:
        """What was chosen stays so, also where the rows are laid anew."""
        chosen = [standing.name for standing in self.table.standings()]
        current = self.model.standing_at(self.table.currentIndex())
        change()
        if current is not None and not self.table.currentIndex().isValid():
            self._choose(chosen, current.name)
        self.table.fit_columns()
        self._fill()

    def _choose(self, names: list[str], current: str) -> None:
        selection = self.table.selectionModel()
        flags = QItemSelectionModel.SelectionFlag
        for name in names:
            selection.select(self.model.find(name), flags.Select | flags.Rows)
        selection.setCurrentIndex(self.model.find(current), flags.NoUpdate)

    def _fill(self) -> None:
        chosen, everyone = self.table.standings(), self.model.standings()
        self.start.setEnabled(any(one.state.status not in _RUNNING and not one.state.config.disabled for one in chosen))
        self.stop.setEnabled(any(one.state.status in _RUNNING for one in chosen))
        self.totals.setText(self._sum(everyone))
        if everyone:
            self._empty.say("No server fits", "Clear the filter to see all of them.")
        else:
            self._empty.say("No servers yet", "Add a server, or import those of other apps.")
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._empty)

    def _sum(self, everyone: tuple[Standing, ...]) -> str:
        """All of them together; what nobody does or has is left out."""
        running = [one for one in everyone if one.runs]
        memory = sum(one.vitals.memory_mb for one in running)
        failed = sum(one.state.status is ServerStatus.FAILED for one in everyone)
        tools = sum(one.state.tool_count for one in running)
        calls, errors = (sum(getattr(one.vitals, name) for one in everyone) for name in ("calls", "errors"))
        parts = [f"{len(running)} of {len(everyone)} run"]
        parts += [f"{failed} failed"] if failed else []
        parts += [f"{memory:,.0f} MB"] if memory else []
        parts += [f"{tools:,} tools"] if tools else []
        parts += [f"{calls:,} calls, {errors:,} errors"] if calls else []
        return "  ·  ".join(parts)

    def _lay_out(self, commands: Commands) -> None:
        theme = self.context.theme
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 1)
        for button in (self.start, self.stop):
            mark(button, kind="quiet")
            strip.row.addWidget(button)
        strip.row.addWidget(action_button(commands["server.add"], theme))
        table = QWidget()
        self._stack = QStackedLayout(table)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        foot = Strip(theme)
        mark(foot, kind="foot")
        foot.row.addWidget(self.totals, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(table, 1)
        column.addWidget(foot)
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        self._beat.timeout.connect(self.refresh)
        self._pause.timeout.connect(self._sift)
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._to_table)
        self.start.clicked.connect(self._connect)
        self.stop.clicked.connect(self._disconnect)
        self.table.chosen.connect(self._open)
        self.table.typed.connect(self._typed)
        self.table.selectionModel().selectionChanged.connect(self._fill)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._ask)
