"""Copies of the workspace (stages) in which unapproved programs run, and the settlement of their changes.

A stage is a plain folder, so every kind of sandbox can get it instead of the workspace, and nothing is mounted on the
host. It is filled once and then kept equal to the workspace by names, times and sizes, so a run copies only files that
changed since. Blocks are shared where the file system can (btrfs, XFS). When the run has ended, each difference is
written to the workspace or held until the user decides; then the stage is made equal to the workspace again.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.workspace.change_store import Change, Changes, Contents, Known, PathState, write_order
from workbench.workspace.confined_paths import FOLDER, Confined, change_mode, closing_handle, open_folder, open_parent
from workbench.workspace.directory_scan import Stamp, TooMany, look, stamp_at, stamp_of
from workbench.workspace.file_names import danger, displayed_name
from workbench.workspace.held_files import HELD, HeldFiles
from workbench.workspace.snapshots import LOOKING, MOST, NotQuick, Snapshots, Writer

IDLE: Final = 2  # stages that are kept for the next runs
_QUICK: Final = 100  # entries that are scanned on the event loop; more need a thread
_SPARE: Final = 256 << 20  # bytes of the disk that a copy leaves free
_PIECE: Final = 8 << 20
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_AGAIN: Final = os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_RIGHTS: Final = 0o777
_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_SIDECARS: Final = ("-wal", "-shm", "-journal")  # ends of files that SQLite applies to the database next to them
_MARKER: Final = "run.json"
_ENTRIES: Final = "entries.json"
EXISTED, CHANGED, RUNNABLE, FULL, INTERRUPTED = "existed", "changed", "runnable", "full", "interrupted"
OUTSIDE: Final = "outside"


class Unstageable(WorkbenchError):
    """The workspace cannot be copied, so a program can only use the workspace itself, which requires an approval."""


class Overfull(WorkbenchError):
    """A program left more in its stage than can be scanned, so its changes are unknown."""

    def __init__(self) -> None:
        super().__init__(
            f"The program left more than {MOST:,} entries, or too deeply nested folders, in its copy of the workspace.",
            "None of its changes was kept. Write fewer files.",
        )


class MatchedPath(NamedTuple):
    """A path that was equal in the workspace and in the stage, with its stamp in each."""

    source: Stamp
    copy: Stamp


class StageOwner(Struct, frozen=True):
    """The run whose program works in a stage."""

    id: str = ""
    actor: str = ""
    label: str = ""
    at: float = 0.0  # when it began


class Difference(NamedTuple):
    """A path that a program changed in its stage; a stamp is None if nothing was or is there."""

    base: Stamp | None  # stamp in the workspace when the program began
    copy: Stamp | None  # current stamp in the stage


@dataclass(slots=True)
class Settlement:
    """The outcome of one run's changes. `files` has all changes, `written` the paths that are in the workspace now."""

    files: dict[str, Change] = field(default_factory=dict)
    rewritten: set[str] = field(default_factory=set)
    written: tuple[str, ...] = ()
    held: dict[str, str] = field(default_factory=dict)  # path → why it was not written


