"""What a person asks of the skill library."""

from __future__ import annotations

from typing import Protocol

from workbench.records import JsonObject, Run, Skill, SkillPage, SkillReview


class SkillQuestions(Protocol):
    """Drafts and kept skills."""

    async def skills(self) -> tuple[Skill, ...]: ...

    async def skill(self, name: str) -> Skill: ...

    async def skill_page(self, name: str) -> SkillPage: ...

    async def call_of_skill(self, name: str, arguments: JsonObject) -> str:
        """The program that calls a kept skill with these arguments."""
        ...

    async def draft_skill(
        self, name: str, description: str, code: str, run_id: str, tags: tuple[str, ...] = ()
    ) -> Skill: ...

    async def new_skill(self, name: str, description: str) -> Skill:
        """A draft with a beginning to go on from; the name has to be a skill's and free."""
        ...

    async def keep_skill(self, name: str, sha: str) -> Skill:
        """Keep the draft with this sha as the next version."""

    async def retire_skill(self, name: str) -> Skill: ...

    async def bring_back_skill(self, name: str) -> Skill: ...

    async def rename_skill(self, name: str, wish: str) -> Skill: ...

    async def tag_skill(self, name: str, tags: tuple[str, ...]) -> Skill: ...

    async def run_skill(self, name: str, arguments: JsonObject) -> Run:
        """Set out a program that calls it: the kept one, or a draft's code as it stands."""

    async def look_at_skills(self, path: str) -> tuple[SkillReview, ...]:
        """What stands in a folder, zip file or git checkout; nothing of it is written."""

    async def import_skill(self, key: str) -> Skill:
        """Make a draft of what was looked at under this key."""

    async def export_skill(self, name: str, path: str) -> str:
        """Pack it into a zip file; answers the file's path."""
