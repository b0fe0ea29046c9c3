"""The known tools of all servers in one list, and the resolver of their names; built anew when a list changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from workbench.records import Tool
from workbench.tool_names import ToolNames


class KnownTools:
    """One state of all lists. It never changes, so that others can keep what they made of it."""

    def __init__(self, lists: Mapping[str, Mapping[str, Tool]]) -> None:
        """`lists`: the tools of each server by name; they are replaced when they change and never altered."""
        self._lists = lists
        self.tools = tuple(tool for one in lists.values() for tool in one.values())

    @cached_property
    def names(self) -> ToolNames:
        return ToolNames(self.tools, self._lists)

    def updated(self, lists: Mapping[str, Mapping[str, Tool]]) -> KnownTools:
        """Itself as long as the lists are the same objects."""
        before = self._lists
        same = len(lists) == len(before) and all(before.get(name) is one for name, one in lists.items())
        return self if same else KnownTools(lists)
