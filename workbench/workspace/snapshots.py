"""Records what every run changes in the workspace, and stores the previous contents for undo.

The workspace is scanned (names, times, sizes) before and after a run. Contents that are new since the last scan are
stored, each content once; nothing is copied when a run begins, unless another writer changed files since that scan. A
run that writes nothing costs two scans and nothing else.

A change between two scans is attributed to the writers that were active. If none of them claims the path, the change is
also marked as possibly made from outside, because the user's editor and tools of servers write to the workspace too. A
change that cannot be attributed to one writer is marked as shared. Changes that users and agents make through the
core's own methods are recorded as theirs; files that the workbench itself writes are attributed to no writer.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final

from workbench.records.files import OUTSIDE
from workbench.settings import Settings
from workbench.workspace.change_store import Book, Change, Changes, Contents, Known, PathState, same
from workbench.workspace.confined_paths import Confined, closing_handle, open_parent
from workbench.workspace.directory_scan import Stamp, TooMany, look, stamp_at, stamp_of

MOST: Final = 100_000  # entries that are scanned: the most that a workspace may hold
LOOKING: Final = 3.0  # seconds that one scan may last
SECONDS: Final = 1.0  # seconds that storing new contents may last, before and after a run
WHILE: Final = 0.25  # seconds of the same in the background; short, because runs wait for it
_QUICK: Final = 100  # entries that are scanned on the event loop; more need a thread
_QUICK_FILES, _QUICK_BYTES = 10, 256_000  # files and bytes that are stored on the event loop; more need a thread
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TICK: Final = 20_000_000  # nanoseconds within which a file may change twice with the same times
_DAY: Final = 86_400.0
TOO_MANY: Final = f"The changes are unknown: the workspace has more than {MOST:,} entries or is too slow to scan."


class NotQuick(Exception):
    """The work takes too long for the event loop; call again on a thread."""


@dataclass(slots=True)
class Writer:
    """A run, agent or user that may change files, and what it changed."""

    id: str
    kind: str  # run, agent, person, undo, redo
    actor: str
    label: str = ""
    undoes: str = ""
    only: tuple[str, ...] = ()  # paths that it may have changed, if known beforehand
    claims: Callable[[str], bool] | None = None  # whether a change of a path is probably its own; None: every change is
    files: dict[str, Change] = field(default_factory=dict)
    rewritten: set[str] = field(default_factory=set)  # paths that were written again with the same content
    note: str = ""


class Snapshots:
    """Snapshots of one workspace. All methods may run on a thread, those with `quick` also on the event loop."""

    def __init__(self, confined: Confined, folder: Path, settings: Callable[[], Settings]) -> None:
        self.confined, self._settings = confined, settings
        self.book, self.contents = Book(folder / "changes.db"), Contents(folder / "contents")
        self._lock = Lock()
        self._active: dict[str, Writer] = {}
        self._aside: dict[str, Writer] = {}  # active writers during a direct change
        self._fresh: dict[str, Known] = {}  # stored contents that the database does not list yet
        self._known: dict[str, Known] | None = None
        self._seen: dict[str, Stamp] = {}  # stamps of the last scan
        self._late: set[str] = set()  # paths to store at the next scan: too many at once, or changed a moment ago
        self._taking = SECONDS
        self._kept_here: dict[str, Stamp | None] = {}  # paths that the workbench itself changed since the last scan
        self._total = -1  # bytes of stored contents; -1: not counted yet

    @property
    def keeps(self) -> bool:
        """Whether changes are stored for undo."""
        return self._settings().workspace_undo_runs > 0

    def knows(self, name: str) -> bool:
        """Whether a writer with this id is active."""
        return name in self._active or name in self._aside

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of a path at the last scan."""
        known = (self._known or {}).get(path)
        return known.stamp if known is not None else None

    def begin(self, writer: Writer, *, quick: bool = False) -> None:
        """Register a writer before it may write."""
        with self._locked(quick):
            if not self._look(quick):
                writer.note = TOO_MANY
            self._active[writer.id] = writer

    def end(self, name: str, *, quick: bool = False) -> Writer | None:
        """End a writer that writes no more; returns it with its changes, which can be undone from now on."""
        with self._locked(quick):
            writer = self._active.get(name)
            if writer is None:
                return None
            self._look(quick)
            del self._active[name]
            self._write_down(writer)
            return writer

    def recover(self, writers: Iterable[Writer]) -> None:
        """Record the changes of runs that were active when an earlier core was killed. Changes since its last scan are
        attributed to them, but may be the user's."""
        with self._locked(quick=False):
            if not self.book.exists:
                return
            left = list(writers)
            self._active |= {one.id: one for one in left}
            self._look(quick=False)
            for one in left:
                del self._active[one.id]
                self._write_down(one)

    def warm(self) -> bool:
        """Store contents that were not stored yet, for a limited time; returns whether some are left."""
        with self._locked(quick=False):
            self._taking = WHILE
            try:
                self._look(quick=False)
            finally:
                self._taking = SECONDS
            return bool(self._late)

    @contextmanager
    def direct_change(self, writer: Writer) -> Iterator[dict[str, Known]]:
        """Attribute the changes in the block to this writer; other writers wait meanwhile. Yields the current state."""
        with self._locked(quick=False):
            self._look(quick=False)
            self._aside, self._active = self._active, {writer.id: writer}
            try:
                yield self._known if self._known is not None else {}
            finally:
                self._look(quick=False)
                self._active, self._aside = self._aside, {}
                self._write_down(writer)

    @contextmanager
    def housekeeping(self, *paths: str) -> Iterator[None]:
        """In the block, the workbench itself writes or deletes these files and no others. The changes are attributed to
        no run and cannot be undone. Other writers wait meanwhile."""
        folders = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
        with self._locked(quick=False), self.confined.open_root() as root:
            missing = [folder for folder in folders if stamp_at(root, folder) is None]
            try:
                yield
            finally:
                self._kept_here |= {path: stamp_at(root, path) for path in (*paths, *missing)}

    @contextmanager
    def scanned(self) -> Iterator[dict[str, Known]]:
        """Yield the current state of the workspace; no changes are recorded meanwhile."""
        with self._locked(quick=False):
            self._look(quick=False)
            yield self._known if self._known is not None else {}

    @contextmanager
    def opened(self) -> Iterator[Book | None]:
        """The database of changes, locked; None if no changes were ever recorded."""
        with self._locked(quick=False):
            yield self.book if self.book.exists else None

    def forget(self, names: Iterable[str] | None = None) -> None:
        """Forget changes, so that they cannot be undone any more; all of them unless named."""
        with self._locked(quick=False):
            if self.book.exists:
                self.book.forget(self.book.ids() if names is None else names)
                self._sweep()

    def stored_size(self) -> tuple[int, int]:
        """The number of changes and the bytes of stored contents."""
        with self._locked(quick=False):
            if not self.book.exists:
                return 0, 0
            return self.book.count(), self._count()

    def close(self) -> None:
        with self._lock:
            self.book.close()

    # ── scanning ─────────────────────────────────────────────────────────────────────────────────
    @contextmanager
    def _locked(self, quick: bool) -> Iterator[None]:
        if not self._lock.acquire(blocking=not quick):
            raise NotQuick
        try:
            yield
        finally:
            self._lock.release()

    def _look(self, quick: bool) -> bool:
        """Scan for changes since the last scan and attribute them to writers; False where there is too much to scan."""
        if self._known is None:
            if quick and self.book.exists:
                raise NotQuick
            self._known = self.book.known() if self.book.exists else {}
        with self.confined.open_root() as root:
            try:
                now = look(root, _QUICK if quick else MOST, LOOKING)
            except TooMany:
                if quick:
                    raise NotQuick from None
                for writer in (*self._active.values(), *self._aside.values()):
                    writer.note = TOO_MANY
                return False
            if now != self._seen or self._late:
                self._take_over(root, now, quick)
        self._seen = now
        return True

    def _take_over(self, root: int, now: Mapping[str, Stamp], quick: bool) -> None:
        known = self._known = self._known if self._known is not None else {}
        other = [path for path, stamp in now.items() if path not in known or known[path].stamp != stamp]
        gone = known.keys() - now.keys()
        late = [path for path in self._late if path in now and path not in other]
        if not (other or gone or late):
            return
        size = sum(now[path].size for path in (*other, *late))
        many = len(other) + len(late) > _QUICK_FILES or size > _QUICK_BYTES
        if quick and self.keeps and (many or self._total < 0):
            raise NotQuick
        self._fresh = {}
        fresh = self._store_contents(root, {path: now[path] for path in (*other, *late)})
        ours, self._kept_here = self._kept_here, {}
        for path in other:
            if ours.get(path) == now[path]:
                continue
            self._attribute(path, known[path].state if path in known else None, fresh[path].state)
        for path in late:
            if path in fresh and known[path].sha and not same(known[path].state, fresh[path].state):
                self._attribute(path, known[path].state, fresh[path].state)
        for path in gone:
            if path not in ours or ours[path] is not None:
                self._attribute(path, known[path].state, None)
        known.update(fresh)
        for path in gone:
            del known[path]
        if self.keeps:
            self.book.learn(fresh, gone)
        self._fresh = {}

    def _attribute(self, path: str, before: PathState | None, after: PathState | None) -> None:
        """Attribute a change to all active writers or, if one of them claims the path, to those that claim it or any
        path. Without active writers, the user or another of the user's programs made the change."""
        writers = {name: one for name, one in self._active.items() if not one.only or _covers(one.only, path)}
        writers = writers or self._aside
        if any(one.claims is not None and one.claims(path) for one in writers.values()):
            writers = {name: one for name, one in writers.items() if one.claims is None or one.claims(path)}
        for name, writer in writers.items():
            if same(before, after):
                writer.rewritten.add(path)
                continue
            others = frozenset(writers) - {name}
            if (change := writer.files.get(path)) is None:
                writer.files[path] = Change(before, after, others)
            else:
                change.after, change.shared = after, change.shared | others

    # ── storing ──────────────────────────────────────────────────────────────────────────────────
    def _store_contents(self, root: int, wanted: Mapping[str, Stamp]) -> dict[str, Known]:
        """Store contents, smallest first, so that as many as possible are stored before time or space runs out."""
        fresh, known = self._fresh, self._known or {}
        until, now = time.monotonic() + self._taking, time.time_ns()
        for path, stamp in sorted(wanted.items(), key=lambda one: one[1].size):
            self._late.discard(path)
            if stamp.is_folder or not self.keeps:
                fresh[path] = Known(stamp, "")
            elif time.monotonic() > until:
                self._late.add(path)
                if known.get(path) is None or known[path].stamp != stamp:
                    fresh[path] = Known(stamp, "")
            else:
                fresh[path] = self._store_content(root, path, stamp)
                if now - stamp.touched < _TICK:
                    self._late.add(path)  # it may change again with the same times
        return fresh

    def _store_content(self, root: int, path: str, stamp: Stamp) -> Known:
        if not self._fits(stamp.size):
            return Known(stamp, "")
        try:
            with open_parent(root, path) as (folder, name):
                if stat.S_ISLNK(stamp.mode):
                    return Known(stamp, self.contents.add_bytes(os.fsencode(os.readlink(name, dir_fd=folder))))
                return self._file(folder, name, stamp)
        except OSError:
            return Known(stamp, "")  # deleted since, or not permitted

    def _file(self, folder: int, name: str, stamp: Stamp) -> Known:
        with closing_handle(os.open(name, _FILE, dir_fd=folder)) as handle:
            before = stamp_of(os.fstat(handle))
            if not before.is_file:
                return Known(stamp, "")
            sha = self.contents.add_file(handle, self._most)
            if stamp_of(os.fstat(handle)) != before:
                return Known(stamp, "")  # it is being written: the next scan stores it
        self._total += before.size
        return Known(before, sha)

    @property
    def _most(self) -> int:
        return self._settings().workspace_undo_mb * 1_000_000

    def _fits(self, size: int) -> bool:
        """Make space for one more content by forgetting the oldest changes; False if that is not enough."""
        if self._count() + size <= self._most:
            return True
        if size > self._most:
            return False
        if self._total > self._most // 2:
            self._sweep()
        while self._total + size > self._most and (names := self.book.ids()):
            self.book.forget(names[: max(1, len(names) // 4)])
            self._sweep()
        return self._total + size <= self._most

    def _count(self) -> int:
        if self._total < 0:
            self._total = sum(self.contents.all().values())
        return self._total

    def _sweep(self) -> None:
        """Delete contents that nothing refers to any more."""
        there, wanted = self.contents.all(), self.book.wanted() | self._held_now()
        self.contents.drop(there.keys() - wanted)
        self._total = sum(size for sha, size in there.items() if sha in wanted)

    def _held_now(self) -> set[str]:
        """Hashes of contents that the database does not list yet."""
        held = {one.sha for one in (*self._fresh.values(), *(self._known or {}).values())}
        for writer in (*self._active.values(), *self._aside.values()):
            held |= {one.sha for change in writer.files.values() for one in (change.before, change.after) if one}
        return held

    # ── recording ────────────────────────────────────────────────────────────────────────────────
    def _write_down(self, writer: Writer) -> None:
        blind = writer.note == TOO_MANY
        writer.files = {} if blind else {path: one for path, one in writer.files.items() if not one.is_none}
        if writer.claims is not None:
            writer.rewritten = set(filter(writer.claims, writer.rewritten))
            for path, one in writer.files.items():
                if not writer.claims(path):
                    one.shared |= {OUTSIDE}
        if not writer.files or not self.keeps:
            return
        known = (writer.id, writer.kind, writer.actor, writer.label, time.time(), writer.files, writer.undoes)
        self.book.add(Changes(*known, note=writer.note))
        self._tidy()

    def _tidy(self) -> None:
        settings = self._settings()
        names = self.book.ids()
        if len(names) > settings.workspace_undo_runs:
            self.book.forget(names[: len(names) - settings.workspace_undo_runs])
            self._sweep()
        self.book.forget_before(time.time() - settings.workspace_undo_days * _DAY)


def _covers(paths: Iterable[str], path: str) -> bool:
    """Whether a path is one of these paths, below one of them, or a parent folder of one."""
    return any(path == one or path.startswith(f"{one}/") or one.startswith(f"{path}/") for one in paths)
