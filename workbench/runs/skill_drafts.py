"""Takes the skills that agents offer into the library as drafts, from their tools and from their programs."""

from __future__ import annotations

import asyncio

from workbench.analysis.canonical_text import canonicalize, strip_code_fence
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import Note
from workbench.skills.skill_folder import skill_name


async def offer_skill(services: Services, session: Session, name: str, code: str, description: str) -> str:
    """An agent's draft, through `save_skill` of its tools or of its programs; answers what it is told."""
    text = canonicalize(strip_code_fence(code))
    if text.faults:
        raise WorkbenchError(text.faults[0].message, "Remove those characters and offer it again.")
    kept = [skill for skill in await asyncio.to_thread(services.library.usable) if skill.name == skill_name(name)]
    skill = await asyncio.to_thread(services.library.offer, name, description, text.text, session.author)
    summary = session.mask(f"{session.author} offers the skill {skill.name}")
    note = Note(kind="skill.drafted", summary=summary, actor=session.author, session=session.id)
    services.journal.append(note)
    words = (
        f"{skill.name} is a draft now. It can be used after the user has kept it, in the workbench's window or by"
        f" `mcp-workbench skills keep {skill.name}` in their terminal."
    )
    if kept and kept[0].code != text.text:
        words += f" Until then load_skill and run_skill give the kept skill of this name: {kept[0].description}"
    return words
