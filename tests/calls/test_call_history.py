"""Calls are kept, found and forgotten; nothing that happens to the file costs anybody a call."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest
from msgspec.structs import replace

from workbench.calls import call_history
from workbench.calls.call_history import WriteQueue
from workbench.calls.history_rows import finished_call
from workbench.errors import WorkbenchError
from workbench.events import CallsForgotten, CallsKept
from workbench.records import Content, Fault, Origin, Outcome, Tool, ToolCall

OTHER = Tool("files", "read")


async def test_a_call_is_found_by_its_words_and_comes_back_whole(kept):
    outcome = kept.make("Beacon Lamp in Köln", limit=3, city="Lyon")
    (listed,) = await kept.found("beacon koln")
    assert (listed.server, listed.tool, listed.note, listed.outcome) == (
        "demo", "list_orders", "Beacon Lamp in Köln", None,
    )  # fmt: skip
    whole = await kept.history.get(listed.id)
    assert (whole.outcome, whole.arguments) == (outcome, '{"limit": 3, "city": "Lyon"}')


@pytest.mark.parametrize(
    "text", ["lyon", "LY", "list_ord", "orders", "demo", "limit 3", "lamp lyon", '"lamp"', "{lamp}"]
)
async def test_names_arguments_and_answers_are_searched_by_beginnings(kept, text):
    kept.make("Beacon Lamp", limit=3, city="Lyon")
    kept.make("something else", OTHER)
    assert [call.server for call in await kept.found(text)] == ["demo"]


@pytest.mark.parametrize(
    "text", ['"', "NOT", "a AND", "*", "lamp NEAR(", "words:lamp", "'; DROP TABLE calls; --", "\0", "x" * 9000]
)
async def test_no_search_is_an_error(kept, text):
    kept.make("Beacon Lamp")
    await kept.found(text)
    assert len(await kept.found()) == 1


async def test_calls_are_filtered_and_paged_newest_first(kept):
    for number in range(5):
        kept.make(f"answer {number}", OTHER if number % 2 else kept_tool(), run_id="r1" if number == 2 else "")
    kept.note(Outcome("c", False, fault=Fault("It broke.")))
    everything = await kept.found()
    assert [call.note for call in everything] == ["It broke.", *(f"answer {n}" for n in (4, 3, 2, 1, 0))]
    assert [call.note for call in await kept.found(state="failed")] == ["It broke."]
    assert {call.server for call in await kept.found(server="files", state="ok")} == {"files"}
    assert all(not call.run_id for call in await kept.found(nested=False))
    assert [call.note for call in await kept.found("answer", before=everything[3].id, limit=1)] == ["answer 1"]


def kept_tool() -> Tool:
    return Tool("demo", "list_orders")


async def test_what_the_schema_calls_secret_is_nowhere_in_the_file(kept):
    kept.make("fine", word="hunter2" + "hunter3", user="ada")
    (call,) = await kept.found("ada")
    assert (call.arguments, call.withheld) == ('{"user": "ada"}', ("word",))
    await kept.history.close()
    assert b"hunter2hunter3" not in kept.path.read_bytes()


async def test_a_secret_of_the_keyring_is_masked_wherever_it_stands(tmp_path, make):
    kept = make(tmp_path / "history.sqlite")
    kept.history._mask = lambda text: text.replace("k3yk3yk3y", "••••••")
    kept.make("token k3yk3yk3y", auth="Bearer k3yk3yk3y")
    call = await kept.history.get((await kept.found("token"))[0].id)
    assert (call.arguments, call.note) == ('{"auth": "Bearer ••••••"}', "token ••••••")
    assert call.outcome.content[0].text == "token ••••••"
    await kept.history.close()


async def test_a_large_answer_is_cut_and_says_so(kept):
    kept.change(history_answer_kb=1)
    picture = Content("image", mime="image/png", data="A" * 5000)
    kept.note(Outcome("c", True, (Content("text", "x" * 3000), picture), structured='{"a": "' + "y" * 3000 + '"}'))
    call = await kept.history.get((await kept.found())[0].id)
    assert call.cut
    assert sum(len(block.text) + len(block.data) for block in call.outcome.content) <= 1024
    kept.make("small")
    assert not (await kept.found())[0].cut


async def test_the_file_is_ours_alone(kept):
    kept.make()
    await kept.found()
    assert kept.path.stat().st_mode & 0o777 == 0o600


async def test_what_is_switched_off_is_not_kept(kept):
    kept.change(history_runs=False)
    kept.make("nested", run_id="r1")
    kept.change(history_enabled=False)
    kept.make("own")
    assert await kept.found() == []


async def test_old_calls_go(kept, monkeypatch):
    kept.make("old")
    await kept.found()
    later = time.time() + 31 * 86_400
    monkeypatch.setattr(time, "time", lambda: later)
    for _ in range(200):
        kept.make("new")
    assert {call.note for call in await kept.found(limit=500)} == {"new"}


async def test_the_size_is_bounded_and_the_oldest_go_first(kept):
    kept.change(history_megabytes=5)
    for number in range(600):
        kept.make(f"{number} " + os.urandom(20_000).hex())
    await kept.found()
    await kept.history.close()
    assert kept.path.stat().st_size < 30_000_000  # 60 MB went in
    with closing(sqlite3.connect(kept.path)) as store:
        names = [row[0] for row in store.execute("SELECT note FROM calls ORDER BY id")]
        (size,) = store.execute("SELECT sum(size) FROM calls").fetchone()
    assert size < 11_000_000  # the limit, and what may come between two looks at it
    assert names[-1].startswith("599 ")
    assert not names[0].startswith("0 ")


async def test_a_call_is_forgotten_alone_or_with_all_others(kept):
    for text in ("one", "two", "three"):
        kept.make(text)
    _, two, _ = await kept.found()
    await kept.history.forget((two.id,))
    assert [call.note for call in await kept.found()] == ["three", "one"]
    assert await kept.found("two") == []
    with pytest.raises(WorkbenchError, match="no longer in the history"):
        await kept.history.get(two.id)
    await kept.history.clear()
    assert await kept.found() == []
    assert [event.ids for event in kept.told if isinstance(event, CallsForgotten)] == [(two.id,), ()]
    kept.make("after")
    assert [call.note for call in await kept.found()] == ["after"]


async def test_doors_are_told_of_what_was_kept(kept):
    kept.make("one")
    await kept.found()
    (event,) = [event for event in kept.told if isinstance(event, CallsKept)]
    assert [call.note for call in event.calls] == ["one"]


async def test_what_was_made_is_written_before_the_end(kept, make):
    for number in range(300):
        kept.make(str(number))
    await kept.history.close()
    again = make(kept.path)
    assert len(await again.found(limit=500)) == 300
    await again.history.close()


@pytest.mark.parametrize("rubbish", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_file_that_is_no_history_is_set_aside_and_a_new_one_begins(tmp_path, make, rubbish):
    path = tmp_path / "history.sqlite"
    path.write_bytes(rubbish)
    kept = make(path)
    kept.make("first")
    assert [call.note for call in await kept.found()] == ["first"]
    aside = [other for other in tmp_path.iterdir() if ".damaged-" in other.name]
    assert [other.read_bytes() for other in aside] == ([rubbish] if rubbish else [])
    assert bool(rubbish) == ("was damaged" in kept.words())
    await kept.history.close()


async def test_another_programs_database_is_not_written_into(tmp_path, make):
    path = tmp_path / "history.sqlite"
    theirs = sqlite3.connect(path)
    theirs.execute("CREATE TABLE theirs(a)")
    theirs.commit()
    theirs.close()
    kept = make(path)
    kept.make("ours")
    assert len(await kept.found()) == 1
    await kept.history.close()
    (aside,) = [other for other in tmp_path.iterdir() if ".damaged-" in other.name]
    with closing(sqlite3.connect(aside)) as store:
        assert store.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


async def test_damage_that_shows_later_is_set_aside_too(kept):
    for number in range(50):
        kept.make(f"{number} " + "word " * 500)
    await kept.found()
    await kept.history._run(kept.history._let_go)
    with kept.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (kept.path.stat().st_size - 4096))
    for _ in range(2):
        with suppress(WorkbenchError):
            await kept.found("word")
    kept.make("after")
    assert [call.note for call in await kept.found("after")] == ["after"]
    assert "was damaged" in kept.words()


async def test_a_full_disk_is_said_once_and_costs_no_call(kept):
    kept.make("before")
    await kept.found()
    store = kept.history._store
    await kept.history._run(lambda: store.execute("PRAGMA max_page_count = 1").fetchall())
    opened = kept.history._opened
    kept.history._let_go = lambda: None
    for number in range(3):
        kept.make(f"{number} " + os.urandom(50_000).hex())
        await kept.found()
    assert kept.words().count("cannot be stored") == 1
    assert [call.note for call in await kept.found()] == ["before"]
    del kept.history._let_go
    await kept.history._run(lambda: opened().execute("PRAGMA max_page_count = 100000").fetchall())
    kept.make("after")
    assert [call.note for call in await kept.found()] == ["after", "before"]


async def test_a_folder_that_cannot_be_written_is_said_and_nothing_breaks(tmp_path, make):
    (tmp_path / "state").write_text("a file in the way")
    kept = make(tmp_path / "state" / "history.sqlite")
    kept.make("lost")
    with pytest.raises(WorkbenchError, match="cannot be read now"):
        await kept.found()
    assert "cannot be stored" in kept.words()
    await kept.history.close()


async def test_half_characters_nul_and_endless_nesting_are_kept_or_left_out(kept):
    kept.make("half \ud800 nul \0 end", key="\ud800")
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    kept.make("deep", nest=deep)
    kept.make("last")
    assert [call.note for call in await kept.found()][-1] == "half ? nul ␀ end"
    assert (await kept.found("last"))[0].note == "last"
    while deep:
        deep = deep.pop()


async def test_a_row_of_another_version_hides_no_other(kept):
    kept.make("one")
    (call,) = await kept.found()
    await kept.history._run(lambda: kept.history._opened().execute("UPDATE calls SET outcome = x'00'"))
    whole = await kept.history.get(call.id)
    assert (whole.note, whole.outcome) == ("one", None)
    assert replace(whole, outcome=None) == call


async def test_a_row_that_cannot_be_read_is_left_out_and_said_once(kept):
    for text in ("one", "two", "three"):
        kept.make(text)
    _, two, _ = await kept.found()
    await kept.history._run(lambda: kept.history._opened().execute("UPDATE calls SET withheld = '{' WHERE id = 2"))
    for _ in range(2):
        assert [call.note for call in await kept.found()] == ["three", "one"]
    assert kept.words().count("Unreadable calls in the history: 1.") == 1
    with pytest.raises(WorkbenchError, match="cannot be read"):
        await kept.history.get(two.id)


async def test_rows_of_version_0_1_are_read(kept):
    """Their outcomes lack what was added since, and hold what is gone."""
    old = {"call_id": "c", "ok": True, "content": [{"kind": "text", "text": "hello"}], "fault": None, "gone": 1}
    kept.make("one")
    (call,) = await kept.found()
    packed = zlib.compress(json.dumps(old).encode())
    await kept.history._run(lambda: kept.history._opened().execute("UPDATE calls SET outcome = ?", (packed,)))
    assert (await kept.history.get(call.id)).outcome == Outcome("c", True, (Content("text", "hello"),))


# what waits to be written


def finished(size: int):
    call = ToolCall("c", "s", "t", {}, Origin.PERSON, "person")
    return finished_call(call, Tool("s", "t"), Outcome("c", True, (Content("text", "x" * size),)), 10_000_000)


def test_the_first_one_asks_for_somebody_to_empty_it():
    queue = WriteQueue()
    assert [queue.add(finished(1)), queue.add(finished(1))] == [True, False]
    assert len(queue.take_batch(10)) == 2
    assert queue.add(finished(1)) is False  # whoever empties it looks once more
    assert len(queue.take_batch(10)) == 1
    assert queue.take_batch(10) == []
    assert queue.add(finished(1)) is True


def test_when_too_much_waits_the_oldest_are_given_up_and_counted(monkeypatch):
    monkeypatch.setattr(call_history, "MOST_WAITING", 10_000)
    queue = WriteQueue()
    for size in (1000, 1001, 1002, 1003, 1004):
        queue.add(finished(size))
    left = queue.take_batch(10)
    assert [len(item.outcome.content[0].text) for item in left] == [1002, 1003, 1004]
    assert (queue.take_dropped_count(), queue.take_dropped_count()) == (2, 0)


def test_a_single_giant_is_not_given_up(monkeypatch):
    monkeypatch.setattr(call_history, "MOST_WAITING", 10_000)
    queue = WriteQueue()
    queue.add(finished(50_000))
    assert len(queue.take_batch(1)) == 1


@pytest.mark.usefixtures("quick_switches")
async def test_no_call_is_lost_or_written_twice_while_others_are_searched_and_forgotten(kept):
    """The loop keeps calls while the history's thread writes, and questions come in between."""
    for number in range(400):
        kept.make(f"call{number}")
        if number % 40 == 7:
            await kept.found(f"call{number}")
        if number % 40 == 9:
            (found,) = await kept.found(f"call{number - 1}")
            await kept.history.forget((found.id,))
    notes = [call.note for call in await kept.found(limit=500)]
    forgotten = {f"call{number - 1}" for number in range(400) if number % 40 == 9}
    assert sorted(notes) == sorted({f"call{number}" for number in range(400)} - forgotten)
    told = [call.note for event in kept.told if isinstance(event, CallsKept) for call in event.calls]
    assert len(told) == len(set(told))


@pytest.mark.usefixtures("quick_switches")
def test_threads_take_each_call_that_was_put_once_or_count_it_as_lost(monkeypatch):
    monkeypatch.setattr(call_history, "MOST_WAITING", 30_000)
    queue, over = WriteQueue(), threading.Event()

    def emptying() -> int:
        taken = 0
        while not over.is_set() or queue.is_due:
            taken += len(queue.take_batch(3))
        return taken

    with ThreadPoolExecutor(3) as threads:
        running = [threads.submit(emptying) for _ in range(3)]
        for size in range(600):
            queue.add(finished(size % 500))
        over.set()
        taken = sum(one.result() for one in running)
    assert taken + len(queue.take_batch(1_000)) + queue.take_dropped_count() == 600
