"""Converts file changes, undo plans and files to the records that clients of the core show."""

from __future__ import annotations

import base64
import stat
from typing import Final

from workbench.errors import WorkbenchError
from workbench.records import FileChange, FileChanges, FilePiece, FileState, UndoLine
from workbench.workspace.change_store import Change, Changes, Contents, PathState
from workbench.workspace.file_names import danger, displayed_name
from workbench.workspace.undo import CONFLICT, DONE, LOST, READY, SHARED, UndoStep
from workbench.workspace.workspace_files import WorkspaceFiles, is_text

MOST_TOLD: Final = 5_000  # files of one run that are listed
PIECE: Final = 1_000_000  # bytes of a text that are shown at a time
PICTURE: Final = 10_000_000
COMPARED: Final = 2_000_000  # bytes of each side of a comparison
_HEX: Final = 512
_PICTURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM")


def changes_record(changes: Changes, count: int = -1) -> FileChanges:
    files = tuple(
        _file(path, one, undone=path in changes.undone) for path, one in list(changes.files.items())[:MOST_TOLD]
    )
    return FileChanges(
        changes.id,
        changes.kind,
        changes.actor,
        changes.label,
        changes.at,
        files,
        len(changes.files) if count < 0 else count,
        changes.undoes,
        changes.undone_by,
        changes.note,
        len(changes.undone),
    )


def line(step: UndoStep) -> UndoLine:
    """What an undo would do with one file, in a sentence."""
    before, after = step.change.before, step.change.after
    deed = "remove" if before is None else "bring back" if after is None else "restore"
    words = _READY[deed] if step.state == READY else _WORDS[step.state]
    if step.state == CONFLICT and step.later is not None:
        who = f"a later run of {step.later.actor}" if step.later.kind == "run" else step.later.actor
        words = f"It was changed later, by {who}. Undoing would discard that change."
    if step.state in (DONE, LOST):
        deed = "nothing"
    name = displayed_name(step.path)
    return UndoLine(name, deed, step.state, words, danger(name, _rights(before)) if deed != "remove" else "")


def held_line(step: UndoStep) -> UndoLine:
    """What writing a held change would do with one file, in a sentence. `before` in the change is the proposal."""
    proposed, now = step.change.before, step.change.after
    deed = "delete" if proposed is None else "make" if now is None else "change"
    words = _HELD[deed] if step.state == READY else _HELD[step.state]
    if step.state in (DONE, LOST):
        deed = "nothing"
    name = displayed_name(step.path)
    return UndoLine(name, deed, step.state, words, danger(name, _rights(proposed)) if proposed is not None else "")


def piece(store: WorkspaceFiles, path: str, start: int = 0) -> FilePiece:
    """Part of a file for display. Pictures and text are recognized by content; the name tells how to show text."""
    data, size = store.read_bytes(path, start, PIECE + 4)
    warning = danger(path, 0)
    if start == 0 and (data.startswith(_PICTURES) or _is_webp(data)):
        if size > PICTURE:
            return FilePiece(path, "binary", data[:_HEX].hex(" "), size, warning=warning)
        whole, size = store.read_bytes(path, 0, PICTURE)
        return FilePiece(path, "image", base64.b64encode(whole).decode(), size, 0, size, warning)
    if start == 0 and not is_text(data):
        return FilePiece(path, "binary", data[:_HEX].hex(" "), size, warning=warning)
    end = _whole_letters(data) if len(data) > PIECE else len(data)
    kind = "text" if size > PIECE else _KINDS.get(path.rpartition(".")[2].lower(), "text")
    return FilePiece(path, kind, data[:end].decode("utf-8", "replace"), size, start, start + end, warning)


def texts_before_and_after(contents: Contents, changes: Changes, path: str) -> tuple[str, str]:
    """The text of a file before and after a change. Raises WorkbenchError if a content is not stored."""
    one = next((change for name, change in changes.files.items() if displayed_name(name) == path), None)
    if one is None:
        raise WorkbenchError(f"{path} is not among these changes.", "Open the list of changes again.")
    return _text(contents, one.before, path), _text(contents, one.after, path)


