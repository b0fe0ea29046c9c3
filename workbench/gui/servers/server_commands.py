"""What a person does with the entries of the list: import, export, and changes of one entry."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QMenu

from workbench.gui.shell.actions import SERVER_REMOVED
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowServer
from workbench.records import ImportReport, ServerConfig, ServerState

if TYPE_CHECKING:
    from workbench.gui.servers.add_server import AddServer
    from workbench.gui.servers.server_list import ServersPane


MENU_WORDS = """server.connect server.disconnect server.restart server.open server.trust server.doctor |
server.edit server.duplicate server.switch | server.up server.down | servers.export server.remove"""
MENU = tuple("" if word == "|" else word for word in MENU_WORDS.split())
"""The menu of a row; empty words are lines between."""


class ServerDeeds(QObject):
    """Belongs to the pane with the list, and acts on the server that is chosen there."""

    imported = Signal()

    def __init__(self, context: Context, commands: Commands, pane: ServersPane) -> None:
        super().__init__(pane)
        self._context = context
        self._pane = pane
        self._commands = commands
        self._removed: list[str] = []  # names, the last one last
        self._typed: dict[str, str] = {}  # what stood in the form for a new server when it was closed
        for name, work in (
            ("server.add", self._add),
            ("server.edit", self._edit),
            ("server.duplicate", self._duplicate),
            ("server.switch", self._switch),
            ("server.up", self._up),
            ("server.down", self._down),
            ("server.remove", self._remove),
            ("server.restore", self._restore),
            ("server.trust", self._trust),
        ):
            commands.bind(name, work)
        pane.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        pane.tree.customContextMenuRequested.connect(self._popup)
        pane.tree.installEventFilter(self)
        commands.bind("servers.import", self._import)
        commands.bind("servers.export", self._export)

    def chosen(self) -> ServerState | None:
        return self._pane.chosen()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Alt and an arrow move the chosen server; in other places of the window these keys mean other things."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            deed = {Qt.Key.Key_Up: "server.up", Qt.Key.Key_Down: "server.down"}.get(Qt.Key(event.key()))
            if deed and event.modifiers() == Qt.KeyboardModifier.AltModifier:
                self._commands.do(deed)
                return True
        return False

    def _trust(self) -> None:
        if (state := self.chosen()) is not None:
            self._context.go(ShowServer(state.config.name, "trust"))

    def _add(self) -> None:
        from workbench.gui.servers.add_server import AddServer

        dialog = AddServer(self._context, self._pane.window())
        if self._typed:
            dialog.bring_back(self._typed)
        dialog.saved.connect(self._added)
        dialog.connect_wanted.connect(self._connect_added)
        dialog.several_pasted.connect(partial(self._add_several, dialog))
        dialog.finished.connect(partial(self._keep_typed, dialog))
        dialog.open()

    def _keep_typed(self, dialog: AddServer, code: int) -> None:
        """Escape loses nothing: the form opens next time as it was left."""
        self._typed = {} if code == QDialog.DialogCode.Accepted else dialog.typed()

    def _add_several(self, dialog: AddServer, configs: tuple[ServerConfig, ...]) -> None:
        """A list with ticks; Escape leads back to what was pasted."""
        from workbench.gui.servers.add_server import PastedServers

        several = PastedServers(self._context, configs, dialog)
        several.imported.connect(self._imported_some)
        several.connect_wanted.connect(self._connect_added)
        several.accepted.connect(dialog.accept)
        several.open()

    def _imported_some(self, report: ImportReport) -> None:
        names = ", ".join(report.added[:3]) + (", …" if len(report.added) > 3 else ".")
        self._context.say(f"Added {len(report.added)} servers: {names}")

    def _connect_added(self, names: tuple[str, ...]) -> None:
        self._context.tasks.run("connect servers", self._pane.connect_servers(names))

    def _added(self, state: ServerState) -> None:
        """The new one is chosen, so that its card offers the next step."""
        name = state.config.name
        self._pane.model.put(state)
        self._pane.show_tool(name)
        self._context.commands.do("pane.servers")
        self._context.say(f"Added “{name}”. Connect it to see its tools.")

    def _edit(self) -> None:
        from workbench.gui.servers.add_server import AddServer

        if (chosen := self.chosen()) is not None:
            AddServer(self._context, self._pane.window(), before=chosen.config).open()

    async def _duplicate(self) -> None:
        if (chosen := self.chosen()) is not None:
            state = await self._context.api.duplicate_server(chosen.config.name)
            self._context.say(f"{state.config.name} is a copy of {chosen.config.name}.")

    async def _switch(self) -> None:
        if (chosen := self.chosen()) is not None:
            config = chosen.config
            await self._context.api.switch_server(config.name, not config.disabled)
            on, off = "{} is enabled.", "{} is disabled, here and for other clients."
            self._context.say((on if config.disabled else off).format(config.name))

    async def _up(self) -> None:
        await self._move(-1)

    async def _down(self) -> None:
        await self._move(1)

    async def _move(self, step: int) -> None:
        """Past its neighbour in the list; in the file that is before the one above, or before the one below's next."""
        chosen = self.chosen()
        neighbour = self._pane.model.beside(chosen.config.name, step) if chosen else ""
        if chosen is None or not neighbour:
            return
        if step < 0:
            await self._context.api.move_server(chosen.config.name, neighbour)
        else:  # the neighbour goes before it, which comes to the same and needs no third one
            await self._context.api.move_server(neighbour, chosen.config.name)

    async def _remove(self) -> None:
        chosen = self.chosen()
        if chosen is None:
            return
        name = chosen.config.name
        await self._context.api.remove_server(name)
        self._removed.append(name)
        self._commands.hold(SERVER_REMOVED, True)
        said = "Removed {}. What it did stays in the audit."
        if chosen.sign_in == "done":
            said = "Removed {}, and signed out there. What it did stays in the audit."
        self._context.say(said.format(name), "server.restore")

    async def _restore(self) -> None:
        if not self._removed:
            return
        name = self._removed.pop()
        self._commands.hold(SERVER_REMOVED, bool(self._removed))
        await self._context.api.restore_server(name)
        self._pane.show_tool(name)
        self._context.say(f"{name} is back.")

    def _popup(self, place: QPoint) -> None:
        if self.chosen() is not None:
            self.menu().popup(self._pane.tree.viewport().mapToGlobal(place))

    def menu(self) -> QMenu:
        """What can be done with the chosen row now."""
        menu = QMenu(self._pane)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in MENU:
            if not name:
                menu.addSeparator()
            elif self._commands[name].isEnabled():
                menu.addAction(self._commands[name])
        return menu

    def _import(self) -> None:
        from workbench.gui.servers.import_servers import ImportServers

        dialog = ImportServers(self._context, self._pane.window())
        dialog.imported.connect(self._imported)
        dialog.connect_wanted.connect(self._connect_added)
        dialog.open()

    def _imported(self, report: ImportReport) -> None:
        names = ", ".join(report.added[:3]) + (" …" if len(report.added) > 3 else "")
        self._context.say(f"Imported {names}. Connect one to start it.")
        self._pane.show_tool(report.added[0])
        self.imported.emit()

    def _export(self) -> None:
        from workbench.gui.servers.export_servers import ExportServers

        chosen = self.chosen()
        ExportServers(self._context, chosen.config.name if chosen else "", self._pane.window()).open()
