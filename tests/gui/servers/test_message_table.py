"""A hundred thousand messages as a table that sifts and sorts itself."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Qt

from workbench.gui.servers.message_table import (
    DURATION,
    ID,
    MESSAGE,
    MOST_MESSAGES,
    SIZE,
    TIME,
    MessageFilter,
    MessagesModel,
)
from workbench.records import Frame
from workbench.servers.monitoring.message_log import MessageLog


def messages(count: int) -> list[Frame]:
    """Three of four are notifications, the rest are pairs of request and answer."""
    made = []
    for number in range(count):
        kind = ("request", "answer", "notice", "notice")[number % 4]
        way = ">" if kind == "request" else "<"
        method = {"request": "tools/call", "notice": "notifications/message"}.get(kind, "")
        key = str(number // 4) if kind in ("request", "answer") else ""
        text = json.dumps({"number": number, "words": "some text " * 5})
        made.append(Frame("one", 1000.0 + number, way, text, len(text), number + 1, kind, method, key))
    return made


def titles(model: MessagesModel) -> list[str]:
    return [str(model.index(row, MESSAGE).data()) for row in range(model.rowCount())]


def test_the_model_obeys_qt(theme: Any, qtmodeltester: Any) -> None:
    model = MessagesModel(theme)
    qtmodeltester.check(model)
    model.add(messages(30))
    model.set_filter(MessageFilter(hide_noise=True))
    model.sort(SIZE, Qt.SortOrder.DescendingOrder)
    model.add(messages(60)[30:])
    model.sort(TIME)
    model.clear()
    model.add(messages(70)[60:])


def test_what_passed_reads_like_a_conversation(theme: Any) -> None:
    traffic, model = MessageLog("one"), MessagesModel(theme)
    traffic.mark("The server is starting.")
    traffic.sent(b'{"id":1,"method":"tools/call","params":{"name":"echo"}}')
    traffic.received(b'{"id":1,"result":{}}')
    traffic.add_invalid_line(b"Listening on port 3000")
    traffic.received(b'{"id":5,"error":{"code":-32600,"message":"What?"}}')
    model.add(traffic.frames())
    assert titles(model) == [
        "The server is starting.",
        "tools/call echo",
        "answer to tools/call echo",
        "not JSON-RPC: Listening on port 3000",
        "error: -32600 What?",
    ]


def test_hidden_characters_of_a_server_are_chips(theme: Any) -> None:
    model = MessagesModel(theme)
    model.add([Frame("one", 1.0, "<", "{}", 2, 1, "notice", "a\u202eb", "", "x\u200by")])
    assert titles(model) == ["a‹U+202E›b x‹U+200B›y"]


def test_each_sieve_lets_through_what_it_says(theme: Any) -> None:
    model = MessagesModel(theme)
    model.add(messages(8))
    model.add([Frame("one", 2000.0, "!", "rubbish", 7, 9)])
    shown = {
        name: (model.set_filter(sieve), model.rowCount())[1]
        for name, sieve in {
            "all": MessageFilter(),
            "quiet": MessageFilter(hide_noise=True),
            "out": MessageFilter(direction=">"),
            "in": MessageFilter(direction="<!"),
            "method": MessageFilter(method="tools/call"),
            "errors": MessageFilter(errors=True),
            "words": MessageFilter(words=("text", '"number": 3,')),
            "found": MessageFilter(words=("nowhere",), found=frozenset({1001.0})),
        }.items()
    }
    assert shown == {"all": 9, "quiet": 5, "out": 2, "in": 7, "method": 4, "errors": 1, "words": 1, "found": 1}


def test_columns_sort_by_what_they_mean(theme: Any) -> None:
    model = MessagesModel(theme)
    model.add(messages(48))
    model.set_filter(MessageFilter(method="tools/call"))
    model.sort(ID, Qt.SortOrder.AscendingOrder)
    ids = [int(model.index(row, ID).data()) for row in range(model.rowCount())]
    assert ids == sorted(ids)
    assert ids[-1] > 9
    model.sort(DURATION, Qt.SortOrder.DescendingOrder)
    assert model.index(0, DURATION).data() == "1.0 s"


def test_the_oldest_go_when_there_are_too_many_and_the_choice_stays(theme: Any) -> None:
    model = MessagesModel(theme)
    every = messages(MOST_MESSAGES + 100)
    for start in range(0, len(every), 1000):
        model.add(every[start : start + 1000])
    assert model.total() <= MOST_MESSAGES
    assert model.dropped == len(every) - model.total()
    first = model.record(model.index(0, 0))
    assert first is not None
    assert first.frame.number == model.dropped + 1
    model.set_filter(MessageFilter(words=("some", f'"number": {MOST_MESSAGES},')))
    assert model.rowCount() == 1


def test_a_cleared_table_shows_what_comes_from_then_on(theme: Any) -> None:
    model = MessagesModel(theme)
    model.add(messages(4))
    last = model.last
    model.clear()
    assert (model.rowCount(), model.last, model.dropped) == (0, last, 0)
    model.add(messages(6)[4:])
    assert (model.rowCount(), model.dropped) == (2, 0)
