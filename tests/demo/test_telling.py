"""The server tells what changed to who subscribed, and its log from the level on that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Line

GENERAL = "demo://channels/general"


def told(demo: Line, method: str) -> list[Any]:  # Any: JSON
    return [notice["params"] for notice in demo.notices if notice["method"] == method]


def test_a_post_is_told_to_who_subscribed_and_to_nobody_else(demo: Line) -> None:
    demo.call("post_message", channel="general", text="nobody hears")
    assert demo.ask("resources/subscribe", uri=GENERAL)["result"] == {}
    demo.call("post_message", channel="general", text="one")
    demo.call("post_message", channel="support", text="elsewhere")
    demo.ask("resources/unsubscribe", uri=GENERAL)
    demo.call("post_message", channel="general", text="two")
    assert told(demo, "notifications/resources/updated") == [{"uri": GENERAL}]


def test_the_live_resource_changes_while_somebody_watches(start: Callable[..., Line]) -> None:
    demo = start("--beat", "0.01")
    uri = "demo://company/visitors"
    before = demo.ask("resources/read", uri=uri)["result"]
    demo.ask("resources/subscribe", uri=uri)
    assert demo.receive() == {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
    assert demo.ask("resources/read", uri=uri)["result"] != before
    demo.ask("resources/unsubscribe", uri=uri)
    assert demo.close() == 0


def test_the_log_begins_at_the_level_asked_for(demo: Line) -> None:
    demo.call("list_outbox")
    demo.ask("logging/setLevel", level="debug")
    demo.call("list_outbox")
    demo.ask("logging/setLevel", level="warning")
    demo.call("list_outbox")
    demo.call("broken_report")
    assert [line["level"] for line in told(demo, "notifications/message")] == ["info", "debug", "info", "warning"]


def test_unknown_levels_and_resources_are_refused(demo: Line) -> None:
    assert "debug" in demo.ask("logging/setLevel", level="loud")["error"]["message"]
    assert demo.ask("resources/subscribe", uri="demo://nothing")["error"]["code"] == -32602
