"""Answers what a person asks of programs and their runs."""

from __future__ import annotations

import asyncio
import json

from msgspec.structs import replace

from workbench.analysis.canonical_text import clean_text
from workbench.analysis.sarif import sarif
from workbench.api.marker import api
from workbench.audit.review import DECIDED, NEWEST, review
from workbench.desk.seat import BY, Seat
from workbench.records import Decision, EntryQuery, Origin, ReviewFigures, Run, Verdict


class RunsDesk(Seat):
    """Programs, their verdicts, their runs."""

    @api
    async def assess(self, code: str, language: str = "python", profile: str = "") -> Verdict:
        return await self._house.run_manager.assess(code, language=language, profile=profile)

    @api(decides=True)
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
        """Run a person's own program, in a kept state of that name if it has one, within the bounds of a profile and
        with the required tools alone if there are any; answers once it is on its road."""
        return self._house.run_manager.submit(
            code,
            self._services.sessions.person,
            purpose,
            seconds,
            skill,
            state,
            language,
            profile,
            required,
            force_approval,
        )

    @api(decides=True, consent=True)
    async def decide(self, decision: Decision) -> Run:
        terminal = self._terminal_of(decision.run_id)
        return self._house.run_manager.decide(replace(decision, by=BY, terminal=terminal))

    @api(decides=True, consent=True)
    async def edit(self, run_id: str, code: str) -> Run:
        """Replace the code of a waiting run; it is assessed again under a new sha."""
        self._terminal_of(run_id)
        return await self._house.run_manager.edit(run_id, code)

    def _terminal_of(self, run_id: str) -> str:
        proposal = self._house.run_manager.run(run_id).proposal
        return self._check_terminal(of_agent=proposal.origin is Origin.AGENT)

    @api
    async def sarif(self, names: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> str:
        """The findings of these verdicts as one SARIF log, each under the name of its program."""
        log = sarif(zip(names, verdicts, strict=False))
        return json.dumps(log, indent=1, ensure_ascii=True)

    @api
    async def clean(self, code: str) -> str:
        """The text without what makes it unfit to be run: hidden characters, foreign encodings, odd line ends."""
        return await asyncio.to_thread(clean_text, code)

    @api
    async def review_figures(self) -> ReviewFigures:
        query = EntryQuery(kind=DECIDED, limit=NEWEST)
        return review(await asyncio.to_thread(self._services.finder.entries, query))

    @api(decides=True)
    async def stop_run(self, run_id: str) -> Run:
        return await self._house.run_manager.stop(run_id)

    @api(decides=True)
    async def start_example_agent(self) -> None:
        """Start a real MCP client that proposes a program, so that a newcomer can see an approval."""
        await self._house.start_example()