class Stage:
    """One copy of the workspace. Its methods use the disk, one thread at a time; those with `quick` may run on the
    event loop."""

    def __init__(self, home: Path, confined: Confined) -> None:
        self._home, self._confined = home, confined
        self._entries: dict[str, MatchedPath] = {}
        self._busy = Lock()  # saving and removing wait for a thread that still copies
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def folder(self) -> Path:
        """The folder that a program gets as its workspace."""
        return self._home / "workspace"

    def begin(self, run: StageOwner) -> None:
        """Record the run on disk, so that the next core knows whose changes these are if this core is killed."""
        (self._home / _MARKER).write_text(json.dumps(msgspec.to_builtins(run)), encoding="utf-8")

    def end(self) -> None:
        (self._home / _MARKER).unlink(missing_ok=True)

    def remove(self) -> None:
        with self._busy:
            _open_folders(self._home)
            shutil.rmtree(self._home, ignore_errors=True)

    def save(self) -> None:
        """Save the stamps for the next core, which then copies only what changed since."""
        with self._busy:
            rows = [(os.fsencode(path).hex(), entry.source, entry.copy) for path, entry in self._entries.items()]
            (self._home / _ENTRIES).write_bytes(msgspec.json.encode(rows))

    def load(self) -> bool:
        """Load, once, the stamps that an earlier core saved; False if they are missing or the copy changed since."""
        saved = self._home / _ENTRIES
        try:
            rows = msgspec.json.decode(saved.read_bytes(), type=list[tuple[str, Stamp, Stamp]])
            saved.unlink()
            for path, source, copy in rows:
                self._entries[os.fsdecode(bytes.fromhex(path))] = MatchedPath(source, copy)
            return not self.changes()
        except (OSError, ValueError, WorkbenchError):
            return False

    def recover(self, began: float) -> None:
        """Find the changes of a run whose core was killed, as far as workspace and stage show them."""
        try:
            with closing_handle(os.open(self.folder, FOLDER)) as place:
                here = look(place, MOST, LOOKING)
                if any(map(_is_closed, here.values())):
                    here = self._opened_up(place, here)
        except TooMany:
            raise Overfull from None
        with self._confined.open_root() as root:
            now = look(root, MOST, LOOKING)
        for path, stamp in now.items():
            copy = here.get(path)
            if copy is not None and _seem_equal(stamp, copy):
                self._entries[path] = MatchedPath(stamp, copy)
            elif stamp.touched < began * 1e9:  # only the program can have changed it since then
                self._entries[path] = MatchedPath(stamp, _NOTHING)

    def refresh(self, *, quick: bool = False) -> None:
        """Make the stage equal to the workspace. The changes of its last program must be settled before."""
        with self._confined.open_root() as root:
            try:
                now = look(root, _QUICK if quick else MOST, LOOKING)
            except TooMany:
                if quick:
                    raise NotQuick from None
                words = f"The workspace has more than {MOST:,} entries, or takes too long to copy."
                raise Unstageable(words, "Delete files in it, or approve the program.") from None
            entries = self._entries
            gone = [path for path in entries if path not in now]
            other = [
                path for path, stamp in now.items() if (entry := entries.get(path)) is None or entry.source != stamp
            ]
            if not (gone or other):
                return
            if quick:
                raise NotQuick
            with self._busy:
                self._check_room(sum(now[path].size for path in other))
                self._follow(root, now, gone, other)

    def changes(self, *, quick: bool = False) -> dict[str, Difference]:
        """Every path that differs from the state after the last refresh or settlement. The program must have ended."""
        with closing_handle(os.open(self.folder, FOLDER)) as place:
            try:
                now = look(place, _QUICK if quick else MOST, LOOKING)
            except TooMany:
                raise (NotQuick if quick else Overfull) from None
            if any(map(_is_closed, now.values())):
                if quick:
                    raise NotQuick
                now = self._opened_up(place, now)
        entries = self._entries
        found = {
            path: Difference(entries[path].source if path in entries else None, stamp)
            for path, stamp in now.items()
            if path not in entries or entries[path].copy != stamp
        }
        found |= {path: Difference(entry.source, None) for path, entry in entries.items() if path not in now}
        if found and quick:
            raise NotQuick
        return found

    def adopt(self, path: str, source: Stamp | None, copy: Stamp | None) -> None:
        """Record that a path is equal in the workspace and in the stage now."""
        if source is None or copy is None:
            self._entries.pop(path, None)
        else:
            self._entries[path] = MatchedPath(source, copy)

    def reset(self, paths: Iterable[str]) -> None:
        """Restore these paths from the workspace: a later program must not see held changes."""
        wanted = sorted(paths)
        with self._confined.open_root() as root:
            now = {path: stamp for path in wanted if (stamp := stamp_at(root, path)) is not None}
            for path in wanted:  # differences there belong to no run any more
                self._entries[path] = MatchedPath(_NOTHING, _NOTHING)
            self._follow(root, now, [path for path in wanted if path not in now], list(now))

    def _opened_up(self, place: int, now: dict[str, Stamp]) -> dict[str, Stamp]:
        """Scan folders that a program made inaccessible, and report them with the permissions that it gave them."""
        rights: dict[str, Stamp] = {}
        while closed := [path for path, one in now.items() if path not in rights and _is_closed(one)]:
            for path in closed:
                rights[path] = now[path]
                _change_rights(place, path, 0o700)
            now = look(place, MOST, LOOKING)
        for path, stamp in rights.items():
            if (entry := self._entries.get(path)) is not None and entry.copy == stamp:
                _change_rights(place, path, stamp.mode & _RIGHTS)  # the workspace has the same
        return now | rights

    def _check_room(self, size: int) -> None:
        found = os.statvfs(self.folder)
        if size > found.f_bavail * found.f_frsize - _SPARE:
            words = f"There is no room on the disk for a copy of the workspace ({size >> 20:,} MB)."
            raise Unstageable(words, f"Free disk space for {self._home.parent}, or approve the program.")

    def _follow(self, root: int, now: Mapping[str, Stamp], gone: list[str], other: list[str]) -> None:
        """Remove deleted paths from the stage, the deepest first, then copy changed paths, folders first."""
        with closing_handle(os.open(self.folder, FOLDER)) as place:
            for path in sorted(gone, key=lambda path: -path.count("/")):
                _remove_tree(place, path)
                self._entries.pop(path, None)
            folders = [path for path in sorted(other) if now[path].is_folder]
            for path in folders:
                _make_folder(place, path)
            last, inside, outside = None, -1, -1
            try:
                for path in sorted(path for path in other if not now[path].is_folder):
                    above = path.rpartition("/")[0]
                    if above != last:
                        _close(inside, outside)
                        last, inside, outside = above, -1, -1
                        try:
                            inside = open_folder(place, above.split("/") if above else [])
                            outside = open_folder(root, above.split("/") if above else [])
                        except OSError:
                            last = None
                            continue  # gone or replaced since it was listed; the next refresh sees it
                    self._copy(path, now[path], outside, inside)
            finally:
                _close(inside, outside)
            for path in reversed(folders):
                _change_rights(place, path, now[path].mode & _RIGHTS)
                self._entries[path] = MatchedPath(now[path], Stamp(now[path].mode & ~0o7000, 0, 0, 0, 0, 1))

    def _copy(self, path: str, stamp: Stamp, outside: int, inside: int) -> None:
        name = path.rpartition("/")[2]
        try:
            if stat.S_ISLNK(stamp.mode):
                target = os.readlink(name, dir_fd=outside)
                _remove_entry(inside, name)
                os.symlink(target, name, dir_fd=inside)
            else:
                _copy_file(name, stamp, outside, inside)
            self._entries[path] = MatchedPath(stamp, stamp_of(os.stat(name, dir_fd=inside, follow_symlinks=False)))
        except OSError as fault:
            if fault.errno in (errno.ENOSPC, errno.EDQUOT):
                raise Unstageable("The disk is full: the workspace cannot be copied.", "Free disk space.") from fault
            self._entries.pop(path, None)  # deleted since it was listed, or not permitted
            with suppress(OSError):
                _remove_entry(inside, name)


