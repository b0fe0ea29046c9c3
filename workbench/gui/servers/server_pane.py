"""The pages of one server (a sheet), and the pane that shows a sheet or the table of all servers."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from msgspec import Struct
from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QTabBar, QWidget

from workbench.events import DefinitionsBlocked, ToolsChanged, ToolsWarned
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import action_button, label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import state_word
from workbench.gui.servers.all_servers import AllServers
from workbench.gui.servers.server_connector import RUNNING
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import ConnectServers, DoAction, ShowTool
from workbench.records import ServerState, ServerStatus


class Page(Struct, frozen=True):
    """A page of a sheet. Its module is imported when the page is first opened."""

    id: str
    title: str
    module: str
    class_name: str
    needs: str = ""  # the capability without which the page would be empty

    def make(self, context: Context, state: ServerState) -> ServerPage:
        module = import_module(f"workbench.gui.servers.{self.module}")
        page: ServerPage = getattr(module, self.class_name)(context, state)
        return page


PAGES: tuple[Page, ...] = (
    Page("overview", "Overview", "overview", "OverviewPage"),
    Page("resources", "Resources", "resources", "ResourcesPage"),
    Page("prompts", "Prompts", "prompts", "PromptsPage"),
    Page("tasks", "Tasks", "mcp_tasks", "TasksPage", needs="tasks"),
    Page("log", "Log", "server_log", "LogPage"),
    Page("protocol", "Protocol", "protocol", "ProtocolPage"),
    Page("trust", "Trust", "trust_page", "TrustPage"),
    Page("changes", "Changes", "definition_changes", "ChangesPage"),
    Page("sign_in", "Sign-in", "sign_in", "SignInPage"),
    Page("doctor", "Diagnosis", "doctor", "DoctorPage"),
    Page("roots", "Roots", "roots", "RootsPage"),
)
_NUMBERS = {page.id: number for number, page in enumerate(PAGES)}


class ServerSheet(QWidget):
    """The pages of one server below its name, state and buttons. A page is created when it is first opened."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__()
        self._context = context
        self._state = state
        self._pages: dict[str, ServerPage] = {}  # by id, those that were opened
        self._picture, self._state_text = QLabel(), label("", "muted")
        self._name = ForeignLabel("", elide=True, role="heading")
        self._buttons: dict[str, QPushButton] = {}
        self._tabs = QTabBar()
        self._stack = QStackedWidget()
        self._lay_out(context.theme.unit)
        context.store.on(ToolsChanged, self._tools_changed)
        context.store.on(ToolsWarned, self._tools_changed)
        context.store.on(DefinitionsBlocked, self._tools_changed)
        self._tabs.currentChanged.connect(self._switch)
        context.theme.changed.connect(self._draw)
        self._draw()
        self._switch(0)
        self._count_changes()

    def show_page(self, name: str) -> None:
        """Bring a page to the front; an unknown id changes nothing."""
        self._tabs.setCurrentIndex(_NUMBERS.get(name, self._tabs.currentIndex()))

    def page(self) -> ServerPage:
        """The page that is in front."""
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
        number = _NUMBERS[name]
        self._tabs.setTabText(number, f"{PAGES[number].title}  {suffix}".rstrip())

    def _switch(self, number: int) -> None:
        entry = PAGES[number]
        before = self._stack.currentWidget()
        if entry.id not in self._pages:
            page = self._pages[entry.id] = entry.make(self._context, self._state)
            self._stack.addWidget(page)
            page.load()
        page = self._pages[entry.id]
        if isinstance(before, ServerPage) and before is not page:
            before.set_seen(seen=False)
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)
        page.set_seen(seen=self.isVisible())

    def _start(self, restart: bool, _checked: bool = False) -> None:
        self._context.go(ConnectServers((self._state.config.name,), restart))

    def _stop(self) -> None:
        name = self._state.config.name
        self._context.tasks.run(f"disconnect {name}", self._context.api.disconnect(name))

    def _find_out_why(self) -> None:
        self.show_page("doctor")

    def _remove(self) -> None:
        """The action acts on the selected server, so this one is selected first."""
        self._context.go(ShowTool(self._state.config.name, ""))
        self._context.go(DoAction("server.remove"))

    def _lay_out(self, unit: int) -> None:
        for text, act in (
            ("Connect", partial(self._start, False)),
            ("Restart", partial(self._start, True)),
            ("Disconnect", self._stop),
            ("Find out why", self._find_out_why),
            ("Remove", self._remove),
        ):
            self._buttons[text] = QPushButton(text)
            self._buttons[text].clicked.connect(act)
        mark(self._buttons["Connect"], kind="primary")
        mark(self._buttons["Remove"], kind="quiet")
        for page in PAGES:
            self._tabs.addTab(page.title)
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setUsesScrollButtons(True)
        self._tabs.setAccessibleName("Pages of the server")
        all_servers = action_button(self._context.commands["servers.all"], self._context.theme)
        parts = (self._picture, self._name, self._state_text, *self._buttons.values(), all_servers)
        margins = (unit * 3, unit * 3, unit * 3, unit)
        head = row(None, *parts, margins=margins, spacing=unit * 2, grows=self._name)
        column(self, head, self._tabs, self._stack, grows=self._stack)
        self._stack.setMinimumSize(unit * 90, unit * 40)  # a page that needs more is cut; the window must not grow

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
        for text, shown in (
            ("Connect", not runs),
            ("Restart", runs),
            ("Disconnect", runs),
            ("Find out why", failed),
            ("Remove", failed and not state.config.builtin),
        ):
            self._buttons[text].setVisible(shown)


def _count(number: int) -> str:
    return f"{number:,}" if number else ""


class ServerPane(Pane):
    """`show_server` opens the sheet of a server; `show_all` the table of all servers."""

    named = Signal(str)
    """Carries the name of the server on screen; empty for all of them."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._sheets: dict[str, ServerSheet] = {}
        self._wanted: tuple[str, str, str] | None = None  # what to show once the servers are loaded
        self.all = AllServers(context)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.all)
        self.setFocusProxy(self.all)
        column(self, self._pages)
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
            self._sheets[name] = ServerSheet(self.context, self.context.store.servers[name])
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
        """The sheet that is shown; None for the table of all servers."""
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
