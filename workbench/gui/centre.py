"""The centre of the window: welcome page, servers, tools, editor and other pages, each a tab that can be closed.

Pages bring the forms and the editor with them. They are made after the first frame or when they are first needed, and
get their tab when they are first shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.shell.actions import EDITOR
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.tabs import TabbedPane, add_close_button
from workbench.gui.shell.window_state import OpenPages
from workbench.gui.welcome import Welcome

if TYPE_CHECKING:
    from workbench.gui.editor.editor_pane import EditorPane
    from workbench.gui.files.file_page import FilesPage
    from workbench.gui.privacy.privacy_pane import PrivacyPane
    from workbench.gui.servers.server_pane import ServerPane
    from workbench.gui.settings.settings_page import SettingsPane
    from workbench.gui.skills.skill_page import SkillPane
    from workbench.gui.tools.tool_pane import ToolPane

P = TypeVar("P", bound=Pane)
T = TypeVar("T", bound=TabbedPane)
_TITLE = 40  # characters of a tab's title
_LEAST_WIDTH, _LEAST_HEIGHT = 90, 36  # in units: the centre can be as small as this, whatever its pages need
PAGE_NAMES = ("welcome", "server", "tool", "editor", "privacy", "files", "skill", "settings")
"""The attributes of `Centre` that are pages, as the session of the window names them."""


class Centre(QTabWidget):
    """`setCurrentWidget` gives a page its tab if it has none. A closed page stays as it was left."""

    welcome_closed = Signal()
    pages_changed = Signal()
    """A page was opened, closed, moved or brought to the front, or shows something else."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        commands = context.commands
        self._tabs: dict[Pane, tuple[str, str]] = {}  # icon and title of every page, in the order they were made
        self._items: dict[Pane, str] = {}  # the server, skill or file that a page shows
        self._closed: list[Callable[[], None]] = []  # each opens a closed tab again, the last one first
        self.welcome = Welcome(context, self)
        self._tabs[self.welcome] = ("home", "Welcome")
        self.setDocumentMode(True)
        self.setIconSize(QSize(context.theme.unit * 3 + 2, context.theme.unit * 3 + 2))
        self.tabBar().setAccessibleName("Pages")
        self.tabBar().setExpanding(False)
        self.currentChanged.connect(self._turned)
        self.tabBar().tabMoved.connect(self.pages_changed)
        self.tabBar().tabCloseRequested.connect(self._close)
        tabs: dict[str, Callable[[], None]] = {
            "tab.close": self._close_tab,
            "tab.reopen": self._reopen_tab,
            "tab.next": partial(self._step_tab, 1),
            "tab.previous": partial(self._step_tab, -1),
            "tab.move_right": partial(self._move_tab, 1),
            "tab.move_left": partial(self._move_tab, -1),
        }
        for name, act in tabs.items():
            commands.bind(name, act)
        commands["tab.next"].setShortcuts([QKeySequence("Ctrl+Tab"), QKeySequence("Ctrl+PgDown")])
        commands["tab.previous"].setShortcuts([QKeySequence("Ctrl+Shift+Tab"), QKeySequence("Ctrl+PgUp")])
        self.show_welcome()

    # pages

    @cached_property
    def server(self) -> ServerPane:
        from workbench.gui.servers.server_pane import ServerPane

        pane = self._add(ServerPane(self._context, self), "server", "All servers")
        pane.named.connect(partial(self._show_item, pane, "All servers"))
        return pane

    @cached_property
    def tool(self) -> ToolPane:
        from workbench.gui.tools.tool_pane import ToolPane

        return self._add_tabbed(ToolPane(self._context, self), "tool", "Tools")

    @cached_property
    def editor(self) -> EditorPane:
        from workbench.gui.editor.editor_pane import EditorPane

        return self._add_tabbed(EditorPane(self._context, self), "code", "Editor")

    @cached_property
    def privacy(self) -> PrivacyPane:
        from workbench.gui.privacy.privacy_pane import PrivacyPane

        return self._add(PrivacyPane(self._context, self), "eye-off", "Personal data")

    @cached_property
    def files(self) -> FilesPage:
        from workbench.gui.files.file_page import FilesPage

        pane = self._add(FilesPage(self._context, self), "folder", "Files")
        pane.named.connect(partial(self._rename, pane))
        return pane

    @cached_property
    def skill(self) -> SkillPane:
        from workbench.gui.skills.skill_page import SkillPane

        pane = self._add(SkillPane(self._context, self._context.commands, self), "book", "Skill")
        pane.named.connect(partial(self._show_item, pane, "Skill"))
        return pane

    @cached_property
    def settings(self) -> SettingsPane:
        from workbench.gui.settings.settings_page import SettingsPane

        return self._add(SettingsPane(self._context, self), "settings", "Settings")

    def is_front(self, page: str) -> bool:
        """Whether the page with this attribute name is shown; this does not make it."""
        return self.currentWidget() is self.__dict__.get(page, self)

    def make_all(self) -> None:
        """After the first frame: make the pages that are wanted most, without showing them."""
        for pane in (self.server, self.tool, self.editor):
            pane.hide()

    def show_page(self, pane: P) -> P:
        """Bring a page to the front."""
        self.setCurrentWidget(pane)
        return pane

    def show_file(self, path: str) -> None:
        """Open a file of the workspace."""
        self._items[self.files] = path
        self.show_page(self.files).show_file(path)

    def show_changes(self, name: str) -> None:
        """Open the changes that a run made to files."""
        self._items.pop(self.files, None)
        self.show_page(self.files).show_changes(name)

    def show_welcome(self) -> None:
        self.setCurrentWidget(self.welcome)

    def hide_welcome(self) -> None:
        self.removeTab(self.indexOf(self.welcome))

    def show_privacy(self, page: str, session: str = "") -> None:
        """Open one page about personal data; `session`: whose values."""
        self.show_page(self.privacy).look(page, session)

    def show_settings(self, name: str = "") -> None:
        """Open the page Settings, at a setting if there is a name."""
        self.show_page(self.settings).show_setting(name)

    # the pages that are open

    def open_pages(self) -> OpenPages:
        """What the next start of the window opens again."""
        made: list[tuple[int, str, Pane]] = [
            (self.indexOf(pane), name, pane) for name in PAGE_NAMES if (pane := self.__dict__.get(name)) is not None
        ]
        shown = [(name, pane) for place, name, pane in sorted(made, key=itemgetter(0)) if place >= 0]
        pages = tuple((name, self._items.get(pane, ""), self._inner_page(pane)) for name, pane in shown)
        return OpenPages(pages, next((name for name, _ in shown if self.is_front(name)), ""))

    def reopen_page(self, name: str, item: str, inner: str) -> None:
        """Give a page without a tab its tab again, without bringing it to the front."""
        pane: Pane = getattr(self, name)
        if self.indexOf(pane) >= 0:
            return
        self._add_tab(pane)
        self._items[pane] = item
        if name == "server" and item:
            self.server.show_server(item, inner)
        elif name == "skill":
            self.skill.show_skill(item)
        elif name == "files":
            self.files.show_file(item)

    def bring_back(self, name: str) -> None:
        """Bring a page to the front if it has a tab."""
        pane = self.__dict__.get(name)
        if isinstance(pane, Pane) and self.indexOf(pane) >= 0:
            self.setCurrentWidget(pane)

    def _inner_page(self, pane: Pane) -> str:
        if pane is not self.__dict__.get("server") or (sheet := self.server.sheet()) is None:
            return ""
        from workbench.gui.servers.server_pane import PAGES

        return next((page.id for page in PAGES if page.class_name == type(sheet.page()).__name__), "")

    # what is in front

    def minimumSizeHint(self) -> QSize:
        """A page that needs more room is squeezed: Qt would enlarge the window, also beyond its screen."""
        unit = self._context.theme.unit
        return super().minimumSizeHint().boundedTo(QSize(unit * _LEAST_WIDTH, unit * _LEAST_HEIGHT))

    def setCurrentWidget(self, widget: QWidget) -> None:
        if isinstance(widget, Pane):
            self._add_tab(widget)
        super().setCurrentWidget(widget)

    def _add_tab(self, widget: Pane) -> None:
        if self.indexOf(widget) < 0:
            symbol, title = self._tabs[widget]
            place = 0 if widget is self.welcome else self.count()
            place = self.insertTab(place, widget, icon(symbol), title)
            add_close_button(self.tabBar(), place, title, self._context.theme)
            self.pages_changed.emit()

    def start_front(self) -> bool:
        """Run what is in front; False when nothing there can run."""
        if self.is_front("tool") and self.tool.page() is not None:
            self.tool.run()
        elif self.is_front("editor") and self.editor.has_text():
            self.editor.run()
        else:
            return self.is_front("server") and self.server.run()
        return True

    def go_on(self) -> None:
        """Run the program in the editor with the variables of the last one; without a program, begin one."""
        self.setCurrentWidget(self.editor)
        if self.editor.has_text():
            self.editor.go_on()
        elif self.editor.current_tab() is None:
            self.editor.new_program()

    def dry_run(self) -> None:
        """Start a dry run of the program in the editor; without a program, begin one."""
        self.setCurrentWidget(self.editor)
        if self.editor.current_tab() is None:
            self.editor.new_program()
        else:
            self.editor.dry_run()

    def take_keyboard(self) -> None:
        front = self.currentWidget()
        if front is not None:
            front.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keep(self) -> None:
        """Write what was typed to disk."""
        if "editor" in self.__dict__:
            self.editor.keep()

    # tabs: those of the page in front if it has some, else the pages themselves

    def _bar(self, fewest: int = 1) -> QTabBar:
        front = self.currentWidget()
        return front.tab_bar if isinstance(front, TabbedPane) and front.tab_bar.count() >= fewest else self.tabBar()

    def _close_tab(self) -> None:
        bar = self._bar()
        bar.tabCloseRequested.emit(bar.currentIndex())
        self.take_keyboard()

    def _reopen_tab(self) -> None:
        """The editor keeps its closed tabs from one start of the window to the next."""
        (self._closed.pop() if self._closed else partial(self._reopen_in, self.editor))()
        self.take_keyboard()

    def _reopen_in(self, pane: TabbedPane) -> None:
        self.show_page(pane).reopen()

    def _step_tab(self, step: int) -> None:
        bar = self._bar(fewest=2)
        bar.setCurrentIndex((bar.currentIndex() + step) % bar.count())
        self.take_keyboard()

    def _move_tab(self, step: int) -> None:
        bar = self._bar()
        if 0 <= bar.currentIndex() + step < bar.count():
            bar.moveTab(bar.currentIndex(), bar.currentIndex() + step)

    def _close(self, place: int) -> None:
        pane = self.widget(place)
        if pane is None:
            return
        self.removeTab(place)
        self.pages_changed.emit()
        self._closed.append(partial(self.setCurrentWidget, pane))
        if pane is self.welcome:
            self.welcome_closed.emit()
        if not self.count():
            self.show_welcome()

    # inside

    def _add(self, pane: P, symbol: str, title: str) -> P:
        """A page to work in has the ground of the docks; the welcome page has the window's."""
        self._tabs[pane] = (symbol, title)
        pane.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        mark(pane, kind="page")
        return pane

    def _add_tabbed(self, pane: T, symbol: str, title: str) -> T:
        pane.front_wanted.connect(partial(self.setCurrentWidget, pane))
        pane.tab_closed.connect(lambda: self._closed.append(partial(self._reopen_in, pane)))
        return self._add(pane, symbol, title)

    def _turned(self, _number: int) -> None:
        self._context.commands.set_condition(EDITOR, self.is_front("editor"))
        self.pages_changed.emit()

    def _show_item(self, pane: Pane, otherwise: str, item: str) -> None:
        """A page shows this server or skill now; `otherwise` is its title without one."""
        self._items[pane] = item
        self._rename(pane, item or otherwise)

    def _rename(self, pane: Pane, title: str) -> None:
        text = one_line(title, _TITLE).replace("&", "&&")
        self._tabs[pane] = (self._tabs[pane][0], text)
        self.setTabText(self.indexOf(pane), text)
        self.pages_changed.emit()
