"""Files of the workspace are a way in, as servers are: what a program may read there, its session knows before it runs.

Else a list that a person put there, or that a program of another session wrote, would go to a model as soon as somebody
prints a column of it. Only programs whose text reads files wait for this, and each file is read once in a session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.privacy.detectors.json_fields import parsed
from workbench.records import FileInfo, JsonValue
from workbench.runs.program_languages import PYTHON
from workbench.runs.run import ProgramRun, is_person
from workbench.workspace.workspace_files import Store

LARGEST: Final = 2_000_000  # bytes of one file
TOGETHER: Final = 4_000_000  # bytes of all files that are read before one program
_PLACE: Final = "workspace/"
_HELPERS: Final = frozenset({"read_file", "list_files"})  # the sandbox's own, which are no calls of Python's


async def learn_files(run: ProgramRun) -> None:
    """Before a program starts."""
    if run.session.hides and not is_person(run) and (_all(run) or _named(run)):
        wanted = None if _all(run) else _named(run)
        await asyncio.to_thread(_learn, run.services.workspace_files, run.session, wanted)


def learn_file(store: Store, session: Session, path: str) -> None:
    """Before an agent reads one by itself."""
    _learn(store, session, (path,))


def _named(run: ProgramRun) -> frozenset[str]:
    """The files that its text names."""
    impact = run.record.verdict.impact if run.record.verdict else None
    names = (*impact.read, *impact.changed) if impact else ()
    return frozenset(name.removeprefix(_PLACE) for name in names if name.startswith(_PLACE))


def _all(run: ProgramRun) -> bool:
    """Whether only running it tells which files it reads."""
    verdict, reading = run.record.verdict, run.reading
    if verdict is None or reading is None or reading.language != PYTHON:
        return True
    if run.state is not None or verdict.not_assessed:
        return True
    strange = any(not name.startswith(_PLACE) for name in verdict.impact.read)
    return strange or verdict.impact.unnamed > 0 or not _HELPERS.isdisjoint(reading.words)


def _learn(store: Store, session: Session, wanted: Collection[str] | None) -> None:
    left = TOGETHER
    for info in sorted(_new(store, session, wanted), key=lambda info: -info.changed):
        if info.size > min(LARGEST, left):
            continue
        left -= info.size
        with suppress(WorkbenchError):  # no text, or gone meanwhile: there is nothing to be read in it
            session.register(store.read(info.path), "", _value)
        session.files[info.path] = (info.size, info.changed)


def _new(store: Store, session: Session, wanted: Collection[str] | None) -> list[FileInfo]:
    """Those that nobody of this session has read as they are now."""
    return [
        info
        for info in store.list()
        if (wanted is None or info.path in wanted) and session.files.get(info.path) != (info.size, info.changed)
    ]


def _value(text: str) -> JsonValue:
    found = parsed(text)
    return text if found is None else found
