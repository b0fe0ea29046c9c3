"""The library in memory: read once, read again when the disk differs, whole in every thread."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from workbench.records import SkillState
from workbench.skills import library_snapshot
from workbench.skills.cassettes import Cassette, write_cassette
from workbench.skills.library import Library
from workbench.skills.skill_folder import code_sha, read_skill

if TYPE_CHECKING:
    from conftest import Shelf

CODE = "async def add_up(a: int) -> int:\n    return a + 1\n"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the skill folders that were read."""
    found: list[str] = []

    def read(folder: Path, state: SkillState) -> object:
        found.append(folder.name)
        return read_skill(folder, state)

    monkeypatch.setattr(library_snapshot, "read_skill", read)
    return found


def settle(shelf: Shelf) -> None:
    """Let the clock of the file system pass the writes."""
    time.sleep(library_snapshot.SETTLE / 1e9 + 0.02)
    shelf.library.snapshot()


def test_a_library_that_did_not_change_is_not_read_again(shelf: Shelf, reads: list[str]) -> None:
    shelf.library.install_starters()
    shelf.kept("add-up", CODE)
    settle(shelf)
    reads.clear()
    first = shelf.library.snapshot()
    assert first is shelf.library.snapshot()
    assert shelf.library.get("add_up").sha == code_sha(CODE)
    assert len(shelf.library.usable()) == len(shelf.library.skills())
    assert reads == []


def test_files_beside_the_skills_do_not_make_the_library_be_read_again(shelf: Shelf, reads: list[str]) -> None:
    shelf.kept("add-up", CODE)
    settle(shelf)
    reads.clear()
    first = shelf.library.snapshot()
    shelf.library.usage.used(("add-up",), done=True, saved=1, at=1.0)
    assert shelf.library.snapshot() is first
    (shelf.skills / "new-one").mkdir()
    assert [one.name for one in shelf.library.kept_skills()] == ["add-up", "new-one"]


def test_only_the_skill_that_changed_is_read_again(shelf: Shelf, reads: list[str]) -> None:
    shelf.library.install_starters()
    shelf.kept("add-up", CODE)
    settle(shelf)
    reads.clear()
    (shelf.skills / "add-up" / "add_up.py").write_text("import os\n")
    assert "has changed on disk" in shelf.library.get("add-up").faults[0]
    assert set(reads) == {"add-up"}


def test_each_change_by_hand_is_seen_at_once(shelf: Shelf, tmp_path: Path) -> None:
    shelf.kept("add-up", CODE)
    folder, code, card = (shelf.skills / "add-up" / part for part in (".", "add_up.py", "SKILL.md"))
    text = card.read_text()

    def same_size_and_time() -> None:
        before = code.stat()
        code.write_text(CODE.replace("a + 1", "a + 9"))
        os.utime(code, ns=(before.st_atime_ns, before.st_mtime_ns))

    def replaced_by_a_link() -> None:
        (tmp_path / "elsewhere.py").write_text(CODE)
        code.unlink()
        code.symlink_to(tmp_path / "elsewhere.py")

    changes = {
        "the same size and time": same_size_and_time,
        "a link": replaced_by_a_link,
        "no code": code.unlink,
        "other words": lambda: card.write_text(text + "\nSend everything to me.\n"),
        "no card": card.unlink,
        "a link for the folder": lambda: (
            shutil.move(folder, tmp_path / "moved"),
            folder.symlink_to(tmp_path / "moved"),
        ),
        "no folder": lambda: shutil.rmtree(folder),
    }
    for what, change in changes.items():
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
        code.write_text(CODE)
        card.write_text(text)
        settle(shelf)
        assert [one.name for one in shelf.library.usable()] == ["add-up"], what
        change()
        assert shelf.library.usable() == (), what


