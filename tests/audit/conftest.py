"""A place for an audit, and journals that are always closed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.audit.journal import Journal
from workbench.events import Listener


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder / "audit.sqlite"


@pytest.fixture
def open_journal(place: Path) -> Iterator[Callable[..., Journal]]:
    journals: list[Journal] = []

    def begin(tell: Listener = lambda event: None) -> Journal:
        journals.append(Journal(place, tell))
        return journals[-1]

    yield begin
    for journal in journals:
        journal.close()
