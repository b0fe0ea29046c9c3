"""The centre of the window: welcome page, open server, open tool, editor. All but the first are made when needed.

They bring the forms and the editor with them; making them after the first frame keeps the start fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from workbench.events import Event
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
    from workbench.gui.skills.skill_page import SkillPane
    from workbench.gui.tools.tool_pane import ToolPane


class Centre(QTabWidget):
    """The welcome page can be put away and fetched back; personal data, files and skills come when asked for."""

    welcome_closed = Signal()

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._server: ServerPane | None = None
        self._tool: ToolPane | None = None
        self._editor: EditorPane | None = None
        self._privacy: PrivacyPane | None = None
        self._files: FilesPage | None = None
        self._skill: SkillPane | None = None
        self.welcome = Welcome(context, commands, self)
        self.setDocumentMode(True)
        self.setIconSize(QSize(context.theme.unit * 3 + 2, context.theme.unit * 3 + 2))
        self.tabBar().setAccessibleName("Server, tool, editor and welcome page")
        self.currentChanged.connect(self._turned)
        self.show_welcome()

    @property
    def editor_in_front(self) -> bool:
        return self._editor is not None and self.currentWidget() is self._editor

    def _turned(self, _number: int) -> None:
        self._commands.hold(EDITOR, self.editor_in_front)

    def hear(self, event: Event) -> None:
        for pane in self.panes():
            pane.hear(event)

    def refresh(self) -> None:
        for pane in self.panes():
            pane.refresh()

    def panes(self) -> list[Pane]:
        made = (self._server, self._tool, self._editor, self._privacy, self._files, self._skill)
        found: list[Pane | None] = [self.welcome, *made]
        return [pane for pane in found if pane is not None]

    def start_front(self) -> bool:
        """Run what is in front; False when nothing there can run."""
        front = self.currentWidget()
        if front is self._tool and self._tool is not None and self._tool.sheet() is not None:
            self._tool.run()
        elif front is self._editor and self._editor is not None and self._editor.has_text():
            self._editor.run()
        elif front is self._server and self._server is not None:
            return self._server.run()
        else:
            return False
        return True

    def go_on(self) -> None:
        """Run the program in the editor with the variables of the last one, which stay; if there is none, begin one."""
        self.setCurrentWidget(self.editor)
        if self.editor.has_text():
            self.editor.go_on()
        elif self.editor.sheet() is None:
            self.editor.new_program()

    @property
    def server(self) -> ServerPane:
        if self._server is None:
            from workbench.gui.servers.server_pane import ServerPane

            self._server = ServerPane(self._context, self._commands, self)
            self._server.named.connect(self._name_server)
            self._dress(self._server)
            self.addTab(self._server, icon("server"), "All servers")
        return self._server

    @property
    def tool(self) -> ToolPane:
        if self._tool is None:
            from workbench.gui.tools.tool_pane import ToolPane

            self._tool = ToolPane(self._context, self)
            self._dress(self._tool)
            self.addTab(self._tool, icon("tool"), "Tool")
        return self._tool

    @property
    def editor(self) -> EditorPane:
        if self._editor is None:
            from workbench.gui.editor.editor_pane import EditorPane

            self._editor = EditorPane(self._context, self)
            self._dress(self._editor)
            self.addTab(self._editor, icon("code"), "Editor")
        return self._editor

    def show_privacy(self, page: str, session: str = "") -> None:
        """Open the page about personal data, which is made when it is first asked for."""
        if self._privacy is None:
            from workbench.gui.privacy.privacy_pane import PrivacyPane

            self._privacy = PrivacyPane(self._context, self)
            self._dress(self._privacy)
            self._privacy.refresh()
            self.addTab(self._privacy, icon("eye-off"), "Personal data")
        self.setCurrentWidget(self._privacy)
        self._privacy.look(page, session)

    @property
    def files(self) -> FilesPage:
        """The page about files of the workspace, which is made when it is first asked for."""
        if self._files is None:
            from workbench.gui.files.file_page import FilesPage

            self._files = FilesPage(self._context, self)
            self._files.named.connect(self._name_files)
            self._dress(self._files)
            self.addTab(self._files, icon("folder"), "Files")
        self.setCurrentWidget(self._files)
        return self._files

    def _name_files(self, name: str) -> None:
        if self._files is not None:
            self.setTabText(self.indexOf(self._files), one_line(name, 40).replace("&", "&&"))

    @property
    def skill(self) -> SkillPane:
        """The page of a skill, which is made when one is first opened."""
        if self._skill is None:
            from workbench.gui.skills.skill_page import SkillPane

            self._skill = SkillPane(self._context, self._commands, self)
            self._skill.named.connect(self._name_skill)
            self._dress(self._skill)
            self.addTab(self._skill, icon("book"), "Skill")
        return self._skill

    @property
    def skill_in_front(self) -> bool:
        return self._skill is not None and self.currentWidget() is self._skill

    def _name_skill(self, name: str) -> None:
        self.setTabText(self.indexOf(self.skill), one_line(name, 40).replace("&", "&&"))

    def make_all(self) -> None:
        """After the first frame: the tabs stand ready."""
        front = self.currentWidget()
        for pane in (self.server, self.tool, self.editor):
            pane.setEnabled(True)
        if front is not None:
            self.setCurrentWidget(front)

    def show_welcome(self) -> None:
        if self.indexOf(self.welcome) < 0:
            self.insertTab(0, self.welcome, icon("home"), "Welcome")
            close = tool_button("close", "Put the welcome page away", self._context.theme)
            close.setIconSize(QSize(self._context.theme.unit * 3, self._context.theme.unit * 3))
            close.clicked.connect(self._close_welcome)
            self.tabBar().setTabButton(0, QTabBar.ButtonPosition.RightSide, close)
        self.setCurrentWidget(self.welcome)

    def keep(self) -> None:
        """Write what was typed to disk."""
        if self._editor is not None:
            self._editor.keep()

    def dry_run(self) -> None:
        """Start a dry run of the program in the editor; without one, begin a new program."""
        self.setCurrentWidget(self.editor)
        if self.editor.sheet() is None:
            self.editor.new_program()
        else:
            self.editor.dry_run()

    def hide_welcome(self) -> None:
        place = self.indexOf(self.welcome)
        if place >= 0:
            self.removeTab(place)

    def name_tool(self, tool: str) -> None:
        self.setTabText(self.indexOf(self.tool), one_line(tool, 40).replace("&", "&&"))

    def _name_server(self, server: str) -> None:
        words = one_line(server, 40).replace("&", "&&") if server else "All servers"
        self.setTabText(self.indexOf(self.server), words)

    def take_keyboard(self) -> None:
        front = self.currentWidget()
        if front is not None:
            front.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _dress(self, pane: Pane) -> None:
        """A pane to work in has the ground of the docks; the welcome page has the window's."""
        pane.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        mark(pane, kind="page")

    def _close_welcome(self) -> None:
        self.hide_welcome()
        self.welcome_closed.emit()
