"""What waits to be written is bounded by what it weighs."""

from __future__ import annotations

from workbench.calls import history_write_queue
from workbench.calls.history_rows import made
from workbench.calls.history_write_queue import Waiting
from workbench.records import Content, Origin, Outcome, Tool, ToolCall


def one(size: int):
    call = ToolCall("c", "s", "t", {}, Origin.PERSON, "person")
    return made(call, Tool("s", "t"), Outcome("c", True, (Content("text", "x" * size),)), 10_000_000)


def test_the_first_one_asks_for_somebody_to_empty_it():
    queue = Waiting()
    assert [queue.put(one(1)), queue.put(one(1))] == [True, False]
    assert len(queue.take(10)) == 2
    assert queue.put(one(1)) is False  # whoever empties it looks once more
    assert len(queue.take(10)) == 1
    assert queue.take(10) == []
    assert queue.put(one(1)) is True


def test_when_too_much_waits_the_oldest_are_given_up_and_counted(monkeypatch):
    monkeypatch.setattr(history_write_queue, "WEIGHT", 10_000)
    queue = Waiting()
    for size in (1000, 1001, 1002, 1003, 1004):
        queue.put(one(size))
    left = queue.take(10)
    assert [len(item.outcome.content[0].text) for item in left] == [1002, 1003, 1004]
    assert queue.lost == 2


def test_a_single_giant_is_not_given_up(monkeypatch):
    monkeypatch.setattr(history_write_queue, "WEIGHT", 10_000)
    queue = Waiting()
    queue.put(one(50_000))
    assert len(queue.take(1)) == 1
