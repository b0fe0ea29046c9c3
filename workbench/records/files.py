"""Files of the workspace, changes to them, and what an undo would do."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

OUTSIDE: Final = "outside"  # stands among those who share a change: a program of the user's, or a server


class FileInfo(Struct, frozen=True):
    """One entry of the workspace; the path is relative to it, with forward slashes, and can be seen as it is."""

    path: str
    size: int
    changed: float
    kind: str = "file"  # file, folder, link, odd
    plain: bool = True  # it has no second name elsewhere
    warning: str = ""  # what programs of yours would do with such a file; told where one folder is looked at


class FileRoom(Struct, frozen=True):
    """How full the workspace is, and how full it may be."""

    size: int
    files: int
    most_size: int
    most_files: int


class FileState(Struct, frozen=True):
    """How a file was at one moment."""

    kind: str  # file, folder, link
    size: int
    rights: int  # the nine bits
    kept: bool  # its content can be brought back


class FileChange(Struct, frozen=True):
    """One file that a run, an agent, a person or an undo left different."""

    path: str
    deed: str  # added, changed, deleted, rights
    before: FileState | None
    after: FileState | None
    shared: tuple[str, ...] = ()  # other runs that were at work then and may have done it, or OUTSIDE
    warning: str = ""  # what programs of yours would do with such a file


class FileChanges(Struct, frozen=True):
    """What one of them changed together."""

    id: str  # of the run, where a run did it
    kind: str  # run, agent, person, undo; held: it waits for the user; allowed: it waited, and the user allowed it
    actor: str
    label: str  # one line: what it was about
    at: float
    files: tuple[FileChange, ...] = ()
    count: int = 0  # of files, also where they are not told one by one
    undoes: str = ""  # the changes that this undid
    undone_by: str = ""  # the undo that took these back
    note: str = ""  # why something is not known


class UndoLine(Struct, frozen=True):
    """What undoing would do with one file."""

    path: str
    deed: str  # restore, remove, bring back, nothing; of a held change: change, delete, make, nothing
    state: str  # ready, shared, conflict, done, lost
    words: str  # one sentence for people
    warning: str = ""


class UndoPlan(Struct, frozen=True):
    """All of it, before anything is done."""

    changes: FileChanges
    lines: tuple[UndoLine, ...]


class FilePiece(Struct, frozen=True):
    """A slice of a file for the eye: text, or bytes in base64."""

    path: str
    kind: str  # text, json, csv, image, binary
    text: str  # of a text file; base64 of a picture; the first bytes as hex of anything else
    size: int
    start: int = 0
    end: int = 0  # where the next slice begins
    warning: str = ""


class KeptFiles(Struct, frozen=True):
    """What is kept of earlier states, and of answers for the next time."""

    changes: int
    size: int
    most_size: int
    cached: int = 0  # answers of tools
    cached_size: int = 0
