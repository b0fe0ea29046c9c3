"""Plays cassettes to skills: the real sandbox and the real generated functions, and nobody but the cassette to answer.

Nothing reaches a server, a file of the bench or the network, so a skill may be tested before anybody has kept it. The
functions are made of the tools as they are now, where their server is known, so that a changed definition shows what
it breaks; of the recorded ones elsewhere, so that a test needs no server.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.policy.canonical import canonical
from workbench.records import DifferenceKind, JsonObject, JsonValue, Skill, SkillDifference, SkillState, SkillTest, Tool
from workbench.runs.deck import Deck, result_differences
from workbench.runs.execution import limits_from
from workbench.runs.rooms import Rooms
from workbench.sandbox.packages import packages
from workbench.sandbox.sandbox import Ending, Program
from workbench.servers.tool_definitions.definition_parsing import digest, read
from workbench.skills.cassettes import Cassette
from workbench.skills.module import importable
from workbench.skills.names import identifier
from workbench.skills.signature import calling
from workbench.wrappers.package import write_package


class Played(Struct, frozen=True):
    """What came of one play."""

    deck: Deck
    result: JsonValue = None
    failure: str = ""
    ms: float = 0.0


class Replay:
    """Of one core."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def play(self, skill: Skill, cassette: Cassette) -> Played:
        """Run the skill against the cassette, once."""
        if faults := canonical(f"{skill.code}\n{cassette.program}").faults:
            raise WorkbenchError(f"{skill.name} is not run: {faults[0].message}.", "Remove those characters first.")
        if self._rooms.sandbox.strength.level == "reduced" and (skill.faults or skill.state is not SkillState.KEPT):
            words = f"{skill.name} is not run: nobody has kept its code, and the sandbox here is of reduced strength."
            raise WorkbenchError(words, "Read it and keep it first, or test it on a machine that isolates programs.")
        if cassette.program and self._rooms.sandbox.strength.level == "reduced":
            words = f"{cassette.name} is not played: it brings a program, and the sandbox here is of reduced strength."
            raise WorkbenchError(words, "Test it on a machine that isolates programs.")
        code = cassette.program or calling(skill, cassette.arguments)
        folder = self._rooms.paths.rehearsals / f"replay-{uuid.uuid4().hex}"
        deck, started = Deck(cassette), time.perf_counter()
        try:
            await asyncio.to_thread(self._furnish, folder, skill, cassette, self._rooms.catalog.tools())
            ending = await self._rooms.sandbox.run(self._program(code, folder), deck.answer, lambda stream, text: None)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        deck.end()
        return Played(deck, _value(ending), _failure(ending), (time.perf_counter() - started) * 1000)

    async def test(self, skill: Skill, cassette: Cassette) -> SkillTest:
        """Play it and say what differs, and which of code, definitions and arguments is behind it."""
        causes = [*await asyncio.to_thread(self._code, skill, cassette), *self._definitions(cassette)]
        try:
            played = await self.play(skill, cassette)
        except WorkbenchError as fault:
            broken = SkillDifference(DifferenceKind.FAILURE, f"{fault.message} {fault.hint}".strip())
            return _told(skill, cassette, [*causes, broken], 0.0)
        found = list(played.deck.found)
        if played.failure != cassette.failure:
            words = f"It fails: {played.failure}" if played.failure else "It no longer fails, as it did when recorded."
            found.append(SkillDifference(DifferenceKind.FAILURE, words, cassette.failure, played.failure))
        elif not played.failure:
            found += result_differences(cassette.result, played.result, cassette.ignore)
        return _told(skill, cassette, [*causes, *found], played.ms)

    # ── what is another one since ────────────────────────────────────────────────────────────────
    def _code(self, skill: Skill, cassette: Cassette) -> list[SkillDifference]:
        """On a thread: it reads the library."""
        found = []
        if skill.sha != cassette.code:
            words = "The skill's code is not the one that was recorded."
            found.append(SkillDifference(DifferenceKind.CODE, words, cassette.code[:12], skill.sha[:12], False))
        now = {one.name: one.sha for one in self._rooms.library.kept()}
        for name, sha in cassette.skills.items():
            if now.get(name) != sha:
                words = f"The skill {name}, which it uses, {'is gone' if name not in now else 'has other code'}."
                found.append(SkillDifference(DifferenceKind.CODE, words, sha[:12], now.get(name, "")[:12], False))
        return found

    def _definitions(self, cassette: Cassette) -> list[SkillDifference]:
        tools = {f"{tool.server}.{tool.name}": tool for tool in self._rooms.catalog.tools()}
        known = {tool.server for tool in tools.values()}
        found = []
        for name, before in cassette.tools.items():
            tool = tools.get(name)
            if tool is None and name.partition(".")[0] in known:
                found.append(SkillDifference(DifferenceKind.DEFINITION, f"{name} is no longer offered.", "", "", False))
            elif tool is not None and digest(before) != tool.hash:
                words = f"The definition of {name} changed: {what_changed(before, tool.raw)}."
                found.append(SkillDifference(DifferenceKind.DEFINITION, words, breaks=False))
        return found

    # ── the program's world ──────────────────────────────────────────────────────────────────────
    def _furnish(self, folder: Path, skill: Skill, cassette: Cassette, tools: Sequence[Tool]) -> None:
        """On a thread: an empty workspace, the tools of the servers that it names, and the skills as they are."""
        for name in ("workspace", "servers", "skills"):
            (folder / name).mkdir(parents=True)
        for server in {name.partition(".")[0] for name in cassette.tools}:
            now = [tool for tool in tools if tool.server == server]
            write_package(server, now or _recorded(server, cassette.tools), folder / "servers")
        others = [one for one in self._rooms.library.kept() if one.name != skill.name]
        for one in (*others, skill):
            module = importable(replace(one, faults=()))  # nothing here is handed to a program that could do harm
            (folder / "skills" / f"{identifier(one.name)}.py").write_text(module, encoding="utf-8")

    def _program(self, code: str, folder: Path) -> Program:
        settings = self._rooms.settings()
        chosen = packages(settings.run_packages, settings.run_preload)
        return Program(
            code=code,
            limits=limits_from(settings, 0.0),
            workspace=folder / "workspace",
            servers=folder / "servers",
            skills=folder / "skills",
            packages=chosen.places,
            preload=chosen.preload,
        )