_NOTHING: Final = Stamp(0, -1, 0, 0, 0, 0)


class Stages:
    """All stages of one workspace. Sequential runs get the same stage, so prepared sandboxes can be used for it."""

    def __init__(self, confined: Confined, folder: Path) -> None:
        self._confined, self._folder = confined, folder
        self._left = sorted(folder.iterdir()) if folder.is_dir() else []  # stages of an earlier core
        self._idle: list[Stage] = []
        self._lock = Lock()

    def take(self) -> Stage:
        """Take a stage that no other run uses; it may be empty yet."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Stage(self._folder / secrets.token_hex(6), self._confined)

    def give_back(self, stage: Stage) -> bool:
        """Return a stage for the next run; False if there are enough, and this one must be removed."""
        with self._lock:
            if len(self._idle) < IDLE:
                self._idle.append(stage)
                return True
        return False

    def leftovers(self) -> list[tuple[Stage, StageOwner]]:
        """Stages of a core that was killed, with the run that was active in each. Of the others, a saved stage is used
        for the next program and the rest are removed."""
        found: list[tuple[Stage, StageOwner]] = []
        for home in self._left:
            try:
                run = json.loads((home / _MARKER).read_text(encoding="utf-8"))
            except (OSError, ValueError):
                stage = Stage(home, self._confined)
                if stage.load() and self.give_back(stage):
                    continue
                _open_folders(home)
                shutil.rmtree(home, ignore_errors=True)
            else:
                found.append((Stage(home, self._confined), _owner(run)))
        return found

    def close(self) -> None:
        """Save one stage for the next core and remove the others. No program may be running."""
        with self._lock:
            idle, self._idle = self._idle, []
        for stage in idle[:-1]:
            stage.remove()
        for stage in idle[-1:]:
            with suppress(OSError):
                stage.save()


def _owner(run: object) -> StageOwner:
    """The owner from a marker; empty for a damaged marker, as the changes are held all the same."""
    try:
        return msgspec.convert(run, StageOwner)
    except msgspec.ValidationError:
        return StageOwner()


class Settling:
    """Writes the changes of a program from its stage to the workspace, or holds them for the user."""

    def __init__(self, snapshots: Snapshots, held: HeldFiles) -> None:
        self._snapshots, self._held = snapshots, held

    def settle(
        self,
        stage: Stage,
        writer: Writer,
        own: dict[str, Stamp],
        *,
        name: str,
        approved: bool,
        room: int,
        files: int,
        hold: str = "",
        allowed: Callable[[str], bool] = lambda path: False,
    ) -> Settlement:
        """Settle the changes of one run. `name` is the run under which changes are held. `own` has the files that the
        program's session made, as it left them; these and new files are written without an approval. `room` and `files`
        are the most bytes and files of the workspace. `hold` is the reason for writing nothing at all, if any.
        `allowed`: whether a rule of the user lets programs write this file over an existing one."""
        differences = stage.changes()
        settled = Settlement()
        if not differences:
            return settled
        writer.only = tuple(differences)
        with (
            closing_handle(os.open(stage.folder, FOLDER)) as place,
            self._snapshots.direct_change(writer) as known,
            self._snapshots.confined.open_root() as root,
        ):
            found = _StageDifferences(root, place, differences)
            for path in found.equal():
                stage.adopt(path, found.now[path], differences[path].copy)
                settled.rewritten.add(path)
            found.forget(settled.rewritten)
            why = _reasons(found, own, allowed, approved=approved) if not hold else dict.fromkeys(found.all, hold)
            found.fill_up(why, room - _size(root, known, room), files - len(known))
            for path in found.ordered():
                if path not in why and not found.write(path):
                    why[path] = CHANGED
            for path, one in found.all.items():
                if path not in why:
                    now = stamp_at(root, path)
                    stage.adopt(path, now, one.copy if found.can_read(path) else stamp_at(place, path))
                    _note_own(own, path, one.base, now)
            settled.held = why
            settled.written = tuple(path for path in found.all if path not in why)
            settled.files = self._held_and_written(found, writer, name, why)
        if settled.held:
            stage.reset(settled.held)
        return settled

    def _held_and_written(
        self, found: _StageDifferences, writer: Writer, name: str, why: Mapping[str, str]
    ) -> dict[str, Change]:
        """All changes. Held changes are stored with their content until the user decides."""
        files = {path: found.change(path, None) for path in found.all if path not in why}
        if why:
            with self._held.guard_contents():
                held = {path: found.change(path, self._held.contents) for path in why}
                self._held.keep(Changes(name, HELD, writer.actor, writer.label, time.time(), held))
            files |= held
        return files


class _StageDifferences:
    """The differences of one stage, compared with the current workspace."""

    def __init__(self, root: int, place: int, differences: dict[str, Difference]) -> None:
        self._root, self._place = root, place
        self.all = differences
        self.now = {path: stamp_at(root, path) for path in differences}

    def at(self, path: str) -> Stamp | None:
        """The current stamp of a path in the workspace."""
        return stamp_at(self._root, path)

    def equal(self) -> list[str]:
        """Files that were written again with the same content, and folders that now exist in the workspace too."""
        return [path for path, one in self.all.items() if self._is_equal(path, one)]

    def _is_equal(self, path: str, one: Difference) -> bool:
        base, copy = one.base, one.copy
        if base is None and copy is not None and copy.is_folder and (now := self.now[path]) is not None:
            return now.is_folder
        if base is None or copy is None or self.now[path] != base or (base.mode ^ copy.mode) & ~0o7000:
            return False
        if base.is_folder:
            return True
        if base.size != copy.size:
            return False
        with suppress(OSError):
            return _same_content(self._root, self._place, path, base)
        return False

    def forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            del self.all[path]

    def can_read(self, path: str) -> bool:
        """Whether a file can be read without changing its permissions for a moment."""
        copy = self.all[path].copy
        return copy is None or not copy.is_file or bool(copy.mode & stat.S_IRUSR)

    def fill_up(self, why: dict[str, str], room: int, files: int) -> None:
        """Hold changes beyond the limits of the workspace: several programs may have filled their stages at once."""
        for path, one in self.all.items():
            if path in why or one.copy is None:
                continue
            here = self.now[path]
            room -= one.copy.size - (here.size if here else 0)
            files -= here is None
            if (room < 0 and one.copy.size) or files < 0:
                why[path] = FULL

    def leads_out(self, path: str) -> bool:
        """Whether a link may lead out of the workspace, where other programs would follow it."""
        try:
            with open_parent(self._place, path) as (folder, name):
                target = os.readlink(name, dir_fd=folder)
        except OSError:
            return True
        depth = path.count("/") - target.split("/").count("..")
        return target.startswith("/") or depth < 0

    def ordered(self) -> list[str]:
        """The paths in the order in which they can be written."""
        return sorted(self.all, key=lambda path: write_order(path, self.all[path].copy))

    def write(self, path: str) -> bool:
        """Write one change to the workspace atomically; False if that fails or the path has changed meanwhile."""
        copy, now = self.all[path].copy, self.now[path]
        try:
            with open_parent(self._root, path) as (folder, name):
                if _stamp(folder, name) != now:
                    return False  # for example, the user writes it now
                if now is not None and (copy is None or copy.is_folder != now.is_folder):
                    _remove_entry(folder, name)
                if copy is None:
                    return True
                if copy.is_folder:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=folder)
                    _change_rights(folder, name, copy.mode & _RIGHTS)
                else:
                    self._write_file(path, copy, folder, new=now is None)
                return True
        except OSError:
            return False

    def _write_file(self, path: str, copy: Stamp, folder: int, *, new: bool) -> None:
        draft = f".writing-{secrets.token_hex(8)}"
        with open_parent(self._place, path) as (source, name):
            try:
                if stat.S_ISLNK(copy.mode):
                    os.symlink(os.readlink(name, dir_fd=source), draft, dir_fd=folder)
                else:
                    _copy_new(name, source, draft, folder, copy)
                if new:
                    _link_new(draft, name, folder)
                else:
                    os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=folder)

    def change(self, path: str, contents: Contents | None) -> Change:
        """The change of a path, from its original state. Stores the new content in `contents`, if given."""
        base, copy = self.all[path].base, self.all[path].copy
        sha = self._store_content(path, copy, contents) if contents is not None and copy is not None else ""
        return Change(_state(base, ""), _state(copy, sha))

    def _store_content(self, path: str, copy: Stamp, contents: Contents) -> str:
        if copy.is_folder:
            return ""
        with open_parent(self._place, path) as (folder, name):
            if stat.S_ISLNK(copy.mode):
                return contents.add_bytes(os.fsencode(os.readlink(name, dir_fd=folder)))
            if not copy.mode & stat.S_IRUSR:
                _change_rights(folder, name, 0o600)
            with closing_handle(os.open(name, _READ, dir_fd=folder)) as handle:
                return contents.add_file(handle, 1 << 62)


def _reasons(
    found: _StageDifferences, own: Mapping[str, Stamp], allowed: Callable[[str], bool], *, approved: bool
) -> dict[str, str]:
    """For each change that needs the user's decision the reason; changes without a reason are written."""
    why: dict[str, str] = {}
    for path in sorted(found.all):
        one, now = found.all[path], found.now[path]
        above = [path[:at] for at, mark in enumerate(path) if mark == "/"]
        if now != one.base and not (one.copy is None and now is None):
            why[path] = CHANGED
        elif any(folder in why and not _stays_folder(found.all[folder]) for folder in above):
            why[path] = EXISTED
        elif approved:
            continue
        elif ((now is not None and own.get(path) != now) or _is_sidecar(path, found, own)) and not (
            _is_new_content(one) and allowed(displayed_name(path))
        ):
            why[path] = EXISTED
        elif one.copy is not None and not one.copy.is_folder and danger(displayed_name(path), _runnable(one.copy)):
            why[path] = RUNNABLE
        elif one.copy is not None and stat.S_ISLNK(one.copy.mode) and found.leads_out(path):
            why[path] = OUTSIDE
    return why


