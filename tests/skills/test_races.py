"""Objects of the library that several threads use at once, with a change of threads every few bytecodes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.skills.conftest import Shelf
from workbench.events import Event, SkillsChanged
from workbench.skills.library import Library
from workbench.skills.skill_approvals import ApprovedSkillHashes
from workbench.skills.skill_usage import SkillUsage

pytestmark = pytest.mark.usefixtures("quick_switches")
CODE = "async def add_up(a, b):\n    return a + b\n"


def together(*work: Callable[[], object]) -> None:
    """Run all at once, and raise what one of them raised."""
    with ThreadPoolExecutor(len(work)) as pool:
        for done in [pool.submit(one) for one in work]:
            done.result()


def test_whoever_is_told_of_a_change_sees_it_in_the_snapshot(tmp_path: Path) -> None:
    shelf, stop, seen = Shelf(tmp_path), threading.Event(), list[tuple[str, ...]]()

    def tell(event: Event) -> None:
        assert isinstance(event, SkillsChanged)
        known = library.snapshot().find(event.name)
        seen.append(tuple(known.draft.tags) if known.draft else ())

    library = Library(shelf.skills, shelf.drafts, tmp_path / "no starters", tell)

    def read() -> None:
        while not stop.is_set():
            found = library.snapshot()
            assert {one.name for one in found.kept} <= found.by_name.keys()
            assert set(found.usable) <= set(found.kept) <= set(found.skills)

    def change() -> None:
        try:
            for number in range(40):
                library.draft("add-up", "Adds up.", CODE, "", "you", tags=(f"tag{number}",))
        finally:
            stop.set()

    together(change, read, read)
    assert seen == [(f"tag{number}",) for number in range(40)]


def test_no_approval_and_no_bound_text_is_lost(tmp_path: Path) -> None:
    """Each round two threads note something at the same moment; then both must be in the file."""
    rounds = 40
    before = ApprovedSkillHashes(tmp_path)
    for number in range(rounds):
        before.add(f"old{number}", "sha")  # as an earlier version noted it, without the text of the card
    approvals, both = ApprovedSkillHashes(tmp_path), threading.Barrier(3, timeout=30)

    def add() -> None:
        for number in range(rounds):
            both.wait()
            approvals.add(f"new{number}", "sha", "text")
            both.wait()

    def bind() -> None:
        for number in range(rounds):
            both.wait()
            assert approvals.holds(f"old{number}", "sha", "text")
            both.wait()

    def check() -> None:
        for number in range(rounds):
            both.wait()
            both.wait()
            noted = ApprovedSkillHashes(tmp_path)
            assert noted.holds(f"new{number}", "sha", "text")
            assert not noted.holds(f"old{number}", "sha", "other")

    together(add, bind, check)


def test_every_use_is_counted_and_saved(tmp_path: Path) -> None:
    usage, stop = SkillUsage(tmp_path), threading.Event()

    def count() -> None:
        for number in range(20):
            usage.used([f"other{number}", *["add-up"] * 200], done=True, saved=1, at=1.0)
            usage.ran(f"form{number}", "run", "", [], saved=0, at=1.0)

    def read() -> None:
        while not stop.is_set():
            assert len(usage.uses()) <= 21
            usage.hints()

    reading = threading.Thread(target=read)
    reading.start()
    try:
        together(count, count, count)
    finally:
        stop.set()
        reading.join()
    for known in (usage, SkillUsage(tmp_path)):
        use = known.use("add-up")
        assert use is not None
        assert (use.runs, use.saved, len(known.uses()), len(known.hints())) == (12_000, 12_000, 21, 20)
