"""All pages of one server, with its name and state above them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from workbench.events import DefinitionsBlocked, Event, ToolsChanged, ToolsWarned
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.icons import pixmap
from workbench.gui.server.page import ServerPage
from workbench.gui.server.pages import PAGES
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import action_button, label
from workbench.gui.words import state_word
from workbench.records import ServerState


class ServerSheet(QWidget):
    """Pages are made when first looked at, and then stay as they were left."""

    wished = Signal(object)
    """Carries one record of `workbench.gui.wishes`."""

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
            page.wished.connect(self.wished)
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
