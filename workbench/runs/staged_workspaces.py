"""Gives a program that nobody approved a copy of the workspace, and settles at its end what it changed there.

New files and those that its session made are written into the workspace. Changes to anything else are held, and the
user decides. An approved program works in the workspace itself. In an agent's kept state all programs share one process
and so one copy: what an approved one changed in it is written at its end if every program before it in that state was
approved, too; what else ran there may have left a thread or a replaced function behind, so its changes are held.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from workbench.broker.services import Services
from workbench.dry_run.held_side_effects import hold_files
from workbench.errors import WorkbenchError
from workbench.events import FilesHeld, finish_even_if_cancelled, spawn
from workbench.records import Fault
from workbench.runs import workspace_changes
from workbench.runs.repl_sessions import ReplSession
from workbench.runs.run import ProgramRun, is_person
from workbench.workspace.file_names import shown
from workbench.workspace.snapshots import MOST, NotQuick, Writer
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

_NAMED: Final = 20  # files that the answer to an agent names
_WHY: Final = {
    EXISTED: "it is not a file of your programs",
    CHANGED: "it was changed outside of the program while that ran",
    RUNNABLE: "other tools would run it",
    OUTSIDE: "it is a link that leads out of the workspace",
    FULL: "the workspace is full",
    INTERRUPTED: "the workbench ended while the program ran",
}
_TOLD: Final = 50  # names that the audit holds
_NOT_COPIED: Final = "The program could only read the workspace, and what it would write there is not known: "


def is_approved(run: ProgramRun) -> bool:
    """Whether the user agreed to this text: by an answer, a rule about it, a plan, or because it is their own."""
    decision = run.record.decision
    allowed = decision is not None and decision.allow and decision.sha == run.record.proposal.sha
    return allowed or run.plan is not None or (is_person(run) and run.dry_run is None)


def needs_stage(run: ProgramRun) -> bool:
    """Whether it works on a copy. Where it can only read, nothing has to be copied."""
    profile = run.record.verdict.profile if run.record.verdict else None
    if not run.may_write or (profile is not None and profile.workspace != "write"):
        return False
    return not is_approved(run) or (run.state is not None and not is_person(run))


def _speaks_for_all(run: ProgramRun) -> bool:
    """Whether the approval of this program covers whatever ran while it did: in a kept state, threads and replaced
    functions of an earlier program are still there."""
    if run.state is None or run.dry_run is not None:
        return is_approved(run)
    run.state.unapproved |= not is_approved(run)
    return not run.state.unapproved


def held_words(run: ProgramRun) -> str:
    """What its author is told about changes that were not made."""
    if run.trouble is not None:
        return f"{run.trouble.message} {run.trouble.hint}"
    if not run.held:
        return ""
    names = ", ".join(f"{run.session.mask_output(path)} ({_WHY[why]})" for path, why in run.held[:_NAMED])
    more = f" and {len(run.held) - _NAMED:,} more" if len(run.held) > _NAMED else ""
    many = len(run.held) != 1
    why = "Programs that nobody approved ran in this state" if is_approved(run) else "Nobody approved this program"
    return (
        f"NOT changed in the workspace: {names}{more}. {why}, so the user decides about"
        f" {'these changes' if many else 'this change'} (run {run.record.id}). Until then the"
        f" {'files are as they were' if many else 'file is as it was'}, also for your next programs. New files, and"
        " changes to files that your own programs made, were written."
    )


class StagedWorkspaces:
    """Of one core."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stages = Stages(services.workspace_files.way, services.paths.stages)
        self._settling = Settling(services.snapshots, services.held_files)
        self._filled = asyncio.Event()  # the first copy, for which nobody makes a second beside it
        self._removing: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Hold what runs left under which the core before was killed, then fill a first copy before anybody waits."""
        try:
            for stage, run in await asyncio.to_thread(self._stages.leftovers):
                try:
                    await asyncio.to_thread(self._recover, stage, run)
                except Overfull as fault:
                    log.warning("run %s was cut off: %s %s", run.id, fault.message, fault.hint)
                    await asyncio.to_thread(stage.remove)
                except (OSError, ValueError, sqlite3.Error, WorkbenchError) as fault:
                    log.warning("what run %s changed is left for the next start: %s", run.id, fault)
            stage = self._stages.take()
            try:
                await asyncio.to_thread(stage.refresh)
            finally:
                await self._give_back(stage)
        except (OSError, sqlite3.Error, WorkbenchError) as fault:
            log.warning("the workspace cannot be copied ahead: %s", fault)
        finally:
            self._filled.set()

    async def begin(self, run: ProgramRun) -> None:
        """Before its program starts. Unstageable where there is too much to copy; a dry run can only read then."""
        state = run.state if run.dry_run is None else None
        stage = state.stage if state is not None else None
        try:
            if stage is not None:
                await finish_even_if_cancelled("settle a kept state", self._settle_between(run, stage))
            else:
                await self._filled.wait()
                stage = self._stages.take()
            await _done(partial(stage.refresh, quick=True), stage.refresh)
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
        """After its program has ended, however that was: answers what it changed, held or not."""
        stage = run.stage
        if stage is None:
            return None
        try:
            writer = await (self._dry_run_files(run, stage) if run.dry_run is not None else self._settled(run, stage))
        except Overfull as fault:
            run.trouble = Fault(
                f"What the program changed in the workspace was not written. {fault.message}", fault.hint
            )
            self._forsake(run)
            self._remove(stage)
            return None
        except (OSError, sqlite3.Error, WorkbenchError) as fault:
            log.exception("the changes of run %s cannot be settled", run.record.id)
            run.trouble = Fault(
                f"What the program changed in the workspace was not written: {fault}",
                "It is kept. When the workbench starts the next time, the user is asked about it.",
            )
            self._forsake(run)
            return None
        stage.end()
        run.stage = None
        if run.state is None or run.dry_run is not None:
            await self._give_back(stage)
        else:
            run.state.working = False
            if run.state.dead or run.state.kept is None:
                self.release(run.state)
        return writer

    def release(self, state: ReplSession) -> None:
        """A kept state is over: its copy goes, unless a program is at work in it, whose changes are settled first."""
        if not state.working and state.stage is not None:
            self._remove(state.stage)
            state.stage = None

    async def close(self) -> None:
        if self._removing:
            await asyncio.wait(tuple(self._removing))
        await asyncio.to_thread(self._stages.close)

    async def _settled(self, run: ProgramRun, stage: Stage) -> Writer:
        writer, approved = workspace_changes.writer_of(run.record), _speaks_for_all(run)
        settled = await self._settle(run, stage, writer, approved=approved)
        self._tell(run, writer, settled)
        return Writer(writer.id, writer.kind, writer.actor, files=settled.files, rewritten=settled.rewritten)

    async def _settle_between(self, run: ProgramRun, stage: Stage) -> None:
        """What went on writing in a kept state between two programs is nobody's approved doing."""
        writer = workspace_changes.writer_of(run.record)
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
            run.session.made,
            name=run.record.id,
            approved=approved,
            room=self._services.settings().run_disk_mb << 20,
            files=MOST,
        )

    async def _dry_run_files(self, run: ProgramRun, stage: Stage) -> Writer | None:
        """What it would have changed is told, and nothing of it stays."""
        assert run.dry_run is not None
        found = await asyncio.to_thread(stage.changes)
        written = {path: one.copy.size for path, one in found.items() if one.copy and not one.copy.is_folder}
        deleted = [path for path, one in found.items() if one.copy is None and one.base and not one.base.is_folder]
        names = {f"workspace/{shown(path)}": size for path, size in written.items()}
        hold_files(run.dry_run, names, tuple(f"workspace/{shown(path)}" for path in sorted(deleted)))
        await asyncio.to_thread(stage.reset, found)
        return None

    def _tell(self, run: ProgramRun, writer: Writer, settled: Settlement) -> None:
        if settled.written:
            workspace_changes.note(run, writer)
        if settled.held:
            self._tell_held(run, settled)

    def _tell_held(self, run: ProgramRun, settled: Settlement) -> None:
        names = [shown(path) for path in sorted(settled.held)]
        run.held = (*run.held, *((shown(path), settled.held[path]) for path in sorted(settled.held)))
        words = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
        count = f"{len(names):,} files" if len(names) != 1 else "one file"
        detail: dict[str, object] = {"files": [run.session.mask(one) for one in names[:_TOLD]], "count": len(names)}
        run.note("run.changes_held", f"wants to change {count} of the workspace: {words}", detail, soon=True)
        self._services.tell(FilesHeld(run.record.id, len(names)))

    def _recover(self, stage: Stage, run: StageOwner) -> None:
        """A core was killed while this run was at work: nothing of it is written, and nothing is lost."""
        stage.recover(run.at)
        writer = Writer(run.id, workspace_changes.RUN, run.actor, run.label)
        self._settling.settle(
            stage, writer, {}, name=run.id, approved=False, room=1 << 62, files=MOST, hold=INTERRUPTED
        )
        stage.remove()

    def _forsake(self, run: ProgramRun) -> None:
        """Leave the copy where it is, with its mark: the next core holds what is in it."""
        run.stage = None
        if run.state is not None:
            run.state.stage, run.state.working = None, False
            run.state.end("its copy of the workspace could not be read")

    async def _give_back(self, stage: Stage) -> None:
        if not self._stages.give_back(stage):
            self._remove(stage)

    def _remove(self, stage: Stage) -> None:
        task = spawn("remove a copy of the workspace", asyncio.to_thread(stage.remove))
        self._removing.add(task)
        task.add_done_callback(self._removing.discard)


def _owner_of(run: ProgramRun) -> StageOwner:
    writer = workspace_changes.writer_of(run.record)
    return StageOwner(writer.id, writer.actor, writer.label, time.time())


async def _done(quick: Callable[[], None], slow: Callable[[], None]) -> None:
    try:
        quick()
    except NotQuick:
        await finish_even_if_cancelled("copy the workspace", asyncio.to_thread(slow))
