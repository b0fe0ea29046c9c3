"""Reads untrusted files safely, and replaces files atomically.

Reading: a project can contain a pipe, a device or a huge file under any name, and 100 KB of TOML that need 10 GB to
parse. Writing: every file of the workbench is written by `replacing_file` or `write_file`. Files in the workspace are
the exception: they are written through directory handles (`workspace/confined_paths.py`), because programs can change
the folders.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from workbench.errors import WorkbenchError

log = logging.getLogger(__name__)
_Entry = TypeVar("_Entry")
LARGEST = 4 << 20  # bytes; files written by hand are smaller
LARGEST_TOML = 1 << 20  # bytes of settings; parsing 1 MB takes up to 250 MB of memory
MOST_PARTS = 16  # parts of a dotted key; `tomllib` needs time and memory quadratic in them: 9.6 GB for 50,000
_UMASK = os.umask(0o077)  # reading the umask means setting it, so this happens before threads start
os.umask(_UMASK)
_MARK = re.compile(r"\"{3}|'{3}|[\"'#]")
_BARE = re.compile(r"[A-Za-z0-9_\-. \t]+")  # a dotted key without its quoted parts
_ENDS = {
    "#": re.compile(r"\n"),
    "'": re.compile(r"['\n]"),
    '"': re.compile(r"[\"\n\\]"),
    "'''": re.compile(r"'{3,5}"),  # up to two quotes of the string itself may precede the closing three
    '"""': re.compile(r"\"{3,5}|\\"),
}


def read_plain(path: Path, encoding: str = "utf-8", *, largest: int = LARGEST) -> str:
    """Read a regular file as text without blocking. Raises an `OSError` for a pipe, a device, or a file above
    `largest`.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        if found.st_size > largest:
            raise OSError(errno.EFBIG, f"it is larger than {largest >> 20} MB")
        return file.read(largest).decode(encoding)


def typed_entries(entries: object, kind: type[_Entry], source: str) -> list[_Entry]:
    """Convert the entries of a stored list to records. A damaged entry is logged and skipped."""
    found: list[_Entry] = []
    if not isinstance(entries, list):
        log.warning("%s does not have a list where one is expected", source)
        return found
    with suppress(msgspec.ValidationError):
        return msgspec.convert(entries, list[kind])  # type: ignore[valid-type]  # a type that is known at run time
    for entry in entries:
        try:
            found.append(msgspec.convert(entry, kind))
        except msgspec.ValidationError as fault:
            log.warning("an entry of %s is skipped: %s", source, fault)
    return found


@contextmanager
def replacing_file(
    path: Path, *, mode: int = 0o600, keep_mode: bool = False, durable: bool = True, name: str = "", hint: str = ""
) -> Iterator[IO[bytes]]:
    """Open a new file that replaces `path` when the block ends without an error.

    Readers see the old content or the new one, never a part, also after a kill or a power cut. A `WorkbenchError` with
    `name` and `hint` says why the file cannot be written. With `keep_mode`, the permissions of the existing file stay.
    `durable` waits until content and name are on the disk. A symbolic link is refused: to write its target, pass
    `path.resolve()`.
    """
    try:
        if path.is_symlink():
            raise OSError(errno.ELOOP, "it is a symbolic link, and files are not written through links")
        mode &= ~_UMASK
        if keep_mode:
            with suppress(FileNotFoundError):
                mode = path.stat().st_mode & 0o777
        draft = path.with_name(f".new-{os.urandom(8).hex()}")
        handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, mode)
                yield file
                file.flush()
                if durable:
                    os.fsync(handle)
            os.replace(draft, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(draft)
            raise
        if durable:
            _sync_folder(path.parent)
    except OSError as fault:
        why = fault.strerror or str(fault)
        remedy = hint or f"Check that {path.parent} is writable and has free space."
        raise WorkbenchError(f"{name or path.name} cannot be written: {why}.", remedy) from fault


def write_file(
    path: Path,
    content: bytes | str,
    *,
    mode: int = 0o600,
    keep_mode: bool = False,
    durable: bool = True,
    name: str = "",
    hint: str = "",
) -> None:
    """Replace a file as `replacing_file` does, and create missing folders (mode 0700 for a private file). Text is
    written as UTF-8, and lone surrogates are preserved.
    """
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    with suppress(OSError):  # opening the file for writing raises the error
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o777 if mode & 0o077 else 0o700)
    with replacing_file(path, mode=mode, keep_mode=keep_mode, durable=durable, name=name, hint=hint) as file:
        file.write(data)


def _sync_folder(folder: Path) -> None:
    """Sync a folder to disk. Errors are ignored: some file systems cannot do it, and the file is complete anyway."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def parse_toml(text: str) -> dict[str, Any]:  # Any: TOML
    """Parse TOML. Raises `ValueError` or `RecursionError` for text that is invalid or too expensive to parse.

    All code that reads TOML must call this function instead of `tomllib`.
    """
    import tomllib  # imported here because few commands read TOML

    if _has_long_key(text):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")
    return tomllib.loads(text)


def read_toml(path: Path, *, largest: int = LARGEST_TOML) -> dict[str, Any]:  # Any: TOML
    """Read a regular file and parse it as TOML. Raises the errors of `read_plain` and `parse_toml`."""
    return parse_toml(read_plain(path, largest=largest))


def _has_long_key(text: str) -> bool:
    """Whether the text has a dotted key of more than `MOST_PARTS` parts outside strings and comments."""
    if text.count(".") < MOST_PARTS:
        return False
    return any(run.count(".") >= MOST_PARTS for run in _BARE.findall(_without_strings(text)))


def _without_strings(text: str) -> str:
    """The text with each string replaced by `q` and without comments, in one pass."""
    pieces, at = list[str](), 0
    while mark := _MARK.search(text, at):
        pieces += (text[at : mark.start()], "" if mark[0] == "#" else "q")
        at = _end(text, mark[0], mark.end())
    return "".join((*pieces, text[at:]))


def _end(text: str, mark: str, at: int) -> int:
    """The end of the string or comment that this mark opens, or the end of the text if it is not closed."""
    while end := _ENDS[mark].search(text, at):
        if end[0] != "\\":
            return end.start() if end[0] == "\n" else end.end()
        at = end.end() + 1
    return len(text)
