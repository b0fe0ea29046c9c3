"""Imports skills: shows the user what a skill would do, and imports exactly what was shown.

A package is read once, into memory, and exactly these bytes are imported, so later changes of its folder have no
effect. An imported skill is always a draft: programs can use it only after the user keeps it.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from workbench.analysis.canonical_text import canonicalize, find_hidden_characters
from workbench.analysis.used_skills import find_cycle, read_all
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import Gate, Skill, SkillFile, SkillReview, SkillState, Tool, Verdict
from workbench.runs.skill_actions import describe_missing_tools, needed_tools
from workbench.skills.skill_folder import CARD, code_file, skill_of
from workbench.skills.skill_packages import SkillPackage, open_skill_packages

HELD: Final = 50  # packages held for import, besides those of the latest `review_skills`
HELD_BYTES: Final = 64_000_000  # bytes of all files of held packages
_COMMENT: Final = re.compile(r"<!--.{0,10000}?-->", re.S)
_PROGRAMS: Final = (".py", ".sh", ".js", ".ts", ".rb", ".pl", ".exe", ".so", ".bin", ".bat", ".ps1")


class SkillImports:
    """Skill imports of one core. `review_skills` reads and assesses, `import_skill` writes."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._held: OrderedDict[str, tuple[SkillPackage, SkillReview]] = OrderedDict()

    async def review_skills(self, path: Path) -> tuple[SkillReview, ...]:
        """Assess every skill in this path; a path that is dangerous to read is refused completely."""
        packages = await asyncio.to_thread(open_skill_packages, path)
        tools, usable = self._services.catalog.tools(), await asyncio.to_thread(self._services.library.usable)
        reviews = [await asyncio.to_thread(self._review, package, tools, usable) for package in packages]
        for package, review in zip(packages, reviews, strict=True):
            self._held[review.key] = (package, review)
        self._drop_oldest(len(packages))
        return tuple(reviews)

    def _drop_oldest(self, newest: int) -> None:
        """Drop the oldest reviews; all reviews of the newest `review_skills` stay available for import."""
        size = sum(package.size for package, _ in self._held.values())
        while len(self._held) > newest and (len(self._held) > HELD or size > HELD_BYTES):
            size -= self._held.popitem(last=False)[1][0].size

    async def import_skill(self, key: str) -> Skill:
        """Make a draft of a reviewed skill."""
        held = self._held.get(key)
        if held is None:
            raise WorkbenchError(
                "The review of this skill is no longer in memory.", "Review the skill again, then import it."
            )
        package, review = held
        if review.refusal:
            raise WorkbenchError(f"Not imported: {review.refusal}", "Nothing of it was written.")
        skill, where = review.skill, f"from {package.source}{f' at {package.commit[:12]}' if package.commit else ''}"
        made = await asyncio.to_thread(self._services.library.bring_in, package, where, skill.tools)
        del self._held[key]
        return made

    def _review(self, package: SkillPackage, tools: Sequence[Tool], usable: Sequence[Skill]) -> SkillReview:
        if package.problem:
            broken = Skill(package.name, "", "", SkillState.DRAFT)
            return SkillReview(uuid.uuid4().hex, broken, _source(package), refusal=package.problem)
        code = package.text(code_file(package.name))
        skill = skill_of(package.name, package.text(CARD), code)
        verdict = read_all(code, tools, usable).verdict if code else None
        wanted = needed_tools(verdict)
        skill = replace(skill, tools=wanted, missing=describe_missing_tools(wanted, tools))
        return SkillReview(
            key=uuid.uuid4().hex,
            skill=skill,
            source=_source(package),
            files=tuple(SkillFile(path, len(data)) for path, data in sorted(package.files.items())),
            verdict=verdict,
            notices=_notices(package, code),
            refusal=_refusal(package, skill, verdict, find_cycle(package.name, code, usable)),
            before=self._existing_skill(package.name),
        )

    def _existing_skill(self, name: str) -> Skill | None:
        try:
            return self._services.library.get(name)
        except WorkbenchError:
            return None


def _source(package: SkillPackage) -> str:
    """Git is not run in an untrusted folder, so whether the files are those of the commit is not known."""
    commit = f", a checkout of commit {package.commit[:12]} with any later edits" if package.commit else ""
    return f"{package.source}{commit}"


def _refusal(package: SkillPackage, skill: Skill, verdict: Verdict | None, way: Sequence[str]) -> str:
    """Return why a skill is refused; text that displays differently from its content is checked first."""
    for path in sorted(package.files):
        if path.endswith((".md", ".py", ".txt", ".json", ".toml", ".yaml", ".yml")):
            faults = (
                canonicalize(package.text(path)).faults
                if path.endswith(".py")
                else find_hidden_characters(package.text(path))
            )
            if faults:
                return f"{path}, line {faults[0].span.line}: {faults[0].message}."
    if skill.faults:
        return skill.faults[0]
    if not skill.description:
        return "its SKILL.md has no description."
    if verdict is not None and verdict.gate is Gate.BLOCKED and not needed_tools(verdict):
        return verdict.sentence
    return f"it would import itself: {' → '.join(way)}." if way else ""


def _notices(package: SkillPackage, code: str) -> tuple[str, ...]:
    found = []
    if comments := _COMMENT.findall(package.text(CARD)):
        words = " ".join(comments[0][4:-3].split())
        found.append(f"SKILL.md has hidden comments ({len(comments)}), for example: {words[:120]}")
    programs = [path for path in sorted(package.files) if path.endswith(_PROGRAMS) and path != code_file(package.name)]
    if programs:
        found.append(f"It contains programs that the workbench does not run: {', '.join(programs[:5])}")
    if not code:
        found.append("It contains only instructions: agents can read it, programs cannot import it.")
    if skill_of(package.name, package.text(CARD), code).allowed:
        found.append("Its SKILL.md asks clients to allow tools without approval. That has no effect here.")
    return tuple(found)
