"""Rehearses programs for a person, and takes their word about what a rehearsal held."""

from __future__ import annotations

from workbench.api.marker import api
from workbench.desk.seat import BY, Seat
from workbench.records import PlanChoice, Run


class RehearsalsDesk(Seat):
    """Rehearsals and their plans."""

    @api(decides=True)
    async def rehearse(
        self, code: str, purpose: str = "", skill: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        """Rehearse a person's own program; answers once it is on its road. Its plan is part of the run at its end."""
        person = self._services.sessions.person
        return self._house.run_manager.submit(
            code, person, purpose, skill=skill, language=language, profile=profile, rehearse=True
        )

    @api(decides=True)
    async def rehearse_waiting(self, run_id: str) -> Run:
        """Rehearse a program that waits for a decision, which goes on waiting."""
        run = self._house.run_manager.rehearsals.of_waiting(run_id)
        self._note("run.rehearsed", f"A program of {run.proposal.author} is rehearsed", run_id=run_id)
        return run

    @api(decides=True, consent=True)
    async def run_plan(self, choice: PlanChoice) -> Run:
        """Let the rehearsed program run and do what was ticked, once; whatever leaves the plan is asked about."""
        self._check_terminal(of_agent=True)
        return self._house.run_manager.rehearsals.run(choice, BY)
