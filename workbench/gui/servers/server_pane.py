"""The pages of one server, and the pane that shows them or the table of all servers."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from workbench.events import DefinitionsBlocked, Event, ServerChanged, ServerRemoved, ToolsChanged, ToolsWarned
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import action_button, label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import state_word
from workbench.gui.servers.all_servers import AllServers
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.records import ServerState

Make = Callable[[Context, Commands, ServerState], ServerPage]


class Page(Struct, frozen=True):
    """One page; what draws it is imported when a person first looks at it."""

    id: str
    title: str
    make: Make
    needs: str = ""  # a capability without which there is nothing to show


def _overview(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.overview import OverviewPage

    return OverviewPage(context, commands, state)


def _sign_in(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.sign_in import SignInPage

    return SignInPage(context, commands, state)


def _resources(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.resources import ResourcesPage

    return ResourcesPage(context, commands, state)


def _prompts(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.prompts import PromptsPage

    return PromptsPage(context, commands, state)


def _log(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.server_log import LogPage

    return LogPage(context, commands, state)


def _doctor(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.doctor import DoctorPage

    return DoctorPage(context, commands, state)


def _protocol(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.protocol import ProtocolPage

    return ProtocolPage(context, commands, state)


def _changes(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.definition_changes import ChangesPage

    return ChangesPage(context, commands, state)


def _tasks(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.mcp_tasks import TasksPage

    return TasksPage(context, commands, state)


def _roots(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.roots import RootsPage

    return RootsPage(context, commands, state)


def _trust(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.servers.trust_page import TrustPage

    return TrustPage(context, commands, state)


PAGES: tuple[Page, ...] = (
    Page("overview", "Overview", _overview),
    Page("resources", "Resources", _resources),
    Page("prompts", "Prompts", _prompts),
    Page("tasks", "Tasks", _tasks, needs="tasks"),
    Page("log", "Log", _log),
    Page("protocol", "Protocol", _protocol),
    Page("trust", "Trust", _trust),
    Page("changes", "Changes", _changes),
    Page("sign_in", "Sign-in", _sign_in),
    Page("doctor", "Doctor", _doctor),
    Page("roots", "Roots", _roots),
)


class ServerSheet(QWidget):
    """Pages are made when first looked at, and then stay as they were left."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._state = state
        self._made: dict[str, ServerPage] = {}
        self._picture, self._word = QLabel(), label("", "muted")
        self._name = ForeignLabel("", elide=True)
        self._tabs = QTabBar()
        self._pages = QStackedWidget()
        self._lay_out(context.theme.unit)
        self._tabs.currentChanged.connect(self._switched)
        context.theme.changed.connect(self._draw)
        self._draw()
        self.look_at(PAGES[0].id)
        self._count_changes()

    def look_at(self, name: str) -> None:
        """Bring a page to the front; an unknown name changes nothing."""
        found = next((number for number, page in enumerate(PAGES) if page.id == name), None)
        if found is not None:
            self._tabs.setCurrentIndex(found)
            self._switched(found)

    def page(self) -> ServerPage:
        """The page in front."""
        return self._made[PAGES[self._tabs.currentIndex()].id]

    def show_state(self, state: ServerState) -> None:
        self._state = state
        self._draw()
        for page in self._made.values():
            page.show_state(state)

    def hear(self, event: Event) -> None:
        if (
            isinstance(event, ToolsChanged | DefinitionsBlocked | ToolsWarned)
            and event.server == self._state.config.name
        ):
            self._count_changes()
        for page in self._made.values():
            page.hear(event)

    def refresh(self) -> None:
        for page in self._made.values():
            page.refresh()

    def look(self, *, seen: bool) -> None:
        self.page().look(seen=seen)

    def mark_page(self, name: str, words: str) -> None:
        """A word beside a page's title: how many there are, or that something is new. Empty takes it away."""
        for number, page in enumerate(PAGES):
            if page.id == name:
                title = page.title
                self._tabs.setTabText(number, f"{title}  {words}" if words else title)

    def _count_changes(self) -> None:
        self._context.tasks.run("count changes", self._read_changes())

    async def _read_changes(self) -> None:
        """What waits for a person is said where it can be opened."""
        name = self._state.config.name
        changes = await self._context.api.definition_changes(name)
        odd = await self._context.api.warnings(name)
        blocked = sum(one.blocked for one in changes)
        words = f"{blocked} blocked" if blocked else str(len(changes) + len(odd) or "")
        self.mark_page("changes", words)

    def _switched(self, number: int) -> None:
        entry = PAGES[number]
        before = self._pages.currentWidget()
        if entry.id not in self._made:
            page = entry.make(self._context, self._commands, self._state)
            self._made[entry.id] = page
            self._pages.addWidget(page)
            page.refresh()
        page = self._made[entry.id]
        if isinstance(before, ServerPage) and before is not page:
            before.look(seen=False)
        self._pages.setCurrentWidget(page)
        self.setFocusProxy(page)
        page.look(seen=self.isVisible())

    def _lay_out(self, unit: int) -> None:
        head = QFrame()
        row = QHBoxLayout(head)
        row.setContentsMargins(unit * 3, unit * 3, unit * 3, unit)
        row.setSpacing(unit * 2)
        mark(self._name, role="heading")
        for part in (self._picture, self._name, self._word):
            row.addWidget(part, 1 if part is self._name else 0)
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
        column.addWidget(self._pages, 1)
        # A page that wants more than there is gets cut; it must not make the window grow.
        self._pages.setMinimumSize(unit * 90, unit * 40)

    def _has(self, capability: str) -> bool:
        return any(word == capability or word.startswith(f"{capability}.") for word in self._state.capabilities)

    def _draw(self) -> None:
        self.mark_page("resources", str(self._state.resource_count or ""))
        self.mark_page("prompts", str(self._state.prompt_count or ""))
        for number, page in enumerate(PAGES):
            self._tabs.setTabVisible(number, not page.needs or self._has(page.needs))
        word = state_word(self._state)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._name.setText(self._state.config.name)
        self._word.setText(word.text)


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
            self._sheets[name] = sheet
            self._pages.addWidget(sheet)
        sheet = self._sheets[name]
        if page:
            sheet.look_at(page)
        self._pages.setCurrentWidget(sheet)
        self.setFocusProxy(sheet)
        self.named.emit(name)
        sheet.look(seen=self.isVisible())
