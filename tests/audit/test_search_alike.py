"""The core's search and the window's sifting of live entries answer alike, for any spelling."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.audit.audit_search import Finder
from workbench.audit.journal import Journal
from workbench.audit.search_index import Index
from workbench.gui.models.audit import AuditModel
from workbench.records import EntryQuery, Note

LETTERS = st.text(alphabet="aAüÜßſΣσςжЖİé%_\\'\"{}: 7", max_size=8)
NOTES = st.builds(
    Note, st.just("run.note"), LETTERS, actor=LETTERS, detail=st.dictionaries(LETTERS, LETTERS, max_size=2)
)


def found(folder: Path, notes: list[Note], text: str) -> tuple[set[int], set[int]]:
    """The numbers of what the core finds, and of what the window's filter lets through."""
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "audit.sqlite")
    try:
        for note in notes:
            journal.append(note)
        every = journal.entries(EntryQuery(limit=100))
        asked = {entry.seq for entry in journal.entries(EntryQuery(text=text, limit=100))}
    finally:
        journal.close()
    model = AuditModel()
    model.filter(EntryQuery(text=text))
    return asked, {entry.seq for entry in every if model.fits(entry)}


@pytest.mark.parametrize("text", ["ÜBER", "über", "Über", "STRASSE", "straße", "ΟΔΌΣ", "Жук", '"größe":"l"'])
def test_letters_beyond_ascii_match_in_either_case(tmp_path: Path, text: str) -> None:
    words = ("über alles", "ÜBER", "Straße", "strasse", "οδός", "ЖУК")
    notes = [Note("run.note", one) for one in words] + [Note("run.note", "", detail={"Größe": "L"})]
    core, window = found(tmp_path, notes, text)
    assert core == window
    assert core


@settings(max_examples=25)
@given(notes=st.lists(NOTES, max_size=4), text=LETTERS)
def test_any_search_gives_the_same_in_both(
    tmp_path_factory: pytest.TempPathFactory, notes: list[Note], text: str
) -> None:
    core, window = found(tmp_path_factory.mktemp("alike"), notes, text)
    assert core == window


def test_a_long_audit_finds_them_through_its_index(tmp_path: Path) -> None:
    journal, index = Journal(tmp_path / "audit.sqlite"), Index(tmp_path / "audit.sqlite", tmp_path / "index.sqlite")
    for number in range(50):
        journal.append(Note("run.note", f"Grüße {number}"))
    while index.step():
        pass
    finder = Finder(tmp_path / "audit.sqlite", tmp_path / "index.sqlite")
    for text, count in (("GRÜẞE", 50), ("grüße", 50), ("RÜ", 50), ("GRÜSSE", 0)):
        assert len(finder.page(EntryQuery(text=text, limit=100)).entries) == count, text
    index.close()
    journal.close()
