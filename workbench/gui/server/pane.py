"""All servers, or the chosen one. Sheets of other servers wait behind it as they were left."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.events import Event, ServerChanged, ServerRemoved
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.pane import Pane
from workbench.gui.server.all_servers import AllServers
from workbench.gui.server.sheet import ServerSheet
from workbench.records import ServerState


class ServerPane(Pane):
    """`show_server` opens one, and the rest is in its sheet; `show_all` puts them side by side."""

    named = Signal(str)
    """Carries the name of the server on screen; empty for all of them."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._sheets: dict[str, ServerSheet] = {}
        self._states: dict[str, ServerState] = {}
        self.all = AllServers(context, commands)
        self.all.wished.connect(self.wished)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.all)
        self.setFocusProxy(self.all)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def show_server(self, name: str, page: str = "", item: str = "") -> None:
        """Open a server, on a page of its sheet, at one of the things that the page lists."""
        self.context.tasks.run("open a server", self._show(name, page, item))

    def show_all(self) -> None:
        """All servers side by side."""
        self._look(seen=False)
        self._pages.setCurrentWidget(self.all)
        self.setFocusProxy(self.all)
        self.named.emit("")

    def sheet(self) -> ServerSheet | None:
        """The sheet on screen."""
        shown = self._pages.currentWidget()
        return shown if isinstance(shown, ServerSheet) else None

    def run(self) -> bool:
        """Do what the page on screen is for; False when it has nothing to run."""
        sheet = self.sheet()
        return sheet is not None and sheet.page().run()

    def hear(self, event: Event) -> None:
        if isinstance(event, ServerChanged):
            self._put(event.state)
        elif isinstance(event, ServerRemoved):
            self._drop(event.name)
        self.all.hear(event)
        for sheet in self._sheets.values():
            sheet.hear(event)

    def refresh(self) -> None:
        if self._sheets:
            self.context.tasks.run("read servers", self._read())
        self.all.refresh()
        for sheet in self._sheets.values():
            sheet.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look(seen=True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._look(seen=False)

    def _look(self, *, seen: bool) -> None:
        if (sheet := self.sheet()) is not None:
            sheet.look(seen=seen)

    async def _show(self, name: str, page: str, item: str) -> None:
        if name not in self._states:
            await self._read()
        if name in self._states:
            self._present(name, page)
            if item:
                self._sheets[name].page().show_item(item)

    async def _read(self) -> None:
        for state in await self.context.api.servers():
            self._put(state)

    def _put(self, state: ServerState) -> None:
        self._states[state.config.name] = state
        if (sheet := self._sheets.get(state.config.name)) is not None:
            sheet.show_state(state)

    def _drop(self, name: str) -> None:
        self._states.pop(name, None)
        sheet = self._sheets.pop(name, None)
        if sheet is not None:
            if sheet is self.sheet():
                self.show_all()
            self._pages.removeWidget(sheet)
            sheet.hide()
            sheet.deleteLater()

    def _present(self, name: str, page: str) -> None:
        self._look(seen=False)
        if name not in self._sheets:
            sheet = ServerSheet(self.context, self._commands, self._states[name])
            sheet.wished.connect(self.wished)
            self._sheets[name] = sheet
            self._pages.addWidget(sheet)
        sheet = self._sheets[name]
        if page:
            sheet.look_at(page)
        self._pages.setCurrentWidget(sheet)
        self.setFocusProxy(sheet)
        self.named.emit(name)
        sheet.look(seen=self.isVisible())
