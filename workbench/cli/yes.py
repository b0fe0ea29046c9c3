"""Answers for a program that waits for a person: on the terminal, by `--yes`, in a window, or by a no."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

from workbench.api.client_stub import ApiMethods
from workbench.cli.printing import narrate
from workbench.errors import WorkbenchError
from workbench.records import Decision, Pause, PauseAnswer, Risk, Run, RunState

Line = Callable[[str], Awaitable[str]]
ALONE = "Nobody was there to be asked."


class Yes:
    """Made for one run. `unanswered` is true when it was refused for want of a person."""

    def __init__(self, questions: ApiMethods, *, yes: bool, wait: bool, line: Line | None) -> None:
        self._questions, self._yes, self._wait, self._line = questions, yes, wait, line
        self.unanswered = False

    async def attend(self, run: Run) -> None:
        """Answer what it waits for right now, or leave it to a window."""
        try:
            if run.state is RunState.WAITING:
                await self._decide(run)
            for pause in run.pauses:
                await self._answer(pause)
        except WorkbenchError as fault:  # somebody else was quicker, or its time was over
            narrate(fault.message)

    async def _decide(self, run: Run) -> None:
        verdict = run.verdict
        if verdict is None:
            return
        narrate(f"It has to be asked about: {verdict.risk} risk. {verdict.sentence}")
        critical = verdict.risk is Risk.CRITICAL
        if self._yes and not critical:
            narrate("Allowed once by --yes.")
            await self._say(run, allow=True)
        elif self._wait or critical:
            await self._leave(run, critical=critical)
        elif self._line is not None:
            for finding in verdict.findings:
                narrate(f"  line {finding.span.line}: {finding.risk}, {finding.message}")
            for effect in verdict.effects:
                narrate(f"  line {effect.line}: {effect.kind}: {effect.text}")
            await self._say(run, allow=_is_yes(await self._line("Allow it once? [y/N] ")))
        else:
            self.unanswered = True
            await self._say(run, allow=False, reason=ALONE)

    async def _leave(self, run: Run, *, critical: bool) -> None:
        """Critical risk is decided where the whole of it is on screen."""
        if self._wait:
            narrate("It waits: allow or deny it in a window on this bench.")
            return
        narrate("Critical risk is decided in a window; run it with --wait and open one.")
        self.unanswered = True
        await self._say(run, allow=False, reason=ALONE)

    async def _answer(self, pause: Pause) -> None:
        narrate(f"A call waits: {pause.server}.{pause.tool}. {pause.sentence or ' '.join(pause.why)}")
        for line in pause.list or (pause.arguments,):
            narrate(f"  {line:.500}")
        if self._wait:
            narrate("Answer it in a window on this bench.")
        elif self._line is not None:
            allow = _is_yes(await self._line("Let it pass? [y/N] "))
            await self._questions.answer_pause(PauseAnswer(pause.id, allow))
        else:
            narrate("Denied: nobody is here to be asked, and --yes is about the program, not about such a call.")
            await self._questions.answer_pause(PauseAnswer(pause.id, allow=False, reason=ALONE))

    async def _say(self, run: Run, *, allow: bool, reason: str = "") -> None:
        answer = Decision(run.id, run.proposal.sha, allow, "", reason, seal=run.seal)
        await self._questions.decide(answer)


def terminal(*, busy: bool) -> Line | None:
    """How to ask on this terminal; None where nobody sits, or stdin is the program itself."""
    return _ask if not busy and sys.stdin.isatty() and sys.stderr.isatty() else None


async def _ask(question: str) -> str:
    """Read one line without a thread: one that waits for a key would outlive Ctrl+C."""
    import asyncio

    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    print(question, end="", file=sys.stderr, flush=True)
    loop.add_reader(sys.stdin, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()


def _is_yes(line: str) -> bool:
    return line.strip().lower() in ("y", "yes")
