"""The base of the pages about one server, so that the sheet can treat them all alike."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.records import ServerState


class ServerPage(Pane):
    """Made when it is first looked at, for one server; it hears every event from then on."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.commands = commands
        self.state = state

    @property
    def server(self) -> str:
        return self.state.config.name

    def show_state(self, state: ServerState) -> None:
        """The server is in another state now. Pages that show it override this and call it."""
        self.state = state

    def look(self, *, seen: bool) -> None:
        """The page came to the front, or left it: what costs something is refreshed only while it is seen."""

    def show_item(self, name: str) -> None:
        """Go to one of the things the page lists."""

    def run(self) -> bool:
        """Ctrl+Enter: do what the page is for. False where there is nothing to do."""
        return False
