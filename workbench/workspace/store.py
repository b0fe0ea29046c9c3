"""The confined file store of a bench: relative paths, plain files, a quota.

A sandboxed program writes into the same folder and may put links or odd files there, even while we read. So no path is
ever resolved as a whole: each step is opened relative to the one before without following links, and what is used is
the thing that was opened, not its name.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import FileInfo
from workbench.workspace.names import parts_of

LARGEST_READ = 10_000_000  # bytes of a file that are shown; the rest is announced as cut
MOST_FILES = 20_000  # files that a listing shows
DEEPEST = 40  # folders within folders that a listing follows

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DRAFT = ".writing-"  # a file on its way to replace another


class Store:
    """Files below one folder."""

    def __init__(self, root: Path, quota_mb: Callable[[], int]) -> None:
        self._root, self._quota_mb = root, quota_mb

    def list(self) -> tuple[FileInfo, ...]:
        """Every plain file, by path; links and odd files are left out. At most twenty thousand."""
        found: list[FileInfo] = []
        with self._open_root() as root:
            for info in _walk(root, "", 0):
                found.append(info)
                if len(found) >= MOST_FILES:
                    break
        return tuple(sorted(found, key=lambda info: info.path))

    def inside(self, folder: str) -> tuple[FileInfo, ...]:
        """The plain files of one folder, not of those in it; none where there is no such folder."""
        with self._open_root() as root:
            try:
                handle = os.open(folder, _FOLDER, dir_fd=root)
            except OSError:
                return ()  # it is not there, or is a link that leads elsewhere
            try:
                return tuple(_walk(handle, f"{folder}/", DEEPEST))
            finally:
                os.close(handle)

    def read(self, path: str) -> str:
        """A text file. What is too large is cut, and the cut is announced on the last line."""
        with self._parent(path, make=False) as (folder, name):
            handle = _open_plain(folder, name, path)
            with os.fdopen(handle, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                data = file.read(LARGEST_READ)
        if b"\0" in data[:8192]:
            raise WorkbenchError(f"{path} is not text.", "A program in the sandbox can open it as bytes.")
        return _decoded(data, path, size)

    def write(self, path: str, text: str) -> FileInfo:
        """Replace a file whole, making its folders; what stood there before stays until the new text is complete."""
        data = _encoded(text, path)
        with self._parent(path, make=True) as (folder, name):
            before = _plain_size(folder, name, path)
            self._check_quota(len(data) - before)
            draft = f"{_DRAFT}{secrets.token_hex(8)}"
            try:
                _write_new(folder, draft, data)
                os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as fault:
                _remove_quietly(folder, draft)
                raise WorkbenchError(f"{path} cannot be written: {fault.strerror}.") from fault
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return FileInfo("/".join(parts_of(path)), found.st_size, found.st_mtime)

    def delete(self, path: str) -> None:
        """Remove one plain file."""
        with self._parent(path, make=False) as (folder, name):
            os.close(_open_plain(folder, name, path))
            os.unlink(name, dir_fd=folder)

    def used(self) -> int:
        """Bytes in all plain files."""
        with self._open_root() as root:
            return sum(info.size for info in _walk(root, "", 0))

    def _check_quota(self, more: int) -> None:
        if more > 0 and self.used() + more > self._quota_mb() * 1_000_000:
            raise WorkbenchError(
                f"The workspace is full: it may hold {self._quota_mb()} MB.",
                "Delete files, or raise run.disk_mb in the settings.",
            )

    @contextmanager
    def _open_root(self) -> Iterator[int]:
        with suppress(FileExistsError):
            self._root.mkdir(parents=True)
        try:
            root = os.open(self._root, _FOLDER)
        except OSError as fault:
            hint = "It must be a folder of the bench, not a link to another place."
            raise WorkbenchError(f"The workspace cannot be opened: {fault.strerror}.", hint) from fault
        try:
            yield root
        finally:
            os.close(root)

    @contextmanager
    def _parent(self, path: str, *, make: bool) -> Iterator[tuple[int, str]]:
        """The folder a path's last part stands in, opened step by step, and that last part."""
        *folders, name = parts_of(path)
        with self._open_root() as root:
            here = os.dup(root)
            try:
                for step in folders:
                    inner = _enter(here, step, path, make=make)
                    os.close(here)
                    here = inner
                yield here, name
            finally:
                os.close(here)


def _enter(folder: int, step: str, path: str, *, make: bool) -> int:
    """One step down; a link is no way in."""
    try:
        if make:
            _make_folder(folder, step)
        return os.open(step, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError as fault:
        hint = f"{step} is a link, a file, or closed to you."
        raise WorkbenchError(f"{path} cannot be reached: {fault.strerror}.", hint) from fault


def _make_folder(folder: int, step: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(step, 0o755, dir_fd=folder)


def _open_plain(folder: int, name: str, path: str) -> int:
    """Open a plain file with one name; links, hard links, pipes, devices and folders are refused."""
    try:
        handle = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError as fault:
        raise _odd(path) from fault
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(handle)
        raise _odd(path)
    return handle


def _plain_size(folder: int, name: str, path: str) -> int:
    """The size of the file that will be replaced; 0 when there is none."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return 0
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        raise _odd(path)
    return found.st_size


def _write_new(folder: int, name: str, data: bytes) -> None:
    handle = os.open(name, _NEW, 0o644, dir_fd=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _remove_quietly(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _walk(folder: int, prefix: str, depth: int) -> Iterator[FileInfo]:
    """Plain files below an open folder. Names that vanish meanwhile are passed over."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries)
    for name in names:
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and not name.startswith(_DRAFT):
                yield FileInfo(_shown(f"{prefix}{name}"), found.st_size, found.st_mtime)
            elif stat.S_ISDIR(found.st_mode) and depth < DEEPEST:
                yield from _walk_into(folder, name, prefix, depth)
        except OSError:
            continue  # gone or closed to us since the names were read: then it is not there to list


def _walk_into(folder: int, name: str, prefix: str, depth: int) -> Iterator[FileInfo]:
    inner = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield from _walk(inner, f"{prefix}{name}/", depth + 1)
    finally:
        os.close(inner)


def _shown(name: str) -> str:
    """A name for people and JSON, also where it is not valid UTF-8 on disk."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _encoded(text: str, path: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        hint = f"Character {fault.start + 1} is half of a pair."
        raise WorkbenchError(f"{path} cannot be written: the text is not Unicode.", hint) from fault


def _decoded(data: bytes, path: str, size: int) -> str:
    """Text, with the cut announced; a cut may fall within a character."""
    try:
        text = data.decode("utf-8", "strict" if size <= len(data) else "ignore")
    except UnicodeDecodeError as fault:
        raise WorkbenchError(f"{path} is not text.", "A program in the sandbox can open it as bytes.") from fault
    if size <= len(data):
        return text
    return f"{text}\n… cut: {len(data):,} of {size:,} bytes shown. A program in the sandbox can read the rest."


def _missing(path: str) -> WorkbenchError:
    return WorkbenchError(f"There is no file {path}.", "The list of files shows what the workspace holds.")


def _odd(path: str) -> WorkbenchError:
    return WorkbenchError(f"{path} is no plain file.", "Links, pipes, devices and folders cannot be read or replaced.")
