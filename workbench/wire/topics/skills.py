"""What a person asks of the skill library."""

from __future__ import annotations

from typing import Protocol

from workbench.records import JsonObject, Skill


class SkillQuestions(Protocol):
    """Drafts and kept skills."""

    async def skills(self) -> tuple[Skill, ...]: ...

    async def skill(self, name: str) -> Skill: ...

    async def call_of_skill(self, name: str, arguments: JsonObject) -> str:
        """The program that calls a kept skill with these arguments."""
        ...

    async def draft_skill(
        self, name: str, description: str, code: str, run_id: str, tags: tuple[str, ...] = ()
    ) -> Skill: ...

    async def keep_skill(self, name: str, sha: str) -> Skill:
        """Keep the draft with this sha as the next version."""

    async def retire_skill(self, name: str) -> Skill: ...
