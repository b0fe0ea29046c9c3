"""The paper project's answers about skills."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import SkillsChanged
from workbench.records import (
    CassetteInfo,
    JsonObject,
    Origin,
    Proposal,
    Run,
    RunState,
    Skill,
    SkillHint,
    SkillPage,
    SkillReview,
    SkillState,
    SkillTest,
    SkillUse,
)


class PaperSkills:
    """A test may change the list."""

    bus: Any
    note: Any
    run_list: dict[str, Run]

    def __init__(self, code: str) -> None:
        self.skill_list = {
            "weekly_report": Skill("weekly_report", "Sums up the week.", code, SkillState.KEPT, 2, "b" * 64),
            "first_try": Skill("first_try", "Counts orders.", code, SkillState.DRAFT, sha="c" * 64),
            "old_one": Skill("old_one", "Not used any more.", code, SkillState.RETIRED, 1, "d" * 64),
        }

        self.draft_list: dict[str, Skill] = {}  # drafts of kept skills
        self.skill_versions: tuple[Skill, ...] = ()
        self.skill_use: SkillUse | None = None
        self.hint_list: list[SkillHint] = []
        self.cassette_list: list[CassetteInfo] = []
        self.skill_results: list[SkillTest] = []
        self.review_list: list[SkillReview] = []

    async def new_skill(self, name: str, description: str) -> Skill:
        self.note("new_skill", name, description)
        code = f"async def {name.replace('-', '_')}() -> int:\n    return 1\n"
        self.skill_list[name] = Skill(name, description, code, SkillState.DRAFT, sha="e" * 64)
        self.bus.tell(SkillsChanged(name))
        return self.skill_list[name]

    async def skills(self) -> tuple[Skill, ...]:
        return (*self.skill_list.values(), *self.draft_list.values())

    async def skill_page(self, name: str) -> SkillPage:
        schema = '{"type": "object", "properties": {"limit": {"type": "integer", "default": 3}}}'
        draft = self.draft_list.get(name)
        return SkillPage(self.skill_list[name], draft, self.skill_versions, self.skill_use, schema, "/bench/skills")

    async def skill_uses(self) -> tuple[SkillUse, ...]:
        return (self.skill_use,) if self.skill_use is not None else ()

    async def skill_hints(self) -> tuple[SkillHint, ...]:
        return tuple(self.hint_list)

    async def dismiss_hint(self, key: str) -> None:
        self.note("dismiss_hint", key)
        self.hint_list.clear()

    async def cassettes(self, name: str) -> tuple[CassetteInfo, ...]:
        return tuple(self.cassette_list)

    async def test_skill(self, name: str, draft: bool = False, cassette: str = "") -> tuple[SkillTest, ...]:
        self.note("test_skill", name, draft)
        return tuple(self.skill_results)

    async def run_skill(self, name: str, arguments: JsonObject) -> Run:
        self.note("run_skill", name, arguments)
        proposal = Proposal("run-of-skill", "x", "", Origin.PERSON, "person", "you")
        self.run_list[proposal.id] = Run(proposal.id, proposal, RunState.DONE)
        return self.run_list[proposal.id]

    async def record_cassette(self, run_id: str, skill: str, name: str, arguments: JsonObject) -> CassetteInfo:
        self.note("record_cassette", run_id, skill, name, arguments)
        return CassetteInfo(name, calls=2)

    async def accept_cassette(self, name: str, cassette: str, draft: bool = False) -> CassetteInfo:
        self.note("accept_cassette", name, cassette, draft)
        return CassetteInfo(cassette)

    async def review_skills(self, path: str) -> tuple[SkillReview, ...]:
        if not self.review_list:
            raise WorkbenchError(
                "Not imported: x is a link, and links are not allowed in a skill.", "No file was written."
            )
        return tuple(self.review_list)

    async def import_skill(self, key: str) -> Skill:
        self.note("import_skill", key)
        return next(one.skill for one in self.review_list if one.key == key)

    async def rename_skill(self, name: str, wish: str) -> Skill:
        self.note("rename_skill", name, wish)
        return self.skill_list[name]

    async def restore_skill(self, name: str) -> Skill:
        self.note("restore_skill", name)
        return self.skill_list[name]

    async def skill(self, name: str) -> Skill:
        return self.skill_list[name]

    async def retire_skill(self, name: str) -> Skill:
        self.note("retire_skill", name)
        self.skill_list[name] = replace(self.skill_list[name], state=SkillState.RETIRED)
        self.bus.tell(SkillsChanged(name))
        return self.skill_list[name]
