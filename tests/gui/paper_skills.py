"""The paper bench's answers about skills."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.events import SkillsChanged
from workbench.records import Skill, SkillState


class PaperSkills:
    """A test may change the list."""

    bus: Any
    note: Any

    def __init__(self, code: str) -> None:
        self.skill_list = {
            "weekly_report": Skill("weekly_report", "Sums up the week.", code, SkillState.KEPT, 2, "b" * 64),
            "first_try": Skill("first_try", "Counts orders.", code, SkillState.DRAFT, sha="c" * 64),
            "old_one": Skill("old_one", "Not used any more.", code, SkillState.RETIRED, 1, "d" * 64),
        }

    async def skills(self) -> tuple[Skill, ...]:
        return tuple(self.skill_list.values())

    async def skill(self, name: str) -> Skill:
        return self.skill_list[name]

    async def retire_skill(self, name: str) -> Skill:
        self.note("retire_skill", name)
        self.skill_list[name] = replace(self.skill_list[name], state=SkillState.RETIRED)
        self.bus.tell(SkillsChanged(name))
        return self.skill_list[name]
