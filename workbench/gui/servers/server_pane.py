"""The pages of one server (a sheet), and the pane that shows a sheet or the table of all servers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from workbench.events import DefinitionsBlocked, ToolsChanged, ToolsWarned
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import action_button, label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import state_word
from workbench.gui.servers.all_servers import AllServers
from workbench.gui.servers.server_connector import RUNNING
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import ConnectServers, DoAction, ShowTool
from workbench.records import ServerState, ServerStatus


class Page(Struct, frozen=True):
    """A page of a sheet."""

    id: str
    title: str
    needs: str = ""  # the capability without which the page would be empty


PAGES: tuple[Page, ...] = (
    Page("overview", "Overview"),
    Page("resources", "Resources"),
    Page("prompts", "Prompts"),
    Page("tasks", "Tasks", needs="tasks"),
    Page("log", "Log"),
    Page("protocol", "Protocol"),
    Page("trust", "Trust"),
    Page("changes", "Changes"),
    Page("sign_in", "Sign-in"),
    Page("doctor", "Doctor"),
    Page("roots", "Roots"),
)


def page_class(name: str) -> type[ServerPage]:
    """The class of a page; its module is imported when the page is first opened."""
    match name:
        case "overview":
            from workbench.gui.servers.overview import OverviewPage

            return OverviewPage
        case "resources":
            from workbench.gui.servers.resources import ResourcesPage

            return ResourcesPage
        case "prompts":
            from workbench.gui.servers.prompts import PromptsPage

            return PromptsPage
        case "tasks":
            from workbench.gui.servers.mcp_tasks import TasksPage

            return TasksPage
        case "log":
            from workbench.gui.servers.server_log import LogPage

            return LogPage
        case "protocol":
            from workbench.gui.servers.protocol import ProtocolPage

            return ProtocolPage
        case "trust":
            from workbench.gui.servers.trust_page import TrustPage

            return TrustPage
        case "changes":
            from workbench.gui.servers.definition_changes import ChangesPage

            return ChangesPage
        case "sign_in":
            from workbench.gui.servers.sign_in import SignInPage

            return SignInPage
        case "doctor":
            from workbench.gui.servers.doctor import DoctorPage

            return DoctorPage
    from workbench.gui.servers.roots import RootsPage

    return RootsPage


class ServerSheet(QWidget):
    """The pages of one server below its name, state and buttons. A page is created when it is first opened."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._state = state
        self._pages: dict[str, ServerPage] = {}  # by id, those that were opened
        self._picture, self._state_text = QLabel(), label("", "muted")
        self._name = ForeignLabel("", elide=True)
        self._connect = QPushButton("Connect")
        self._restart = QPushButton("Restart")
        self._disconnect = QPushButton("Disconnect")
        self._doctor = QPushButton("Find out why")
        self._remove = QPushButton("Remove")
        self._tabs = QTabBar()
        self._stack = QStackedWidget()
        self._lay_out(context.theme.unit)
        self._connect_signals()
        self._draw()
        self.show_page(PAGES[0].id)
        self._count_changes()

    def show_page(self, name: str) -> None:
        """Bring a page to the front; an unknown id changes nothing."""
        number = next((number for number, page in enumerate(PAGES) if page.id == name), None)
        if number is not None:
            self._tabs.setCurrentIndex(number)
            self._switch(number)

    def page(self) -> ServerPage:
        """The page in front."""
        return self._pages[PAGES[self._tabs.currentIndex()].id]

    def show_state(self, state: ServerState) -> None:
        self._state = state
        self._draw()
        for page in self._pages.values():
            page.show_state(state)

    def set_seen(self, *, seen: bool) -> None:
        self.page().set_seen(seen=seen)

    def _tools_changed(self, event: ToolsChanged | ToolsWarned | DefinitionsBlocked) -> None:
        if event.server == self._state.config.name:
            self._count_changes()

    def _count_changes(self) -> None:
        self._context.tasks.run("count changes", self._read_changes())

    async def _read_changes(self) -> None:
        name = self._state.config.name
        changes = await self._context.api.definition_changes(name)
        warnings = await self._context.api.warnings(name)
        blocked = sum(change.blocked for change in changes)
        self._set_title("changes", f"{blocked:,} blocked" if blocked else _count(len(changes) + len(warnings)))

    def _set_title(self, name: str, suffix: str) -> None:
        """The title of a page's tab, with a count or a short text after it."""
        for number, page in enumerate(PAGES):
            if page.id == name:
                self._tabs.setTabText(number, f"{page.title}  {suffix}" if suffix else page.title)

    def _switch(self, number: int) -> None:
        entry = PAGES[number]
        before = self._stack.currentWidget()
        if entry.id not in self._pages:
            page = page_class(entry.id)(self._context, self._commands, self._state)
            self._pages[entry.id] = page
            self._stack.addWidget(page)
            page.load()
        page = self._pages[entry.id]
        if isinstance(before, ServerPage) and before is not page:
            before.set_seen(seen=False)
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)
        page.set_seen(seen=self.isVisible())

    def _start(self, *, restart: bool = False) -> None:
        self._context.go(ConnectServers((self._state.config.name,), restart))

    def _stop(self) -> None:
        name = self._state.config.name
        self._context.tasks.run(f"disconnect {name}", self._context.api.disconnect(name))

    def _remove_server(self) -> None:
        """The action acts on the selected server, so this one is selected first."""
        self._context.go(ShowTool(self._state.config.name, ""))
        self._context.go(DoAction("server.remove"))

    def _lay_out(self, unit: int) -> None:
        head = QFrame()
        row = QHBoxLayout(head)
        row.setContentsMargins(unit * 3, unit * 3, unit * 3, unit)
        row.setSpacing(unit * 2)
        mark(self._name, role="heading")
        for part in (self._picture, self._name, self._state_text):
            row.addWidget(part, 1 if part is self._name else 0)
        for button in (self._connect, self._restart, self._disconnect, self._doctor, self._remove):
            row.addWidget(button)
        mark(self._connect, kind="primary")
        mark(self._remove, kind="quiet")
        row.addWidget(action_button(self._commands["servers.all"], self._context.theme))
        for page in PAGES:
            self._tabs.addTab(page.title)
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setUsesScrollButtons(True)
        self._tabs.setAccessibleName("Pages of the server")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self._tabs)
        column.addWidget(self._stack, 1)
        self._stack.setMinimumSize(unit * 90, unit * 40)  # a page that needs more is cut; the window must not grow

    def _connect_signals(self) -> None:
        store = self._context.store
        store.on(ToolsChanged, self._tools_changed)
        store.on(ToolsWarned, self._tools_changed)
        store.on(DefinitionsBlocked, self._tools_changed)
        self._tabs.currentChanged.connect(self._switch)
        self._context.theme.changed.connect(self._draw)
        self._connect.clicked.connect(partial(_without_argument, self._start))
        self._restart.clicked.connect(partial(_without_argument, partial(self._start, restart=True)))
        self._disconnect.clicked.connect(self._stop)
        self._doctor.clicked.connect(partial(_without_argument, partial(self.show_page, "doctor")))
        self._remove.clicked.connect(self._remove_server)

    def _has(self, capability: str) -> bool:
        return any(name == capability or name.startswith(f"{capability}.") for name in self._state.capabilities)

    def _draw(self) -> None:
        state = self._state
        self._set_title("resources", _count(state.resource_count))
        self._set_title("prompts", _count(state.prompt_count))
        for number, page in enumerate(PAGES):
            self._tabs.setTabVisible(number, not page.needs or self._has(page.needs))
        word = state_word(state)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._name.setText(state.config.name)
        self._state_text.setText(word.text)
        runs, failed = state.status in RUNNING, state.status is ServerStatus.FAILED
        self._connect.setText("Try again" if failed else "Connect")
        self._connect.setVisible(not runs)
        self._restart.setVisible(runs)
        self._disconnect.setVisible(runs)
        self._doctor.setVisible(failed)
        self._remove.setVisible(failed and not state.config.builtin)


