"""Opens paths of a workspace without leaving its folder: with openat2, or component by component without links.

A sandboxed program writes to the same folder and may create links or special files there at any moment (TOCTOU). So no
path is ever resolved as a whole by its name, and a file is checked only after it is open.
"""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from workbench.errors import WorkbenchError
from workbench.workspace.file_names import displayed_name, parts_of

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPENAT2: Final = 437  # the same number on every architecture
_BENEATH: Final = 0x08 | 0x04 | 0x02  # RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS
_MISSING: Final = frozenset({errno.ENOSYS, errno.EPERM, errno.E2BIG, errno.EINVAL})
_TRIES: Final = 3  # the kernel returns EAGAIN if names moved meanwhile


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class _Kernel:
    """The system call openat2. The first call shows whether the kernel supports it."""

    def __init__(self) -> None:
        self.knows = True
        self._call = ctypes.CDLL(None, use_errno=True).syscall

    def open(self, root: int, path: bytes, flags: int) -> int:
        how = _How(flags, 0, _BENEATH)
        for _ in range(_TRIES):
            number = int(self._call(_OPENAT2, root, path, ctypes.byref(how), ctypes.sizeof(how)))
            if number >= 0:
                return number
            if (code := ctypes.get_errno()) not in (errno.EAGAIN, errno.EINTR):
                break
        raise OSError(code, os.strerror(code))


_kernel = _Kernel()


def open_folder(root: int, parts: Sequence[str]) -> int:
    """Open the folder with these path components below `root`. A symbolic link among them is an error."""
    if not parts:
        return os.dup(root)
    if _kernel.knows and len(parts) > 1:
        try:
            return _kernel.open(root, os.fsencode("/".join(parts)), FOLDER)
        except OSError as fault:
            if fault.errno not in _MISSING:
                raise
            _kernel.knows = False
    return _step_by_step(root, parts)


@contextmanager
def closing_handle(handle: int) -> Iterator[int]:
    """Close a file descriptor at the end of the block."""
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def open_parent(root: int, path: str) -> Iterator[tuple[int, str]]:
    """Open the parent folder of a path with `open_folder`; yields it and the last component of the path."""
    *folders, name = path.split("/")
    with closing_handle(open_folder(root, folders)) as folder:
        yield folder, name


def change_mode(folder: int, name: str, mode: int) -> None:
    """Change the permissions of an entry itself, even of one that we cannot open, and never of a link's target."""
    with closing_handle(os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)) as handle:
        os.chmod(f"/proc/self/fd/{handle}", mode)


def _step_by_step(root: int, parts: Sequence[str]) -> int:
    here = os.open(parts[0], FOLDER, dir_fd=root)
    for step in parts[1:]:
        try:
            inner = os.open(step, FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = inner
    return here


_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DRAFT = ".writing-"  # prefix of temporary files that will replace a file


class Confined:
    """Opens paths below one folder; no path leads out of it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def open_root(self) -> Iterator[int]:
        try:
            root = self._opened()
        except OSError as fault:
            hint = "Check that it is a folder of the project, not a link."
            raise WorkbenchError(f"The workspace cannot be opened: {fault.strerror}.", hint) from fault
        with closing_handle(root):
            yield root

    def _opened(self) -> int:
        with suppress(FileNotFoundError):
            return os.open(self.root, FOLDER)
        with suppress(FileExistsError):
            self.root.mkdir(parents=True)
        return os.open(self.root, FOLDER)

    @contextmanager
    def parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the parent folder of a path; yields it and the path's last component as spelled on disk."""
        *folders, name = parts_of(path)
        with self.open_root() as root, closing_handle(_open_or_make(root, folders, path, make=make)) as here:
            yield here, _real(here, name)

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """Open a folder; the root folder if the path is empty."""
        parts = parts_of(path) if path else []
        with self.open_root() as root, closing_handle(_open_or_make(root, parts, path, make=False)) as here:
            yield here


def open_plain(folder: int, name: str, path: str) -> int:
    """Open a regular file with one hard link. Rejects links, pipes, devices and folders without blocking on them."""
    try:
        handle = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        raise file_not_found(path) from None
    except OSError as fault:
        raise not_plain_file(path) from fault
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(handle)
        raise not_plain_file(path)
    return handle


def plain_size(folder: int, name: str, path: str) -> int | None:
    """The size of the file that will be replaced; None if there is none."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise WorkbenchError(f"{path} cannot be written: {fault.strerror}.") from fault
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        raise not_plain_file(path)
    return found.st_size


def replace_file(folder: int, name: str, path: str, data: bytes, mode: int = 0o644) -> os.stat_result:
    """Replace a file atomically: the old content remains until the new content is complete."""
    draft = f"{_DRAFT}{secrets.token_hex(8)}"
    try:
        handle = os.open(draft, _NEW, mode, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as fault:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise WorkbenchError(f"{path} cannot be written: {fault.strerror}.") from fault


def file_not_found(path: str) -> WorkbenchError:
    return WorkbenchError(f"There is no file {path}.", "See the list of files in the workspace.")


def not_plain_file(path: str) -> WorkbenchError:
    hint = "Links, pipes, devices and folders cannot be read or replaced."
    return WorkbenchError(f"{path} is not a regular file.", hint)


def _open_or_make(root: int, folders: list[str], path: str, *, make: bool) -> int:
    """Open the folder with these path components, and create missing ones if `make`. Links are errors."""
    try:
        return open_folder(root, folders)
    except FileNotFoundError:
        return _one_by_one(root, folders, path, make=make)
    except OSError as fault:
        raise _unreachable(path, fault) from fault


def _one_by_one(root: int, folders: list[str], path: str, *, make: bool) -> int:
    """As `_open_or_make`, for folders that must be created or whose names are spelled with escapes."""
    here = os.dup(root)
    try:
        for step in folders:
            name = _real(here, step)
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o755, dir_fd=here)
            inner = os.open(name, FOLDER, dir_fd=here)
            os.close(here)
            here = inner
    except OSError as fault:
        os.close(here)
        raise (file_not_found(path) if isinstance(fault, FileNotFoundError) else _unreachable(path, fault)) from None
    return here


def _real(folder: int, name: str) -> str:
    """A name as spelled on disk. A name with unprintable characters is found by its displayed form."""
    if "\\" not in name:
        return name
    with suppress(OSError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return name
    return next((real for real in os.listdir(folder) if displayed_name(real) == name), name)


def _unreachable(path: str, fault: OSError) -> WorkbenchError:
    hint = "Check the path: a part of it is a link or a file, or its permissions deny access."
    return WorkbenchError(f"{path} cannot be reached: {fault.strerror}.", hint)
