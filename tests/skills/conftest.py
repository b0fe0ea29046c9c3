"""A library on an empty bench."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workbench.events import Event
from workbench.paths import starter_skills
from workbench.records import Skill
from workbench.skills.library import Library


@dataclass
class Shelf:
    """A library, the folders it works on, and what it told."""

    root: Path
    told: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.skills, self.drafts = self.root / "skills", self.root / "drafts"
        self.library = self.open()

    def open(self) -> Library:
        return Library(self.skills, self.drafts, starter_skills(), self.told.append)

    def kept(self, name: str, code: str, description: str = "Does something.") -> Skill:
        draft = self.library.draft(name, description, code, "run-1", "agent")
        return self.library.keep(draft.name, draft.sha, "ines")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)
