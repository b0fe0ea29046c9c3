"""A server's messages as a file of lines."""

from __future__ import annotations

import json

from workbench.servers.monitoring.message_log import MessageLog, transcript


def test_every_message_is_one_line_and_whole() -> None:
    traffic = MessageLog("one")
    traffic.mark("The server starts.")
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
