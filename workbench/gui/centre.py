"""The centre of the window: welcome page, servers, tool, editor and other pages, each a tab that can be closed.

Pages bring the forms and the editor with them. They are made after the first frame or when they are first asked for,
and get their tab when they are first shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import tool_button
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.shell.actions import EDITOR
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.welcome import Welcome

if TYPE_CHECKING:
    from workbench.gui.editor.editor_pane import EditorPane
    from workbench.gui.files.file_page import FilesPage
    from workbench.gui.privacy.privacy_pane import PrivacyPane
    from workbench.gui.servers.server_pane import ServerPane
    from workbench.gui.settings.settings_page import SettingsPane
    from workbench.gui.skills.skill_page import SkillPane
    from workbench.gui.tools.tool_pane import ToolPane

_TITLE = 40  # characters of a tab's title


class Centre(QTabWidget):
    """`setCurrentWidget` gives a page its tab if it has none. A closed page stays as it was left."""

    welcome_closed = Signal()

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._tabs: dict[Pane, tuple[str, str]] = {}  # icon and title of every page, in the order they were made
        self._server: ServerPane | None = None
        self._tool: ToolPane | None = None
        self._editor: EditorPane | None = None
        self._privacy: PrivacyPane | None = None
        self._files: FilesPage | None = None
        self._skill: SkillPane | None = None
        self._settings: SettingsPane | None = None
        self.welcome = Welcome(context, commands, self)
        self._tabs[self.welcome] = ("home", "Welcome")
        self.setDocumentMode(True)
        self.setIconSize(QSize(context.theme.unit * 3 + 2, context.theme.unit * 3 + 2))
        self.tabBar().setAccessibleName("Pages")
        self.tabBar().setExpanding(False)
        self.currentChanged.connect(self._turned)
        self.show_welcome()

    @property
    def editor_in_front(self) -> bool:
        return self._editor is not None and self.currentWidget() is self._editor

    @property
    def skill_in_front(self) -> bool:
        return self._skill is not None and self.currentWidget() is self._skill

    # pages

    @property
    def server(self) -> ServerPane:
        if self._server is None:
            from workbench.gui.servers.server_pane import ServerPane

            self._server = ServerPane(self._context, self._commands, self)
            self._server.named.connect(self._name_server)
            self._add(self._server, "server", "All servers")
        return self._server

    @property
    def tool(self) -> ToolPane:
        if self._tool is None:
            from workbench.gui.tools.tool_pane import ToolPane

            self._tool = ToolPane(self._context, self)
            self._add(self._tool, "tool", "Tools")
            self._tool.front_wanted.connect(self._show_tools)
        return self._tool

    @property
    def editor(self) -> EditorPane:
        if self._editor is None:
            from workbench.gui.editor.editor_pane import EditorPane

            self._editor = EditorPane(self._context, self)
            self._add(self._editor, "code", "Editor")
            self._editor.front_wanted.connect(self._show_editor)
        return self._editor

    @property
    def privacy(self) -> PrivacyPane:
        if self._privacy is None:
            from workbench.gui.privacy.privacy_pane import PrivacyPane

            self._privacy = PrivacyPane(self._context, self)
            self._add(self._privacy, "eye-off", "Personal data")
        return self._privacy

    @property
    def files(self) -> FilesPage:
        if self._files is None:
            from workbench.gui.files.file_page import FilesPage

            self._files = FilesPage(self._context, self)
            self._files.named.connect(self._name_files)
            self._add(self._files, "folder", "Files")
        return self._files

    @property
    def skill(self) -> SkillPane:
        if self._skill is None:
            from workbench.gui.skills.skill_page import SkillPane

            self._skill = SkillPane(self._context, self._commands, self)
            self._skill.named.connect(self._name_skill)
            self._add(self._skill, "book", "Skill")
        return self._skill

    @property
    def settings(self) -> SettingsPane:
        if self._settings is None:
            from workbench.gui.settings.settings_page import SettingsPane

            self._settings = SettingsPane(self._context, self)
            self._add(self._settings, "settings", "Settings")
        return self._settings

    def make_all(self) -> None:
        """After the first frame: make the pages that are wanted most, without showing them."""
        for pane in (self.server, self.tool, self.editor):
            pane.hide()

    def show_welcome(self) -> None:
        self.setCurrentWidget(self.welcome)

    def hide_welcome(self) -> None:
        self._remove(self.welcome)

    def show_privacy(self, page: str, session: str = "") -> None:
        """Open one page about personal data; `session`: whose values."""
        self.setCurrentWidget(self.privacy)
        self.privacy.look(page, session)

    def show_settings(self, name: str = "") -> None:
        """Open the page Settings, at a setting if there is a name."""
        self.setCurrentWidget(self.settings)
        self.settings.show_setting(name)

    # what is in front

    def setCurrentWidget(self, widget: QWidget) -> None:
        if self.indexOf(widget) < 0 and isinstance(widget, Pane):
            symbol, title = self._tabs[widget]
            place = 0 if widget is self.welcome else self.count()
            place = self.insertTab(place, widget, icon(symbol), title)
            self.tabBar().setTabButton(place, QTabBar.ButtonPosition.RightSide, self._close_button(widget, title))
        super().setCurrentWidget(widget)

    def start_front(self) -> bool:
        """Run what is in front; False when nothing there can run."""
        front = self.currentWidget()
        if front is self._tool and self._tool is not None and self._tool.page() is not None:
            self._tool.run()
        elif front is self._editor and self._editor is not None and self._editor.has_text():
            self._editor.run()
        elif front is self._server and self._server is not None:
            return self._server.run()
        else:
            return False
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
        if self._editor is not None:
            self._editor.keep()

    def _show_editor(self) -> None:
        self.setCurrentWidget(self.editor)

    def _show_tools(self) -> None:
        self.setCurrentWidget(self.tool)

    # inside

    def _add(self, pane: Pane, symbol: str, title: str) -> None:
        """A page to work in has the ground of the docks; the welcome page has the window's."""
        self._tabs[pane] = (symbol, title)
        pane.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        mark(pane, kind="page")

    def _close_button(self, pane: Pane, title: str) -> QWidget:
        close = tool_button("close", f"Close {title}", self._context.theme)
        close.setIconSize(QSize(self._context.theme.unit * 3, self._context.theme.unit * 3))
        close.clicked.connect(lambda: self._close(pane))
        return close

    def _close(self, pane: Pane) -> None:
        self._remove(pane)
        if pane is self.welcome:
            self.welcome_closed.emit()
        if not self.count():
            self.show_welcome()

    def _remove(self, pane: Pane) -> None:
        place = self.indexOf(pane)
        if place >= 0:
            self.removeTab(place)

    def _turned(self, _number: int) -> None:
        self._commands.hold(EDITOR, self.editor_in_front)

    def _rename(self, pane: Pane, title: str) -> None:
        text = one_line(title, _TITLE).replace("&", "&&")
        self._tabs[pane] = (self._tabs[pane][0], text)
        self.setTabText(self.indexOf(pane), text)

    def _name_server(self, server: str) -> None:
        self._rename(self.server, server or "All servers")

    def _name_files(self, name: str) -> None:
        self._rename(self.files, name)

    def _name_skill(self, name: str) -> None:
        self._rename(self.skill, name)