def _without_argument(act: Callable[[], object], _checked: bool = False) -> None:
    """For `clicked`, which passes whether the button is checked."""
    act()


def _count(number: int) -> str:
    return f"{number:,}" if number else ""


class ServerPane(Pane):
    """`show_server` opens the sheet of a server; `show_all` the table of all servers."""

    named = Signal(str)
    """Carries the name of the server on screen; empty for all of them."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._sheets: dict[str, ServerSheet] = {}
        self._wanted: tuple[str, str, str] | None = None  # what to show once the servers are loaded
        self.all = AllServers(context, commands)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.all)
        self.setFocusProxy(self.all)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        context.store.server_changed.connect(self._show_state)
        context.store.server_removed.connect(self._drop)
        context.store.servers_loaded.connect(self._servers_loaded)

    def show_server(self, name: str, page: str = "", item: str = "") -> None:
        """Open a page of a server, and go to one of the entries that the page lists."""
        if name not in self.context.store.servers:
            self._wanted = (name, page, item)
            return
        self._wanted = None
        self._set_seen(seen=False)
        if name not in self._sheets:
            self._sheets[name] = ServerSheet(self.context, self._commands, self.context.store.servers[name])
            self._pages.addWidget(self._sheets[name])
        sheet = self._sheets[name]
        if page:
            sheet.show_page(page)
        self._pages.setCurrentWidget(sheet)
        self.setFocusProxy(sheet)
        self.named.emit(name)
        sheet.set_seen(seen=self.isVisible())
        if item:
            sheet.page().show_item(item)

    def show_all(self) -> None:
        self._set_seen(seen=False)
        self._pages.setCurrentWidget(self.all)
        self.setFocusProxy(self.all)
        self.named.emit("")

    def sheet(self) -> ServerSheet | None:
        """The sheet on screen."""
        shown = self._pages.currentWidget()
        return shown if isinstance(shown, ServerSheet) else None

    def run(self) -> bool:
        """Perform the main action of the page on screen; False if there is nothing to do."""
        sheet = self.sheet()
        return sheet is not None and sheet.page().run()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._set_seen(seen=True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._set_seen(seen=False)

    def _set_seen(self, *, seen: bool) -> None:
        if (sheet := self.sheet()) is not None:
            sheet.set_seen(seen=seen)

    def _servers_loaded(self) -> None:
        servers = self.context.store.servers
        for name in list(self._sheets):
            if name in servers:
                self._show_state(servers[name])
            else:
                self._drop(name)
        if self._wanted is not None and self._wanted[0] in servers:
            self.show_server(*self._wanted)

    def _show_state(self, state: ServerState) -> None:
        if (sheet := self._sheets.get(state.config.name)) is not None:
            sheet.show_state(state)

    def _drop(self, name: str) -> None:
        sheet = self._sheets.pop(name, None)
        if sheet is not None:
            if sheet is self.sheet():
                self.show_all()
            self._pages.removeWidget(sheet)
            sheet.hide()
            sheet.deleteLater()
