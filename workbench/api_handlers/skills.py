"""API methods about the skill library."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from msgspec.structs import replace

from workbench.analysis.canonical_text import canonicalize
from workbench.analysis.program_fingerprints import skeleton
from workbench.analysis.used_skills import find_cycle
from workbench.api.marker import api
from workbench.api_handlers.request_handler import BY, RequestHandler
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import JsonObject, Run, Skill, SkillPage, SkillReview, SkillState
from workbench.runs.run_manager import RunManager
from workbench.runs.skill_actions import describe_missing_tools, needed_tools, run_skill
from workbench.runs.skill_imports import SkillImports
from workbench.skills.skill_code import calling, schema_of, trying
from workbench.skills.skill_folder import is_name
from workbench.skills.skill_packages import pack
from workbench.skills.skill_templates import beginning


class SkillHandler(RequestHandler):
    """Drafts, kept skills, and imports and exports of skills."""

    def __init__(self, services: Services, run_manager: RunManager) -> None:
        super().__init__(services)
        self._manager = run_manager
        self._imports = SkillImports(services)

    @api
    async def skills(self) -> tuple[Skill, ...]:
        found = await asyncio.to_thread(self._services.library.skills)
        tools = self._catalog.tools()
        return tuple(replace(skill, missing=describe_missing_tools(skill.tools, tools)) for skill in found)

    @api
    async def skill(self, name: str) -> Skill:
        found = await asyncio.to_thread(self._services.library.get, name)
        return replace(found, missing=describe_missing_tools(found.tools, self._catalog.tools()))

    @api
    async def skill_page(self, name: str) -> SkillPage:
        skill, library = await self.skill(name), self._services.library
        kept = skill.state is SkillState.KEPT
        versions = await asyncio.to_thread(library.versions, skill.name) if kept else ()
        draft = await asyncio.to_thread(library.find, skill.name, SkillState.DRAFT) if kept else None
        folder = await asyncio.to_thread(library.folder, skill.name, skill.state)
        schema = json.dumps(dict(schema_of(skill)), ensure_ascii=False)
        return SkillPage(skill, draft, versions, library.usage.use(skill.name), schema, str(folder))

    @api
    async def call_of_skill(self, name: str, arguments: JsonObject) -> str:
        """The program that calls a kept skill with these arguments."""
        skill = await asyncio.to_thread(self._services.library.get, name, SkillState.KEPT)
        if skill.faults:
            raise WorkbenchError(f"{skill.name} cannot be run: {skill.faults[0]}", "Open it in the library.")
        return calling(skill, arguments)

    @api(decides=True)
    async def draft_skill(
        self, name: str, description: str, code: str, run_id: str, tags: tuple[str, ...] = ()
    ) -> Skill:
        text = canonicalize(code)
        if text.faults:
            raise WorkbenchError(text.faults[0].message, "Remove those characters first.")
        reading = await self._manager.read_within_bounds(text)
        tools = needed_tools(reading.verdict)
        draft = self._services.library.draft
        skill = await asyncio.to_thread(draft, name, description, text.text, run_id, BY, tools, tags)
        self._services.library.usage.dismiss(skeleton(reading.program))  # it is a skill now
        self._note("skill.drafted", f"You drafted the skill {skill.name}", run_id=run_id)
        return skill

    @api(decides=True)
    async def new_skill(self, name: str, description: str) -> Skill:
        """Create a draft with example code; the name must be valid and free."""
        if not is_name(name):
            words = f"{name!r:.80} is not a skill name."
            raise WorkbenchError(words, "Use lower-case letters, digits and single hyphens, for example weekly-report.")
        if await asyncio.to_thread(self._services.library.is_taken, name):
            raise WorkbenchError(f"A skill named {name} already exists.", "Choose another name, or open that skill.")
        return await self.draft_skill(name, description, beginning(name, description), "")

    @api(decides=True, consent=True)
    async def keep_skill(self, name: str, sha: str) -> Skill:
        """Keep the draft with this hash as the next version. Its text is read from disk again first."""
        seen = await asyncio.to_thread(self._services.library.to_keep, name, sha)
        terminal = self._check_terminal(of_agent=seen.author != BY)
        if faults := canonicalize(seen.code).faults:
            raise WorkbenchError(faults[0].message, "Remove those characters, then keep it.")
        usable = await asyncio.to_thread(self._services.library.usable)
        if way := find_cycle(seen.name, seen.code, usable):
            raise WorkbenchError(f"{seen.name} would import itself: {' → '.join(way)}.", "Remove one of these imports.")
        verdict = await self._manager.assess(seen.code)
        skill = await asyncio.to_thread(self._services.library.keep, name, sha, BY)
        summary = f"You kept the skill {skill.name}, version {skill.version}"
        self._note("skill.kept", summary, run_id=skill.run_id, risk=str(verdict.risk), terminal=terminal)
        return skill

    @api(decides=True)
    async def retire_skill(self, name: str) -> Skill:
        skill = await asyncio.to_thread(self._services.library.retire, name)
        self._note("skill.retired", f"You retired the skill {skill.name}")
        return skill

    @api(decides=True)
    async def discard_draft(self, name: str) -> Skill:
        """Remove the draft of this name from the skills; a kept skill of the same name stays."""
        skill = await asyncio.to_thread(self._services.library.retire, name, SkillState.DRAFT)
        self._note("skill.discarded", f"You discarded the draft {skill.name}")
        return skill

    @api(decides=True)
    async def restore_skill(self, name: str) -> Skill:
        skill = await asyncio.to_thread(self._services.library.bring_back, name)
        self._note("skill.restored", f"You restored the skill {skill.name}")
        return skill

    @api(decides=True)
    async def rename_skill(self, name: str, wish: str) -> Skill:
        skill = await asyncio.to_thread(self._services.library.rename, name, wish)
        self._note("skill.renamed", f"You renamed the skill {name} to {skill.name}")
        return skill

    @api(decides=True)
    async def tag_skill(self, name: str, tags: tuple[str, ...]) -> Skill:
        skill = await asyncio.to_thread(self._services.library.tag, name, tags)
        self._note("skill.tagged", f"You set the tags of the skill {skill.name}: {', '.join(skill.tags) or 'none'}")
        return skill

    @api(decides=True)
    async def run_skill(self, name: str, arguments: JsonObject) -> Run:
        """Run a skill: the kept one, or a draft with its current code."""
        person, skill = self._services.sessions.person, await self.skill(name)
        if skill.state is SkillState.KEPT:
            return await run_skill(self._services, self._manager, person, skill.name, arguments)
        return self._manager.submit(trying(skill, arguments), person, f"Try the skill {skill.name}.", skill=skill.name)

    @api
    async def review_skills(self, path: str) -> tuple[SkillReview, ...]:
        """Review the skills of a folder, zip file or git checkout; nothing is written."""
        return await self._imports.review_skills(Path(path).expanduser())

    @api(decides=True)
    async def import_skill(self, key: str) -> Skill:
        """Make a draft of the reviewed skill with this key."""
        skill = await self._imports.import_skill(key)
        self._note("skill.imported", f"You imported the skill {skill.name}, {skill.author}")
        return skill

    @api(decides=True)
    async def export_skill(self, name: str, path: str) -> str:
        """Pack a skill into a zip file; returns the file's path."""
        skill = await self.skill(name)
        folder = await asyncio.to_thread(self._services.library.folder, skill.name, skill.state)
        target = await asyncio.to_thread(pack, skill.name, folder, Path(path).expanduser())
        self._note("skill.exported", f"You exported the skill {skill.name}")
        return str(target)