def what_changed(before: JsonObject, after: JsonObject) -> str:
    """In words: parameters that came, went or are others now, else which part of the definition."""
    old, new = _parameters(before), _parameters(after)
    words = [f"{name} was taken out" for name in old if name not in new]
    words += [f"{name} was added" for name in new if name not in old]
    words += [f"{name} is described otherwise" for name in old if name in new and old[name] != new[name]]
    if words:
        return ", ".join(words[:6])
    parts = ("title", "description", "inputSchema", "outputSchema", "annotations")
    return ", ".join(part for part in parts if before.get(part) != after.get(part)) or "its name"


def _parameters(definition: JsonObject) -> dict[str, JsonValue]:
    schema = definition.get("inputSchema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return dict(found) if isinstance(found, dict) else {}


def _recorded(server: str, definitions: Mapping[str, JsonObject]) -> tuple[Tool, ...]:
    return read(server, [dict(raw) for name, raw in definitions.items() if name.partition(".")[0] == server]).tools


def _value(ending: Ending) -> JsonValue:
    value: JsonValue = json.loads(ending.result) if ending.ok and ending.result else None
    return value


def _failure(ending: Ending) -> str:
    if ending.ok:
        return ""
    last = ending.message.strip().splitlines()
    return f"{ending.error_type or ending.reason}: {last[0] if last else ''}".rstrip(": ")


def _told(skill: Skill, cassette: Cassette, found: Sequence[SkillDifference], ms: float) -> SkillTest:
    state = "failed" if any(one.breaks for one in found) else "changed" if found else "passed"
    draft = skill.state is SkillState.DRAFT
    return SkillTest(skill.name, cassette.name, state, tuple(found), ms, skill.version, draft)
