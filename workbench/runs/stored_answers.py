"""Answers too long for a model, kept whole in the workspace for the next program, and not for ever.

They hold real values, because programs work on real values; what a program prints of them is masked like anything else.
A value stands on a line of its own, so that whoever reads the first lines cuts none in two.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.records import FileInfo, Run
from workbench.runs.answer_view import compose
from workbench.settings import Settings
from workbench.workspace.snapshots import Snapshots
from workbench.workspace.workspace_files import Store

log = logging.getLogger(__name__)

FOLDER: Final = "results"  # of the workspace
_OURS: Final = re.compile(rf"{FOLDER}/[0-9a-f]{{12}}\.txt")  # what a person or program put there stays
_DAY: Final = 86_400.0


class StoredAnswers:
    """All of one project."""

    def __init__(self, store: Store, snapshots: Snapshots, settings: Callable[[], Settings]) -> None:
        self._store = store
        self._snapshots = snapshots
        self._settings = settings

    def keep(self, run: Run) -> str:
        """Where the whole answer is, in words for the model."""
        if not self._settings().privacy_results_days:
            return "the whole is not kept: the user's settings say so"
        path = f"{FOLDER}/{run.id}.txt"
        try:
            text = compose(replace(run, result=_in_lines(run.result)))
            with self._snapshots.housekeeping(path):
                self._store.write(path, text)
        except WorkbenchError as fault:
            return f"the whole could not be kept: {fault.message}"
        self.tidy()
        way = f"read_file({path!r}).splitlines()[:50] in a program shows its beginning"
        return f"the whole is in the workspace: {way}, get_run({run.id!r}) reads it here"

    def tidy(self) -> None:
        """Delete what is older than the settings say, and the oldest of what is more than they say."""
        try:
            found = [info for info in self._store.inside(FOLDER) if _OURS.fullmatch(info.path)]
            outdated = [info.path for info in self._outdated(found)]
            if outdated:
                with self._snapshots.housekeeping(*outdated):
                    for path in outdated:
                        self._store.delete(path)
        except WorkbenchError as fault:  # a program may put anything in their place
            log.warning("kept answers cannot be tidied up: %s", fault)

    def _outdated(self, found: list[FileInfo]) -> list[FileInfo]:
        settings, size = self._settings(), 0
        oldest = time.time() - settings.privacy_results_days * _DAY
        outdated = []
        for info in sorted(found, key=lambda info: info.changed, reverse=True):
            size += info.size
            if info.changed < oldest or size > settings.privacy_results_mb * 1_000_000:
                outdated.append(info)
        return outdated


def _in_lines(result: str) -> str:
    try:
        return json.dumps(json.loads(result), ensure_ascii=False, indent=1) if result else ""
    except (ValueError, RecursionError):
        return result
