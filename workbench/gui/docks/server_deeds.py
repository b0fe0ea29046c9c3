"""What a person does with the entries of the list: import, export, and changes of one entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.wishes import Say
from workbench.records import ImportReport, ServerState

if TYPE_CHECKING:
    from workbench.gui.docks.servers import ServersPane


class ServerDeeds(QObject):
    """Belongs to the pane with the list, and acts on the server that is chosen there."""

    wished = Signal(object)
    """Carries one record of `workbench.gui.wishes`."""
    imported = Signal()

    def __init__(self, context: Context, commands: Commands, pane: ServersPane) -> None:
        super().__init__(pane)
        self._context = context
        self._pane = pane
        commands.bind("servers.import", self._import)
        commands.bind("servers.export", self._export)

    def chosen(self) -> ServerState | None:
        return self._pane.chosen()

    def _import(self) -> None:
        from workbench.gui.dialogs.import_servers import ImportServers

        dialog = ImportServers(self._context, self._pane.window())
        dialog.imported.connect(self._imported)
        dialog.open()

    def _imported(self, report: ImportReport) -> None:
        names = ", ".join(report.added[:3]) + (" …" if len(report.added) > 3 else "")
        self.wished.emit(Say(self.tr("Imported {}. Connect one to start it.").format(names)))
        self._pane.show_tool(report.added[0])
        self.imported.emit()

    def _export(self) -> None:
        from workbench.gui.dialogs.export_servers import ExportServers

        chosen = self.chosen()
        ExportServers(self._context, chosen.config.name if chosen else "", self._pane.window()).open()
