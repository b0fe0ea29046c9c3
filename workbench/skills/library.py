"""The skill library: drafts in the user's private folder, kept skills with their versions in the project, retired ones
hidden. Nothing is deleted.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from workbench.analysis.parsed_program import ParsedProgram
from workbench.errors import WorkbenchError
from workbench.events import Event, SkillsChanged
from workbench.files import read_plain, write_file
from workbench.identifiers import skill_module_name
from workbench.records import Skill, SkillState
from workbench.skills.cassettes import restamp
from workbench.skills.library_snapshot import RETIRED, LibraryReader, LibrarySkill, LibrarySnapshot, skill_folders
from workbench.skills.skill_approvals import ApprovedSkillHashes
from workbench.skills.skill_code import importable, renamed, renamed_words
from workbench.skills.skill_folder import (
    CARD,
    LONGEST_DESCRIPTION,
    archive_version,
    code_file,
    copy_other_files,
    is_name,
    read_skill,
    read_versions,
    sha_of,
    skill_name,
    within,
    words_sha,
    write_skill,
)
from workbench.skills.skill_packages import SkillPackage
from workbench.skills.skill_templates import body
from workbench.skills.skill_usage import SkillUsage

log = logging.getLogger(__name__)

SEEN = ".starters"  # names of starter skills that were installed once; removed ones are not installed again


class Library:
    """The skills of one project."""

    def __init__(self, skills: Path, drafts: Path, starters: Path, tell: Callable[[Event], None]) -> None:
        self._skills, self._drafts, self._starters, self._tell = skills, drafts, starters, tell
        self._approvals = ApprovedSkillHashes(drafts)
        self._reader = LibraryReader(skills, drafts, starters, self._approvals)
        self._modules: Mapping[str, tuple[Skill, str]] = {}  # the last written modules, by file name
        self.usage = SkillUsage(drafts)
        self._writing = Lock()  # one change at a time; the core makes them on threads

    def snapshot(self) -> LibrarySnapshot:
        """The library as it is on disk now; the same object as long as nothing changed. Call it on a thread, because it
        stats every file of a skill."""
        return self._reader.snapshot()

    def skills(self) -> tuple[Skill, ...]:
        """Every skill by name; the kept one before its draft, retired ones last."""
        return self.snapshot().skills

    def get(self, name: str, state: SkillState | None = None) -> Skill:
        """A skill by its name or its import name: the kept one, else its draft, else a retired one."""
        known = self._known(name.replace("_", "-").strip("-"))
        if (found := known.in_state(state) if state else known.current) is not None:
            return found
        raise self._not_found("skill" if state is None else f"{state} skill", name)

    def find(self, name: str, state: SkillState) -> Skill | None:
        """The skill of this name in this state, if there is one."""
        return self._known(name).in_state(state)

    def is_taken(self, name: str) -> bool:
        """Whether there is a draft, a kept or a retired skill of this name."""
        return any((self._root(state) / name).exists() for state in SkillState)

    def usable(self) -> tuple[Skill, ...]:
        """Kept skills without a fault: those that agents see and programs import."""
        return self.snapshot().usable

    def kept_skills(self) -> tuple[Skill, ...]:
        """Kept skills sorted by name, including those with a fault."""
        return self.snapshot().kept

    def versions(self, name: str) -> tuple[Skill, ...]:
        """The earlier versions of a kept skill, oldest first."""
        return read_versions(self._skills / self.get(name, SkillState.KEPT).name)

    def draft(
        self,
        name: str,
        description: str,
        code: str,
        run_id: str,
        author: str,
        tools: Sequence[str] = (),
        tags: Sequence[str] = (),
    ) -> Skill:
        """Save a program as a draft, replacing an earlier draft of the same name. The user's text in its SKILL.md
        stays, and its author stays as long as the code is the same."""
        with self._writing:
            legal = self._write_draft(name, description, code, run_id, author, tools, tags)
        return self._changed(legal, SkillState.DRAFT)

    def offer(self, name: str, description: str, code: str, author: str) -> Skill:
        """Save an agent's draft; it never replaces a draft by another author."""
        with self._writing:
            before = self._known(skill_name(name)).living
            if before is not None and before.state is SkillState.DRAFT and before.author != author:
                raise WorkbenchError(
                    f"A draft named {before.name} by another author already exists.", "Save yours under another name."
                )
            legal = self._write_draft(name, description, code, "", author)
        return self._changed(legal, SkillState.DRAFT)

    def _write_draft(
        self,
        name: str,
        description: str,
        code: str,
        run_id: str,
        author: str,
        tools: Sequence[str] = (),
        tags: Sequence[str] = (),
    ) -> str:
        """Write the draft's files and return its name. The caller must hold the lock."""
        legal = skill_name(name)
        if not code.strip():
            raise WorkbenchError("A skill needs code.", "Draft it from a run, or write the program first.")
        words = " ".join(description.split())[:LONGEST_DESCRIPTION]
        wish = Skill(
            legal, words, code, SkillState.DRAFT, tags=tuple(tags), tools=tuple(tools), run_id=run_id, author=author
        )
        write_skill(self._drafts / legal, _with_past(wish, self._known(legal).living))
        return legal

    def keep(self, name: str, sha: str, kept_by: str) -> Skill:
        """Keep the code with this hash as the next version; the hash ensures that only reviewed code is kept."""
        with self._writing:
            seen = self.to_keep(name, sha)
            _check(seen)
            self._keep(seen, kept_by)
        return self._changed(seen.name, SkillState.KEPT)

    def to_keep(self, name: str, sha: str) -> Skill:
        """The skill that `keep` would keep: the draft, else an unapproved, changed or retired skill of the project. It
        must have the code with this hash."""
        seen = self._known(name.replace("_", "-").strip("-")).newest
        if seen is None:
            raise self._not_found("draft", name)
        if seen.sha != sha:
            raise WorkbenchError(f"{seen.name} has changed since you looked at it.", "Review it again, then keep it.")
        return seen

    def retire(self, name: str, state: SkillState | None = None) -> Skill:
        """Hide a kept skill, or a draft that was never kept, or the one in this state. It stays on disk; keeping it
        again restores it."""
        with self._writing:
            skill = self.get(name, state)
            if skill.state is SkillState.RETIRED:
                return skill
            root = self._root(skill.state)
            target = _free(within(root, RETIRED) / skill.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(root / skill.name, target)
        self._tell(SkillsChanged(skill.name))
        return replace(skill, state=SkillState.RETIRED)

    def bring_back(self, name: str) -> Skill:
        """Restore a retired skill. Agents can use it again if it is unchanged since it was kept."""
        with self._writing:
            skill = self.get(name, SkillState.RETIRED)
            if (self._skills / skill.name).exists():
                raise WorkbenchError(
                    f"A skill named {skill.name} already exists.", "Retire or rename that skill first."
                )
            self._restore(skill.name)
        return self._changed(skill.name, SkillState.KEPT)

    def rename(self, name: str, wish: str) -> Skill:
        """Rename a draft or kept skill: its folder, card, function and versions. Renaming the function of a kept skill
        makes a new version."""
        with self._writing:
            skill, legal = self.get(name), skill_name(wish)
            if skill.state is SkillState.RETIRED:
                raise WorkbenchError(f"{skill.name} is retired.", "Bring it back first.")
            if legal == skill.name:
                return skill
            if self.is_taken(legal):
                raise WorkbenchError(
                    f"A skill named {legal} already exists.", "Choose another name, or rename that skill."
                )
            self._rename(skill, legal)
        self.usage.renamed(skill.name, legal)
        self._tell(SkillsChanged(skill.name))
        return self._changed(legal, skill.state)

    def tag(self, name: str, tags: Sequence[str]) -> Skill:
        """Set the tags of a skill; neither its code nor its version changes."""
        clean = dict.fromkeys(" ".join(tag.replace(",", " ").split())[:40] for tag in tags)
        with self._writing:
            skill = self.get(name)
            folder = self._root(skill.state) / skill.name
            write_skill(folder, replace(skill, tags=tuple(tag for tag in clean if tag)))
            if skill.state is SkillState.KEPT and not skill.faults:
                self._approve(folder)
        return self._changed(skill.name, skill.state)

    def bring_in(self, package: SkillPackage, author: str, tools: Sequence[str] = ()) -> Skill:
        """Import a reviewed package as a draft, with all its files."""
        with self._writing:
            before = self._known(package.name).living
            if before is not None and before.state is SkillState.DRAFT:
                raise WorkbenchError(
                    f"A draft named {package.name} already exists.", "Keep, rename or retire it first."
                )
            folder = self._drafts / package.name
            package.write(folder)
            found = read_skill(folder, SkillState.DRAFT)
            wish = replace(found, author=author, kept_by="", kept_at="", version=0, run_id="", starter=False)
            write_skill(folder, replace(wish, tools=tuple(tools)))
        return self._changed(package.name, SkillState.DRAFT)

    def notify_changed(self, name: str) -> None:
        """Report a change of other files of a skill, such as its cassettes."""
        self._tell(SkillsChanged(name))

    def folder(self, name: str, state: SkillState | None = None) -> Path:
        """The folder of a skill."""
        skill = self.get(name, state)
        return self._root(skill.state) / skill.name

    def install_starters(self) -> None:
        """Copy the starter skills into the project, each only once, so that removed ones stay removed."""
        if self._starters.resolve() == self._skills.resolve() or not _is_ours(self._skills):
            return
        seen_file = self._skills / SEEN
        try:
            seen = read_plain(seen_file).split()
        except FileNotFoundError:
            seen = []
        except (OSError, UnicodeDecodeError) as fault:  # an untrusted project; unknown which were removed
            log.warning("the starter skills were not installed, because %s cannot be read: %s", seen_file, fault)
            return
        fresh = [folder for folder in skill_folders(self._starters) if folder.name not in seen]
        for folder in fresh:
            if not os.path.lexists(self._skills / folder.name):
                shutil.copytree(folder, self._skills / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
                self._tell(SkillsChanged(folder.name))
        if fresh:
            write_file(seen_file, "\n".join([*seen, *(folder.name for folder in fresh)]) + "\n", mode=0o644)

    def write_modules(self, target: Path) -> None:
        """Write kept skills as importable modules. Importing one with a fault raises ImportError with the reason."""
        target.mkdir(parents=True, exist_ok=True)
        wanted: dict[str, tuple[Skill, str]] = {}
        for skill in self.kept_skills():
            file = f"{skill_module_name(skill.name)}.py"
            known = self._modules.get(file)
            source = known[1] if known is not None and known[0] == skill else importable(skill)
            wanted[file] = skill, source
            path = target / file
            if not path.is_file() or path.read_text(encoding="utf-8") != source:
                write_file(path, source, mode=0o644, durable=False)
        self._modules = wanted
        for path in target.iterdir():
            if path.name not in wanted and path.suffix == ".py":
                path.unlink()

    def _root(self, state: SkillState) -> Path:
        roots = {SkillState.KEPT: self._skills, SkillState.DRAFT: self._drafts}
        return roots.get(state, self._skills / RETIRED)

    def _approve(self, folder: Path) -> None:
        """Approve the skill as it is on disk now."""
        skill = read_skill(folder, SkillState.KEPT)
        self._approvals.add(skill.name, skill.sha, words_sha(skill))

    def _keep(self, seen: Skill, kept_by: str) -> None:
        self._restore(seen.name)
        before = self._kept_before(seen.name)
        if before is not None and before.sha != seen.sha:
            archive_version(self._skills / before.name, before.version)
        version, origin = _next_version(before, seen.sha), self._root(seen.state) / seen.name
        kept = replace(seen, state=SkillState.KEPT, version=version, kept_by=kept_by, kept_at=_now())
        if before is not None and before.starter and before.code != kept.code:
            (self._skills / kept.name / CARD).unlink(missing_ok=True)  # its license and text describe different code
            kept = replace(kept, starter=False, license="")
        write_skill(self._skills / kept.name, kept, origin=origin)
        self._approve(self._skills / kept.name)
        if seen.state is SkillState.DRAFT:
            copy_other_files(origin, self._skills / kept.name)
        shutil.rmtree(self._drafts / kept.name, ignore_errors=True)

    def _rename(self, skill: Skill, name: str) -> None:
        """Rename the skill on disk. Only its name changes in approved code, so the result is approved as well."""
        root, code = (
            self._root(skill.state),
            renamed(skill.code, skill_module_name(skill.name), skill_module_name(name)),
        )
        notes = renamed_words(skill.notes, skill.name, name)
        sha, kept = sha_of(code, notes), skill.state is SkillState.KEPT
        draft = self._drafts / skill.name
        if kept and draft.is_dir():
            raise WorkbenchError(f"{skill.name} has a draft.", "Keep or retire the draft first.")
        if kept and not skill.faults and sha != skill.sha:
            archive_version(root / skill.name, skill.version)
        os.replace(root / skill.name, root / name)
        step = 1 if kept and sha != skill.sha else 0
        wish = replace(skill, name=name, code=code, notes=notes, version=skill.version + step, starter=False)
        write_skill(root / name, wish)
        (root / name / code_file(skill.name)).unlink(missing_ok=True)
        restamp(root / name, skill.sha, sha)
        if kept and not skill.faults:
            self._approve(root / name)

    def _restore(self, name: str) -> None:
        """Move a retired skill back before its next version is written, so that its versions continue."""
        if not (self._skills / name).exists() and (self._skills / RETIRED / name).is_dir():
            os.replace(self._skills / RETIRED / name, self._skills / name)

    def _kept_before(self, name: str) -> Skill | None:
        folder = self._skills / name
        return read_skill(folder, SkillState.KEPT) if folder.is_dir() and not folder.is_symlink() else None

    def _changed(self, name: str, state: SkillState) -> Skill:
        self._tell(SkillsChanged(name))
        return self.get(name, state)

    def _known(self, name: str) -> LibrarySkill:
        return self.snapshot().find(name) if is_name(name) else LibrarySkill()

    def _not_found(self, kind: str, name: str) -> WorkbenchError:
        names = sorted({one.name for one in self.skills() if one.state is not SkillState.RETIRED})
        hint = f"Available skills: {', '.join(names)}." if names else "The library is empty."
        return WorkbenchError(f"There is no {kind} {name}.", hint)


def _with_past(wish: Skill, before: Skill | None) -> Skill:
    """A draft with the notes, tags, author and run of the skill it replaces, where they still apply."""
    notes = body(wish.name, wish.description, wish.code, wish.tools)
    if before is None:
        return replace(wish, notes=notes)
    written = before.notes.strip() not in ("", body(before.name, before.description, before.code, before.tools).strip())
    written = written and not (before.starter and before.code != wish.code)  # that text describes different code
    return replace(
        wish,
        notes=before.notes if written else notes,
        tags=wish.tags or before.tags,
        author=before.author if before.author and before.code == wish.code else wish.author,
        run_id=wish.run_id or (before.run_id if before.code == wish.code else ""),
    )


def _check(skill: Skill) -> None:
    if not skill.description:
        raise WorkbenchError(f"{skill.name} has no description.", "Describe its purpose in one sentence.")
    if not skill.code and not skill.notes:
        raise WorkbenchError(f"{skill.name} has neither code nor instructions.", "Add one of them, then keep it.")
    if (fault := ParsedProgram(skill.code).fault) is not None:
        where = f" at line {fault.span.line}" if fault.rule == "syntax" else ""
        raise WorkbenchError(f"{skill.name} is not valid Python{where}.", "Correct it, run it, then keep it.")


def _next_version(before: Skill | None, sha: str) -> int:
    if before is None:
        return 1
    same = before.sha == sha and before.version and not before.faults
    return before.version if same else before.version + 1


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _is_ours(folder: Path) -> bool:
    """Whether the folder is a real folder or missing; a symbolic link in an untrusted project may lead anywhere."""
    return not folder.is_symlink() and (folder.is_dir() or not folder.exists())


def _free(wished: Path) -> Path:
    path, count = wished, 1
    while path.exists():
        count += 1
        path = wished.with_name(f"{wished.name}-{count}")
    return path
