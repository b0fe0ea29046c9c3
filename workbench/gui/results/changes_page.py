"""Shows how a result differs from the previous one."""

from __future__ import annotations

import json
from typing import Final

from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.theme import Theme
from workbench.gui.results.page import Page

_MOST_LINES: Final = 1_500  # lines that are compared, after equal ones at the beginning and end: up to 30 ms


class ChangesPage(Page):
    """The difference between two answers. JSON is compared by its values, whatever its layout."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.view = DiffView(theme, self)
        self.view.setAccessibleName("Changes since the previous answer")
        self.set_content(self.view)

    def search_target(self) -> PlainEdit:
        return self.view

    def show_change(self, before: str, after: str) -> None:
        self.view.show_change(comparable(before), comparable(after), most_lines=_MOST_LINES)


def comparable(text: str) -> str:
    """JSON with one value per line and sorted names; other text unchanged."""
    try:
        value = json.loads(text)
        if isinstance(value, dict | list):
            return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
    except (ValueError, RecursionError):
        pass  # not JSON, or nested too deeply
    return text
