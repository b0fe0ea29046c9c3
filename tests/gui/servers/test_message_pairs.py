"""Answers find their requests, whatever a server does with its ids."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.gui.servers.message_table import MessagePairs
from workbench.records import Frame


def frame(number: int, direction: str, kind: str = "", method: str = "", key: str = "", about: str = "") -> Frame:
    return Frame("one", 100.0 + number / 1000, direction, "{}", 2, number, kind, method, key, about)


def test_an_answer_knows_what_was_asked_and_how_long_it_took() -> None:
    request, notice, answer = MessagePairs().add(
        [
            frame(1, ">", "request", "tools/call", "7", "echo"),
            frame(2, "<", "notice", "notifications/progress"),
            frame(6, "<", "answer", "", "7"),
        ]
    )
    assert (answer.partner, request.partner, answer.method, answer.about) == (request, answer, "tools/call", "echo")
    assert round(answer.ms) == round(request.ms) == 5
    assert (notice.noise, request.noise, notice.partner) == (True, False, None)


def test_both_sides_may_use_the_same_id_and_7_is_not_the_text_7() -> None:
    ours, theirs, text, reply, answer = MessagePairs().add(
        [
            frame(1, ">", "request", "tools/list", "7"),
            frame(2, "<", "request", "roots/list", "7"),
            frame(3, "<", "answer", "", '"7"'),
            frame(4, ">", "answer", "", "7"),
            frame(5, "<", "error", "", "7", "-32601 no"),
        ]
    )
    assert (reply.partner, answer.partner, text.partner) == (theirs, ours, None)
    assert (ours.error, theirs.error, answer.about) == (True, False, "-32601 no")


def test_an_answer_that_comes_twice_belongs_to_its_request_once() -> None:
    request, first, second = MessagePairs().add(
        [frame(1, ">", "request", "ping", "1"), frame(2, "<", "answer", "", "1"), frame(3, "<", "answer", "", "1")]
    )
    assert (first.partner, second.partner) == (request, None)


def test_after_a_restart_the_old_ids_mean_nothing() -> None:
    rows = MessagePairs().add([frame(1, ">", "request", "ping", "1"), frame(2, "·"), frame(3, "<", "answer", "", "1")])
    assert rows[2].partner is None


KINDS = st.sampled_from(["request", "answer", "error", "notice", "batch", ""])


@given(st.lists(st.tuples(st.sampled_from("<>!·"), KINDS, st.sampled_from(["", "1", '"1"', "null"]))))
def test_no_order_of_messages_breaks_it(told: list[Any]) -> None:
    rows = MessagePairs().add([frame(number, way, kind, "m", key) for number, (way, kind, key) in enumerate(told)])
    assert all(row.partner is None or row.partner.partner is row for row in rows)
