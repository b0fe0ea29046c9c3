"""Channels, the outbox, and the report that fails."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_the_message_appears_a_while_after_the_first_look_and_stays(demo: Line) -> None:
    def seen() -> bool:
        return any(
            "deployment complete" in one["text"]
            for one in demo.get("get_channel_history", channel="deployments")["result"]
        )

    assert not seen()
    end = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert seen()


def test_a_mail_waits_in_the_outbox(demo: Line) -> None:
    assert demo.get("list_outbox") == {"result": []}
    sent = demo.get("send_email", to="ines@example.com", subject="Hi", body="There")
    (mail,) = demo.get("list_outbox")["result"]
    assert mail == {"id": sent["id"], "to": "ines@example.com", "subject": "Hi", "body": "There"}
    assert "not a mail address" in demo.refusal("send_email", to="ines", subject="Hi", body="There")


def test_a_failing_report_says_what_to_do_instead(demo: Line) -> None:
    assert "sales_summary" in demo.refusal("broken_report", quarter="2025-Q3")


def test_a_posted_message_is_read_by_the_next_who_looks(demo: Line) -> None:
    posted = demo.get("post_message", channel="general", text="hello")
    assert demo.get("get_channel_history", channel="general", limit=1) == {"result": [posted]}
