"""Counts the runs of each skill and the tokens they saved, and finds programs that run repeatedly, to suggest skills.

Programs that differ only in their literals have the same form. Only the hash of a form is stored, with the ID and
purpose of the newest run, in a small file in the user's private folder. Losing the file loses only the counts.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from msgspec import to_builtins
from msgspec.structs import replace

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.files import read_plain, typed_entries, write_file
from workbench.records import SkillHint, SkillUse

log = logging.getLogger(__name__)

FILE: Final = ".lessons.json"
OFTEN: Final = 3  # runs of one form from which a skill is suggested
MOST: Final = 400  # forms that are counted; the least recently run ones are dropped
LONGEST: Final = 200  # characters of a purpose


class SkillUsage:
    """The counts of one library, held in memory and written after each change."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._changing, self._saving = Lock(), Lock()
        self._unsaved = False
        self._uses: dict[str, SkillUse] = {}
        self._hints: dict[str, SkillHint] = {}
        self._dismissed: set[str] = set()
        self._read()

    def used(self, names: Sequence[str], *, done: bool, saved: int, at: float) -> None:
        """Count an ended run of a program that imports these skills."""
        if not names:
            return
        with self._changing:
            for name in names:
                one = self._uses.get(name, SkillUse(name))
                self._uses[name] = replace(
                    one, runs=one.runs + 1, done=one.done + done, saved=one.saved + max(0, saved), last=at
                )
        self._save_soon()

    def ran(self, key: str, run_id: str, purpose: str, tools: Sequence[str], *, saved: int, at: float) -> None:
        """Count a successful run of a program of this form that used no skill."""
        with self._changing:
            before = self._hints.pop(key, SkillHint(key, 0, run_id))
            self._hints[key] = SkillHint(
                key, before.times + 1, run_id, purpose[:LONGEST], tuple(tools), before.saved + max(0, saved), at
            )
            while len(self._hints) > MOST:
                del self._hints[next(iter(self._hints))]
        self._save_soon()

    @api(name="skill_uses")
    def uses(self) -> tuple[SkillUse, ...]:
        return tuple(sorted(self._uses.values(), key=lambda use: use.name))

    def use(self, name: str) -> SkillUse | None:
        return self._uses.get(name)

    @api(name="skill_hints")
    def hints(self) -> tuple[SkillHint, ...]:
        """Forms of programs that ran often enough to suggest a skill, most frequent first."""
        often = [one for one in tuple(self._hints.values()) if one.times >= OFTEN and one.key not in self._dismissed]
        return tuple(sorted(often, key=lambda one: (-one.times, -one.last)))

    @api(name="dismiss_hint", decides=True)
    def dismiss(self, key: str) -> None:
        """Stop showing a hint that the user declined or made a skill of."""
        with self._changing:
            self._dismissed.add(key)
        self._save_soon()

    def renamed(self, before: str, after: str) -> None:
        """Move the counts of a renamed skill to its new name."""
        with self._changing:
            if (one := self._uses.pop(before, None)) is None:
                return
            self._uses[after] = replace(one, name=after)
        self._save_soon()

    def _read(self) -> None:
        try:
            data = json.loads(read_plain(self._file))
            uses = typed_entries(data["uses"], SkillUse, FILE)
            hints = typed_entries(data["hints"], SkillHint, FILE)
            self._dismissed = set(typed_entries(data["dismissed"], str, FILE))
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as fault:
            log.warning("the usage counts of skills cannot be read and start again from zero: %s", fault)
            return
        self._uses = {one.name: one for one in uses}
        self._hints = {one.key: one for one in hints}

    def _save_soon(self) -> None:
        """Save on a worker thread where an event loop runs, so that the loop does not wait for the disk."""
        self._unsaved = True
        try:
            asyncio.get_running_loop().run_in_executor(None, self.save)
        except RuntimeError:
            self.save()

    def save(self) -> None:
        """Write the counts if they have changed. A failure is only logged, so that it does not stop a run."""
        with self._saving:
            if not self._unsaved:
                return
            with self._changing:
                self._unsaved = False
                data = {
                    "uses": to_builtins(tuple(self._uses.values())),
                    "hints": to_builtins(tuple(self._hints.values())),
                    "dismissed": sorted(self._dismissed & self._hints.keys()),
                }
            try:
                write_file(self._file, json.dumps(data), durable=False)
            except WorkbenchError as fault:
                log.warning("the usage counts of skills cannot be saved: %s", fault)
