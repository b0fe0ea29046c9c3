"""Answers what a person asks of programs and their runs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from workbench.audit.review import DECIDED, NEWEST, review
from workbench.desk.seat import BY, Seat
from workbench.policy.canonical import cleaned
from workbench.policy.sarif import sarif
from workbench.records import Decision, EntryQuery, Origin, ReviewFigures, Run, Verdict


class RunsDesk(Seat):
    """Programs, their verdicts, their runs."""

    async def assess(self, code: str, language: str = "python", profile: str = "") -> Verdict:
        return await self._house.conveyor.assess(code, language=language, profile=profile)

    async def submit(
        self,
        code: str,
        purpose: str,
        skill: str,
        state: str = "",
        language: str = "python",
        profile: str = "",
        required: tuple[str, ...] = (),
        seconds: float = 0.0,
        force_approval: bool = False,
    ) -> Run:
        return self._house.conveyor.submit(
            code,
            self._rooms.sessions.person,
            purpose,
            seconds,
            skill,
            state,
            language,
            profile,
            required,
            force_approval,
        )

    async def runs(self) -> tuple[Run, ...]:
        return self._house.conveyor.runs()

    async def run(self, run_id: str) -> Run:
        return self._house.conveyor.run(run_id)

    async def decide(self, decision: Decision) -> Run:
        terminal = self._terminal_of(decision.run_id)
        return self._house.conveyor.decide(replace(decision, by=BY, terminal=terminal))

    async def edit(self, run_id: str, code: str) -> Run:
        self._terminal_of(run_id)
        return await self._house.conveyor.edit(run_id, code)

    def _terminal_of(self, run_id: str) -> str:
        proposal = self._house.conveyor.run(run_id).proposal
        return self._check_terminal(of_agent=proposal.origin is Origin.AGENT)

    async def assess_edit(self, run_id: str, code: str) -> Verdict:
        return await self._house.conveyor.assess_edit(run_id, code)

    async def sarif(self, names: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> str:
        log = sarif(zip(names, verdicts, strict=False))
        return json.dumps(log, indent=1, ensure_ascii=True)

    async def clean(self, code: str) -> str:
        return await asyncio.to_thread(cleaned, code)

    async def review_figures(self) -> ReviewFigures:
        query = EntryQuery(kind=DECIDED, limit=NEWEST)
        return review(await asyncio.to_thread(self._rooms.journal.entries, query))

    async def stop_run(self, run_id: str) -> Run:
        return await self._house.conveyor.stop(run_id)

    async def start_example_agent(self) -> None:
        await self._house.start_example()
