"""Tests skills offline: runs them in the real sandbox with generated functions, and a cassette answers their calls.

A test reaches no server, no file of the project and no network, so a skill may be tested before the user keeps it.
Functions are generated from the current tools of known servers, so that a test shows what a changed definition breaks,
and otherwise from the recorded definitions, so that a test needs no server.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.canonical_text import canonicalize
from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.recordings.cassette_player import CassettePlayer
from workbench.recordings.comparison import definition_change, result_differences
from workbench.records import DifferenceKind, JsonObject, JsonValue, Skill, SkillDifference, SkillState, SkillTest, Tool
from workbench.records.runs import Limits
from workbench.sandbox.importable_packages import packages
from workbench.sandbox.sandbox import Ending, Program, Sandbox
from workbench.servers.server_catalog import ServerCatalog
from workbench.servers.tool_definitions.definition_parsing import read
from workbench.settings import Settings
from workbench.skills.cassettes import Cassette
from workbench.skills.library import Library
from workbench.skills.skill_code import calling, importable
from workbench.wrappers.python_package import write_package


class PlayedCassette(Struct, frozen=True):
    """The outcome of running a skill against a cassette."""

    player: CassettePlayer
    result: JsonValue = None
    failure: str = ""
    ms: float = 0.0


class SkillTestRunner:
    """Runs skills against their cassettes."""

    def __init__(
        self,
        catalog: ServerCatalog,
        sandbox: Sandbox,
        library: Library,
        folder: Path,
        settings: Callable[[], Settings],
        limits: Callable[[Settings], Limits],
    ) -> None:
        """`folder` contains a temporary folder for each test."""
        self._catalog, self._sandbox, self._library = catalog, sandbox, library
        self._folder, self._settings, self._limits = folder, settings, limits

    async def play(self, skill: Skill, cassette: Cassette) -> PlayedCassette:
        """Run the skill once against the cassette."""
        if faults := canonicalize(f"{skill.code}\n{cassette.program}").faults:
            raise WorkbenchError(f"{skill.name} was not run: {faults[0].message}.", "Remove those characters first.")
        if self._sandbox.strength.level == "reduced" and (skill.faults or skill.state is not SkillState.KEPT):
            words = f"{skill.name} was not run: its code is not kept, and the sandbox here has reduced strength."
            raise WorkbenchError(words, "Read it and keep it first, or test it on a machine that isolates programs.")
        if cassette.program and self._sandbox.strength.level == "reduced":
            words = f"{cassette.name} was not played: it contains a program, and the sandbox here has reduced strength."
            raise WorkbenchError(words, "Test it on a machine that isolates programs.")
        code = cassette.program or calling(skill, cassette.arguments)
        folder = self._folder / f"replay-{uuid.uuid4().hex}"
        deck, started = CassettePlayer(cassette), time.perf_counter()
        try:
            await asyncio.to_thread(self._furnish, folder, skill, cassette, self._catalog.tools())
            ending = await self._sandbox.run(self._program(code, folder), deck.answer, lambda stream, text: None)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        deck.end()
        return PlayedCassette(deck, _value(ending), _failure(ending), (time.perf_counter() - started) * 1000)

    async def test(self, skill: Skill, cassette: Cassette) -> SkillTest:
        """Run the skill and list what differs, with changes of code and definitions that may explain it."""
        causes = [*await asyncio.to_thread(self._code, skill, cassette), *self._definitions(cassette)]
        try:
            played = await self.play(skill, cassette)
        except WorkbenchError as fault:
            broken = SkillDifference(DifferenceKind.FAILURE, f"{fault.message} {fault.hint}".strip())
            return _test_result(skill, cassette, [*causes, broken], 0.0)
        found = list(played.player.found)
        if played.failure != cassette.failure:
            fails = f"The skill fails: {played.failure}"
            words = fails if played.failure else "The skill no longer fails as it did when it was recorded."
            found.append(SkillDifference(DifferenceKind.FAILURE, words, cassette.failure, played.failure))
        elif not played.failure:
            found += result_differences(cassette.result, played.result, cassette.ignore)
        return _test_result(skill, cassette, [*causes, *found], played.ms)

    # ── changes since the recording ──────────────────────────────────────────────────────────────
    def _code(self, skill: Skill, cassette: Cassette) -> list[SkillDifference]:
        """Changes in the code of the skill and of the skills that it uses. Runs on a thread: it reads the library."""
        found = []
        if skill.sha != cassette.code:
            words = "The skill's code has changed since the recording."
            found.append(SkillDifference(DifferenceKind.CODE, words, cassette.code[:12], skill.sha[:12], False))
        now = {one.name: one.sha for one in self._library.kept_skills()}
        for name, sha in cassette.skills.items():
            if now.get(name) != sha:
                words = f"The skill {name}, which it uses, {'no longer exists' if name not in now else 'has changed'}."
                found.append(SkillDifference(DifferenceKind.CODE, words, sha[:12], now.get(name, "")[:12], False))
        return found

    def _definitions(self, cassette: Cassette) -> list[SkillDifference]:
        tools = {f"{tool.server}.{tool.name}": tool for tool in self._catalog.tools()}
        known = {tool.server for tool in tools.values()}
        found = []
        for name, before in cassette.tools.items():
            tool = tools.get(name)
            if tool is None and name.partition(".")[0] in known:
                words = f"The server no longer offers {name}."
                found.append(SkillDifference(DifferenceKind.DEFINITION, words, "", "", False))
            elif tool is not None and (change := definition_change(before, tool)) is not None:
                found.append(change)
        return found

    # ── the program and its folders ──────────────────────────────────────────────────────────────
    def _furnish(self, folder: Path, skill: Skill, cassette: Cassette, tools: Sequence[Tool]) -> None:
        """Create an empty workspace, the functions of the servers that the cassette names, and the modules of all
        skills. Runs on a thread."""
        for name in ("workspace", "servers", "skills"):
            (folder / name).mkdir(parents=True)
        for server in {name.partition(".")[0] for name in cassette.tools}:
            now = [tool for tool in tools if tool.server == server]
            write_package(server, now or _recorded(server, cassette.tools), folder / "servers")
        others = [one for one in self._library.kept_skills() if one.name != skill.name]
        for one in (*others, skill):
            module = importable(replace(one, faults=()))  # faults do not matter: a test program cannot do harm
            (folder / "skills" / f"{skill_module_name(one.name)}.py").write_text(module, encoding="utf-8")

    def _program(self, code: str, folder: Path) -> Program:
        settings = self._settings()
        chosen = packages(settings.run_packages, settings.run_preload)
        return Program(
            code=code,
            limits=self._limits(settings),
            workspace=folder / "workspace",
            servers=folder / "servers",
            skills=folder / "skills",
            packages=chosen.mounts,
            preload=chosen.preload,
        )


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


def _test_result(skill: Skill, cassette: Cassette, found: Sequence[SkillDifference], ms: float) -> SkillTest:
    state = "failed" if any(one.breaks for one in found) else "changed" if found else "passed"
    draft = skill.state is SkillState.DRAFT
    return SkillTest(skill.name, cassette.name, state, tuple(found), ms, skill.version, draft)