def _is_new_content(one: Difference) -> bool:
    """Whether only the content of a file changed, and not its permissions or kind."""
    return bool(one.base and one.copy and one.base.is_file and one.copy.is_file and one.base.mode == one.copy.mode)


def _stays_folder(one: Difference) -> bool:
    """Whether only the permissions of a folder changed; if they are held, files in the folder can be written."""
    return bool(one.base and one.copy and one.base.is_folder and one.copy.is_folder)


def _is_sidecar(path: str, found: _StageDifferences, own: Mapping[str, Stamp]) -> bool:
    """Whether a path is the journal of a database that is not the session's. The next program that opens the database
    would apply the journal to it."""
    main = next((path.removesuffix(end) for end in _SIDECARS if path.endswith(end)), "")
    if not main:
        return False
    there = found.at(main)
    return there is not None and own.get(main) != there


def _seem_equal(one: Stamp, other: Stamp) -> bool:
    return (one.mode ^ other.mode) & ~0o7000 == 0 and one[1:3] == other[1:3]


def _is_closed(stamp: Stamp) -> bool:
    """Whether a folder cannot be read by its owner."""
    return stamp.is_folder and stamp.mode & 0o500 != 0o500


def _runnable(copy: Stamp) -> int:
    return stat.S_IMODE(copy.mode) if copy.is_file else 0


