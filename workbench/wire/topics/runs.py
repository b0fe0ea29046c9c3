"""What a person asks of programs and their runs."""

from __future__ import annotations

from typing import Protocol

from workbench.records import Decision, ReviewFigures, Run, Verdict


class RunQuestions(Protocol):
    """Programs, their verdicts, their runs."""

    async def assess(self, code: str, language: str = "python", profile: str = "") -> Verdict: ...

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

    async def runs(self) -> tuple[Run, ...]:
        """Runs of this core and the last ones before it, newest first."""

    async def run(self, run_id: str) -> Run: ...

    async def decide(self, decision: Decision) -> Run: ...

    async def edit(self, run_id: str, code: str) -> Run:
        """Replace the code of a waiting run; it is assessed again under a new sha."""

    async def assess_edit(self, run_id: str, code: str) -> Verdict:
        """What policy would say of this text in the place of the one that waits; nothing is changed by asking."""

    async def sarif(self, names: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> str:
        """The findings of these verdicts as one SARIF log, each under the name of its program."""

    async def clean(self, code: str) -> str:
        """The text without what makes it unfit to be run: hidden characters, foreign encodings, odd line ends."""

    async def review_figures(self) -> ReviewFigures: ...

    async def stop_run(self, run_id: str) -> Run: ...

    async def start_example_agent(self) -> None:
        """Start a real MCP client that proposes a program, so that a newcomer can see an approval."""
