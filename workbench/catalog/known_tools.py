"""Every known tool in one list, made anew only when a server's list is another one."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.records import Tool


class KnownTools:
    """As long as nothing changed it answers with the same tuple, so that others can keep what they made of it."""

    def __init__(self) -> None:
        self._lists: list[Mapping[str, Tool]] = []
        self._tools: tuple[Tool, ...] = ()

    def of(self, lists: list[Mapping[str, Tool]]) -> tuple[Tool, ...]:
        """The tools of these lists, each of which is replaced and never changed; every call and every run looks."""
        if len(lists) != len(self._lists) or any(
            one is not other for one, other in zip(lists, self._lists, strict=True)
        ):
            self._lists = lists
            self._tools = tuple(tool for one in lists for tool in one.values())
        return self._tools
