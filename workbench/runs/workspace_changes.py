"""Handles what runs change in the workspace: copies for unapproved programs, and snapshots for programs that write
directly."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeVar

from workbench.analysis.observed_effects import may_write
from workbench.analysis.reading import PYTHON
from workbench.broker.services import Services
from workbench.dry_run.held_side_effects import hold_files
from workbench.errors import WorkbenchError
from workbench.events import FilesChanged, FilesHeld, finish_even_if_cancelled, spawn
from workbench.records import Fault, Run
from workbench.runs.file_rules import find_file_rule
from workbench.runs.repl_sessions import ReplSession
from workbench.runs.run import ProgramRun, is_users_run
from workbench.workspace.file_names import displayed_name
from workbench.workspace.snapshots import MOST, NotQuick, Snapshots, Writer
from workbench.workspace.workspace_copies import (
    CHANGED,
    EXISTED,
    FULL,
    INTERRUPTED,
    OUTSIDE,
    RUNNABLE,
    Overfull,
    Settlement,
    Settling,
    Stage,
    StageOwner,
    Stages,
    Unstageable,
)

log = logging.getLogger(__name__)
Answer = TypeVar("Answer")

_LABEL: Final = 200  # characters of a run's purpose in the label of a change
_AUDITED: Final = 50  # file names in one audit entry
_NAMED: Final = 20  # file names in the answer to an agent
_RUN: Final = "run"
_WHY: Final = {
    EXISTED: "your programs did not create it",
    CHANGED: "something else changed it while the program ran",
    RUNNABLE: "other tools would run it",
    OUTSIDE: "it is a link that leads out of the workspace",
    FULL: "the workspace is full",
    INTERRUPTED: "the workbench ended while the program ran",
}
_NOT_COPIED: Final = "The program could only read the workspace, so the files that it would write are not known: "


# ── snapshots: programs that write into the workspace itself ─────────────────────────────────────
async def begin_snapshot(run: ProgramRun) -> None:
    """Take a snapshot before the program starts, unless it works on a copy or cannot write. If that fails, the
    failure is logged and the run continues; its changes cannot be listed or undone then."""
    profile = run.record.verdict.profile if run.record.verdict else None
    if run.stage is None and run.may_write and (profile is None or profile.workspace == "write"):
        snapshots, writer = run.services.snapshots, writer_of(run.record)
        verdict = run.record.verdict
        directly = run.record.decision is not None or is_users_run(run)
        if verdict is not None and directly and run.record.proposal.language == PYTHON:
            writer.claims = lambda path: may_write(verdict, displayed_name(path))
        try:
            await _quickly(partial(snapshots.begin, writer, quick=True), partial(snapshots.begin, writer))
        except (OSError, sqlite3.Error, WorkbenchError):
            log.exception("a run's changes in the workspace cannot be listed")


async def end_snapshot(run: ProgramRun) -> Writer | None:
    """Compare the workspace with the snapshot after the program has ended in any way; returns its changes."""
    snapshots, name = run.services.snapshots, run.record.id
    if not snapshots.knows(name):
        return None
    try:
        writer = await _quickly(partial(snapshots.end, name, quick=True), partial(snapshots.end, name))
    except (OSError, sqlite3.Error, WorkbenchError):
        log.exception("a run's changes in the workspace cannot be listed")
        return None
    if writer is None:
        return None
    made = run.session.created_files  # later programs of the session may change these files without approval
    for path, change in writer.files.items():
        if not change.shared and (change.before is None or path in made):
            if (stamp := snapshots.stamp(path)) is not None:
                made[path] = stamp
            else:
                made.pop(path, None)
    _report_written(run, writer)
    return writer


def _report_written(run: ProgramRun, writer: Writer) -> None:
    if writer.files:
        words, detail = _describe_files(run, writer.files)
        run.write_audit("run.files_changed", f"changed {words}", detail, soon=True)
        run.services.tell(FilesChanged(run.record.id, len(writer.files)))


def _describe_files(run: ProgramRun, paths: Iterable[str]) -> tuple[str, dict[str, object]]:
    """Return a phrase about files, and the detail of their audit entry."""
    names = [displayed_name(path) for path in sorted(paths)]
    words = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    count = f"{len(names):,} files" if len(names) != 1 else "one file"
    detail: dict[str, object] = {"files": [run.session.mask(one) for one in names[:_AUDITED]], "count": len(names)}
    return f"{count} of the workspace: {words}", detail


def writer_of(run: Run) -> Writer:
    """Return the author of workspace changes in this run."""
    words = " ".join(run.proposal.purpose.split())[:_LABEL]
    return Writer(run.id, _RUN, run.proposal.author, words)


async def prepare_snapshots(snapshots: Snapshots, cut_off: Iterable[Run]) -> None:
    """When a core opens: attribute changes of interrupted runs of the previous core, then scan the workspace before
    the first program may change it."""
    writers = [writer_of(run) for run in cut_off]
    try:
        if writers:
            await asyncio.to_thread(snapshots.recover, writers)
        left = True
        while left:
            left = await asyncio.to_thread(snapshots.warm)
    except (OSError, sqlite3.Error, WorkbenchError) as fault:
        log.warning("the workspace cannot be watched: %s", fault)


# ── copies: unapproved programs ──────────────────────────────────────────────────────────────────
def is_approved(run: ProgramRun) -> bool:
    """Whether the user approved this program: by a decision, a rule about it, a plan, or because it is the user's
    own program."""
    decision = run.record.decision
    allowed = decision is not None and decision.allow and decision.sha == run.record.proposal.sha
    return allowed or run.plan is not None or (is_users_run(run) and run.dry_run is None)


def needs_stage(run: ProgramRun) -> bool:
    """Whether the program works on a copy of the workspace. A program that can only read needs none."""
    profile = run.record.verdict.profile if run.record.verdict else None
    if not run.may_write or (profile is not None and profile.workspace != "write"):
        return False
    return not is_approved(run) or (run.repl_session is not None and not is_users_run(run))


def _speaks_for_all(run: ProgramRun) -> bool:
    """Whether the approval of this program covers everything that ran during it: in a REPL session, threads and
    replaced functions of earlier programs are still active."""
    if run.repl_session is None or run.dry_run is not None:
        return is_approved(run)
    run.repl_session.unapproved |= not is_approved(run)
    return not run.repl_session.unapproved


def held_changes_notice(run: ProgramRun) -> str:
    """Return the notice for the author about changes that were not made."""
    if run.trouble is not None:
        return f"{run.trouble.message} {run.trouble.hint}"
    if not run.held:
        return ""
    names = ", ".join(f"{run.session.mask_output(path)} ({_WHY[why]})" for path, why in run.held[:_NAMED])
    more = f" and {len(run.held) - _NAMED:,} more" if len(run.held) > _NAMED else ""
    many = len(run.held) != 1
    why = "Programs without approval ran in this REPL session" if is_approved(run) else "This program was not approved"
    return (
        f"NOT changed in the workspace: {names}{more}. {why}, so the user decides about"
        f" {'these changes' if many else 'this change'} (run {run.record.id}). Until then the"
        f" {'files stay unchanged' if many else 'file stays unchanged'}, also for your next programs. New files, and"
        " changes to files that your own programs created, were written."
    )


class StagedWorkspaces:
    """Copies of the workspace for the runs of one core."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stages = Stages(services.workspace_files.confined, services.paths.workspace_copies)
        self._settling = Settling(services.snapshots, services.held_files)
        self._filled = asyncio.Event()  # set when the first copy is complete, so that no second one is made meanwhile
        self._removing: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Hold the changes that runs left when the previous core was killed, then prepare a first copy before a
        program waits."""
        try:
            for stage, run in await asyncio.to_thread(self._stages.leftovers):
                try:
                    await asyncio.to_thread(self._recover, stage, run)
                except Overfull as fault:
                    log.warning(
                        "the changes of the interrupted run %s are lost: %s %s", run.id, fault.message, fault.hint
                    )
                    await asyncio.to_thread(stage.remove)
                except (OSError, ValueError, sqlite3.Error, WorkbenchError) as fault:
                    log.warning("the changes of run %s are kept for the next start: %s", run.id, fault)
            stage = self._stages.take()
            try:
                await asyncio.to_thread(stage.refresh)
            finally:
                await self._give_back(stage)
        except (OSError, sqlite3.Error, WorkbenchError) as fault:
            log.warning("the workspace cannot be copied in advance: %s", fault)
        finally:
            self._filled.set()

    async def begin(self, run: ProgramRun) -> None:
        """Prepare the copy before the program starts. Raises `Unstageable` if there is too much to copy; a dry run
        can then only read."""
        state = run.repl_session if run.dry_run is None else None
        stage = state.stage if state is not None else None
        try:
            if stage is not None:
                await finish_even_if_cancelled("apply the files of a REPL session", self._settle_between(run, stage))
            else:
                await self._filled.wait()
                stage = self._stages.take()
            await _quickly(partial(stage.refresh, quick=True), stage.refresh)
            stage.begin(_owner_of(run))
        except BaseException as fault:
            if stage is not None and (state is None or state.stage is None):
                self._remove(stage)
            if isinstance(fault, Unstageable) and run.dry_run is not None:
                run.may_write = False
                run.dry_run.notes.append(_NOT_COPIED + fault.message)
                return
            raise
        if state is not None:
            state.stage, state.working = stage, True
        run.stage, run.workspace = stage, stage.folder

    async def end(self, run: ProgramRun) -> Writer | None:
        """Settle the changes after the program has ended in any way; returns them, held or not."""
        stage = run.stage
        if stage is None:
            return None
        try:
            writer = await (self._dry_run_files(run, stage) if run.dry_run is not None else self._settled(run, stage))
        except Overfull as fault:
            run.trouble = Fault(f"The program's changes to the workspace were not written. {fault.message}", fault.hint)
            self._forsake(run)
            self._remove(stage)
            return None
        except (OSError, sqlite3.Error, WorkbenchError) as fault:
            log.exception("the changes of run %s cannot be settled", run.record.id)
            run.trouble = Fault(
                f"The program's changes to the workspace were not written ({fault}).",
                "They are kept. The user is asked about them when the workbench starts the next time.",
            )
            self._forsake(run)
            return None
        stage.end()
        run.stage = None
        if run.repl_session is None or run.dry_run is not None:
            await self._give_back(stage)
        else:
            run.repl_session.working = False
            if run.repl_session.process_ended or run.repl_session.sandbox is None:
                self.release(run.repl_session)
        return writer

    def release(self, state: ReplSession) -> None:
        """Remove the copy of an ended REPL session; if a program is still running in it, its changes are settled
        first."""
        if not state.working and state.stage is not None:
            self._remove(state.stage)
            state.stage = None

    async def close(self) -> None:
        if self._removing:
            await asyncio.wait(tuple(self._removing))
        await asyncio.to_thread(self._stages.close)

    async def _settled(self, run: ProgramRun, stage: Stage) -> Writer:
        writer, approved = writer_of(run.record), _speaks_for_all(run)
        settled = await self._settle(run, stage, writer, approved=approved)
        self._tell(run, writer, settled)
        return Writer(writer.id, writer.kind, writer.actor, files=settled.files, rewritten=settled.rewritten)

    async def _settle_between(self, run: ProgramRun, stage: Stage) -> None:
        """Settle what was written in a REPL session between two programs; these changes count as unapproved."""
        writer = writer_of(run.record)
        writer.id = f"{writer.id}-before"
        settled = await self._settle(run, stage, writer, approved=False)
        if settled.held:
            self._tell_held(run, settled)

    async def _settle(self, run: ProgramRun, stage: Stage, writer: Writer, *, approved: bool) -> Settlement:
        try:
            if not stage.changes(quick=True):
                return Settlement()
        except NotQuick:
            pass
        return await asyncio.to_thread(
            self._settling.settle,
            stage,
            writer,
            run.session.created_files,
            name=run.record.id,
            approved=approved,
            room=self._services.settings().run_disk_mb << 20,
            files=MOST,
            allowed=lambda path: find_file_rule(self._services, f"workspace/{path}", run.session.id) is not None,
        )

    async def _dry_run_files(self, run: ProgramRun, stage: Stage) -> Writer | None:
        """Report what the dry run would have changed, and discard it."""
        assert run.dry_run is not None
        found = await asyncio.to_thread(stage.changes)
        written = {path: one.copy.size for path, one in found.items() if one.copy and not one.copy.is_folder}
        deleted = [path for path, one in found.items() if one.copy is None and one.base and not one.base.is_folder]
        names = {f"workspace/{displayed_name(path)}": size for path, size in written.items()}
        hold_files(run.dry_run, names, tuple(f"workspace/{displayed_name(path)}" for path in sorted(deleted)))
        await asyncio.to_thread(stage.reset, found)
        return None

    def _tell(self, run: ProgramRun, writer: Writer, settled: Settlement) -> None:
        if settled.written:
            _report_written(run, writer)
        if settled.held:
            self._tell_held(run, settled)

    def _tell_held(self, run: ProgramRun, settled: Settlement) -> None:
        run.held = (*run.held, *((displayed_name(path), settled.held[path]) for path in sorted(settled.held)))
        words, detail = _describe_files(run, settled.held)
        run.write_audit("run.changes_held", f"wants to change {words}", detail, soon=True)
        self._services.tell(FilesHeld(run.record.id, len(settled.held)))

    def _recover(self, stage: Stage, run: StageOwner) -> None:
        """Hold the changes of a run whose core was killed: none is written, and none is lost."""
        stage.recover(run.at)
        writer = Writer(run.id, _RUN, run.actor, run.label)
        self._settling.settle(
            stage, writer, {}, name=run.id, approved=False, room=1 << 62, files=MOST, hold=INTERRUPTED
        )
        stage.remove()

    def _forsake(self, run: ProgramRun) -> None:
        """Leave the copy and its mark in place, so that the next core holds its changes."""
        run.stage = None
        if run.repl_session is not None:
            run.repl_session.stage, run.repl_session.working = None, False
            run.repl_session.end("its copy of the workspace could not be read")

    async def _give_back(self, stage: Stage) -> None:
        if not self._stages.give_back(stage):
            self._remove(stage)

    def _remove(self, stage: Stage) -> None:
        task = spawn("remove a copy of the workspace", asyncio.to_thread(stage.remove))
        self._removing.add(task)
        task.add_done_callback(self._removing.discard)


def _owner_of(run: ProgramRun) -> StageOwner:
    writer = writer_of(run.record)
    return StageOwner(writer.id, writer.actor, writer.label, time.time())


async def _quickly(quick: Callable[[], Answer], slow: Callable[[], Answer]) -> Answer:
    """Try the quick function; if it cannot answer, run the slow one on a thread, to its end even if the run is
    cancelled."""
    try:
        return quick()
    except NotQuick:
        return await finish_even_if_cancelled("look at the workspace", asyncio.to_thread(slow))
