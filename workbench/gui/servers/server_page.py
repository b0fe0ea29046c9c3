"""Base class of the pages about one server."""

from __future__ import annotations

from workbench.gui.shell.context import Context, Pane
from workbench.records import ServerState


class ServerPage(Pane):
    """A page of one server's sheet. It is created when the user first opens it, which also calls `load`."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context)
        self.state = state
        context.store.linked.connect(self.load)

    @property
    def server(self) -> str:
        return self.state.config.name

    def load(self) -> None:
        """Read what the page shows; called after creation and each time the core was reached again."""

    def show_state(self, state: ServerState) -> None:
        """The state of the server changed. Pages that show it override this and call it."""
        self.state = state

    def set_seen(self, *, seen: bool) -> None:
        """The page came to the front or left it. What is expensive is updated only while it is seen."""

    def show_item(self, name: str) -> None:
        """Go to an entry of the page's list."""

    def run(self) -> bool:
        """Ctrl+Enter: perform the page's main action. False if there is nothing to do."""
        return False