def _note_own(own: dict[str, Stamp], path: str, base: Stamp | None, now: Stamp | None) -> None:
    """Update the files that are a session's own: those that it made, until another writer changes them."""
    if now is None:
        own.pop(path, None)
    elif base is None or path in own:
        own[path] = now


def _state(stamp: Stamp | None, sha: str) -> PathState | None:
    return None if stamp is None else PathState(stamp.mode, stamp.size, stamp.changed, sha)


def _size(root: int, known: Mapping[str, Known], room: int) -> int:
    """The bytes that the workspace uses. Sparse files are measured only if the files seem to exceed half the limit."""
    seeming = sum(one.stamp.size for one in known.values())
    if seeming <= room // 2:
        return seeming
    taken = 0
    for path in known:
        with suppress(OSError), open_parent(root, path) as (folder, name):
            taken += os.stat(name, dir_fd=folder, follow_symlinks=False).st_blocks * 512
    return taken


def _stamp(folder: int, name: str) -> Stamp | None:
    try:
        return stamp_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _copy_file(name: str, stamp: Stamp, outside: int, inside: int) -> None:
    """Copy a file. An existing regular file is overwritten in place, so that programs that have it open see this."""
    with closing_handle(os.open(name, _READ, dir_fd=outside)) as source:
        if not stat.S_ISREG(os.fstat(source).st_mode):
            raise FileNotFoundError(name)
        here = _stamp(inside, name)
        target = -1
        if here is not None and here.is_file and here.links == 1:
            with suppress(OSError):
                target = os.open(name, _AGAIN, dir_fd=inside)
        if target < 0:
            if here is not None:
                _remove_entry(inside, name)
            target = os.open(name, _NEW, 0o600, dir_fd=inside)
        _fill(target, source, stamp)


