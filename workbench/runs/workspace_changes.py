"""Lets the workspace's snapshots stand round a run: what it wrote is its own, and can be taken back.

Whatever is wrong with them costs nobody a run: it is said, and the run goes on without.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from workbench.analysis.observed_effects import may_write
from workbench.errors import WorkbenchError
from workbench.events import FilesChanged, finish_even_if_cancelled
from workbench.records import Run
from workbench.runs.program_languages import PYTHON
from workbench.runs.run import ProgramRun, is_person
from workbench.workspace.file_names import shown
from workbench.workspace.snapshots import NotQuick, Snapshots, Writer

log = logging.getLogger(__name__)
Answer = TypeVar("Answer")

_LABEL = 200  # characters of what a run was for
_TOLD = 50  # names that the audit holds
RUN = "run"


async def begin(run: ProgramRun) -> None:
    """Before its program starts. One that cannot write is not watched."""
    profile = run.record.verdict.profile if run.record.verdict else None
    if run.stage is None and run.may_write and (profile is None or profile.workspace == "write"):
        snapshots, writer = run.services.snapshots, writer_of(run.record)
        verdict = run.record.verdict
        directly = run.record.decision is not None or is_person(run)
        if verdict is not None and directly and run.record.proposal.language == PYTHON:
            writer.claims = lambda path: may_write(verdict, shown(path))
        await _done(partial(snapshots.begin, writer, quick=True), partial(snapshots.begin, writer))


async def end(run: ProgramRun) -> Writer | None:
    """After its program has ended, however that was; answers what it changed."""
    snapshots, name = run.services.snapshots, run.record.id
    if not snapshots.knows(name):
        return None
    writer = await _done(partial(snapshots.end, name, quick=True), partial(snapshots.end, name))
    if writer is not None:
        _note_made(run, writer)
        note(run, writer)
    return writer


def _note_made(run: ProgramRun, writer: Writer) -> None:
    """Its session's later programs may change what it made without being asked about."""
    made, snapshots = run.session.made, run.services.snapshots
    for path, change in writer.files.items():
        if not change.shared and (change.before is None or path in made):
            if (stamp := snapshots.stamp(path)) is not None:
                made[path] = stamp
            else:
                made.pop(path, None)


def note(run: ProgramRun, writer: Writer) -> None:
    """Write down and tell what it changed."""
    if writer.files:
        names = [shown(path) for path in sorted(writer.files)]
        words = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
        count = f"{len(names):,} files" if len(names) != 1 else "one file"
        detail: dict[str, object] = {"files": [run.session.mask(one) for one in names[:_TOLD]], "count": len(names)}
        run.note("run.files_changed", f"changed {count} of the workspace: {words}", detail, soon=True)
        run.services.tell(FilesChanged(run.record.id, len(names)))


def writer_of(run: Run) -> Writer:
    words = " ".join(run.proposal.purpose.split())[:_LABEL]
    return Writer(run.id, RUN, run.proposal.author, words)


async def settle(snapshots: Snapshots, cut_off: Iterable[Run]) -> None:
    """When a core opens: what runs left that were cut off with the one before is theirs, and all that lies there is
    known before the first program may change it."""
    writers = [writer_of(run) for run in cut_off]
    try:
        if writers:
            await asyncio.to_thread(snapshots.recover, writers)
        left = True
        while left:
            left = await asyncio.to_thread(snapshots.warm)
    except (OSError, sqlite3.Error, WorkbenchError) as fault:
        log.warning("the workspace cannot be watched: %s", fault)


async def _done(quick: Callable[[], Answer], slow: Callable[[], Answer]) -> Answer | None:
    try:
        try:
            return quick()
        except NotQuick:
            return await finish_even_if_cancelled("look at the workspace", asyncio.to_thread(slow))
    except (OSError, sqlite3.Error, WorkbenchError):
        log.exception("a run's changes in the workspace cannot be told")
        return None
