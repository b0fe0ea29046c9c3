"""Answers what a person asks of the skill library."""

from __future__ import annotations

import asyncio

from workbench.desk.seat import BY, Seat
from workbench.errors import WorkbenchError
from workbench.policy.canonical import canonical
from workbench.records import JsonObject, Skill, SkillState
from workbench.skills.module import usage
from workbench.skills.names import identifier


class SkillsDesk(Seat):
    """Drafts and kept skills."""

    async def skills(self) -> tuple[Skill, ...]:
        return await asyncio.to_thread(self._rooms.library.list)

    async def skill(self, name: str) -> Skill:
        return await asyncio.to_thread(self._rooms.library.get, name)

    async def call_of_skill(self, name: str, arguments: JsonObject) -> str:
        skill = await asyncio.to_thread(self._rooms.library.get, name, SkillState.KEPT)
        if skill.faults:
            raise WorkbenchError(f"{skill.name} cannot be run: {skill.faults[0]}", "Look at it in the library.")
        if wrong := [key for key in arguments if not key.isidentifier()]:
            raise WorkbenchError(f"{wrong[0]!r:.100} is no parameter's name.", f"See: skills show {skill.name}.")
        start = usage(skill.code, identifier(skill.name)).partition("(")[0]
        return f"{start}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})\n"

    async def draft_skill(
        self, name: str, description: str, code: str, run_id: str, tags: tuple[str, ...] = ()
    ) -> Skill:
        text = canonical(code)
        if text.faults:
            raise WorkbenchError(text.faults[0].message, "Remove those characters first.")
        verdict = await self._house.conveyor.assess(text.text)
        tools = tuple(sorted({f"{use.server}.{use.tool}" for use in verdict.tools}))
        draft = self._rooms.library.draft
        skill = await asyncio.to_thread(draft, name, description, text.text, run_id, BY, tools, tags)
        self._note("skill.drafted", f"You drafted the skill {skill.name}", run_id=run_id)
        return skill

    async def keep_skill(self, name: str, sha: str) -> Skill:
        """Its text comes from disk, so it is read once more before it is kept."""
        seen = await asyncio.to_thread(self._rooms.library.to_keep, name, sha)
        if faults := canonical(seen.code).faults:
            raise WorkbenchError(faults[0].message, "Remove those characters, then keep it.")
        verdict = await self._house.conveyor.assess(seen.code)
        skill = await asyncio.to_thread(self._rooms.library.keep, name, sha, BY)
        summary = f"You kept the skill {skill.name}, version {skill.version}"
        self._note("skill.kept", summary, run_id=skill.run_id, risk=str(verdict.risk))
        return skill

    async def retire_skill(self, name: str) -> Skill:
        skill = await asyncio.to_thread(self._rooms.library.retire, name)
        self._note("skill.retired", f"You retired the skill {skill.name}")
        return skill