def current(store: WorkspaceFiles, path: str) -> str:
    """The current text of a file; empty if there is none that can be read."""
    try:
        data, size = store.read_bytes(path, 0, COMPARED)
    except WorkbenchError:
        return ""
    if not is_text(data):
        return f"{size:,} bytes that are not text\n"
    cut = f"\n… only the first {COMPARED:,} bytes are compared\n" if size > COMPARED else ""
    return data.decode("utf-8", "replace") + cut


def proposed(contents: Contents, changes: Changes, path: str) -> str:
    """The text that a program proposes for a file. Raises WorkbenchError if it is not stored."""
    one = next((change for name, change in changes.files.items() if displayed_name(name) == path), None)
    if one is None:
        raise WorkbenchError(f"{path} is not among these changes.", "Open the list of changes again.")
    return _text(contents, one.after, path)


def _text(contents: Contents, state: PathState | None, path: str) -> str:
    if state is None or state.is_folder:
        return ""
    if not contents.has(state.sha):
        raise WorkbenchError(f"The content of {path} is not stored.", "It was too large, or the change is too old.")
    data = contents.read(state.sha, COMPARED)
    if not is_text(data):
        return f"{state.size:,} bytes that are not text, SHA-256 {state.sha}\n"
    cut = f"\n… only the first {COMPARED:,} bytes are compared\n" if state.size > COMPARED else ""
    return data.decode("utf-8", "replace") + cut


def _file(path: str, one: Change, *, undone: bool) -> FileChange:
    name = displayed_name(path)
    deed = "added" if one.before is None else "deleted" if one.after is None else "changed"
    if one.before and one.after and one.before.sha == one.after.sha and one.before.size == one.after.size:
        deed = "rights"
    warning = danger(name, _rights(one.after)) if one.after is not None and not one.after.is_folder else ""
    return FileChange(name, deed, _state(one.before), _state(one.after), tuple(sorted(one.shared)), warning, undone)


def _state(state: PathState | None) -> FileState | None:
    if state is None:
        return None
    kind = "folder" if state.is_folder else "link" if stat.S_ISLNK(state.mode) else "file"
    return FileState(kind, state.size, stat.S_IMODE(state.mode), bool(state.sha) or state.is_folder)


def _rights(state: PathState | None) -> int:
    return stat.S_IMODE(state.mode) if state is not None and stat.S_ISREG(state.mode) else 0


def _is_webp(data: bytes) -> bool:
    return data[:4] == b"RIFF" and data[8:12] == b"WEBP"


def _whole_letters(data: bytes) -> int:
    """Where a slice may end: after a line if one ends in the last 100,000 bytes, else after a complete character."""
    if (line_end := data.rfind(b"\n", PIECE - 100_000, PIECE)) > 0:
        return line_end + 1
    end = PIECE
    while end > PIECE - 4 and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


_READY: Final = {
    "restore": "The earlier version is restored.",
    "remove": "It did not exist before, so it is deleted.",
    "bring back": "It was deleted and is restored.",
}
_WORDS: Final = {
    SHARED: "Another run, one of your applications or a server may also have changed it.",
    CONFLICT: "It was changed later, outside of any run. Undoing would discard that change.",
    DONE: "It is already as it was before.",
    LOST: "The earlier version is not stored: it was too large, or the change is too old.",
}
_HELD: Final = {
    "change": "The program changed it.",
    "delete": "The program deleted it.",
    "make": "The program created it.",
    CONFLICT: "It has changed since the program started. Overwriting it would discard that change.",
    DONE: "The workspace already has this version.",
    LOST: "The version that the program wrote is no longer stored.",
}
_KINDS: Final = {"json": "json", "csv": "csv", "tsv": "csv"}
