"""The skills that a person keeps, for an agent: found, read, run, and offered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.agent import tool_arguments as given
from workbench.agent.program_tools import Context, ProgramTools
from workbench.agent.tool_answers import ToolAnswer
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.privacy.text_kinds import TextKind
from workbench.records import JsonObject, Skill
from workbench.runs.answer_view import cut
from workbench.runs.skill_actions import find_skills, kept_skill, kept_skills, offer_skill, read_skill_text
from workbench.skills.skill_code import calling

MOST_FOUND: Final = 10


class SkillTools:
    """Kept ones only; what an agent offers is a draft until a person keeps it."""

    def __init__(self, services: Services, session: Session, programs: ProgramTools) -> None:
        self._services = services
        self._session = session
        self._programs = programs

    async def list(self) -> ToolAnswer:
        """`list_skills`."""
        return _listed(await kept_skills(self._services), "The user keeps no skills yet.")

    async def search(self, arguments: JsonObject) -> ToolAnswer:
        """`search_skills`."""
        found = await find_skills(self._services, given.text(arguments, "query"), MOST_FOUND)
        return _listed(found, "No skill fits; list_skills names all.")

    async def load(self, arguments: JsonObject) -> ToolAnswer:
        """`load_skill`."""
        name = given.text(arguments, "name")
        text = self._session.mask_known(await read_skill_text(self._services, name))  # before it is cut
        text = cut(text, self._services.settings().run_answer_tokens, "skill://…/SKILL.md has its instructions")
        return ToolAnswer(text, kind=TextKind.PUBLIC)

    async def run(self, context: Context, arguments: JsonObject) -> ToolAnswer:
        """`run_skill`: a program like any other, which policy reads together with the skill."""
        skill = await kept_skill(self._services, given.text(arguments, "name"))
        values = arguments.get("arguments") or {}
        if not isinstance(values, dict):
            raise WorkbenchError("arguments must be an object.", 'Such as {"limit": 5}.')
        purpose = f"Run the skill {skill.name}: {skill.description}"
        return await self._programs.run(context, calling(skill, values), purpose, "skill", skill.name)

    async def save(self, arguments: JsonObject) -> ToolAnswer:
        """`save_skill`."""
        name, description = given.text(arguments, "name"), given.text(arguments, "description")
        words = await offer_skill(self._services, self._session, name, given.text(arguments, "code"), description)
        return ToolAnswer(words, kind=TextKind.PUBLIC)


def _listed(skills: Sequence[Skill], none: str) -> ToolAnswer:
    lines = [f"{skill.name}: {skill.description}" for skill in skills]
    facts: JsonObject = {"skills": [{"name": skill.name, "description": skill.description} for skill in skills]}
    return ToolAnswer("\n".join(lines) or none, facts, kind=TextKind.PUBLIC)
