"""The settings that are in force in a core, and who is notified when they change."""

from __future__ import annotations

from collections.abc import Callable

from workbench.settings.definitions import Settings


class CurrentSettings:
    """Called, it returns the settings in force; whoever calls it each time follows a change at once."""

    def __init__(self, settings: Settings) -> None:
        self.now = settings
        self._listeners: list[Callable[[], None]] = []

    def __call__(self) -> Settings:
        return self.now

    def set(self, settings: Settings) -> None:
        """Put other settings into force and notify the listeners."""
        self.now = settings
        for listener in self._listeners:
            listener()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""
        self._listeners.append(listener)
