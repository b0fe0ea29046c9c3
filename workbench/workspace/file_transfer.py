"""Files on their way between the workspace and the rest of a person's disk, as they wished it in their own window."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from workbench.errors import WorkbenchError
from workbench.files import replacing_file
from workbench.records import FileInfo
from workbench.workspace.workspace_files import Store

MOST: Final = 2_000  # files that are brought at once
LARGEST: Final = 500_000_000
_PIECE: Final = 1 << 20
_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def bring(store: Store, sources: tuple[str, ...], folder: str) -> tuple[FileInfo, ...]:
    """Copies of these files and folders; a name that is taken gets a number, nothing is replaced."""
    wanted = list(_wanted(sources))
    if len(wanted) > MOST:
        raise WorkbenchError(f"That is more than {MOST:,} files.", "Copy them with your file manager.")
    begin = f"{folder.strip('/')}/" if folder.strip("/") else ""
    return tuple(_one(store, place, begin + name) for place, name in wanted)


def take(store: Store, path: str, target: Path) -> int:
    """A copy of one file somewhere else, complete or not at all; answers its size."""
    at = 0
    with replacing_file(target, mode=0o644, durable=False, name=str(target)) as file:
        while True:
            data, size = store.read_bytes(path, at, _PIECE)
            at += file.write(data)
            if not data or at >= size:
                break
    return at


def _wanted(sources: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Each file with the name it gets; what links lead to is not brought."""
    for source in map(Path, sources):
        if not source.is_dir():
            yield source, source.name
            continue
        for at, folders, names in os.walk(source):
            folders.sort()
            for name in sorted(names):
                if not (place := Path(at, name)).is_symlink():
                    yield place, str(Path(source.name) / place.relative_to(source))


def _one(store: Store, place: Path, name: str) -> FileInfo:
    try:
        handle = os.open(place, _OPEN)
    except OSError as fault:
        raise WorkbenchError(f"{place} cannot be read: {fault.strerror}.") from fault
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise WorkbenchError(f"{place} is no plain file, or is too large.", "Copy it with your file manager.")
        data = file.read()
    return store.write_bytes(_free(store, name), data, new=True)


def _free(store: Store, name: str) -> str:
    stem, dot, ending = name.rpartition(".") if "." in name.rpartition("/")[2][1:] else (name, "", "")
    for number in range(1, 1_000):
        wished = name if number == 1 else f"{stem} ({number}){dot}{ending}"
        try:
            store.look(wished)
        except WorkbenchError:
            return wished
    return name
