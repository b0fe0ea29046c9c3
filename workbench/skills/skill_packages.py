"""Reads untrusted skill packages (folder, zip file or git checkout) into memory and rejects dangerous ones.

Nothing is written before the whole package is checked. A path that leads outside, a link, a device, a zip bomb, or two
names that are equal on some systems end the import with the reason.
"""

from __future__ import annotations

import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.files import replacing_file, write_file
from workbench.skills.skill_folder import CARD, VERSIONS, code_file, is_name, is_plain, other_files, read_whole

MOST_FILES: Final = 500
LARGEST: Final = 2_000_000  # bytes of one file
LARGEST_ALL: Final = 20_000_000  # bytes of all files
DEEPEST: Final = 8  # levels of nested folders
MOST_RATIO: Final = 200  # unpacked size to packed size; about 10 for text
SMALL: Final = 100_000  # bytes up to which the ratio is not checked
LONGEST_NAME: Final = 200  # characters of a path
_PASSED_OVER: Final = frozenset({".git", "__pycache__", ".DS_Store", "__MACOSX", "node_modules", ".venv"})
REFUSED: Final = "Not imported: "
_SPECIAL: Final = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


class SkillPackage(Struct, frozen=True):
    """One skill of a package: its name, its files by path, and its source."""

    name: str
    files: Mapping[str, bytes]
    source: str  # for display
    commit: str = ""  # commit of the git checkout that contains it
    problem: str = ""  # why this skill of several cannot be imported; it has no files then

    @property
    def size(self) -> int:
        """The number of bytes in all files."""
        return sum(map(len, self.files.values()))

    def text(self, path: str) -> str:
        """The text of a file; empty if there is none."""
        return self.files.get(path, b"").decode("utf-8", "replace")

    def write(self, folder: Path) -> None:
        """Write the files to a new folder, without permission to execute them."""
        folder.mkdir(parents=True)
        for path, data in self.files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if path == CARD or path.endswith(".py"):
                write_file(place, data, mode=0o644)
            else:
                place.write_bytes(data)
                place.chmod(0o644)


def open_skill_packages(path: Path) -> tuple[SkillPackage, ...]:
    """Every skill in a folder or zip file. Raises WorkbenchError if there is none."""
    try:
        found = os.lstat(path)
    except OSError as fault:
        raise refused(f"{path} cannot be read: {fault.strerror}.") from fault
    if stat.S_ISLNK(found.st_mode):
        raise refused(f"{path} is a link.", "Choose the folder or file that it leads to.")
    if stat.S_ISDIR(found.st_mode):
        return _skills_in(_read_folder(path), path, _commit(path))
    if stat.S_ISREG(found.st_mode):
        return _skills_in(_read_zip(path), path, "")
    raise refused(f"{path} is neither a folder nor a zip file.")


def refused(reason: str, hint: str = "") -> WorkbenchError:
    return WorkbenchError(f"{REFUSED}{reason}", hint or "No file was written.")


