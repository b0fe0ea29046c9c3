"""Ends a run: masks and cuts its answer, stores long answers, and notifies the audit and clients.

Answers that are too long for a model are stored completely in the workspace for later programs, for as long as the
settings say. They contain real values, because programs work on real values; what a program prints of them is masked
as usual. Each value is on a line of its own, so that reading the first lines splits none.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from threading import Event
from typing import Any, Final

from msgspec.structs import replace

from workbench import offload
from workbench.broker.held_calls import HeldCalls
from workbench.broker.program_answers import sealed_values_hint
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import LedgerChanged, spawn
from workbench.records import Fault, FileInfo, Ledger, Run, RunState
from workbench.runs.answer_preview import MASK_AGAIN, AnswerPreviews, changed_text, withheld_text
from workbench.runs.answer_view import beginning, compose, compose_parts, cut, extract_pictures, picture_tokens, shorten
from workbench.runs.dry_runs import planned
from workbench.runs.program_execution import time_limit_notice
from workbench.runs.run import ProgramRun, RunEnd, is_users_run, ledger_of
from workbench.runs.run_faults import internal_failure, stopped_before_answer
from workbench.runs.skill_actions import learn_from_run
from workbench.runs.workspace_changes import held_changes_notice
from workbench.settings import Settings
from workbench.thread_cancellation import WorkCancelled, cancellable
from workbench.tokens import count
from workbench.workspace.snapshots import Snapshots
from workbench.workspace.workspace_files import WorkspaceFiles

log = logging.getLogger(__name__)

OWN = 200_000  # masked characters of the answer to a program of the user; no model reads it
PRINTED = 1_500  # characters of the printed text that the answer of a stopped run contains


class RunFinalizer:
    """Ends every run exactly once, whatever its end."""

    def __init__(self, services: Services, held_calls: HeldCalls) -> None:
        self._services = services
        self._previews = AnswerPreviews(held_calls, services.settings)
        self._spills = StoredAnswers(services.workspace_files, services.snapshots, services.settings)
        self._spills.delete_old()
        self._working: set[asyncio.Task[tuple[str, int] | Exception]] = set()

    async def finish_run(self, run: ProgramRun, end: RunEnd) -> None:
        """Prepare the answer, write the end of the run to the audit, and notify clients."""
        try:
            try:
                run.record = planned(run)
            except Exception as fault:
                end = internal_failure(run, fault)
            run.record = replace(
                run.record,
                output=run.printed,
                result=end.result,
                memory_mb=end.memory_mb,
                fault=end.fault,
                held=tuple(path for path, _ in run.held),
            )
            try:
                view, tokens = await self._prepare_answer(run, end)
                if reasons := self._previews.reasons(run, view):
                    view, tokens = await self._preview(run, end, view, tokens, reasons)
            except WorkCancelled:
                end = stopped_before_answer(run.stop_reason) if end.state is RunState.DONE else end
                run.record = replace(run.record, fault=end.fault)
                view, tokens = self._compose_answer(run, _shorten_stopped(replace(run.record, state=end.state)))
            ledger = self._ledger(run, tokens)
            run.finish(end.state, end.summary, model_view=view, ledger=ledger)
            learn_from_run(run)
            run.session.spend(ledger)
            self._services.sessions.remember(run.session)
            real = end.state is RunState.DONE and run.dry_run is None
            if real and self._services.settings().search_learns:
                ran = {(call.server, call.tool) for call in run.record.calls if call.state == "done"}
                self._services.catalog.lessons.ran_together(ran)
            self._services.tell(LedgerChanged(self._services.sessions.total()))
        finally:
            run.ended.set()  # set even if a step failed or the audit cannot be written, because others wait for it

    async def _preview(
        self, run: ProgramRun, end: RunEnd, view: str, tokens: int, reasons: tuple[str, ...]
    ) -> tuple[str, int]:
        """Return what the user decides to send; after a change of marks the answer is masked and shown again."""
        while True:
            answer = await self._previews.ask(run, view, reasons)
            if not answer.allow:
                run.pictures = ()
                await asyncio.to_thread(self._spills.delete_answer, run.record.id)
                view = withheld_text(answer)
                return view, count(view)
            if answer.arguments and answer.scope != MASK_AGAIN:
                run.pictures = ()  # the user changed the text that they belong to
                await asyncio.to_thread(self._spills.delete_answer, run.record.id)
                view = changed_text(answer.arguments)
                return view, count(view)
            if answer.scope != MASK_AGAIN:
                return view, tokens
            view, tokens = await self._prepare_answer(run, end)
            reasons = self._previews.reasons(run, view)

    async def _prepare_answer(self, run: ProgramRun, end: RunEnd) -> tuple[str, int]:
        """Return the text for the model and its token count. Masking much output takes seconds, so it is done on a
        thread."""
        draft = replace(run.record, state=end.state)
        # looking texts up in long answers takes longer than masking them
        waits = run.session.registrations.busy or run.session.vault.answers.unread > 0
        if end.state is RunState.STOPPED:
            draft, waits = _shorten_stopped(draft), False  # the client that stopped it waits for the answer
        try:
            # an answer of more than `run_answer_tokens` may be stored in a file, which is blocking I/O
            most = min(offload.MASKING.limit, self._services.settings().run_answer_tokens)
            if not waits and len(draft.output) + len(draft.result) + _length(draft.fault) <= most:
                return self._compose_answer(run, draft)
            return await self._prepare_on_thread(run, draft)
        except WorkCancelled:
            raise
        except Exception:  # unmasked text must never be sent instead
            log.exception("the answer of run %s could not be prepared", run.record.id)
            run.pictures = ()
            view = "The run ended, but its answer could not be prepared. See the workbench's log."
            return view, count(view)

    async def _prepare_on_thread(self, run: ProgramRun, draft: Run) -> tuple[str, int]:
        """Prepare the answer on a thread; the thread stops early if the answer is no longer needed."""
        run.show_preparing()
        flag = Event()
        with cancellable(flag):
            work = spawn(f"prepare the answer of run {draft.id}", _result_or_exception(self._prepare(run, draft)))
        self._working.add(work)
        work.add_done_callback(self._working.discard)
        answer_unwanted = run.answer_unwanted or asyncio.get_running_loop().create_future()
        await asyncio.wait({work, answer_unwanted}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            flag.set()
            raise WorkCancelled
        made: tuple[str, int] | Exception = work.result()
        if isinstance(made, Exception):
            raise made
        return made

    async def _prepare(self, run: ProgramRun, draft: Run) -> tuple[str, int]:
        if draft.state is not RunState.STOPPED:
            await run.session.registrations.wait_until_done()
        return await asyncio.to_thread(self._compose_answer, run, draft)

    async def close(self) -> None:
        """Wait for threads that prepared answers which are no longer needed."""
        if self._working:
            await asyncio.wait(self._working)

    def _compose_answer(self, run: ProgramRun, draft: Run) -> tuple[str, int]:
        view, literals = self._compose_view(run, draft), run.token_literals
        told: tuple[str, ...] = ()
        if not is_users_run(run):
            view = literals.restore_unknown(view) if literals is not None else view
            told = (
                time_limit_notice(self._services.settings(), draft),
                sealed_values_hint(run.session),
                literals.notices() if literals is not None else "",
            )
        view = "\n\n".join(filter(None, (view, held_changes_notice(run), *told)))
        return view, count(view) + picture_tokens(run.pictures)

    def _compose_view(self, run: ProgramRun, draft: Run) -> str:
        """Return the text for the model. It is masked before it is cut, because a cut must not split a value."""
        result, run.pictures = extract_pictures(draft.result, partial(self._refusal, run))
        draft = replace(draft, result=result)
        budget = self._services.settings().run_answer_tokens
        parts = compose_parts(draft)
        code = draft.proposal.original or draft.proposal.code  # the version that its author knows
        if is_users_run(run) and (more := sum(len(text) for text, _ in parts) - OWN) > 0:
            notice = f"[{more:,} more characters are not shown here; no model reads them]"
            return f"{run.session.mask_parts(beginning(parts, OWN), code)}\n… {notice}"
        whole = run.session.mask_parts(parts, code)
        if is_users_run(run) or run.dry_run is not None or count(whole) <= budget:
            return whole
        pointer = self._spills.store_answer(draft)
        if draft.result and count(draft.result) > budget // 2:
            masked = run.session.mask_result(json.loads(draft.result))
            smaller = json.dumps(shorten(masked, budget // 2, run.session.public_texts), ensure_ascii=False)
            shorter = replace(draft, result=f"{smaller}  [cut; {pointer}]")
            whole = run.session.mask_parts(compose_parts(shorter), code)
        return cut(whole, budget, pointer)

    def _refusal(self, run: ProgramRun, picture: bytes) -> str:
        """Return why the agent does not get a picture."""
        if is_users_run(run):
            return ""
        if not self._services.settings().privacy_pictures:
            return "the user's settings do not allow pictures in answers"
        return "its bytes contain personal data or a secret" if run.session.needs_masking(picture) else ""

    def _ledger(self, run: ProgramRun, view_tokens: int) -> Ledger:
        if run.dry_run is not None:
            return Ledger()  # a dry run: no model tokens were spent or saved
        definitions = 0  # a program that was denied or called no tool saves nothing, also not the definitions
        if run.call_tokens and not run.session.knows_definitions and not is_users_run(run):
            run.session.knows_definitions = True
            definitions = sum(tool.definition_tokens for tool in self._services.catalog.tools())
        return ledger_of(run, definitions, count(run.record.proposal.code) + view_tokens)


async def _result_or_exception(
    work: Coroutine[Any, Any, tuple[str, int]],
) -> tuple[str, int] | Exception:  # Any: a coroutine's
    """Return the result or the exception, so that work whose result is never fetched does not log an unhandled
    exception."""
    try:
        return await work
    except Exception as fault:
        return fault


def _shorten_stopped(draft: Run) -> Run:
    """Return a short version of a stopped run for the model: the reason and the end of the printed text, short
    enough to be masked at once."""
    printed, fault = draft.output, draft.fault
    if len(printed) > PRINTED:
        printed = f"… ({len(printed) - PRINTED:,} earlier characters are left out)\n{printed[-PRINTED:]}"
    if fault is not None and len(fault.detail) > PRINTED:
        fault = replace(fault, detail=f"… {fault.detail[-PRINTED:]}")
    return replace(draft, output=printed, result="", fault=fault)


def _length(fault: Fault | None) -> int:
    return len(fault.message) + len(fault.detail) if fault else 0


FOLDER: Final = "results"  # folder in the workspace
# names of stored answers; other files in the folder are left alone
_OURS: Final = re.compile(rf"{FOLDER}/[0-9a-f]{{12}}\.txt")
_DAY: Final = 86_400.0


class StoredAnswers:
    """Complete answers of runs, stored in the workspace of one project."""

    def __init__(self, store: WorkspaceFiles, snapshots: Snapshots, settings: Callable[[], Settings]) -> None:
        self._store = store
        self._snapshots = snapshots
        self._settings = settings

    def store_answer(self, run: Run) -> str:
        """Store the complete answer; returns a phrase for the model that says where it is."""
        if not self._settings().privacy_results_days:
            return "the complete answer is not stored, because of the user's settings"
        path = _path_of(run.id)
        try:
            text = compose(replace(run, result=_indented_json(run.result)))
            with self._snapshots.housekeeping(path):
                self._store.write(path, text)
        except WorkbenchError as fault:
            return f"the complete answer could not be stored: {fault.message}"
        self.delete_old()
        way = f"read_file({path!r}).splitlines()[:50] in a program returns its beginning"
        return f"the complete answer is in the workspace: {way}, get_run({run.id!r}) returns it here"

    def delete_answer(self, run_id: str) -> None:
        """Delete the stored answer of a run, if there is one: the user does not want its agent to read it."""
        path = _path_of(run_id)
        with suppress(WorkbenchError), self._snapshots.housekeeping(path):
            self._store.delete(path)

    def delete_old(self) -> None:
        """Delete stored answers that are older than the settings allow, and the oldest ones above the size limit."""
        try:
            found = [info for info in self._store.inside(FOLDER) if _OURS.fullmatch(info.path)]
            outdated = [info.path for info in self._outdated(found)]
            if outdated:
                with self._snapshots.housekeeping(*outdated):
                    for path in outdated:
                        self._store.delete(path)
        except WorkbenchError as fault:  # a program can replace the files with anything
            log.warning("old stored answers cannot be deleted: %s", fault)

    def _outdated(self, found: list[FileInfo]) -> list[FileInfo]:
        settings, size = self._settings(), 0
        oldest = time.time() - settings.privacy_results_days * _DAY
        outdated = []
        for info in sorted(found, key=lambda info: info.changed, reverse=True):
            size += info.size
            if info.changed < oldest or size > settings.privacy_results_mb * 1_000_000:
                outdated.append(info)
        return outdated


def _path_of(run_id: str) -> str:
    return f"{FOLDER}/{run_id}.txt"


def _indented_json(result: str) -> str:
    try:
        return json.dumps(json.loads(result), ensure_ascii=False, indent=1) if result else ""
    except (ValueError, RecursionError):
        return result
