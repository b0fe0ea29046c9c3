"""Rules with which programs write files of plain data below one folder of the workspace, also over existing ones.

New data files need no approval anyway. What a rule covers is decided by the path in the program's text: a constant path
below the folder, without `..`, hidden names and links out of it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.permissions.argument_patterns import BELOW, holds
from workbench.permissions.rule_sentences import scope_ending
from workbench.records import CallDecision, Permission, Predicate, Tool

FILES: Final = "files"  # kind of these rules
_PATH: Final = "path"
_ROOT: Final = "workspace"


def offer(paths: Sequence[str]) -> Permission | None:
    """Return the rule for the nearest folder of the workspace that contains these files; None if that is the workspace
    itself."""
    folders = [posixpath.dirname(posixpath.normpath(path)) for path in paths]
    common = posixpath.commonpath(folders) if folders else ""
    if not common.startswith(f"{_ROOT}/"):
        return None
    made = Permission("", FILES, CallDecision.ALLOW, where=(Predicate(_PATH, f"{BELOW}{common}"),), source="a decision")
    return replace(made, label=sentence(made))


def find_rule(rules: Iterable[Permission], path: str, workspace: str) -> Permission | None:
    """Return the rule that lets a program write this file. `path`: from the project, such as workspace/reports/a.csv.
    Follows links: may block briefly."""
    fitting = (one for one in rules if one.kind == FILES and one.word is CallDecision.ALLOW)
    return next((one for one in fitting if holds(one.where, {_PATH: path}, workspace, os.path.realpath)), None)


def sentence(rule: Permission) -> str:
    """Return what the rule does, as the user reads it."""
    folder = rule.where[0].pattern.removeprefix(BELOW) if rule.where else ""
    text = f"Programs may write data files below {folder} without asking, also over existing ones"
    return f"{text}{scope_ending(rule)}."


def check(rule: Permission, _: Tool | None) -> None:
    """Refuse a rule that is not about one folder of the workspace."""
    folder = rule.where[0].pattern.removeprefix(BELOW) if len(rule.where) == 1 else ""
    named = rule.where[0].path == _PATH and rule.where[0].pattern.startswith(BELOW) if rule.where else False
    inside = folder.startswith(f"{_ROOT}/") and posixpath.normpath(folder) == folder
    if rule.word is not CallDecision.ALLOW or not named or not inside or len(folder) > 200:
        raise WorkbenchError(
            "A rule about files allows one folder of the workspace.", "Example: path is below workspace/reports."
        )
