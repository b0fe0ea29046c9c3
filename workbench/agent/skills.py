"""The skills that a person keeps, for an agent: found, read, run, and offered."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Sequence
from typing import Final

from workbench.agent import arguments as given
from workbench.agent.answer import Answer
from workbench.agent.programs import Context, Programs
from workbench.errors import WorkbenchError
from workbench.policy.canonical import canonical
from workbench.records import JsonObject, JsonValue, Note, Skill
from workbench.runs.rooms import Rooms
from workbench.runs.sessions import Session
from workbench.runs.view import cut
from workbench.skills.module import usage
from workbench.skills.names import identifier

MOST_FOUND: Final = 10
_WORD: Final = re.compile(r"[^\W_]{2,40}")


class Skills:
    """Kept ones only; what an agent offers is a draft until a person keeps it."""

    def __init__(self, rooms: Rooms, session: Session, programs: Programs) -> None:
        self._rooms = rooms
        self._session = session
        self._programs = programs

    async def list(self) -> Answer:
        """`list_skills`."""
        return _listed(await self._usable(), "The user keeps no skills yet.")

    async def search(self, arguments: JsonObject) -> Answer:
        """`search_skills`: by the words of names, descriptions and tags, the best first."""
        query = given.text(arguments, "query")
        wanted = set(_words(query))
        scored = [(_score(skill, wanted), skill) for skill in await self._usable()]
        found = [skill for score, skill in sorted(scored, key=lambda one: (-one[0], one[1].name)) if score]
        return _listed(found[:MOST_FOUND], "No skill fits; list_skills names all.")

    async def load(self, arguments: JsonObject) -> Answer:
        """`load_skill`."""
        skill = await self._find(given.text(arguments, "name"))
        parts = [f"# {skill.name}, version {skill.version}", skill.description, skill.notes.strip()]
        parts.append(f"Its code, skills/{identifier(skill.name)}.py:\n\n```python\n{skill.code.rstrip()}\n```")
        text = self._session.mask("\n\n".join(filter(None, parts)))  # before it is cut
        return Answer(cut(text, self._rooms.settings().run_answer_tokens, f"skill://{skill.name}/SKILL.md has it all"))

    async def run(self, context: Context, arguments: JsonObject) -> Answer:
        """`run_skill`: a program like any other, which policy reads together with the skill."""
        skill = await self._find(given.text(arguments, "name"))
        values = arguments.get("arguments") or {}
        if not isinstance(values, dict):
            raise WorkbenchError("arguments must be an object.", 'Such as {"limit": 5}.')
        code = call_of(skill, values)
        return await self._programs.run(context, code, f"Run the skill {skill.name}: {skill.description}", skill.name)

    async def save(self, arguments: JsonObject) -> Answer:
        """`save_skill`."""
        text = canonical(given.text(arguments, "code"))
        if text.faults:
            raise WorkbenchError(text.faults[0].message, "Remove those characters and offer it again.")
        name, description = given.text(arguments, "name"), given.text(arguments, "description")
        offer, author = self._rooms.library.offer, self._session.author
        skill = await asyncio.to_thread(offer, name, description, text.text, author)
        summary = self._session.mask(f"{author} offers the skill {skill.name}")
        self._rooms.journal.append(Note(kind="skill.drafted", summary=summary, actor=author, session=self._session.id))
        return Answer(f"{skill.name} is a draft now. It can be used after the user has kept it.")

    async def _usable(self) -> tuple[Skill, ...]:
        return await asyncio.to_thread(self._rooms.library.usable)

    async def _find(self, name: str) -> Skill:
        wanted = name.strip().replace("_", "-")
        skills = await self._usable()
        for skill in skills:
            if skill.name == wanted:
                return skill
        known = ", ".join(skill.name for skill in skills[:20])
        raise WorkbenchError(f"There is no kept skill {name!r:.100}.", f"There are: {known}." if known else "")


def call_of(skill: Skill, values: JsonObject) -> str:
    """The program that imports a skill and calls it with these values."""
    function = identifier(skill.name)
    for name, value in values.items():
        if not name.isidentifier() or not _is_finite(value):
            raise WorkbenchError(f"{name!r:.80} cannot be given to {function}.", "Read its arguments with load_skill.")
    head = usage(skill.code, function).rpartition(f"{function}(")[0]
    given_values = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return f"{head}{function}({given_values})\n"


def _is_finite(value: JsonValue) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _listed(skills: Sequence[Skill], none: str) -> Answer:
    lines = [f"{skill.name}: {skill.description}" for skill in skills]
    facts: JsonObject = {"skills": [{"name": skill.name, "description": skill.description} for skill in skills]}
    return Answer("\n".join(lines) or none, facts)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text[:2_000].replace("-", " ").replace("_", " "))]


def _score(skill: Skill, wanted: set[str]) -> int:
    """Its name counts most, then its tags, then its description; a beginning counts as its word."""
    weighed = ((skill.name, 5), (" ".join(skill.tags), 3), (skill.description, 2), (skill.notes[:4_000], 1))
    return sum(weight for text, weight in weighed for word in wanted if any(_alike(word, one) for one in _words(text)))


def _alike(word: str, other: str) -> bool:
    return word == other or (min(len(word), len(other)) > 3 and (word.startswith(other) or other.startswith(word)))
