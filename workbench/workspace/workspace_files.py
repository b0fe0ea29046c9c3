"""The confined file store of a project: relative paths, regular files, and limits of size and number."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.files import replacing_file
from workbench.records import FileInfo, FileRoom
from workbench.workspace.confined_paths import Confined, file_not_found, open_plain, plain_size, replace_file
from workbench.workspace.directory_scan import Stamp, one_level, plain, stamp_of
from workbench.workspace.file_names import danger, displayed_name, parts_of

LARGEST_READ = 10_000_000  # bytes of a file that are shown; a note says that the rest is cut
MOST_FILES = 20_000  # files that a listing shows
_HEAD: Final = 8_192  # bytes at the beginning of a file that decide whether it is text


class WorkspaceFiles:
    """Files below one folder. Its methods take paths such as `reports/summary.txt` and raise WorkbenchError.

    `list`, `inside`, `level` and `look` return the metadata of entries, `read` returns text, `read_bytes` a slice of
    any file; `write` and `write_bytes` replace a file atomically. No method follows a link or blocks on a pipe,
    whatever a program does to the folder meanwhile. They use the disk, so the core calls them on a thread.
    """

    def __init__(
        self, root: Path, quota_mb: Callable[[], int], most_files: Callable[[], int] = lambda: 100_000
    ) -> None:
        self._confined = Confined(root)
        self._quota_mb, self._most_files = quota_mb, most_files

    @property
    def confined(self) -> Confined:
        """The confined folder, for other code that uses the same files."""
        return self._confined

    # ── listing ──────────────────────────────────────────────────────────────────────────────────
    @api(name="files", in_thread=True)
    def list(self) -> tuple[FileInfo, ...]:
        """Every regular file, sorted by path, at most 20,000. Links and special files are left out."""
        with self._confined.open_root() as root:
            found = [_info(path, stamp) for path, stamp in plain(root, MOST_FILES)]
        return tuple(sorted(found, key=lambda info: info.path))

    def inside(self, folder: str) -> tuple[FileInfo, ...]:
        """The regular files directly in one folder; none if there is no such folder."""
        try:
            return tuple(one for one in self.level(folder) if one.kind == "file" and one.plain)
        except WorkbenchError:
            return ()  # the folder is missing or a link

    @api(name="file_level", in_thread=True)
    def level(self, folder: str = "") -> tuple[FileInfo, ...]:
        """All entries of one folder: folders first, then files by name; links and special files are marked as such."""
        prefix = "/".join((*parts_of(folder), "")) if folder else ""
        with self._confined.folder(folder) as handle:
            found = [_info(prefix + name, stamp) for name, stamp in one_level(handle)]
        return tuple(replace(one, warning=words) if (words := _danger(one)) else one for one in found)

    def look(self, path: str) -> FileInfo:
        """The metadata of one file or folder."""
        with self._confined.parent(path) as (folder, name):
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                raise file_not_found(path) from None
        return _file_info("/".join(parts_of(path)), found)

    @api(name="file_room", in_thread=True)
    def workspace_usage(self) -> FileRoom:
        """The number and size of the files, and their limits."""
        size = files = 0
        with self._confined.open_root() as root:
            for _path, stamp in plain(root, 1_000_000):
                size, files = size + stamp.size, files + 1
        return FileRoom(size, files, self._quota_mb() * 1_000_000, self._most_files())

    # ── reading ──────────────────────────────────────────────────────────────────────────────────
    @api(name="read_file", in_thread=True)
    def read(self, path: str) -> str:
        """The content of a text file. A file that is too large is cut, and the last line says so."""
        data, size = self.read_bytes(path, 0, LARGEST_READ)
        if not is_text(data):
            raise WorkbenchError(f"{path} is not text.", "A program in the sandbox can open it as bytes.")
        return _decoded(data, path, size)

    def read_bytes(self, path: str, start: int, length: int) -> tuple[bytes, int]:
        """A slice of a file, and the size of the whole file."""
        with self._confined.parent(path) as (folder, name):
            handle = open_plain(folder, name, path)
            with os.fdopen(handle, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, start))
                return file.read(max(0, length)), size

    # ── changing ─────────────────────────────────────────────────────────────────────────────────
    def write(self, path: str, text: str) -> FileInfo:
        """Replace a file atomically and create its folders. The old text remains until the new text is complete."""
        return self.write_bytes(path, _encoded(text, path))

    def write_bytes(self, path: str, data: bytes, *, new: bool = False) -> FileInfo:
        """As `write`, for bytes. With `new`, an existing file is not replaced."""
        with self._confined.parent(path, make=True) as (folder, name):
            before = plain_size(folder, name, path)
            if new and before is not None:
                raise _there(path)
            self._check_room(len(data) - (before or 0), more_files=before is None)
            return _file_info("/".join(parts_of(path)), replace_file(folder, name, path, data))

    def delete(self, path: str) -> None:
        """Delete one plain file; anything else is refused."""
        with self._confined.parent(path) as (folder, name):
            os.close(open_plain(folder, name, path))
            os.unlink(name, dir_fd=folder)

    def remove(self, path: str) -> None:
        """Remove a file, a link, a special file, or a folder with all its contents."""
        with self._confined.parent(path) as (folder, name):
            _remove(folder, name, path)

    def rename(self, path: str, to: str) -> FileInfo:
        """Move or rename a file or folder; nothing is replaced."""
        if "/".join(parts_of(to)).startswith("/".join(parts_of(path)) + "/"):
            raise WorkbenchError(f"{path} cannot be moved into itself.", "Choose another folder.")
        with self._confined.parent(path) as (folder, name), self._confined.parent(to, make=True) as (target, new):
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                raise file_not_found(path) from None
            if _exists(target, new):
                raise _there(to)
            _move(folder, name, target, new, path)
        return _file_info("/".join(parts_of(to)), found)

    def make_folder(self, path: str) -> FileInfo:
        with self._confined.parent(path, make=True) as (folder, name):
            try:
                os.mkdir(name, 0o755, dir_fd=folder)
            except FileExistsError:
                raise _there(path) from None
            except OSError as fault:
                raise WorkbenchError(f"The folder {path} cannot be created: {fault.strerror}.") from fault
            return _file_info("/".join(parts_of(path)), os.stat(name, dir_fd=folder, follow_symlinks=False))

    def _check_room(self, more: int, *, more_files: bool) -> None:
        if more <= 0 and not more_files:
            return
        room = self.workspace_usage()
        if more > 0 and room.size + more > room.most_size:
            raise WorkbenchError(
                f"The workspace is full: its limit is {self._quota_mb()} MB.",
                "Delete files, or raise run.disk_mb in the settings.",
            )
        if more_files and room.files >= room.most_files:
            raise WorkbenchError(
                f"The workspace is full: its limit is {room.most_files:,} files.",
                "Delete files, or raise workspace.files in the settings.",
            )


def is_text(beginning: bytes) -> bool:
    """Whether a file with this beginning is text."""
    head = beginning[:_HEAD]
    if b"\0" in head:
        return False
    try:
        head.decode()
    except UnicodeDecodeError as fault:
        return len(head) == _HEAD and fault.end == _HEAD and fault.start > _HEAD - 4  # a character cut in two
    return True


def _info(path: str, stamp: Stamp) -> FileInfo:
    return FileInfo(displayed_name(path), stamp.size, stamp.changed / 1e9, _kind(stamp.mode), stamp.links == 1)


def _danger(info: FileInfo) -> str:
    return danger(info.path) if info.kind == "file" else danger(f"{info.path}/") if info.kind == "folder" else ""


def _file_info(path: str, found: os.stat_result) -> FileInfo:
    return _info(path, stamp_of(found))


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "odd"


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _move(folder: int, name: str, target: int, new: str, path: str) -> None:
    try:
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=target)
    except OSError as fault:
        raise WorkbenchError(f"{path} cannot be moved: {fault.strerror}.") from fault


def _remove(folder: int, name: str, path: str) -> None:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode):
            os.unlink(name, dir_fd=folder)
            return
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            for below in os.listdir(inner):
                _remove(inner, below, path)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=folder)
    except FileNotFoundError:
        raise file_not_found(path) from None
    except (OSError, RecursionError) as fault:
        words = fault.strerror if isinstance(fault, OSError) else "its folders are nested too deeply"
        raise WorkbenchError(f"{path} cannot be deleted: {words}.", "Check the permissions of its folder.") from fault


def _there(path: str) -> WorkbenchError:
    return WorkbenchError(f"{path} already exists.", "Choose another name, or delete it first.")


def _encoded(text: str, path: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        hint = f"Remove or replace character {fault.start + 1}, an unpaired surrogate."
        raise WorkbenchError(f"{path} cannot be written: the text is not valid Unicode.", hint) from fault


def _decoded(data: bytes, path: str, size: int) -> str:
    """The text, with a note if it is cut; the cut may be within a character."""
    try:
        text = data.decode("utf-8", "strict" if size <= len(data) else "ignore")
    except UnicodeDecodeError as fault:
        raise WorkbenchError(f"{path} is not text.", "A program in the sandbox can open it as bytes.") from fault
    if size <= len(data):
        return text
    return f"{text}\n… cut: {len(data):,} of {size:,} bytes shown. A program in the sandbox can read the rest."


MOST: Final = 2_000  # files that are imported at once
LARGEST: Final = 500_000_000
_PIECE: Final = 1 << 20
_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def import_files(store: WorkspaceFiles, sources: tuple[str, ...], folder: str) -> tuple[FileInfo, ...]:
    """Copy files and folders into the workspace. If a name exists, the copy gets a number; nothing is replaced."""
    wanted = list(_wanted(sources))
    if len(wanted) > MOST:
        raise WorkbenchError(f"At most {MOST:,} files can be imported at once.", "Copy them with your file manager.")
    begin = f"{folder.strip('/')}/" if folder.strip("/") else ""
    return tuple(_import_file(store, place, begin + name) for place, name in wanted)


def export_file(store: WorkspaceFiles, path: str, target: Path) -> int:
    """Copy a file out of the workspace, completely or not at all; returns its size."""
    at = 0
    with replacing_file(target, mode=0o644, durable=False, name=str(target)) as file:
        while True:
            data, size = store.read_bytes(path, at, _PIECE)
            at += file.write(data)
            if not data or at >= size:
                break
    return at


def _wanted(sources: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Each file with the name it gets; links are left out."""
    for source in map(Path, sources):
        if not source.is_dir():
            yield source, source.name
            continue
        for at, folders, names in os.walk(source):
            folders.sort()
            for name in sorted(names):
                if not (place := Path(at, name)).is_symlink():
                    yield place, str(Path(source.name) / place.relative_to(source))


def _import_file(store: WorkspaceFiles, place: Path, name: str) -> FileInfo:
    try:
        handle = os.open(place, _OPEN)
    except OSError as fault:
        raise WorkbenchError(f"{place} cannot be read: {fault.strerror}.") from fault
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise WorkbenchError(f"{place} is not a regular file, or is too large.", "Copy it with your file manager.")
        data = file.read()
    return store.write_bytes(_free(store, name), data, new=True)


def _free(store: WorkspaceFiles, name: str) -> str:
    stem, dot, ending = name.rpartition(".") if "." in name.rpartition("/")[2][1:] else (name, "", "")
    for number in range(1, 1_000):
        wished = name if number == 1 else f"{stem} ({number}){dot}{ending}"
        try:
            store.look(wished)
        except WorkbenchError:
            return wished
    return name
