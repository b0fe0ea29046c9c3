"""What agents, the palette and the command line do with kept skills: list, find, read and run them.

A skill is run as a program that imports it, on the same road as any other program: it is assessed with the skill's own
text, asked about where that is needed, and written down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.records import FindKind, JsonValue, Run, Skill, SkillState
from workbench.search.searchable_items import of_skill
from workbench.skills.skill_code import calling

if TYPE_CHECKING:
    from workbench.runs.run_manager import RunManager


async def kept_skills(services: Services) -> tuple[Skill, ...]:
    """Those that may be used, by name."""
    return await asyncio.to_thread(services.library.usable)


async def kept_skill(services: Services, name: str) -> Skill:
    """One of them, by its name or its import name; else the reason, and names there are."""
    usable = await kept_skills(services)
    for skill in usable:
        if name in (skill.name, skill_module_name(skill.name)):
            return skill
    if (draft := await asyncio.to_thread(_draft, services, name)) is not None:
        raise WorkbenchError(
            f"{draft.name} is a draft; the user has not kept it yet.",
            f"They keep it in the workbench's window or by `mcp-workbench skills keep {draft.name}` in a terminal.",
        )
    names = ", ".join(skill.name for skill in usable)
    raise WorkbenchError(f"There is no kept skill {name!r:.100}.", f"There are: {names}." if names else "None is kept.")


def _draft(services: Services, name: str) -> Skill | None:
    drafts = (skill for skill in services.library.skills() if skill.state is SkillState.DRAFT)
    return next((skill for skill in drafts if name in (skill.name, skill_module_name(skill.name))), None)


async def find_skills(services: Services, query: str, limit: int = 20) -> tuple[Skill, ...]:
    """The best first, ranked as tools are; without words, all by name."""
    usable = {skill.name: skill for skill in await kept_skills(services)}
    if not query.strip():
        return tuple(usable.values())[:limit]
    items = tuple(of_skill(skill) for skill in usable.values())
    found = await services.catalog.everywhere.find(query, (FindKind.SKILL,), limit, items)
    return tuple(usable[one.name] for one in found.finds if one.name in usable)


async def read_skill_text(services: Services, name: str) -> str:
    """Its instructions and its code, as one text for a model."""
    skill = await kept_skill(services, name)
    head = f"# {skill.name} (version {skill.version})\n{skill.description}"
    code = f"```python\n{skill.code.rstrip()}\n```" if skill.code else ""
    return "\n\n".join(part for part in (head, skill.notes.strip(), code) if part)


async def run_skill(
    services: Services,
    run_manager: RunManager,
    session: Session,
    name: str,
    arguments: Mapping[str, JsonValue],
    seconds: float = 0.0,
) -> Run:
    """Start a program that calls the skill with these arguments; `RunManager.finished` waits for its end."""
    skill = await kept_skill(services, name)
    return run_manager.submit(calling(skill, arguments), session, f"Run the skill {skill.name}.", seconds)
