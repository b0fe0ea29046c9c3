"""Registers what a program may read as files before it runs: personal data in workspace files, and public source
texts.

Workspace files are a source of personal data, as servers are. Without registration, personal data in a file from the
user or from a program of a different session would reach a model as soon as a program prints it. Only programs whose
text reads files wait for the registration, and each file is read once per session.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.analysis.reading import PYTHON, Reading
from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.records import FileInfo
from workbench.runs.run import ProgramRun, is_users_run
from workbench.workspace.workspace_files import WorkspaceFiles

LARGEST: Final = 10_000_000  # bytes of one file, as many as are read of one
TOGETHER: Final = 32_000_000  # bytes of all files that are read before one program: 0.5 s
_PLACE: Final = "workspace/"
_HELPERS: Final = frozenset({"read_file", "list_files"})  # functions of the sandbox, not of Python


async def learn_files(run: ProgramRun) -> None:
    """Register personal data in the files that a program may read, before it starts."""
    if run.session.masks_personal_data and not is_users_run(run) and (_all(run) or _named(run)):
        wanted = None if _all(run) else _named(run)
        await asyncio.to_thread(_learn, run.services.workspace_files, run.session, wanted)


def _named(run: ProgramRun) -> frozenset[str]:
    """Return the workspace files that the program's text names."""
    impact = run.record.verdict.impact if run.record.verdict else None
    names = (*impact.read, *impact.changed) if impact else ()
    return frozenset(name.removeprefix(_PLACE) for name in names if name.startswith(_PLACE))


def _all(run: ProgramRun) -> bool:
    """Whether the program may read files that its text does not name."""
    verdict, reading = run.record.verdict, run.reading
    if verdict is None or reading is None or reading.language != PYTHON:
        return True
    if run.repl_session is not None or verdict.not_assessed:
        return True
    strange = any(not name.startswith(_PLACE) for name in verdict.impact.read)
    return strange or verdict.impact.unnamed > 0 or not _HELPERS.isdisjoint(reading.mentioned_words)


def _learn(store: WorkspaceFiles, session: Session, wanted: Collection[str] | None) -> None:
    """Raises an error if the session can keep no more: its programs may then read no files."""
    left = TOGETHER
    # what the session's own programs wrote comes last, so that it does not displace files of the user
    for info in sorted(
        _new(store, session, wanted), key=lambda info: (info.path in session.created_files, -info.changed)
    ):
        if info.size > min(LARGEST, left):
            continue
        left -= info.size
        text = ""
        with suppress(WorkbenchError):  # not a text file, or deleted meanwhile
            text = store.read(info.path)
        session.keep(text, "")  # raises if the session keeps too much already, so that the program does not start
        session.searched_files[info.path] = (info.size, info.changed)


def _new(store: WorkspaceFiles, session: Session, wanted: Collection[str] | None) -> list[FileInfo]:
    """Return the files that this session has not read in their current version."""
    return [
        info
        for info in store.list()
        if (wanted is None or info.path in wanted)
        and session.searched_files.get(info.path) != (info.size, info.changed)
    ]


MOST_FILES: Final = 4_000
MOST_LETTERS: Final = 8_000_000
_READS: Final = re.compile(
    r"inspect|getsource\w{0,8}|open|readFile\w{0,8}|readTextFile\w{0,8}|read_text|read_bytes|linecache|pydoc|help|__doc__"
)
_LISTS: Final = re.compile(r"listdir|scandir|iterdir|walk|r?glob|pkgutil|readDir\w{0,8}")
_SUFFIXES: Final = frozenset({".py", ".pyi", ".ts", ".js", ".mjs"})
_PACKAGES: Final = frozenset({"servers", "skills"})


def reads_source(reading: Reading) -> bool:
    """Whether a program may read the functions that it imports as text."""
    if not reading.complete:
        return True
    return not _PACKAGES.isdisjoint(reading.mentioned_words) and any(map(_READS.fullmatch, reading.mentioned_words))


def source_files(reading: Reading, folders: tuple[Path, ...]) -> Iterator[str]:
    """Yield the source texts of the packages in these folders that the program names; of all packages if the program
    lists folders."""
    names = reading.mentioned_words
    lists = not reading.complete or any(map(_LISTS.fullmatch, names))
    letters = files = 0
    for folder in folders:
        for path in sorted(folder.glob("**/*")) if folder.is_dir() else ():
            package = path.relative_to(folder).parts[0].partition(".")[0]
            if path.suffix not in _SUFFIXES or not path.is_file() or (package not in names and not lists):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            letters, files = letters + len(text), files + 1
            if letters > MOST_LETTERS or files > MOST_FILES:
                return
            yield text
