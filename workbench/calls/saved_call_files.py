"""Saved calls in the project folder `calls`: one file for each call, one subfolder for each collection. The files are
untrusted."""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from workbench.calls.saved_call_format import Misread, read, write
from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.records import BrokenCall, Fault, SavedCall, SavedCalls

FOLDER = "calls"
ENDING = ".json"
MOST = 5_000  # files that are read
NAME = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|.\s]([^\x00-\x1f\x7f/\\:*?\"<>|]{0,78}[^\x00-\x1f\x7f/\\:*?\"<>|.\s])?")


class CallStore:
    """Reads and writes the files of saved calls. Caches nothing, because git may change the files at any time."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._folder = project / FOLDER

    def list(self) -> SavedCalls:
        """Return every saved call, sorted by collection and name, and an error for each unreadable file."""
        calls, broken = [], []
        for number, path in enumerate(self._files()):
            file = path.relative_to(self._project).as_posix()
            if number >= MOST:
                broken.append(BrokenCall(file, Fault(f"There are more than {MOST} files; the others are not read.")))
                break
            try:
                calls.append(self._read(path, file))
            except Misread as fault:
                broken.append(BrokenCall(file, Fault(fault.message, fault.hint), fault.line))
            except WorkbenchError as fault:
                broken.append(BrokenCall(file, Fault(fault.message, fault.hint)))
        return SavedCalls(tuple(calls), tuple(broken))

    def get(self, file: str) -> SavedCall:
        return self._read(self._path(file), file)

    def save(self, call: SavedCall, instead_of: str) -> SavedCall:
        """Write a call. `instead_of` is the file the call was loaded from; it is deleted when the call was renamed."""
        file = file_of(call.collection, call.name)
        path = self._path(file)
        if file != instead_of and path.exists():
            raise WorkbenchError(
                f"The saved call {file} already exists.", "Choose a different name, or edit that call."
            )
        self._write(path, write(call))
        if instead_of and instead_of != file:
            self._path(instead_of).unlink(missing_ok=True)
        return replace(call, file=file)

    def remove(self, file: str) -> str:
        """Delete a file and return its text, so that `restore` can write it again."""
        path = self._path(file)
        try:
            text = read_plain(path)
            path.unlink()
        except (OSError, UnicodeError) as fault:
            raise _unreadable(file, fault) from fault
        with contextlib.suppress(OSError):
            if path.parent != self._folder:
                path.parent.rmdir()  # fails unless the folder is empty; an empty collection is deleted
        return text

    def restore(self, file: str, text: str) -> None:
        """Write a deleted file again."""
        path = self._path(file)
        if path.exists():
            raise WorkbenchError(f"The saved call {file} already exists.", "It was created in the meantime.")
        self._write(path, text)

    def _files(self) -> Iterator[Path]:
        for folder in (self._folder, *sorted(_folders(self._folder))):
            yield from sorted(
                path for path in _entries(folder) if path.suffix == ENDING and not path.name.startswith(".")
            )

    def _read(self, path: Path, file: str) -> SavedCall:
        try:
            text = read_plain(path, "utf-8-sig")
        except (OSError, UnicodeError) as fault:
            raise _unreadable(file, fault) from fault
        collection = path.parent.name if path.parent != self._folder else ""
        return read(text, collection, path.name.removesuffix(ENDING), file)

    def _path(self, file: str) -> Path:
        """Return the path of a file. Raises WorkbenchError when the path or a symbolic link leads out of the folder."""
        parts = file.split("/")
        fits = parts[0] == FOLDER and file.endswith(ENDING) and len(parts) in (2, 3)
        if not fits or not all(NAME.fullmatch(part) for part in parts[1:]):
            words = f"{file!r:.200} is not a valid path of a saved call."
            raise WorkbenchError(words, "Use calls/NAME.json or calls/COLLECTION/NAME.json.")
        path = self._project.joinpath(*parts)
        for place in (self._folder, path.parent, path):
            if place.is_symlink():
                words = f"{place.name} is a symbolic link, which is not allowed for saved calls."
                raise WorkbenchError(words, "Replace the link with a real file or folder.")
        return path

    def _write(self, path: Path, text: str) -> None:
        write_file(path, text, mode=0o644, durable=False)


def file_of(collection: str, name: str) -> str:
    """Return the path of a call's file relative to the project. Raises WorkbenchError for an invalid name."""
    for word, text in (("collection", collection), ("name", name)):
        if (text or word == "name") and not NAME.fullmatch(text):
            raise WorkbenchError(
                f"{text!r:.100} cannot be the {word} of a saved call.",
                'Use up to 80 characters, none of / \\ : * ? " < > |, and no dot or space at either end.',
            )
    return "/".join(part for part in (FOLDER, collection, f"{name}{ENDING}") if part)


def _folders(folder: Path) -> Iterator[Path]:
    return (path for path in _entries(folder) if path.is_dir() and not path.name.startswith("."))


def _entries(folder: Path) -> list[Path]:
    """Return the entries of a folder; none when the folder is a symbolic link."""
    try:
        return [] if folder.is_symlink() else list(folder.iterdir())
    except OSError:
        return []


def _unreadable(file: str, fault: OSError | UnicodeError) -> WorkbenchError:
    if isinstance(fault, OSError) and fault.errno == errno.ENOENT:
        return WorkbenchError(f"There is no saved call {file}.", "It was deleted in the meantime.")
    words = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
    return WorkbenchError(f"{file} cannot be read: {words}.")
