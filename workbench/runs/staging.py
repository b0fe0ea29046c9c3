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

from workbench.errors import WorkbenchError
from workbench.events import FilesHeld, finish_even_if_cancelled, spawn
from workbench.records import Fault
from workbench.runs import watching
from workbench.runs.rehearsal import hold_files
from workbench.runs.rooms import Rooms
from workbench.runs.run import ProgramRun, is_person
from workbench.runs.state import State
from workbench.workspace.names import shown
from workbench.workspace.snapshots import MOST, NotQuick, Writer
from workbench.workspace.staging import (
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


def is_approved(road: ProgramRun) -> bool:
    """Whether the user agreed to this text: by an answer, a rule about it, a plan, or because it is their own."""
    decision = road.run.decision
    allowed = decision is not None and decision.allow and decision.sha == road.run.proposal.sha
    return allowed or road.plan is not None or (is_person(road) and road.rehearsal is None)


def needs_stage(road: ProgramRun) -> bool:
    """Whether it works on a copy. Where it can only read, nothing has to be copied."""
    profile = road.run.verdict.profile if road.run.verdict else None
    if not road.may_write or (profile is not None and profile.workspace != "write"):
        return False
    return not is_approved(road) or (road.state is not None and not is_person(road))


def _speaks_for_all(road: ProgramRun) -> bool:
    """Whether the approval of this program covers whatever ran while it did: in a kept state, threads and replaced
    functions of an earlier program are still there."""
    if road.state is None or road.rehearsal is not None:
        return is_approved(road)
    road.state.unapproved |= not is_approved(road)
    return not road.state.unapproved


def held_words(road: ProgramRun) -> str:
    """What its author is told about changes that were not made."""
    if road.trouble is not None:
        return f"{road.trouble.message} {road.trouble.hint}"
    if not road.held:
        return ""
    names = ", ".join(f"{road.session.mask_output(path)} ({_WHY[why]})" for path, why in road.held[:_NAMED])
    more = f" and {len(road.held) - _NAMED:,} more" if len(road.held) > _NAMED else ""
    many = len(road.held) != 1
    why = "Programs that nobody approved ran in this state" if is_approved(road) else "Nobody approved this program"
    return (
        f"NOT changed in the workspace: {names}{more}. {why}, so the user decides about"
        f" {'these changes' if many else 'this change'} (run {road.run.id}). Until then the"
        f" {'files are as they were' if many else 'file is as it was'}, also for your next programs. New files, and"
        " changes to files that your own programs made, were written."
    )


class Staging:
    """Of one core."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._stages = Stages(rooms.store.way, rooms.paths.stages)
        self._settling = Settling(rooms.snapshots, rooms.held)
        self._filled = asyncio.Event()  # the first copy, for which nobody makes a second beside it
        self._removing: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Hold what runs left under which the core before was killed, then fill a first copy before anybody waits."""
        try:
            for stage, run in await asyncio.to_thread(self._stages.leftovers):
                try:
                    await asyncio.to_thread(self._recover, stage, run)
                except Overfull as fault:
                    log.warning("run %s was cut off: %s %s", run.get("id", ""), fault.message, fault.hint)
                    await asyncio.to_thread(stage.remove)
                except (OSError, ValueError, sqlite3.Error, WorkbenchError) as fault:
                    log.warning("what run %s changed is left for the next start: %s", run.get("id", ""), fault)
            stage = self._stages.take()
            try:
                await asyncio.to_thread(stage.refresh)
            finally:
                await self._give_back(stage)
        except (OSError, sqlite3.Error, WorkbenchError) as fault:
            log.warning("the workspace cannot be copied ahead: %s", fault)
        finally:
            self._filled.set()

    async def begin(self, road: ProgramRun) -> None:
        """Before its program starts. Unstageable where there is too much to copy; a rehearsal can only read then."""
        state = road.state if road.rehearsal is None else None
        stage = state.stage if state is not None else None
        try:
            if stage is not None:
                await finish_even_if_cancelled("settle a kept state", self._settle_between(road, stage))
            else:
                await self._filled.wait()
                stage = self._stages.take()
            await _done(partial(stage.refresh, quick=True), stage.refresh)
            stage.begin(_run_facts(road))
        except BaseException as fault:
            if stage is not None and (state is None or state.stage is None):
                self._remove(stage)
            if isinstance(fault, Unstageable) and road.rehearsal is not None:
                road.may_write = False
                road.rehearsal.notes.append(_NOT_COPIED + fault.message)
                return
            raise
        if state is not None:
            state.stage, state.working = stage, True
        road.stage, road.workspace = stage, stage.folder

    async def end(self, road: ProgramRun) -> Writer | None:
        """After its program has ended, however that was: answers what it changed, held or not."""
        stage = road.stage
        if stage is None:
            return None
        try:
            writer = await (self._rehearsed(road, stage) if road.rehearsal is not None else self._settled(road, stage))
        except Overfull as fault:
            road.trouble = Fault(
                f"What the program changed in the workspace was not written. {fault.message}", fault.hint
            )
            self._forsake(road)
            self._remove(stage)
            return None
        except (OSError, sqlite3.Error, WorkbenchError) as fault:
            log.exception("the changes of run %s cannot be settled", road.run.id)
            road.trouble = Fault(
                f"What the program changed in the workspace was not written: {fault}",
                "It is kept. When the workbench starts the next time, the user is asked about it.",
            )
            self._forsake(road)
            return None
        stage.end()
        road.stage = None
        if road.state is None or road.rehearsal is not None:
            await self._give_back(stage)
        else:
            road.state.working = False
            if road.state.dead or road.state.kept is None:
                self.release(road.state)
        return writer

    def release(self, state: State) -> None:
        """A kept state is over: its copy goes, unless a program is at work in it, whose changes are settled first."""
        if not state.working and state.stage is not None:
            self._remove(state.stage)
            state.stage = None

    async def close(self) -> None:
        if self._removing:
            await asyncio.wait(tuple(self._removing))
        await asyncio.to_thread(self._stages.close)

    async def _settled(self, road: ProgramRun, stage: Stage) -> Writer:
        writer, approved = watching.writer_of(road.run), _speaks_for_all(road)
        settled = await self._settle(road, stage, writer, approved=approved)
        self._tell(road, writer, settled)
        return Writer(writer.id, writer.kind, writer.actor, files=settled.files, rewritten=settled.rewritten)

    async def _settle_between(self, road: ProgramRun, stage: Stage) -> None:
        """What went on writing in a kept state between two programs is nobody's approved doing."""
        writer = watching.writer_of(road.run)
        writer.id = f"{writer.id}-before"
        settled = await self._settle(road, stage, writer, approved=False)
        if settled.held:
            self._tell_held(road, settled)

    async def _settle(self, road: ProgramRun, stage: Stage, writer: Writer, *, approved: bool) -> Settlement:
        try:
            if not stage.changes(quick=True):
                return Settlement()
        except NotQuick:
            pass
        return await asyncio.to_thread(
            self._settling.settle,
            stage,
            writer,
            road.session.made,
            name=road.run.id,
            approved=approved,
            room=self._rooms.settings().run_disk_mb << 20,
            files=MOST,
        )

    async def _rehearsed(self, road: ProgramRun, stage: Stage) -> Writer | None:
        """What it would have changed is told, and nothing of it stays."""
        assert road.rehearsal is not None
        found = await asyncio.to_thread(stage.changes)
        written = {path: one.copy.size for path, one in found.items() if one.copy and not one.copy.is_folder}
        deleted = [path for path, one in found.items() if one.copy is None and one.base and not one.base.is_folder]
        names = {f"workspace/{shown(path)}": size for path, size in written.items()}
        hold_files(road.rehearsal, names, tuple(f"workspace/{shown(path)}" for path in sorted(deleted)))
        await asyncio.to_thread(stage.reset, found)
        return None

    def _tell(self, road: ProgramRun, writer: Writer, settled: Settlement) -> None:
        if settled.written:
            watching.note(road, writer)
        if settled.held:
            self._tell_held(road, settled)

    def _tell_held(self, road: ProgramRun, settled: Settlement) -> None:
        names = [shown(path) for path in sorted(settled.held)]
        road.held = (*road.held, *((shown(path), settled.held[path]) for path in sorted(settled.held)))
        words = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
        count = f"{len(names):,} files" if len(names) != 1 else "one file"
        detail: dict[str, object] = {"files": [road.session.mask(one) for one in names[:_TOLD]], "count": len(names)}
        road.note("run.held", f"wants to change {count} of the workspace: {words}", detail, soon=True)
        self._rooms.tell(FilesHeld(road.run.id, len(names)))

    def _recover(self, stage: Stage, run: dict[str, object]) -> None:
        """A core was killed while this run was at work: nothing of it is written, and nothing is lost."""
        name, label = str(run.get("id", "")), str(run.get("label", ""))
        stage.recover(float(str(run.get("at") or 0.0)))
        writer = Writer(name, watching.RUN, str(run.get("actor", "")), label)
        self._settling.settle(stage, writer, {}, name=name, approved=False, room=1 << 62, files=MOST, hold=INTERRUPTED)
        stage.remove()

    def _forsake(self, road: ProgramRun) -> None:
        """Leave the copy where it is, with its mark: the next core holds what is in it."""
        road.stage = None
        if road.state is not None:
            road.state.stage, road.state.working = None, False
            road.state.end("its copy of the workspace could not be read")

    async def _give_back(self, stage: Stage) -> None:
        if not self._stages.give_back(stage):
            self._remove(stage)

    def _remove(self, stage: Stage) -> None:
        task = spawn("remove a copy of the workspace", asyncio.to_thread(stage.remove))
        self._removing.add(task)
        task.add_done_callback(self._removing.discard)


def _run_facts(road: ProgramRun) -> dict[str, object]:
    writer = watching.writer_of(road.run)
    return {"id": writer.id, "actor": writer.actor, "label": writer.label, "at": time.time()}


async def _done(quick: Callable[[], None], slow: Callable[[], None]) -> None:
    try:
        quick()
    except NotQuick:
        await finish_even_if_cancelled("copy the workspace", asyncio.to_thread(slow))
