"""The settings in force in a core, with change notifications."""

from __future__ import annotations

from collections.abc import Callable

from workbench.settings.definitions import Settings


class CurrentSettings:
    """A callable that returns the settings in force.

    Call it at each use instead of storing the result, to see changes.
    """

    def __init__(self, settings: Settings) -> None:
        self.now = settings
        self._listeners: list[Callable[[], None]] = []

    def __call__(self) -> Settings:
        return self.now

    def set(self, settings: Settings) -> None:
        """Replace the settings in force and notify the listeners."""
        self.now = settings
        for listener in self._listeners:
            listener()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""
        self._listeners.append(listener)