def _copy_new(name: str, source: int, draft: str, folder: int, copy: Stamp) -> None:
    if not copy.mode & stat.S_IRUSR:
        _change_rights(source, name, 0o600)
    with closing_handle(os.open(name, _READ, dir_fd=source)) as handle:
        _fill(os.open(draft, _NEW, 0o600, dir_fd=folder), handle, copy)


def _fill(target: int, source: int, stamp: Stamp) -> None:
    """Give an open file the content, permissions and time of another file, and close it."""
    with closing_handle(target):
        _copy_content(source, target)
        os.fchmod(target, stamp.mode & _RIGHTS)
        os.utime(target, ns=(stamp.changed, stamp.changed))


def _link_new(draft: str, name: str, folder: int) -> None:
    """Give a temporary file its final name without replacing a file that was created meanwhile. File systems without
    hard links (exFAT, many network shares) are checked for such a file before the rename."""
    try:
        os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as fault:
        if fault.errno not in _NO_LINKS or _stamp(folder, name) is not None:
            raise
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)


def _copy_content(source: int, target: int) -> None:
    """Copy a file's content in the kernel, which shares blocks where it can."""
    try:
        while os.copy_file_range(source, target, _PIECE):
            pass
    except OSError as fault:
        if fault.errno not in (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
            raise
        while piece := os.read(source, _PIECE):
            view = memoryview(piece)
            while view:
                view = view[os.write(target, view) :]


def _same_content(root: int, place: int, path: str, base: Stamp) -> bool:
    with open_parent(root, path) as (ours, name), open_parent(place, path) as (theirs, _):
        if stat.S_ISLNK(base.mode):
            return os.readlink(name, dir_fd=ours) == os.readlink(name, dir_fd=theirs)
        first = os.fdopen(os.open(name, _READ, dir_fd=ours), "rb")
        with first as one, os.fdopen(os.open(name, _READ, dir_fd=theirs), "rb") as other:
            while piece := one.read(_PIECE):
                if piece != other.read(_PIECE):
                    return False
            return not other.read(1)


def _make_folder(place: int, path: str) -> None:
    with suppress(OSError), open_parent(place, path) as (folder, name):
        here = _stamp(folder, name)
        if here is not None and not here.is_folder:
            os.unlink(name, dir_fd=folder)
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)
        _change_rights(folder, name, 0o700)


def _remove_tree(place: int, path: str) -> None:
    with suppress(OSError), open_parent(place, path) as (folder, name):
        _remove_entry(folder, name)


def _remove_entry(folder: int, name: str) -> None:
    """Remove a file, a link or an empty folder."""
    found = _stamp(folder, name)
    if found is not None:
        (os.rmdir if found.is_folder else os.unlink)(name, dir_fd=folder)


def _change_rights(place: int, path: str, rights: int) -> None:
    with suppress(OSError), open_parent(place, path) as (folder, name):
        change_mode(folder, name, rights)


def _open_folders(folder: Path) -> None:
    """Make all folders accessible, because a program may have removed our permissions."""
    for at, folders, _names in os.walk(folder, followlinks=False):
        for name in folders:
            place = os.path.join(at, name)
            if not os.path.islink(place):
                with suppress(OSError):
                    os.chmod(place, 0o700)


def _close(*handles: int) -> None:
    for handle in handles:
        if handle >= 0:
            os.close(handle)
