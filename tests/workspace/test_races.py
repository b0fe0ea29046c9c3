"""The store of file changes and the cache of answers, used by several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from workbench.records import Content, Outcome
from workbench.settings import Settings
from workbench.workspace.answer_cache import AnswerCache
from workbench.workspace.snapshots import NotQuick, Snapshots, Writer
from workbench.workspace.undo import Undoing

pytestmark = pytest.mark.usefixtures("quick_switches")
ROUNDS = 20


def together(*work: Callable[[], object]) -> None:
    """Run all at once, and raise what one of them raised."""
    with ThreadPoolExecutor(len(work)) as pool:
        for done in [pool.submit(one) for one in work]:
            done.result()


def test_each_writer_finds_its_own_changes_and_can_undo_them(store, root, tmp_path):
    """Runs, direct changes and readers share one snapshot of the workspace and one database."""
    root.mkdir()
    snapshots, stop = Snapshots(store.confined, tmp_path / "undo", Settings), threading.Event()

    def run(part: int) -> None:
        for number in range(ROUNDS):
            file = f"run{part}-{number}.txt"
            snapshots.begin(Writer(f"r{part}-{number}", "run", "agent", claims=file.__eq__))
            (root / file).write_text(f"{part} {number}")
            try:
                writer = snapshots.end(f"r{part}-{number}", quick=True)
            except NotQuick:
                writer = snapshots.end(f"r{part}-{number}")
            assert writer is not None
            assert file in writer.files

    def change() -> None:
        for number in range(ROUNDS):
            with snapshots.direct_change(Writer(f"d{number}", "person", "you", only=(f"own{number}.txt",))):
                store.write(f"own{number}.txt", str(number))

    def read() -> None:
        while not stop.is_set():
            with snapshots.opened() as book:
                if book is not None:
                    listed = book.newest(1_000)
                    assert len({one.id for one, _ in listed}) == len(listed) <= book.count()
            with snapshots.scanned() as now:
                assert all("/" not in path for path in now)
            snapshots.stored_size()
            snapshots.warm()

    reading = threading.Thread(target=read)
    reading.start()
    try:
        together(lambda: run(1), lambda: run(2), change)
    finally:
        stop.set()
        reading.join()
    undoing = Undoing(snapshots)
    for part, number in [(part, number) for part in (1, 2) for number in range(ROUNDS)]:
        name, file = f"r{part}-{number}", f"run{part}-{number}.txt"
        assert snapshots.contents.read(undoing.find(name).files[file].after.sha).decode() == f"{part} {number}"
        undoing.undo(name, (file,), "you")
        assert not (root / file).exists()
    assert {path.name for path in root.iterdir()} == {f"own{number}.txt" for number in range(ROUNDS)}
    snapshots.close()


def test_an_answer_is_found_whole_or_not_at_all(tmp_path):
    cache, stop = AnswerCache(tmp_path / "answers", Settings), threading.Event()
    answers = {f"k{n}": Outcome("", True, (Content("text", f"{n}" * 20_000),), bytes=n) for n in range(1, 9)}

    def keep() -> None:
        for key, outcome in list(answers.items()) * 5:
            cache.keep("demo", key, outcome)

    def clean() -> None:
        while not stop.is_set():
            cache.tidy()
            cache.forget("demo")
            cache.size()

    def find() -> None:
        while not stop.is_set():
            for key, outcome in answers.items():
                found = cache.find("demo", key)
                assert found is None or (found.content, found.bytes) == (outcome.content, outcome.bytes)

    threads = [threading.Thread(target=partial(_noting, work, faults := [])) for work in (clean, find, find)]
    for thread in threads:
        thread.start()
    try:
        together(keep, keep)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert faults == []
    keep()
    assert cache.find("demo", "k3") is not None


def _noting(work: Callable[[], None], faults: list[BaseException]) -> None:
    try:
        work()
    except BaseException as fault:  # raised on a thread, where nobody would see it
        faults.append(fault)
