"""Rehearses programs for a person, and takes their word about what a rehearsal held."""

from __future__ import annotations

from workbench.desk.seat import BY, Seat
from workbench.records import PlanChoice, Run


class RehearsalsDesk(Seat):
    """Rehearsals and their plans."""

    async def rehearse(
        self, code: str, purpose: str = "", skill: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        person = self._rooms.sessions.person
        return self._house.conveyor.submit(
            code, person, purpose, skill=skill, language=language, profile=profile, rehearse=True
        )

    async def rehearse_waiting(self, run_id: str) -> Run:
        run = self._house.conveyor.rehearsals.of_waiting(run_id)
        self._note("run.rehearsed", f"A program of {run.proposal.author} is rehearsed", run_id=run_id)
        return run

    async def run_plan(self, choice: PlanChoice) -> Run:
        self._check_terminal(of_agent=True)
        return self._house.conveyor.rehearsals.run(choice, BY)