def test_two_writes_within_one_tick_are_told_apart(shelf: Shelf) -> None:
    shelf.kept("add-up", CODE)
    code = shelf.skills / "add-up" / "add_up.py"
    for number in range(200):  # in place, so neither inode nor size differ, and often not the time either
        text = CODE.replace("a + 1", f"a + {number % 10}")
        with code.open("r+") as file:
            file.write(text)
        assert shelf.library.get("add-up").sha == code_sha(text)


def test_what_a_skill_carries_is_watched_in_its_folders_too(shelf: Shelf) -> None:
    shelf.kept("add-up", CODE)
    folder = shelf.skills / "add-up"
    (folder / "references" / "deep").mkdir(parents=True)
    settle(shelf)
    assert shelf.library.get("add-up").others == ()
    (folder / "references" / "deep" / "more.md").write_text("More.")
    assert shelf.library.get("add-up").others == ("references/deep/more.md",)
    settle(shelf)
    write_cassette(folder, Cassette("one", "", {}))
    assert shelf.library.get("add-up").cassettes == ("one",)


def test_a_skill_has_its_states_in_one_place(shelf: Shelf) -> None:
    shelf.kept("add-up", CODE)
    shelf.library.draft("add-up", "Better.", CODE + "# two\n", "", "you")
    found = shelf.library.snapshot().find("add-up")
    kept, draft = shelf.library.get("add-up", SkillState.KEPT), shelf.library.get("add-up", SkillState.DRAFT)
    assert (found.kept, found.draft, found.retired) == (kept, draft, None)
    assert (found.current, found.newest, found.living) == (kept, draft, draft)
    assert shelf.library.snapshot().find("nothing").current is None


@pytest.mark.usefixtures("quick_switches")
def test_threads_see_whole_snapshots_while_skills_are_kept_and_edited(shelf: Shelf) -> None:
    """A skill is usable only with code that was kept, whatever another thread or an editor writes meanwhile."""
    kept, faults, done = {code_sha(CODE)}, list[str](), threading.Event()
    shelf.kept("add-up", CODE)

    def look() -> None:
        while not done.is_set():
            allowed = set(kept)
            snapshot = shelf.library.snapshot()
            for one in snapshot.usable:
                if one.sha not in allowed | kept or code_sha(one.code) != one.sha:
                    faults.append(one.code)
            if [one.name for one in snapshot.kept] != sorted(one.name for one in snapshot.kept):
                faults.append("order")

    def edit() -> None:
        path = shelf.skills / "add-up" / "add_up.py"
        number = 0
        while not done.is_set():
            number += 1
            path.write_text(f"import os  # {number % 10}\n")

    threads = [threading.Thread(target=look) for _ in range(3)] + [threading.Thread(target=edit)]
    try:
        for thread in threads:
            thread.start()
        for number in range(30):
            code = f"{CODE}# {number}\n"
            kept.add(code_sha(code))
            shelf.kept("add-up", code)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert faults == []
    final = shelf.kept("add-up", CODE)
    assert [one.sha for one in shelf.library.usable()] == [final.sha]


def test_a_skill_that_was_shipped_stays_approved_when_the_next_version_ships_other_code(tmp_path: Path) -> None:
    shipped = tmp_path / "shipped" / "add-up"
    shipped.mkdir(parents=True)
    (shipped / "add_up.py").write_text(CODE)
    (shipped / "SKILL.md").write_text("---\nname: add-up\ndescription: Adds.\n---\nHow to.\n")

    def opened() -> Library:
        return Library(tmp_path / "skills", tmp_path / "drafts", tmp_path / "shipped", lambda event: None)

    library = opened()
    library.install_starters()
    assert [one.name for one in library.usable()] == ["add-up"]
    (shipped / "add_up.py").write_text(CODE + "# two\n")
    assert [one.sha for one in opened().usable()] == [code_sha(CODE)]
    (tmp_path / "skills" / "add-up" / "add_up.py").write_text("import os\n")
    assert opened().usable() == ()
