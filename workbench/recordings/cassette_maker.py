"""Makes a cassette from a recorded run: replaces personal data, then runs the skill twice against the result.

The first run gives the expected result with the replaced data; the second finds values that differ each time, such as
dates, which tests then ignore.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.privacy.pii_tokens import LOOKALIKE
from workbench.recordings.call_recorder import RecordedCall, RunRecording
from workbench.recordings.comparison import unsteady
from workbench.recordings.skill_test_runner import PlayedCassette, SkillTestRunner
from workbench.records import JsonObject, JsonValue, Skill
from workbench.sandbox.program import JsonText
from workbench.servers.server_catalog import ServerCatalog
from workbench.skills.cassettes import Cassette, CassetteStep
from workbench.skills.library import Library

Hide: TypeAlias = Callable[[JsonValue], JsonValue]
UsedSkills: TypeAlias = Callable[[str, Sequence[Skill]], Mapping[str, str]]

_TOKEN: Final = re.compile(r"(?:\[|%5B)?(?P<kind>[a-z_]+?)_(?P<number>\d+)\.[0-9a-z]{4}(?:\]|%5D)?", re.IGNORECASE)
# Made-up values by kind, in the form that programs expect.
_FORMS: Final = {
    "EMAIL": "person{}@example.invalid",
    "PHONE": "+1 555 010 {:04d}",
    "IP": "192.0.2.{}",
    "PERSON": "Person {}",
    "NAME": "Person {}",
    "URL": "https://example.invalid/{}",
}


class CassetteMaker:
    """Makes cassettes from recordings of runs."""

    def __init__(
        self, catalog: ServerCatalog, library: Library, replay: SkillTestRunner, used_skills: UsedSkills
    ) -> None:
        """`used_skills` returns which of the given skills a text uses, with the hash of each skill's code."""
        self._catalog, self._library = catalog, library
        self._replay, self._used_skills = replay, used_skills

    async def make(
        self,
        name: str,
        skill: Skill,
        given: JsonObject | str,
        tape: RunRecording | None,
        hide: Hide,
        run_id: str,
    ) -> Cassette:
        """Make a cassette from the recorded calls of a run. `given` is the skill's arguments or the program that calls
        the skill; `hide` replaces personal data by tokens."""
        if tape is None:
            words = "The recorded calls of this run are no longer available."
            raise WorkbenchError(words, "Run the program again, then record that run.")
        if tape.why_not:
            raise WorkbenchError(
                f"This run cannot be recorded: {tape.why_not}.", "Run the program again, or record a simpler run."
            )
        arguments, program, steps = await asyncio.to_thread(_hide, hide, given, tape)
        wish = Cassette(
            name=name,
            code=skill.sha,
            arguments=arguments,
            program=program,
            steps=steps,
            tools=self._definitions(steps),
            recorded=datetime.now(UTC).isoformat(timespec="seconds"),
            run_id=run_id,
        )
        return await self.settle(skill, wish)

    async def settle(self, skill: Skill, wish: Cassette) -> Cassette:
        """Run the skill against the cassette and return the cassette with that run's calls and result as expected."""
        first = await self._replay.play(skill, wish)
        if first.player.unknown:
            words = f"{skill.name} makes a call that was not recorded. {first.player.unknown}"
            raise WorkbenchError(words, "Record a run of the skill as it is, with the same arguments.")
        if first.failure:
            words = f"{skill.name} fails with the recorded answers: {first.failure}."
            raise WorkbenchError(
                words, "Record a run with the same arguments in which replaced personal data makes no difference."
            )
        kept = await asyncio.to_thread(self._library.kept_skills)
        base = replace(
            wish,
            code=skill.sha,
            steps=tuple(replace(step, ignore=()) for step in first.player.played),
            tools=self._definitions(tuple(first.player.played)) or wish.tools,
            skills=self._other_skills(skill, wish.program, kept),
            result=first.result,
            ignore=(),
        )
        return _steadied(base, await self._replay.play(skill, base))

    def _definitions(self, steps: tuple[CassetteStep, ...]) -> dict[str, JsonObject]:
        """Current definitions of the tools that the steps call."""
        found: dict[str, JsonObject] = {}
        for step in steps:
            if step.kind == "call":
                server, name = str(step.params.get("server")), str(step.params.get("tool"))
                if (tool := self._catalog.names.find(server, name)) is None:
                    continue  # no such tool: the step holds the error that the program got
                found[f"{tool.server}.{tool.name}"] = dict(tool.raw)
        return found

    def _other_skills(self, skill: Skill, program: str, kept: Sequence[Skill]) -> dict[str, str]:
        """Other skills that the program and the tested skill use, with the hashes of their code."""
        found = {**self._used_skills(program, kept), **self._used_skills(skill.code, kept)}
        return {name: sha for name, sha in found.items() if name != skill.name}


