"""A program worth keeping."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SkillState(StrEnum):
    """Agents see kept skills only; retired ones are hidden, never deleted."""

    DRAFT = "draft"
    KEPT = "kept"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Skill:
    """A program worth keeping, with where it came from."""

    name: str
    description: str
    code: str
    state: SkillState
    version: int = 0  # 0 while it has never been kept
    sha: str = ""  # SHA-256 of the code as it stands in the file now, whatever SKILL.md says
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()  # "server.tool" it needs
    run_id: str = ""  # the run it was drafted from
    author: str = ""
    kept_by: str = ""
    changed: float = 0.0
    starter: bool = False  # shipped with the app
    notes: str = ""  # the text of its SKILL.md: usage, features, examples
    faults: tuple[str, ...] = ()  # what is wrong with its folder; a skill with faults is not handed to programs
