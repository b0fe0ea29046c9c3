"""Opens the dialogs that stand on no pane: a new one is a line in the table here, and the window stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.context import Context
from workbench.gui.dialogs.connect_agent import ConnectAgent
from workbench.gui.dialogs.dashboard import Dashboard
from workbench.gui.dialogs.help import Help
from workbench.gui.dialogs.machine import MachineDialog
from workbench.gui.dialogs.network import show_network
from workbench.gui.dialogs.palette import Palette
from workbench.gui.dialogs.permissions import show_permissions
from workbench.gui.dialogs.secrets import SecretsDialog
from workbench.gui.dialogs.states import StatesDialog
from workbench.gui.dialogs.strength import StrengthDialog
from workbench.gui.dialogs.tokens import show_tokens
from workbench.gui.main_window import MainWindow


class Openings(QObject):
    """Belongs to one window."""

    chosen = Signal(object)  # Wish: what was chosen in the palette

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._context = window.context
        for name, opens in self._table().items():
            window.commands.bind(name, opens)

    def _table(self) -> dict[str, Callable[..., Any]]:
        """Any: plain functions and coroutine functions, as `Commands.bind` takes both."""
        window, context = self._window, self._context
        return {
            "palette.open": self.open_palette,
            "agent.connect": partial(self._open, ConnectAgent),
            "core.sandbox": self._show_strength,
            "core.tokens": partial(show_tokens, context, window),
            "secrets.open": partial(self._open, SecretsDialog),
            "states.open": partial(self._open, StatesDialog),
            "network.open": partial(show_network, context, window, window.bridge),
            "permissions.open": partial(show_permissions, context, window, window.bridge),
            "audit.dashboard": partial(self._open, Dashboard),
            "help.open": self._help,
            "help.machine": self._check_machine,
        }

    def open_palette(self, words: str = "") -> None:
        """Ask what to find or do, beginning with these words."""
        palette = Palette(self._context, self._window.commands, self._window, words)
        self._window.bridge.heard.connect(palette.hear)
        self._window.bridge.linked.connect(palette.link)
        palette.accepted.connect(self._palette_chose)
        palette.open()

    def _palette_chose(self) -> None:
        palette = self.sender()
        if isinstance(palette, Palette) and palette.wish is not None:
            self.chosen.emit(palette.wish)

    def _open(self, make: Callable[[Context, QWidget], Any]) -> None:
        """Any: a dialog that hears events."""
        dialog = make(self._context, self._window)
        self._window.bridge.heard.connect(dialog.hear)
        dialog.open()

    async def _show_strength(self) -> None:
        status = await self._context.api.status()
        StrengthDialog(self._context, status, self._window).open()

    def _help(self) -> None:
        Help(self._context.theme, self._window).show()

    def _check_machine(self) -> None:
        MachineDialog(self._context, self._window).open()