class _Hidden:
    """Replaces personal data by made-up values of the same form. Equal values get equal replacements."""

    def __init__(self, hide: Hide) -> None:
        self._hide = hide
        self._stands: dict[str, str] = {}

    def step(self, step: CassetteStep) -> CassetteStep:
        failure = self.object(step.failure) if step.failure is not None else None
        return replace(step, params=self.object(step.params), answer=self.value(step.answer), failure=failure)

    def object(self, value: JsonObject) -> JsonObject:
        found = self.value(dict(value))
        return found if isinstance(found, dict) else {}

    def value(self, value: JsonValue) -> JsonValue:
        return self._replaced(self._hide(value))

    def _replaced(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return LOOKALIKE.sub(lambda match: self._stand(match[0]), value)
        if isinstance(value, list):
            return [self._replaced(one) for one in value]
        if isinstance(value, dict):
            return {self._key(key): self._replaced(one) for key, one in value.items()}
        return value

    def _key(self, key: str) -> str:
        return LOOKALIKE.sub(lambda match: self._stand(match[0]), key)

    def _stand(self, token: str) -> str:
        match = _TOKEN.fullmatch(token)
        kind = match["kind"].upper() if match else "VALUE"
        if (known := self._stands.get(token.upper())) is None:
            number = sum(1 for one in self._stands if one.strip("[").startswith(f"{kind}_")) + 1
            form = _FORMS.get(kind, kind.lower().replace("_", " ") + " {}")
            known = self._stands[token.upper()] = form.format(number)
        return known


def _hide(hide: Hide, given: JsonObject | str, tape: RunRecording) -> tuple[JsonObject, str, tuple[CassetteStep, ...]]:
    """Arguments, program and steps without personal data. Runs on a thread: it scans up to two million characters."""
    hidden = _Hidden(hide)
    steps = tuple(hidden.step(_step(taken)) for taken in tuple(tape.steps))
    return ({}, str(hidden.value(given)), steps) if isinstance(given, str) else (hidden.object(given), "", steps)


def _step(taken: RecordedCall) -> CassetteStep:
    names = ("server", "tool", "arguments", "query", "detail_level", "category", "limit", "name")
    params = {name: taken.params[name] for name in names if taken.params.get(name) is not None}
    if (failure := taken.failure) is not None:
        told: Mapping[str, JsonValue] = {
            "message": failure.message,
            "code": failure.code,
            "valid_parameters": list(failure.valid_parameters),
            "suggestions": list(failure.suggestions),
            "hint": failure.hint,
        }
        return CassetteStep(taken.kind, params, failure=dict(told))
    if isinstance(taken.answer, JsonText):
        return CassetteStep(taken.kind, params, json.loads(taken.answer.text), taken.answer.shape)
    return CassetteStep(taken.kind, params, taken.answer, text=isinstance(taken.answer, str))


def _steadied(base: Cassette, again: PlayedCassette) -> Cassette:
    """The cassette with paths to ignore: parts of the result and of call arguments that differ between two runs."""
    steps = [
        replace(step, ignore=unsteady(step.params.get("arguments"), now.params.get("arguments")))
        for step, now in zip(base.steps, again.player.played, strict=False)
    ]
    if again.failure or len(again.player.played) != len(base.steps):
        words = "The skill makes different calls each time it runs, so it cannot be tested with a recording."
        raise WorkbenchError(words, "Choose arguments with which it always makes the same calls.")
    return replace(base, steps=tuple(steps), ignore=unsteady(base.result, again.result))
