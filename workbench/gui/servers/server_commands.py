"""Actions on the selected server or tool: menus of rows, adding, importing, exporting, and changes of an entry."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QDialog, QMenu

from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.text import one_line
from workbench.gui.shell.actions import SERVER_REMOVED
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowServer
from workbench.records import ChangeKind, ImportReport, ServerConfig, ServerState, Tool
from workbench.records.common_types import count_of

# Any: asyncio's own
ServerWork: TypeAlias = "Callable[[ServerState], Coroutine[Any, Any, None] | None]"

if TYPE_CHECKING:
    from workbench.gui.servers.add_server import AddServer
    from workbench.gui.servers.server_list import ServersPane

SERVER_MENU: tuple[str | None, ...] = (
    "server.connect",
    "server.disconnect",
    "server.restart",
    "server.open",
    "server.trust",
    "server.doctor",
    None,
    "server.edit",
    "server.duplicate",
    "server.switch",
    None,
    "server.up",
    "server.down",
    None,
    "servers.export",
    "server.remove",
)
"""Ids of the actions in the context menu of a server; None is a separator."""


class ServerCommands(QObject):
    """Binds the server actions to the selected row of the pane of servers."""

    def __init__(self, context: Context, pane: ServersPane) -> None:
        super().__init__(pane)
        self._context = context
        self._pane = pane
        commands = context.commands
        self._removed: list[str] = []  # names of removed servers, the latest last
        self._unsaved_form: dict[str, str] = {}  # content of the form for a new server when it was closed
        for name, work in (
            ("server.connect", self._connect),
            ("server.disconnect", self._disconnect),
            ("server.restart", partial(self._connect, restart=True)),
            ("server.open", partial(self._show_page, "")),
            ("server.doctor", partial(self._show_page, "doctor")),
            ("server.trust", partial(self._show_page, "trust")),
            ("server.sign_in", self._sign_in),
            ("server.edit", self._edit),
            ("server.duplicate", self._duplicate),
            ("server.switch", self._enable_or_disable),
            ("server.up", partial(self._move, -1)),
            ("server.down", partial(self._move, 1)),
            ("server.remove", self._remove),
        ):
            commands.bind(name, partial(self._act_on_server, work))
        commands.bind("server.add", self._add)
        commands.bind("server.restore", self._restore)
        commands.bind("servers.import", self._import)
        commands.bind("servers.export", self._export)
        self._tool_actions = tuple(
            self._make_action(text, symbol, work)
            for text, symbol, work in (
                ("Open", "tool", partial(self._open_tool, "")),
                ("Run", "play", partial(self._open_tool, "front.start")),
                ("Save call…", "save", partial(self._open_tool, "tool.save")),
                ("Trust…", "shield", partial(self._open_tool, "tool.trust")),
                ("Copy name", "copy", self._copy_name),
                ("Copy definition", "copy", self._copy_definition),
            )
        )
        self._changes_action = self._make_action("See what changed", "list", partial(self._open_tool, ""))
        pane.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        pane.tree.customContextMenuRequested.connect(self._open_menu)
        pane.tree.installEventFilter(self)
        edit = commands["server.edit"]
        edit.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # its key has other meanings in other lists
        pane.tree.addAction(edit)

    def menu(self) -> QMenu:
        """The actions that are possible for the selected row."""
        menu = QMenu(self._pane)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tool = self._pane.model.tool_at(self._pane.tree.currentIndex())
        if tool is not None:
            removed = tool.mark == ChangeKind.REMOVED
            menu.addActions([self._changes_action] if removed else list(self._tool_actions))
            return menu
        for name in SERVER_MENU:
            if name is None:
                menu.addSeparator()
            elif self._context.commands[name].isEnabled():
                menu.addAction(self._context.commands[name])
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Alt+Up and Alt+Down move the selected server; elsewhere in the window these keys have other meanings."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            action = {Qt.Key.Key_Up: "server.up", Qt.Key.Key_Down: "server.down"}.get(Qt.Key(event.key()))
            if action and event.modifiers() == Qt.KeyboardModifier.AltModifier:
                self._context.commands.do(action)
                return True
        return False

    def _make_action(self, text: str, symbol: str, work: object) -> QAction:
        action = QAction(icon(symbol), text, self)
        action.triggered.connect(work)
        return action

    def _open_menu(self, place: QPoint) -> None:
        if self._pane.selected_server() is not None:
            self.menu().popup(self._pane.tree.viewport().mapToGlobal(place))

    # the selected tool

    def _open_tool(self, then: str, _checked: bool = False) -> None:
        self._pane.open_tool(self._pane.tree.currentIndex(), enter=True, then=then)

    def _copy_name(self) -> None:
        if (tool := self._pane.model.tool_at(self._pane.tree.currentIndex())) is not None:
            QGuiApplication.clipboard().setText(tool.name)
            self._context.say(f"Copied {one_line(tool.name, 60)}.")

    def _copy_definition(self) -> None:
        if (tool := self._pane.model.tool_at(self._pane.tree.currentIndex())) is not None:
            definition = self._context.api.tool(tool.server, tool.name)
            self._context.tasks.run("read a definition", definition, self._definition_to_clipboard)

    def _definition_to_clipboard(self, tool: Tool) -> None:
        """As the server sent it; a tool that is known only from an earlier session has its schemas."""
        definition = tool.raw or {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        QGuiApplication.clipboard().setText(dump(definition))
        self._context.say(f"Copied the definition of {one_line(tool.name, 60)}.")

    # the selected server

    def _act_on_server(self, work: ServerWork) -> Coroutine[Any, Any, None] | None:  # Any: asyncio's own
        """These actions are enabled only while a server is selected."""
        state = self._pane.selected_server()
        return work(state) if state is not None else None

    def _connect(self, state: ServerState, *, restart: bool = False) -> None:
        self._pane.connector.start(state.config.name, restart=restart)

    def _disconnect(self, state: ServerState) -> None:
        name = state.config.name
        self._context.tasks.run(f"disconnect {name}", self._context.api.disconnect(name))

    def _show_page(self, page: str, state: ServerState) -> None:
        self._context.go(ShowServer(state.config.name, page))

    def _sign_in(self, state: ServerState) -> None:
        """Not awaited: a sign-in may take minutes, and the user may begin a second one meanwhile."""
        self._show_page("sign_in", state)
        self._context.tasks.run("sign in", self._context.api.sign_in(state.config.name))

    def _edit(self, state: ServerState) -> None:
        from workbench.gui.servers.add_server import AddServer

        AddServer(self._context, self._pane.window(), before=state.config).open()

    async def _duplicate(self, state: ServerState) -> None:
        copy = await self._context.api.duplicate_server(state.config.name)
        self._pane.show_tool(copy.config.name)
        self._context.say(f"Duplicated {state.config.name} as {copy.config.name}.")

    async def _enable_or_disable(self, state: ServerState) -> None:
        name, disabled = state.config.name, state.config.disabled
        await self._context.api.switch_server(name, not disabled)
        self._context.say(f"Enabled {name}." if disabled else f"Disabled {name}, here and for other clients.")

    async def _move(self, step: int, state: ServerState) -> None:
        """Swap with the neighbour in the list. `move_server` moves its first server before its second one."""
        name = state.config.name
        if neighbour := self._pane.model.neighbour(name, step):
            first, second = (name, neighbour) if step < 0 else (neighbour, name)
            await self._context.api.move_server(first, second)

    async def _remove(self, state: ServerState) -> None:
        name = state.config.name
        await self._context.api.remove_server(name)
        self._removed.append(name)
        self._context.commands.set_condition(SERVER_REMOVED, True)
        done = f"Removed {name} and signed out." if state.sign_in == "done" else f"Removed {name}."
        self._context.say(f"{done} Its calls stay in the audit.", "server.restore")

    async def _restore(self) -> None:
        if not self._removed:
            return
        name = self._removed[-1]
        await self._context.api.restore_server(name)  # a server that cannot be restored now stays in the list
        self._removed.remove(name)
        self._context.commands.set_condition(SERVER_REMOVED, bool(self._removed))
        self._pane.show_tool(name)
        self._context.say(f"Restored {name}.")

    # adding, importing and exporting

    def _add(self) -> None:
        from workbench.gui.servers.add_server import AddServer

        dialog = AddServer(self._context, self._pane.window())
        if self._unsaved_form:
            dialog.restore_texts(self._unsaved_form)
        dialog.saved.connect(self._select_added)
        dialog.connect_wanted.connect(self._connect_added)
        dialog.several_pasted.connect(partial(self._add_several, dialog))
        dialog.finished.connect(partial(self._keep_form, dialog))
        dialog.open()

    def _keep_form(self, dialog: AddServer, code: int) -> None:
        """A cancelled form opens with the same content next time."""
        self._unsaved_form = {} if code == QDialog.DialogCode.Accepted else dialog.texts()

    def _add_several(self, dialog: AddServer, configs: tuple[ServerConfig, ...]) -> None:
        """A list with check boxes; Escape returns to the form."""
        from workbench.gui.servers.import_servers import PastedServers

        several = PastedServers(self._context, configs, dialog)
        several.imported.connect(partial(self._say_imported, "Added"))
        several.connect_wanted.connect(self._connect_added)
        several.accepted.connect(dialog.accept)
        several.open()

    def _select_added(self, state: ServerState) -> None:
        """Select the new server, so that its card offers to connect it."""
        self._pane.show_tool(state.config.name)
        self._context.commands.do("pane.servers")
        self._context.say(f"Added “{state.config.name}”. Connect it to see its tools.")

    def _connect_added(self, names: tuple[str, ...]) -> None:
        self._context.tasks.run("connect servers", self._pane.connector.connect_servers(names))

    def _import(self) -> None:
        from workbench.gui.servers.import_servers import ImportServers

        dialog = ImportServers(self._context, self._pane.window())
        dialog.imported.connect(partial(self._say_imported, "Imported"))
        dialog.connect_wanted.connect(self._connect_added)
        dialog.open()

    def _say_imported(self, verb: str, report: ImportReport) -> None:
        names = ", ".join(report.added[:3]) + (", …" if len(report.added) > 3 else "")
        self._context.say(f"{verb} {count_of(len(report.added), 'server')}: {names}")
        self._pane.show_tool(report.added[0])
        self._pane.found.load()

    def _export(self) -> None:
        from workbench.gui.servers.export_servers import ExportServers

        state = self._pane.selected_server()
        ExportServers(self._context, state.config.name if state else "", self._pane.window()).open()