# ── folders ──────────────────────────────────────────────────────────────────────────────────────
def _read_folder(root: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    room, known = _SizeLimits(), _UniqueNames()
    for at, folders, names in os.walk(root, followlinks=False):
        below = Path(at).relative_to(root)
        for name in (*folders, *names):
            if name not in _PASSED_OVER and (Path(at) / name).is_symlink():
                raise refused(f"{(below / name).as_posix()} is a link, and links are not allowed in a skill.")
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        for name in sorted(set(names) - _PASSED_OVER):
            path = known.add(checked_name((below / name).as_posix()))
            files[path] = _read_file(root / path, path, room)
    return files


def _read_file(place: Path, path: str, room: _SizeLimits) -> bytes:
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        raise refused(f"{path} cannot be read: {fault.strerror}.") from fault
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise refused(f"{path} is not a regular file but a pipe, socket or device.")
        _check_mode(mode, path)
        return room.take(path, file.read(LARGEST + 1))


def _commit(root: Path) -> str:
    """The commit of a checkout, as far as its files show it; git itself is not run in an untrusted folder."""
    head = root / ".git" / "HEAD"
    try:
        words = _small(head).strip()
        if not words.startswith("ref: "):
            return _hex(words)
        name = checked_name(words.removeprefix("ref: "))
        return _hex(_small(root / ".git" / name).strip())
    except (OSError, UnicodeDecodeError, WorkbenchError):
        return ""


def _small(path: Path) -> str:
    if path.is_symlink():
        return ""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read(400).decode("ascii") if stat.S_ISREG(os.fstat(handle).st_mode) else ""


def _hex(text: str) -> str:
    return text if 7 <= len(text) <= 64 and set(text) <= set("0123456789abcdef") else ""


# ── zip files ────────────────────────────────────────────────────────────────────────────────────
def _read_zip(path: Path) -> dict[str, bytes]:
    if path.stat().st_size > LARGEST_ALL:
        raise refused(f"{path.name} is larger than {LARGEST_ALL // 1_000_000} MB.")
    files: dict[str, bytes] = {}
    room, known = _SizeLimits(), _UniqueNames()
    try:
        with zipfile.ZipFile(path) as packed:
            if len(packed.infolist()) > 4 * MOST_FILES:
                raise refused(f"it lists {len(packed.infolist()):,} entries; the limit is {4 * MOST_FILES:,}.")
            for info in packed.infolist():
                if (name := _entry(info)) is not None:
                    files[known.add(name)] = _unpack(packed, info, name, room)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as fault:
        raise refused(f"{path.name} is not a readable zip file: {fault}.") from fault
    return files


def _entry(info: zipfile.ZipInfo) -> str | None:
    """The path of an entry; None for folders and for files that no skill needs, such as those of `.git`."""
    mode = info.external_attr >> 16
    name = checked_name(info.orig_filename.removesuffix("/"))
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFLNK:
        raise refused(f"{name} is a link, and links are not allowed in a skill.")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise refused(f"{name} is not a regular file but a pipe, socket or device.")
    if info.flag_bits & 1:
        raise refused(f"{name} is encrypted.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refused(f"{name} uses a compression method that is not supported.", "Pack it as an ordinary zip file.")
    _check_mode(mode, name)
    if info.is_dir() or kind == stat.S_IFDIR or _PASSED_OVER & set(PurePosixPath(name).parts):
        return None
    if info.file_size > LARGEST:
        raise refused(f"{name} is larger than {LARGEST // 1_000_000} MB.")
    return name


def _unpack(packed: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, room: _SizeLimits) -> bytes:
    """Unpack an entry up to the size limit; the sizes in the zip directory are not trusted."""
    with packed.open(info) as file:
        data = file.read(LARGEST + 1)
    if len(data) > SMALL and len(data) > MOST_RATIO * max(1, info.compress_size):
        times = len(data) // max(1, info.compress_size)
        raise refused(f"{name} would be a zip bomb: unpacking makes it {times:,} times larger.")
    return room.take(name, data)


# ── limits ───────────────────────────────────────────────────────────────────────────────────────
class _SizeLimits:
    """Counts the files and bytes of a package against the limits."""

    def __init__(self) -> None:
        self._files, self._bytes = 0, 0

    def take(self, path: str, data: bytes) -> bytes:
        self._files += 1
        self._bytes += len(data)
        if len(data) > LARGEST:
            raise refused(f"{path} is larger than {LARGEST // 1_000_000} MB.")
        if self._bytes > LARGEST_ALL:
            raise refused(f"it has more than {LARGEST_ALL // 1_000_000} MB.")
        if self._files > MOST_FILES:
            raise refused(f"it has more than {MOST_FILES} files.")
        return data


class _UniqueNames:
    """The paths of a package, compared like on file systems that ignore case or Unicode forms."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def add(self, name: str) -> str:
        spelled = _folded_name(name)
        if (other := self._files.get(spelled)) is not None:
            raise refused(f"{name!r} and {other!r} are the same name on some systems.")
        above = [str(one) for one in PurePosixPath(spelled).parents if str(one) != "."]
        if spelled in self._folders or any(one in self._files for one in above):
            raise refused(f"{name!r} is both a file and a folder.")
        self._files[spelled] = name
        self._folders |= dict.fromkeys(above, name)
        return name


def checked_name(name: str) -> str:
    """The path, if it stays below its folder on every system; else raises WorkbenchError."""
    shown = name.encode("unicode_escape").decode()[:LONGEST_NAME]
    if "\\" in name or ":" in name or not name.isprintable():
        raise refused(f"{shown!r} is not valid on every system: it has a backslash, colon or invisible character.")
    if name.startswith(("/", "~")):
        raise refused(f"{shown!r} is an absolute path, which leads outside the skill's folder.")
    parts = name.split("/")
    if not name or any(part in ("", ".", "..") for part in parts):
        raise refused(f"{shown!r} is not a path inside the skill's folder.")
    if len(name) > LONGEST_NAME or len(parts) > DEEPEST:
        raise refused(f"{shown!r} is too long or too deeply nested.")
    return name


def _folded_name(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _check_mode(mode: int, path: str) -> None:
    if mode & _SPECIAL:
        raise refused(f"{path} has special permissions (setuid, setgid or sticky).")


def _skills_in(files: Mapping[str, bytes], path: Path, commit: str) -> tuple[SkillPackage, ...]:
    roots = sorted(str(PurePosixPath(name).parent) for name in files if PurePosixPath(name).name == CARD)
    roots = [root for root in roots if not any(_within(root, other) for other in roots if other != root)]
    if not roots:
        raise refused(f"there is no {CARD} in {path.name}.", "A skill is a folder with a SKILL.md in it.")
    if len(roots) == 1:
        return (_parcel(roots[0], files, path, commit),)
    return tuple(_parcel_or_problem(root, files, path, commit) for root in roots)


def _parcel_or_problem(root: str, files: Mapping[str, bytes], path: Path, commit: str) -> SkillPackage:
    """One broken skill of a folder does not prevent the import of the others."""
    try:
        return _parcel(root, files, path, commit)
    except WorkbenchError as fault:
        problem = fault.message.removeprefix(REFUSED)
        return SkillPackage(PurePosixPath(root).name, {}, f"{path.name}: {root}", commit, problem)


def _within(root: str, other: str) -> bool:
    return other == "." or root.startswith(f"{other}/")


def _parcel(root: str, files: Mapping[str, bytes], path: Path, commit: str) -> SkillPackage:
    start = "" if root == "." else f"{root}/"
    own = {name.removeprefix(start): data for name, data in _below(files, start)}
    name = _name_of(own[CARD]) or (path.stem if root == "." else PurePosixPath(root).name)
    if not is_name(name):
        words = "use lower-case letters, digits and single hyphens, at most 64"
        raise refused(f"{name!r:.80} is not a skill name: {words}.")
    for one in (CARD, *(path for path in own if path.endswith(".py"))):
        _check_text(one, own[one])
    return SkillPackage(name, own, path.name if root == "." else f"{path.name}: {root}", commit)


def _below(files: Mapping[str, bytes], start: str) -> Iterator[tuple[str, bytes]]:
    """The files of one skill, without earlier versions and hidden files of the library it comes from."""
    for name, data in files.items():
        inner = name.removeprefix(start)
        if name.startswith(start) and not inner.startswith((f"{VERSIONS}/", ".")):
            yield name, data


def _name_of(card: bytes) -> str:
    from workbench.skills.frontmatter import FrontMatterError, read_front_matter

    try:
        return read_front_matter(card.decode("utf-8")).text("name")
    except FrontMatterError as fault:
        raise refused(str(fault)) from fault
    except UnicodeDecodeError as fault:
        raise refused(f"its {CARD} is not UTF-8 text.") from fault


def _check_text(path: str, data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise refused(f"{path} is not UTF-8 text.") from fault


LARGEST_EXPORTED = 100_000_000  # bytes of one file
_WHEN = (1980, 1, 1, 0, 0, 0)  # fixed, so that packing the same skill again gives the same bytes


def pack(name: str, folder: Path, target: Path) -> Path:
    """Write card, code and other files to a zip file, without earlier versions. If `target` is a folder, the file gets
    the skill's name."""
    target = target / f"{name}.zip" if target.is_dir() else target
    inside = [path for path in (CARD, code_file(name), *other_files(folder)) if is_plain(folder / path)]  # no links
    with (
        replacing_file(target, mode=0o644, name=str(target), hint="Choose another place.") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for path in inside:
            info = zipfile.ZipInfo(f"{name}/{path}", _WHEN)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(info, read_whole(folder / path, LARGEST_EXPORTED))
    return target
