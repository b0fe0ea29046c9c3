"""Holds the masked answer of a program until the user has seen it, if it contains personal data of certain kinds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from workbench.broker.held_calls import CORE_CLOSED, RUN_ENDED, TIMED_OUT, HeldCalls
from workbench.events import spawn
from workbench.privacy.detectors.kinds import plural
from workbench.privacy.pii_tokens import count_tokens
from workbench.privacy.user_marks import preview_kinds
from workbench.records import HeldCall, HeldCallAnswer, KindCount, Risk
from workbench.runs.run import ProgramRun, is_users_run
from workbench.settings import Settings

_UNDECIDED: Final = frozenset(one.reason for one in (TIMED_OUT, RUN_ENDED, CORE_CLOSED))
MASK_AGAIN: Final = "again"  # scope of an answer: the user has changed marks and wants to see the text again


class AnswerPreviews:
    """Asks the user about masked answers, in the same queue as held calls."""

    def __init__(self, held_calls: HeldCalls, settings: Callable[[], Settings]) -> None:
        self._held_calls = held_calls
        self._settings = settings

    def is_wanted(self, run: ProgramRun, view: str) -> bool:
        """Whether the user wants to see this answer before its agent gets it."""
        kinds = preview_kinds(self._settings().privacy_preview)
        return bool(kinds) and not is_users_run(run) and any(one.kind in kinds for one in count_tokens(view))

    async def ask(self, run: ProgramRun, view: str) -> HeldCallAnswer:
        """Show the answer to the user and wait for their decision. A run that is stopped meanwhile sends nothing."""
        run.show_preparing()
        stopped = run.answer_unwanted or asyncio.get_running_loop().create_future()
        run.write_audit("privacy.answer_waiting", "waits until the user has seen its answer", {})
        wait = run.wait_seconds
        asking = spawn(
            f"preview of run {run.record.id}", self._held_calls.ask(_held_call(run, view), "", wait, alone=True)
        )
        await asyncio.wait({asking, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            self._held_calls.withdraw(run.record.id)
            await asyncio.wait({asking})
        answer: HeldCallAnswer = asking.result()
        if answer.scope != MASK_AGAIN:
            kind, deed = ("privacy.answer_sent", "sent") if answer.allow else ("privacy.answer_withheld", "withheld")
            why = "without a decision" if answer.reason in _UNDECIDED else "by the user's decision"
            run.write_audit(kind, f"had its answer {deed} {why}", {"seconds": answer.seconds})
        return answer


def withheld_text(answer: HeldCallAnswer) -> str:
    """What an agent reads instead of an answer that was not sent."""
    if answer.reason in _UNDECIDED:
        return f"The answer was not sent: the user wants to see it first and has not decided. {answer.reason}"
    reason = f" Reason: {answer.reason}" if answer.reason else ""
    return f"The user has seen the answer and does not want to send it.{reason}"


def _held_call(run: ProgramRun, view: str) -> HeldCall:
    counts = _counts_text(count_tokens(view))
    author = run.record.proposal.author
    return HeldCall(
        id="",
        run_id=run.record.id,
        call_id="answer",
        server="",
        tool="answer",
        arguments=view,
        why=(f"It contains tokens for {counts}." if counts else "Your marks let all personal data in it pass.",),
        risk=Risk.MEDIUM,
        sentence=f"The answer to {author} is shown to you before it is sent (setting privacy.preview).",
        session=run.session.id,
        author=author,
        is_answer=True,
    )


def _counts_text(counts: tuple[KindCount, ...]) -> str:
    return ", ".join(plural(one.kind, one.count) for one in counts)
