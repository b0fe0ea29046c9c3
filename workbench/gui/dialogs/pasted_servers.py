"""Adds several servers out of one pasted configuration: each with its full command, and a tick."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.dialogs.found_row import FoundRow
from workbench.gui.dialogs.import_servers import ImportServers
from workbench.records import Discovery, Fault, FoundServer, ImportConflict, ImportReport, ServerConfig


class PastedServers(ImportServers):
    """The list of the import, filled with what was pasted. Servers that are new are ticked."""

    def __init__(self, context: Context, configs: Sequence[ServerConfig], parent: QWidget | None = None) -> None:
        self._configs = tuple(configs)
        super().__init__(context, parent, title=_title(len(configs)))
        self.keep.setChecked(True)

    async def _load(self) -> None:
        states = await self._context.api.servers()
        here = {state.config.name: state.config for state in states}
        self._take(states, Discovery(tuple(self._found(at, config, here) for at, config in enumerate(self._configs))))
        self._tick_new()
        for row in self.rows:
            usable = bool(row.found.config.command or row.found.config.url)
            row.box.setEnabled(usable)
            row.box.setChecked(row.ticked() and usable)
        self._review()
        self.start.setFocus()

    def _found(self, number: int, config: ServerConfig, here: dict[str, ServerConfig]) -> FoundServer:
        named = replace(config, name=config.name or "server")
        taken = here.get(named.name)
        standing = ImportConflict.NEW if taken is None else ImportConflict.CLASH
        if taken is not None and (taken.command, taken.args, taken.url) == (named.command, named.args, named.url):
            standing = ImportConflict.HERE
        usable = bool(named.command or named.url)
        notes = () if usable else ("It has neither a command nor an address, so it cannot be added.",)
        return FoundServer(str(number), "Pasted", "", named, "", standing, notes=notes)

    def _title(self, found: FoundServer) -> str:
        return "From the configuration you pasted"

    def _intro(self) -> str:
        return "Ticked servers are written into this project's .mcp.json. You are asked before one is started."

    def _review(self) -> None:
        super()._review()
        self.keep.setText("Keep secrets apart instead of writing them into .mcp.json")
        self.keep.show()

    def _name_buttons(self, count: int) -> None:
        self.go.setText("Add 1 server" if count == 1 else f"Add {count} servers")
        self.start.setText("Add and connect")

    async def _add(self, rows: list[FoundRow], keep: bool) -> ImportReport:
        added, faults = list[str](), list[Fault]()
        for row in rows:
            name = row.chosen_name()
            try:
                config = replace(row.found.config, name=name)
                await self._context.api.edit_server(name if row.replaces() else "", config, keep)
            except WorkbenchError as fault:
                faults.append(Fault(f"{name}: {fault.message}", fault.hint))
            else:
                added.append(name)
        return ImportReport(tuple(added), 0, tuple(faults))


def _title(count: int) -> str:
    return f"Add {count} servers"
