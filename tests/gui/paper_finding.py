"""Finding on paper: whatever has all letters of the words, in the order of the lists."""

from __future__ import annotations

from typing import Any

from workbench.records import Companion, Find, FindKind, Finds, FoundIn, Reason, SkillState, ToolView
from workbench.search.match_reasons import letters


class PaperFinding:
    """The part of the paper project that the search box asks. Any: what other parts of the project hold."""

    companion_list: tuple[Companion, ...] = ()

    async def find(self: Any, words: str, kinds: tuple[str, ...], limit: int) -> Finds:
        states = self.server_states
        tools = [
            Find(FindKind.TOOL, one.server, one.name, one.title, one.summary, tokens=one.definition_tokens,
                 hints=one.hints, status=states[one.server].status, allowed=states[one.server].allowed)
            for one in self.tool_list
        ]  # fmt: skip
        offers = [Find(FindKind.RESOURCE, "demo", one.uri, one.title, one.description, size=one.size, mime=one.mime)
                  for one in self.resource_list]  # fmt: skip
        offers += [Find(FindKind.PROMPT, "demo", one.name, one.title or one.name, one.description, tokens=12)
                   for one in self.offered.prompts]  # fmt: skip
        skills = [Find(FindKind.SKILL, "", one.name, one.name, one.description, tokens=30)
                  for one in await self.skills() if one.state is not SkillState.RETIRED]  # fmt: skip
        known = {"tool": len(tools), "resource": len(self.resource_list), "skill": len(skills)}
        found = [
            Find(one.kind, one.server, one.name, one.title, one.summary, (Reason(_at(words, one), words),), one.tokens,
                 one.size, one.mime, one.hints, one.status, one.allowed)
            for one in (*tools, *offers, *skills)
            if (not kinds or one.kind in kinds) and letters(words, f"{one.name} {one.title} {one.summary}")
        ]  # fmt: skip
        return Finds(tuple(found[:limit]), len(found), known)

    async def tool_view(self: Any, server: str, name: str) -> ToolView:
        self.note("tool_view", server, name)
        tool = await self.tool(server, name)
        warnings = tuple(one for one in await self.warnings(server) if one.tool == name)
        change = next((one for one in await self.definition_changes(server) if one.tool == name), None)
        return ToolView(tool, warnings, change, self._companions(server, name))

    def _companions(self, server: str, tool: str) -> tuple[Companion, ...]:
        return tuple(one for one in self.companion_list if (one.server, one.tool) != (server, tool))


def _at(words: str, one: Find) -> FoundIn:
    return FoundIn.EXACT if words.lower() == one.name.lower() else FoundIn.NAME
