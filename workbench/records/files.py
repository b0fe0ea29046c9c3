"""Files of the workspace, changes to them, and what an undo would do."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

OUTSIDE: Final = "outside"  # marks a change that a program outside the workbench, or a server, may have made


class FileInfo(Struct, frozen=True):
    """One entry of the workspace. The path is relative to the workspace, with forward slashes, and printable."""

    path: str
    size: int
    changed: float
    kind: str = "file"  # file, folder, link, odd
    plain: bool = True  # the file has no other hard links
    warning: str = ""  # how programs on the user's machine would use such a file; set when a single folder is listed


class FileRoom(Struct, frozen=True):
    """Used and maximum space of the workspace."""

    size: int
    files: int
    most_size: int
    most_files: int


class FileState(Struct, frozen=True):
    """The state of a file at one time."""

    kind: str  # file, folder, link
    size: int
    rights: int  # the nine permission bits
    kept: bool  # the content is stored and can be restored


class FileChange(Struct, frozen=True):
    """One file that a run, an agent, the user or an undo changed."""

    path: str
    deed: str  # added, changed, deleted, rights
    before: FileState | None
    after: FileState | None
    shared: tuple[str, ...] = ()  # other runs active at that time that may have made the change, or OUTSIDE
    warning: str = ""  # how programs on the user's machine would use such a file
    undone: bool = False


class FileChanges(Struct, frozen=True):
    """A set of file changes made together."""

    id: str  # the run's id, if a run made the changes
    kind: str  # run, agent, person, undo, redo; held: waits for the user; allowed: held first, then allowed by the user
    actor: str
    label: str  # one-line description
    at: float
    files: tuple[FileChange, ...] = ()
    count: int = 0  # number of files, also if `files` does not list all
    undoes: str = ""  # id of the changes that this undo reverted
    undone_by: str = ""  # id of the undo that reverted these changes, or some of them
    note: str = ""  # why some information is missing
    undone: int = 0  # number of files whose change is undone


class UndoLine(Struct, frozen=True):
    """What an undo would do with one file."""

    path: str
    deed: str  # restore, remove, bring back, nothing; of a held change: change, delete, make, nothing
    state: str  # ready, shared, conflict, done, lost
    words: str  # a sentence for the user
    warning: str = ""


class UndoPlan(Struct, frozen=True):
    """A preview of an undo or of held changes."""

    changes: FileChanges
    lines: tuple[UndoLine, ...]


class FilePiece(Struct, frozen=True):
    """A part of a file for display: text, or bytes in base64."""

    path: str
    kind: str  # text, json, csv, image, binary
    text: str  # text of a text file; base64 of a picture; for other files the first bytes as hex
    size: int
    start: int = 0
    end: int = 0  # where the next part begins
    warning: str = ""


class KeptFiles(Struct, frozen=True):
    """Stored earlier file states and cached tool answers."""

    changes: int
    size: int
    most_size: int
    cached: int = 0  # number of cached tool answers
    cached_size: int = 0
