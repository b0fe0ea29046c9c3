"""The log of a server's messages is bounded in every dimension, and returns the messages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.records import Frame
from workbench.secrets.secret_masking import SecretMasks
from workbench.servers.monitoring.message_log import BUDGET, MessageLabel, MessageLog, find, label, transcript


def everything(traffic: MessageLog) -> list[Frame]:
    """The messages of all pages."""
    found: list[Frame] = []
    while page := traffic.frames(found[-1].at if found else 0.0):
        found += page
    return found


def test_everything_is_bounded() -> None:
    traffic = MessageLog("one")
    for _ in range(100_000):
        traffic.received(b'{"method":"notifications/message","params":{}}')
    for _ in range(3_000):
        traffic.add_error_line(b"line")
        traffic.add_invalid_line(b"rubbish")
    traffic.add_error_line(b"z" * 1_000_000)
    assert traffic.message_count < BUDGET // 400
    assert traffic.dropped == 103_000 - traffic.message_count
    assert len(traffic.frames()) == 1_000
    assert everything(traffic)[0].number == traffic.dropped + 1
    assert len(traffic.stderr()) == 400
    assert len(traffic.stderr()[-1]) < 3_000
    assert len(traffic.warnings()) == 4
    assert traffic.warnings()[-1] == "More lines that are not protocol messages: 2,997."


def test_a_list_shows_the_beginning_of_a_message_and_the_whole_is_there() -> None:
    traffic = MessageLog("one")
    traffic.sent(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"%s"}' % (b"y" * 1_000_000))
    shown = traffic.frames()[-1]
    assert (len(shown.text) < 1_100, shown.bytes > 1_000_000, shown.cut) == (True, True, False)
    assert len(traffic.message_text(shown.at)) == shown.bytes


def test_of_a_giant_only_the_beginning_is_kept_and_it_says_so() -> None:
    traffic = MessageLog("one")
    traffic.received(b'{"jsonrpc":"2.0","id":7,"result":{"x":"' + b"y" * 9_000_000 + b'"}}')
    shown = traffic.frames()[-1]
    assert (shown.cut, shown.bytes > 9_000_000, shown.kind, shown.id) == (True, True, "answer", "7")
    assert len(traffic.message_text(shown.at)) == 65_536


def test_the_oldest_messages_go_first_and_are_counted() -> None:
    traffic = MessageLog("one")
    for number in range(6):
        traffic.sent(b"%d" % number + b"x" * 3_900_000)
    kept = [frame.text[0] for frame in everything(traffic)]
    assert kept == ["2", "3", "4", "5"]
    assert (traffic.message_count, traffic.dropped, traffic.sent_bytes) == (4, 2, 6 * 3_900_001)


def test_a_message_that_is_gone_is_a_sentence() -> None:
    with pytest.raises(WorkbenchError, match="no longer stored"):
        MessageLog("one").message_text(5.0)


def test_after_gives_each_frame_exactly_once() -> None:
    traffic = MessageLog("one")
    seen, after = [], 0.0
    for number in range(100):
        traffic.sent(b"%d" % number)
        new = traffic.frames(after)
        seen += [frame.text for frame in new]
        after = new[-1].at
    assert seen == [str(number) for number in range(100)]


def test_words_are_found_wherever_they_stand_in_a_message() -> None:
    traffic = MessageLog("one")
    traffic.received(b"x" * 50_000 + "Ünder the Bridge".encode())
    traffic.received(b"nothing")
    there = traffic.frames()[0].at
    assert find(traffic.snapshot(), "bridge ünder") == (there,)
    assert find(traffic.snapshot(after=there), "bridge") == ()


def test_what_happens_to_the_server_stands_among_its_messages() -> None:
    traffic = MessageLog("one")
    traffic.mark("The server is starting.")
    frame = traffic.frames()[0]
    assert (frame.direction, frame.text, frame.kind) == ("·", "The server is starting.", "")


def test_a_new_process_starts_with_clean_warnings_and_the_old_stderr() -> None:
    traffic = MessageLog("one")
    traffic.add_invalid_line(b"\xff not text")
    traffic.add_error_line(b"last words")
    traffic.begin()
    assert traffic.warnings() == ()
    assert traffic.tail() == "last words"


@pytest.mark.parametrize("size", [10, 999, 70_000, 5 << 20])
def test_a_secret_is_masked_before_anything_is_kept_and_before_it_is_cut(size: int) -> None:
    masks = SecretMasks()
    traffic = MessageLog("one", masks)
    masks.add_secret("value-one-" * 5)
    for shift in (0, 7, 49):
        data = b"x" * (size - shift) + b"value-one-" * 5 + b"y" * size
        traffic.sent(data)
        traffic.add_invalid_line(data)
        traffic.add_error_line(data)
        shown = [*(frame.text for frame in traffic.frames()), *traffic.stderr(), *traffic.warnings()]
        shown += [traffic.message_text(frame.at) for frame in traffic.frames()]
        assert [text[-200:] for text in shown if "value" in text] == []
        assert traffic.frames()[-1].bytes == len(data)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            '{"id":1,"method":"tools/call","params":{"name":"echo"}}',
            MessageLabel("request", "tools/call", "1", "echo"),
        ),
        ('{"id":"1","method":"ping"}', MessageLabel("request", "ping", '"1"')),
        ('{"method":"notes/message","params":{"level":"info"}}', MessageLabel("notice", "notes/message", "", "info")),
        ('{"id":4,"result":{}}', MessageLabel("answer", "", "4")),
        ('{"id":4,"error":{"code":-32601,"message":"no"}}', MessageLabel("error", "", "4", "-32601 no")),
        ('{"id":4,"result":{"isError":true,"content":[{"text":"bad"}]}}', MessageLabel("error", "", "4", "bad")),
        ('[{"id":1}]', MessageLabel("batch", about="1 messages")),
        ("no json", MessageLabel()),
        ("[" * 100_000, MessageLabel()),
    ],
)  # fmt: skip
def test_a_message_says_what_it_is(text: str, wanted: MessageLabel) -> None:
    assert label(text.encode()) == wanted


def test_long_messages_are_told_by_their_ends() -> None:
    long = "x" * 300_000
    answer = json.dumps({"jsonrpc": "2.0", "id": 9, "result": {"text": long}}).encode()
    late = json.dumps({"jsonrpc": "2.0", "result": {"text": long}, "id": 9}).encode()
    call = json.dumps({"method": "tools/call", "params": {"text": long}, "jsonrpc": "2.0", "id": 3}).encode()
    assert label(answer) == label(late) == MessageLabel("answer", "", "9")
    assert label(call) == MessageLabel("request", "tools/call", "3")


KEYS = st.sampled_from(["id", "method", "params", "result", "error", "isError", "content", "name", "message", "code"])
LEAVES = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)))
def test_no_json_breaks_it(value: object) -> None:
    found = label(json.dumps(value).encode())
    assert len(found.about) < 150


@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    assert isinstance(label(data), MessageLabel)


def test_every_message_is_one_line_and_whole() -> None:
    traffic = MessageLog("one")
    traffic.mark("The server is starting.")
    traffic.sent(b'{"id": 1, "method": "x", "params": {"long": "%s"}}' % (b"y" * 5_000))
    traffic.add_invalid_line("Grüße\u2028!".encode())
    lines = [json.loads(line) for line in transcript(traffic.snapshot()).split("\n") if line]
    assert [line["direction"] for line in lines] == ["event", "sent", "rubbish"]
    assert len(lines[1]["message"]["params"]["long"]) == 5_000
    assert lines[2]["text"] == "Grüße\u2028!"
    assert lines[0]["at"] < lines[1]["at"]


def test_a_message_of_which_only_the_beginning_was_kept_is_text() -> None:
    traffic = MessageLog("one")
    traffic.received(b'{"id":1,"result":"' + b"x" * 5_000_000)
    (line,) = [json.loads(line) for line in transcript(traffic.snapshot()).split("\n") if line]
    assert (line["direction"], len(line["text"])) == ("received", 65_536)
