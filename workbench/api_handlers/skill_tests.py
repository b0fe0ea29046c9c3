"""API methods about recorded skill tests: record, play, accept, compare with the live servers."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

from workbench.analysis.used_skills import used_skills
from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.recordings.cassette_maker import CassetteMaker
from workbench.recordings.live_checks import LiveChecks
from workbench.recordings.skill_test_runner import SkillTestRunner
from workbench.records import (
    CassetteInfo,
    DifferenceKind,
    JsonObject,
    JsonValue,
    Skill,
    SkillDifference,
    SkillState,
    SkillTest,
)
from workbench.runs.program_execution import limits_from
from workbench.runs.run_manager import RunManager
from workbench.skills.cassettes import Cassette, cassette_name, read_cassettes, remove_cassette, write_cassette
from workbench.skills.skill_code import called_with

SHOWN = 300  # characters of arguments and results in a list


class SkillTestHandler(RequestHandler):
    """Records and plays skill tests, and suggests skills from past programs."""

    def __init__(self, services: Services, run_manager: RunManager, checks: LiveChecks) -> None:
        super().__init__(services)
        self._manager = run_manager
        self._checks = checks
        self._replay = SkillTestRunner(
            services.catalog, services.sandbox, services.library, services.paths.replays, services.settings,
            lambda settings: limits_from(settings, 0.0),
        )  # fmt: skip
        self._recording = CassetteMaker(services.catalog, services.library, self._replay, used_skills)

    @api
    async def cassettes(self, name: str) -> tuple[CassetteInfo, ...]:
        """The recordings of a skill, and those that its draft would add."""
        found, faults = await asyncio.to_thread(self._read, name)
        broken = tuple(CassetteInfo(label, fault=words) for label, words in sorted(faults.items()))
        return (*(_cassette_info(one) for _, one in found.values()), *broken)

    @api(decides=True)
    async def record_cassette(self, run_id: str, skill: str, name: str, arguments: JsonObject) -> CassetteInfo:
        """Make a recording from a run of this core. `arguments`: those of the skill; empty: as in the run."""
        label, run = cassette_name(name), self._manager.run(run_id)
        subject = await asyncio.to_thread(self._subject, skill, draft=False)
        session = self._services.sessions.get(run.proposal.session)
        if session is None:
            raise WorkbenchError("This run belongs to an earlier core.", "Run it again, then record that run.")
        given: JsonObject | str | None = arguments or called_with(run.proposal.code, subject.name)
        if given is None:
            given = await asyncio.to_thread(self._caller, run.proposal.code, subject)
        tape = self._manager.recording(run_id)
        await session.registrations.wait_until_done()
        made = await self._recording.make(label, subject, given, tape, partial(_with_tokens, session), run_id)
        await asyncio.to_thread(self._write, subject, made)
        self._note("skill.recording_added", f"You recorded the cassette {label} of {subject.name}", run_id=run_id)
        return _cassette_info(made)

    @api
    async def test_skill(self, name: str, draft: bool = False, cassette: str = "") -> tuple[SkillTest, ...]:
        """Play all recordings, or only `cassette`, to the kept skill or to its draft; no server is called."""
        subject = await asyncio.to_thread(self._subject, name, draft=draft)
        found, faults = await asyncio.to_thread(self._read, name)
        wanted = [one for _, one in found.values() if cassette in ("", one.name)]
        if cassette and not wanted and cassette not in faults:
            raise WorkbenchError(f"{subject.name} has no cassette {cassette!r:.80}.", "See the list on its page.")
        tests = [await self._replay.test(subject, one) for one in wanted]
        return (
            *tests,
            *(_error_result(subject, label, words) for label, words in faults.items() if cassette in ("", label)),
        )

    @api(decides=True)
    async def accept_cassette(self, name: str, cassette: str, draft: bool = False) -> CassetteInfo:
        """Update the expectation of a recording to what the skill does now."""
        subject = await asyncio.to_thread(self._subject, name, draft=draft)
        folder, known = await asyncio.to_thread(self._find_cassette, name, cassette)
        made = await self._recording.settle(subject, known)
        await asyncio.to_thread(write_cassette, folder, made)
        self._note("skill.recording_updated", f"You updated the cassette {cassette} to what {subject.name} does now")
        return _cassette_info(made)

    @api(decides=True)
    async def remove_cassette(self, name: str, cassette: str) -> None:
        folder, _ = await asyncio.to_thread(self._find_cassette, name, cassette)
        await asyncio.to_thread(remove_cassette, folder, cassette)
        self._note("skill.recording_removed", f"You removed the cassette {cassette} of {name}")

    @api(decides=True)
    async def check_drift(self, name: str, cassette: str, allow: bool = False) -> SkillTest:
        """Make the recorded calls at the live servers: only calls that read, or with `allow` all of them."""
        _, known = await asyncio.to_thread(self._find_cassette, name, cassette)
        return await self._checks.check_recording(name, known, allow=allow)

    # ── on a thread ──────────────────────────────────────────────────────────────────────────────
    def _subject(self, name: str, *, draft: bool) -> Skill:
        """Return the tested skill: the draft, the kept skill, or whichever exists."""
        return self._services.library.get(name, SkillState.DRAFT if draft else None)

    def _read(self, name: str) -> tuple[dict[str, tuple[Path, Cassette]], dict[str, str]]:
        """Return every recording by name with its folder; a draft's own recording replaces the kept skill's of that
        name."""
        known = self._services.library.get(name)
        found: dict[str, tuple[Path, Cassette]] = {}
        faults: dict[str, str] = {}
        for state in (SkillState.RETIRED, SkillState.KEPT, SkillState.DRAFT):
            if self._services.library.find(known.name, state) is not None:
                folder = self._services.library.folder(known.name, state)
                whole, broken = read_cassettes(folder)
                found |= {one.name: (folder, one) for one in whole}
                faults |= broken
        return dict(sorted(found.items())), faults

    def _caller(self, code: str, skill: Skill) -> JsonObject | str:
        """Return the program if it calls the skill with arguments that are not JSON."""
        return code if skill.name in used_skills(code, self._services.library.kept_skills()) else {}

    def _find_cassette(self, name: str, cassette: str) -> tuple[Path, Cassette]:
        found, faults = self._read(name)
        if cassette not in found:
            words = faults.get(cassette, f"{name} has no cassette {cassette!r:.80}.")
            hint = f"Its cassettes: {', '.join(found)}." if found else "Record one from a run's page."
            raise WorkbenchError(words, hint)
        return found[cassette]

    def _write(self, skill: Skill, cassette: Cassette) -> None:
        write_cassette(self._services.library.folder(skill.name, skill.state), cassette)
        self._services.library.notify_changed(skill.name)


def _with_tokens(session: Session, value: JsonValue) -> JsonValue:
    """Mask personal data with tokens, which a recording replaces."""
    return session.vault.sanitize_json(session.mask_json(value))


def _cassette_info(one: Cassette) -> CassetteInfo:
    result = json.dumps(one.result, ensure_ascii=False) if not one.failure else one.failure
    calls = sum(step.kind == "call" for step in one.steps)
    arguments = json.dumps(dict(one.arguments), ensure_ascii=False)
    return CassetteInfo(
        one.name,
        one.recorded,
        one.run_id,
        arguments[:SHOWN],
        tuple(sorted(one.tools)),
        calls,
        result[:SHOWN],
        program=one.program[:SHOWN],
    )


def _error_result(skill: Skill, label: str, words: str) -> SkillTest:
    found = (SkillDifference(DifferenceKind.FAILURE, words),)
    return SkillTest(skill.name, label, "error", found, 0.0, skill.version, skill.state is SkillState.DRAFT)
