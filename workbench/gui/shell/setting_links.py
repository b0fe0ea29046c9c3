"""Finds the name of a setting in a message, and opens the page Settings at it."""

from __future__ import annotations

import re
from functools import cached_property, partial

from workbench.gui.kit.notice import HintAction
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowSettings
from workbench.settings import DEFINITIONS


class SettingLinks:
    """One per window; `kit.notice.set_hint_actions` makes fault cards and banners use it."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def find(self, text: str) -> HintAction | None:
        """What a button for the first setting that the text names says and does."""
        match = self._names.search(text)
        if match is None:
            return None
        name = match.group()
        return f"Open setting {name}", partial(self._context.go, ShowSettings(name))

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, DEFINITIONS))})(?!\w|\.\w)")
