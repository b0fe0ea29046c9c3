"""Running a program with its side effects held back, and letting it run by what a person ticked of them."""

from __future__ import annotations

from typing import Protocol

from workbench.records import PlanChoice, Run


class RehearsalQuestions(Protocol):
    """Rehearsals and their plans."""

    async def rehearse(
        self, code: str, purpose: str = "", skill: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        """Rehearse a person's own program; answers once it is on its road. Its plan is part of the run at its end."""

    async def rehearse_waiting(self, run_id: str) -> Run:
        """Rehearse a program that waits for a decision, which goes on waiting."""

    async def run_plan(self, choice: PlanChoice) -> Run:
        """Let the rehearsed program run and do what was ticked, once; whatever leaves the plan is asked about."""
