"""Holds the masked answer of a program until the user has seen it: if it contains personal data of certain kinds, or
text of certain servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Final

from msgspec.structs import replace

from workbench.broker.held_calls import CORE_CLOSED, MUTED, RUN_ENDED, TIMED_OUT, HeldCalls
from workbench.events import spawn
from workbench.privacy.detectors.kinds import plural
from workbench.privacy.pii_tokens import count_tokens, cut_before
from workbench.privacy.user_marks import preview_kinds
from workbench.records import HeldCall, HeldCallAnswer, KindCount, Risk
from workbench.runs.run import KEPT_TEXT, NETWORK, ProgramRun, is_users_run
from workbench.settings import Settings

_UNDECIDED: Final = frozenset(one.reason for one in (TIMED_OUT, RUN_ENDED, CORE_CLOSED, MUTED))
MASK_AGAIN: Final = "again"  # scope of an answer: the user has changed marks and wants to see the text again


class AnswerPreviews:
    """Asks the user about masked answers, in the same queue as held calls."""

    def __init__(self, held_calls: HeldCalls, settings: Callable[[], Settings]) -> None:
        self._held_calls = held_calls
        self._settings = settings

    def reasons(self, run: ProgramRun, view: str) -> tuple[str, ...]:
        """Return why the user wants to see this answer before its agent gets it; empty: it is sent at once."""
        if is_users_run(run):
            return ()
        settings, counts = self._settings(), count_tokens(view)
        kinds, reasons = preview_kinds(settings.privacy_preview), list[str]()
        if kinds and any(one.kind in kinds for one in counts):
            reasons.append(f"It contains tokens for {_counts_text(counts)}.")
        if servers := _servers_shown(run, settings.approval_answers_of.split()):
            reasons.append(f"It may contain text of {', '.join(servers)}, which you want to read first.")
        return tuple(reasons)

    async def ask(self, run: ProgramRun, view: str, reasons: tuple[str, ...]) -> HeldCallAnswer:
        """Show the answer to the user and wait for their decision. A run that is stopped meanwhile sends nothing. The
        user may change the text; `arguments` of the returned answer is the changed text, masked."""
        run.show_preparing()
        stopped = run.answer_unwanted or asyncio.get_running_loop().create_future()
        run.write_audit("privacy.answer_waiting", "waits until the user has seen its answer", {})
        shown = _held_call(run, view, reasons)

        async def edit(text: str) -> HeldCall:
            return replace(shown, arguments=await asyncio.to_thread(run.session.mask, text), original=view)

        asking = spawn(
            f"preview of run {run.record.id}",
            self._held_calls.ask(shown, "", run.wait_seconds, alone=True, edit=edit),
        )
        await asyncio.wait({asking, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            self._held_calls.withdraw(run.record.id)
            await asyncio.wait({asking})
        answer: HeldCallAnswer = asking.result()
        if answer.arguments:
            answer = replace(answer, arguments=await asyncio.to_thread(run.session.mask, answer.arguments))
        if answer.scope != MASK_AGAIN:
            kind, deed = ("privacy.answer_sent", "sent") if answer.allow else ("privacy.answer_withheld", "withheld")
            why = "without a decision" if answer.reason in _UNDECIDED else "by the user's decision"
            detail: dict[str, object] = {"seconds": answer.seconds}
            if answer.arguments:
                deed = "changed and sent"
                texts = {"before": view, "after": answer.arguments}
                detail |= {name: text[: cut_before(text, KEPT_TEXT)] for name, text in texts.items()}
            run.write_audit(kind, f"had its answer {deed} {why}", detail)
        return answer


def _servers_shown(run: ProgramRun, patterns: list[str]) -> list[str]:
    """Return the servers of these patterns whose tools the program called, or earlier programs of its REPL session;
    none if the answer contains no text."""
    if not patterns:
        return []
    called = {server for server, _ in run.observed_actions.called_tools if server != NETWORK}
    if run.repl_session is not None:
        run.repl_session.servers |= called
        called |= run.repl_session.servers
    found = sorted(one for one in called if any(fnmatchcase(one.casefold(), each.casefold()) for each in patterns))
    return found if found and _has_text(run) else []


def _has_text(run: ProgramRun) -> bool:
    """Whether the answer of a run has more in it than numbers, truth values and nothing."""
    record = run.record
    if record.output.strip() or record.fault is not None:
        return True
    try:
        value = json.loads(record.result or "null")
    except (ValueError, RecursionError):
        return True
    return not (value is None or isinstance(value, bool | int | float))


def withheld_text(answer: HeldCallAnswer) -> str:
    """What an agent reads instead of an answer that was not sent."""
    if answer.reason in _UNDECIDED:
        return f"The answer was not sent: the user wants to see it first and has not decided. {answer.reason}"
    reason = f" Reason: {answer.reason}" if answer.reason else ""
    return f"The user has seen the answer and does not want to send it.{reason}"


def changed_text(text: str) -> str:
    """What an agent reads instead of an answer that the user changed."""
    return f"The user changed this answer before it was sent.\n\n{text}"


def _held_call(run: ProgramRun, view: str, reasons: tuple[str, ...]) -> HeldCall:
    author = run.record.proposal.author
    return HeldCall(
        id="",
        run_id=run.record.id,
        call_id="answer",
        server="",
        tool="answer",
        arguments=view,
        why=reasons or ("Your marks let all personal data in it pass.",),
        risk=Risk.MEDIUM,
        sentence=f"The answer to {author} is shown to you before it is sent.",
        session=run.session.id,
        author=author,
        is_answer=True,
    )


def _counts_text(counts: tuple[KindCount, ...]) -> str:
    return ", ".join(plural(one.kind, one.count) for one in counts)
