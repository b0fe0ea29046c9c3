"""In-memory snapshot of the skill library, compared with the disk by `stat` before each use.

Users edit skills by hand and share projects by git, so the library may change without an event. Each skill
folder is read once; it is read again when a stamp (mode, inode, size, modification and change time) of its folders,
its card or its code differs. A stamp cannot tell two writes within one tick of the file system's clock apart, so
folders that changed within the last `SETTLE` before they were read are read again the next time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias

from msgspec.structs import replace

from workbench.records import Skill, SkillState
from workbench.skills.skill_approvals import ApprovedSkillHashes
from workbench.skills.skill_folder import CARD, VERSIONS, code_file, read_skill, words_sha

RETIRED: Final = ".retired"  # folder of retired skills and drafts, next to the others
SETTLE: Final = 50_000_000  # ns; several ticks of any file system's clock
MOST_FOLDERS: Final = 1_000  # folders of one skill that are watched

Stamp: TypeAlias = tuple[int, int, int, int, int] | None
_ORDER: Final = {SkillState.KEPT: 0, SkillState.DRAFT: 1, SkillState.RETIRED: 2}


@dataclass(frozen=True, slots=True)
class LibrarySkill:
    """One skill in all its states. Its versions and cassettes are read from its folder on request."""

    kept: Skill | None = None
    draft: Skill | None = None
    retired: Skill | None = None

    def in_state(self, state: SkillState) -> Skill | None:
        match state:
            case SkillState.KEPT:
                return self.kept
            case SkillState.DRAFT:
                return self.draft
            case SkillState.RETIRED:
                return self.retired

    @property
    def current(self) -> Skill | None:
        """The kept skill, else its draft, else the retired one."""
        return self.kept or self.draft or self.retired

    @property
    def newest(self) -> Skill | None:
        """The skill that `Library.keep` keeps: the draft, else the kept or retired skill."""
        return self.draft or self.kept or self.retired

    @property
    def living(self) -> Skill | None:
        """The draft, else the kept skill."""
        return self.draft or self.kept


@dataclass(frozen=True, slots=True)
class LibrarySnapshot:
    """The library at one moment."""

    skills: tuple[Skill, ...] = ()  # sorted by name; the kept one before its draft, retired ones last
    kept: tuple[Skill, ...] = ()  # sorted by name, including those with a fault
    usable: tuple[Skill, ...] = ()  # kept without a fault: those that agents see and programs import
    by_name: Mapping[str, LibrarySkill] = field(default_factory=dict)

    def find(self, name: str) -> LibrarySkill:
        """The skill of this name; without any state if there is none."""
        return self.by_name.get(name, LibrarySkill())


@dataclass(frozen=True, slots=True)
class _ReadFolder:
    """A skill as read from its folder, and the stamps of the files and folders it was read from."""

    skill: Skill
    stamps: tuple[tuple[str, Stamp], ...]
    is_settled: bool


class LibraryReader:
    """Reads each skill folder once and returns snapshots. Any thread may call it."""

    def __init__(self, skills: Path, drafts: Path, starters: Path, approvals: ApprovedSkillHashes) -> None:
        self._roots = {SkillState.KEPT: skills, SkillState.DRAFT: drafts, SkillState.RETIRED: skills / RETIRED}
        self._starters, self._approvals = starters, approvals
        self._lock = Lock()
        self._folders: dict[tuple[Path, SkillState], _ReadFolder] = {}
        self._listed: dict[Path, tuple[Stamp, list[Path]]] = {}  # the skill folders of each root
        self._watched: tuple[tuple[str, Stamp], ...] | None = None  # None: must be read again
        self._approved = -1
        self._snapshot = LibrarySnapshot()

    def snapshot(self) -> LibrarySnapshot:
        """The library as it is on disk now."""
        with self._lock:
            if not self._is_current():
                found = self._read()
                if found != self._snapshot:
                    self._snapshot = found
            return self._snapshot

    def _is_current(self) -> bool:
        if self._watched is None or self._approved != self._approvals.changes:
            return False
        for path, seen in self._watched:  # inline: a Python call per file costs more than the system call
            try:
                now = os.lstat(path)
            except OSError:
                if seen is not None:
                    return False
                continue
            if seen != (now.st_mode, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns):
                return False
        return all(map(self._has_same_folders, self._roots.values()))

    def _has_same_folders(self, root: Path) -> bool:
        """Whether a root has the same skill folders. Other files in it, such as usage counts, change after each run."""
        seen, folders = self._listed[root]
        now, started = _stamp_of_target(root), time.time_ns()
        if now == seen:
            return True
        if skill_folders(root) != folders:
            return False
        if _is_settled(((str(root), now),), started):
            self._listed[root] = now, folders
        return True

    def _read(self) -> LibrarySnapshot:
        self._approved = self._approvals.changes
        before, self._folders = self._folders, {}
        for state, root in self._roots.items():
            stamp, started = _stamp_of_target(root), time.time_ns()
            folders = skill_folders(root)
            self._listed[root] = (stamp if _is_settled(((str(root), stamp),), started) else None), folders
            for folder in folders:
                self._read_folder(folder, state, before)
        found = [self._assessed(one.skill, before) for one in tuple(self._folders.values())]
        settled = all(one.is_settled for one in self._folders.values())
        self._watched = tuple(stamp for one in self._folders.values() for stamp in one.stamps) if settled else None
        return _snapshot_of(found)

    def _read_folder(
        self, folder: Path, state: SkillState, before: Mapping[tuple[Path, SkillState], _ReadFolder]
    ) -> Skill:
        known, key = before.get((folder, state)), (folder, state)
        stamps, started = _stamps(folder), time.time_ns()
        if known is None or not known.is_settled or known.stamps != stamps:
            skill = read_skill(folder, state)
            known = _ReadFolder(skill, stamps, _is_settled(stamps, started))
        self._folders[key] = known
        return known.skill

    def _assessed(self, skill: Skill, before: Mapping[tuple[Path, SkillState], _ReadFolder]) -> Skill:
        """The skill, with a fault if it is in the project but neither kept by the user nor a starter skill."""
        if skill.state is not SkillState.KEPT or not skill.sha or self._is_approved(skill, before):
            return skill
        if self._approvals.holds(skill.name, skill.sha):
            reason = "Its SKILL.md has changed since it was kept; review it and keep the skill again."
        else:
            reason = "This code was never kept here; review it and keep it."
        return replace(skill, faults=skill.faults or (reason,))

    def _is_approved(self, skill: Skill, before: Mapping[tuple[Path, SkillState], _ReadFolder]) -> bool:
        """Whether code and card are approved: agents read both. A shipped starter skill stays approved when a later
        version of MCP Workbench ships different code."""
        if self._approvals.holds(skill.name, skill.sha, words_sha(skill)):
            return True
        shipped = self._starters / skill.name
        if not shipped.is_dir():
            return False
        ours = self._read_folder(shipped, SkillState.KEPT, before)
        if (ours.sha, words_sha(ours)) != (skill.sha, words_sha(skill)):
            return False
        if shipped != self._roots[SkillState.KEPT] / skill.name:
            self._approvals.note_shipped(skill.name, skill.sha, words_sha(skill))
        return True


def skill_folders(root: Path) -> list[Path]:
    """The skill folders in a root, without hidden folders and symbolic links."""
    if not root.is_dir() or (root.name == RETIRED and root.is_symlink()):
        return []
    found = (path for path in root.iterdir() if not path.name.startswith((".", "_")))
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def _snapshot_of(found: list[Skill]) -> LibrarySnapshot:
    skills = tuple(sorted(found, key=lambda skill: (skill.name, _ORDER[skill.state])))
    kept = tuple(one for one in skills if one.state is SkillState.KEPT)
    states: dict[str, dict[str, Skill]] = {}
    for one in skills:
        states.setdefault(one.name, {})[one.state.value] = one
    by_name = {name: LibrarySkill(**known) for name, known in states.items()}
    return LibrarySnapshot(skills, kept, tuple(one for one in kept if not one.faults), by_name)


def _stamps(folder: Path) -> tuple[tuple[str, Stamp], ...]:
    """Stamps of card, code and each folder whose files the skill lists. A folder is stamped before it is listed."""
    top = str(folder)
    found = [(path, _stamp(path)) for path in (f"{top}/{CARD}", f"{top}/{code_file(folder.name)}")]
    waiting = [top]
    while waiting and len(found) < MOST_FOLDERS:
        at = waiting.pop()
        found.append((at, _stamp(at)))
        try:
            with os.scandir(at) as entries:
                for entry in entries:
                    hidden = entry.name.startswith((".", "__")) or (at == top and entry.name == VERSIONS)
                    if not hidden and entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return tuple(found)


def _stamp(path: str) -> Stamp:
    try:
        now = os.lstat(path)
    except OSError:
        return None
    return now.st_mode, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


def _stamp_of_target(root: Path) -> Stamp:
    """The stamp of a root, following symbolic links, because the user may have made the root a link."""
    try:
        now = os.stat(root)
    except OSError:
        return None
    return now.st_mode, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


def _is_settled(stamps: tuple[tuple[str, Stamp], ...], started: int) -> bool:
    return all(stamp is None or max(stamp[3:]) + SETTLE < started for _, stamp in stamps)
