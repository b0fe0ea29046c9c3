"""API methods for one search over tools, resources, prompts and skills."""

from __future__ import annotations

import asyncio

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import Companion, FindKind, Finds, ToolView
from workbench.search.searchable_items import SearchableItem, of_skill
from workbench.skills.library_snapshot import LibrarySnapshot

_MOST = 200  # results in one answer
_COMPANIONS = 6


class SearchHandler(RequestHandler):
    """Searches tools, resources, prompts and skills, and finds tools that are used together."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._skills: tuple[SearchableItem, ...] = ()
        self._snapshot = LibrarySnapshot()

    @api
    async def find(self, words: str, kinds: tuple[str, ...], limit: int) -> Finds:
        """Search results, best first, ranked as for agents; an empty query returns a list. No kinds: all kinds."""
        unknown = [kind for kind in kinds if kind not in set(FindKind)]
        if unknown:
            raise WorkbenchError(f"{unknown[0]!r:.60} is not a kind of result.", f"Use one of {', '.join(FindKind)}.")
        wanted = tuple(FindKind(kind) for kind in kinds)
        return await self._catalog.everywhere.find(words, wanted, max(1, min(limit, _MOST)), await self._library())

    @api
    async def tool_view(self, server: str, name: str) -> ToolView:
        """A tool with its warnings, the change of its definition, and the tools that it is often used with."""
        tool = self._catalog.tool(server, name)
        changes = self._catalog.server(tool.server).pins.changes()
        return ToolView(
            tool,
            tuple(one for one in self._catalog.definition_warnings.of(tool.server) if one.tool == tool.name),
            next((change for change in changes if change.tool == tool.name), None),
            self._companions(tool.server, tool.name),
        )

    def _companions(self, server: str, tool: str) -> tuple[Companion, ...]:
        """Return the tools that most often ran in the same program as this one."""
        if not self._services.settings().search_learns:
            return ()
        known = {(one.server, one.name) for one in self._catalog.tools()}
        often = self._catalog.lessons.often_with(server, tool)
        found = [Companion(*name, times) for name, times in often if name in known]
        return tuple(found[:_COMPANIONS])

    async def _library(self) -> tuple[SearchableItem, ...]:
        """Return the skills as search items; the same tuple as long as the skills are unchanged. The user also finds
        drafts."""
        snapshot = await asyncio.to_thread(self._services.library.snapshot)
        if snapshot is not self._snapshot:
            self._snapshot = snapshot
            named = ((name, one.kept or one.draft) for name, one in sorted(snapshot.by_name.items()))
            self._skills = tuple(of_skill(skill) for _, skill in named if skill is not None)
        return self._skills
